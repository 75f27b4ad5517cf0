// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/target/scsi_device.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "analyzer/base/byte_order.h"
#include "analyzer/iscsi/testing/pdu_builder.h"
#include "analyzer/scsi/sense.h"

namespace sanscope {
namespace {

using test::Bytes;
using What = ScsiPlan::What;

constexpr uint32_t blocks = 1000;

TargetSettings settings() {
    TargetSettings settings;
    settings.luns = 2;
    settings.size = uint64_t{blocks} * 512;
    settings.serial = "S1";
    return settings;
}

struct Device : testing::Test {
    ScsiPlan plan(Bytes cdb, uint64_t lun = 0) {
        cdb.resize(16);
        return device.plan(lun << 48, cdb.data(), given);
    }
    // The data of a command that gives any.
    Bytes ask(const Bytes& cdb, uint64_t lun = 0) {
        const ScsiPlan made = plan(cdb, lun);
        EXPECT_EQ(made.what, What::give);
        EXPECT_EQ(made.length, given.size());
        return given;
    }
    static std::string_view text(const Bytes& bytes, size_t at, size_t length) {
        return {reinterpret_cast<const char*>(bytes.data()) + at, length};
    }
    static void expect_sense(const ScsiPlan& plan, uint8_t key, uint8_t asc) {
        EXPECT_EQ(plan.what, What::status);
        EXPECT_EQ(plan.status, scsi_status::check_condition);
        EXPECT_EQ(plan.sense.key, key);
        EXPECT_EQ(plan.sense.asc, asc);
    }

    TargetSettings given_settings = settings();
    ScsiDevice device{given_settings};
    Bytes given;
};

TEST_F(Device, SaysWhatItIs) {
    const Bytes bytes = ask({0x12, 0, 0, 0, 255});
    ASSERT_EQ(bytes.size(), 96u);
    EXPECT_EQ(bytes[0], 0);
    EXPECT_EQ(bytes[4], 91);
    EXPECT_EQ(text(bytes, 8, 8), "SANSCOPE");
    EXPECT_EQ(text(bytes, 16, 16), "MEMORY TARGET   ");
    EXPECT_EQ(ask({0x12, 0, 0, 0, 36}).size(), 36u);
    EXPECT_EQ(ask({0x12, 0, 0, 0, 36}, 2)[0], 0x7f) << "a unit that does not exist";
    expect_sense(plan({0x12, 0, 0x80, 0, 255}), 5, 0x24);
}

TEST_F(Device, TellsOnlyPagesThatItHas) {
    const Bytes known = ask({0x12, 1, 0, 0, 255});
    ASSERT_EQ(known.size(), 4u + known[3]);
    EXPECT_EQ(Bytes(known.begin() + 4, known.end()), (Bytes{0x00, 0x80, 0x83, 0xb0, 0xb1, 0xb2}));
    for (const uint8_t page : Bytes(known.begin() + 4, known.end())) {
        const Bytes bytes = ask({0x12, 1, page, 1, 0});
        EXPECT_EQ(bytes[1], page);
        EXPECT_EQ(load_be16(bytes.data() + 2), bytes.size() - 4);
    }
    expect_sense(plan({0x12, 1, 0x42, 0, 255}), 5, 0x24);
}

TEST_F(Device, UnitsHaveSerialNumbersOfTheirOwn) {
    EXPECT_EQ(text(ask({0x12, 1, 0x80, 0, 255}), 4, 2), "S1");
    EXPECT_EQ(text(ask({0x12, 1, 0x80, 0, 255}, 1), 4, 4), "S1-1");
    EXPECT_NE(ask({0x12, 1, 0x83, 0, 255}), ask({0x12, 1, 0x83, 0, 255}, 1));
}

TEST_F(Device, ReadsAndWritesInEverySizeOfCdb) {
    const Bytes reads[] = {{0x08, 0, 0, 5, 3},
                           {0x28, 0, 0, 0, 0, 5, 0, 0, 3},
                           {0xa8, 0, 0, 0, 0, 5, 0, 0, 0, 3},
                           {0x88, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 3}};
    for (Bytes cdb : reads) {
        for (const What what : {What::read, What::write}) {
            const ScsiPlan made = plan(cdb, 1);
            EXPECT_EQ(made.what, what) << unsigned{cdb[0]};
            EXPECT_EQ(made.lun, 1u);
            EXPECT_EQ(made.offset, 5u * 512);
            EXPECT_EQ(made.length, 3u * 512);
            cdb[0] = static_cast<uint8_t>(cdb[0] + 2);
        }
    }
    EXPECT_EQ(plan({0x08}).length, 256u * 512) << "0 stands for 256 in READ(6)";
    EXPECT_EQ(plan({0x28}).what, What::status) << "0 stands for none elsewhere";
}

TEST_F(Device, NothingReachesBeyondTheEnd) {
    const auto read_16 = [&](uint64_t lba, uint32_t count) {
        Bytes cdb(16);
        cdb[0] = 0x88;
        for (size_t i = 0; i < 8; ++i) cdb[2 + i] = static_cast<uint8_t>(lba >> (56 - 8 * i));
        store_be32(cdb.data() + 10, count);
        return plan(cdb);
    };
    EXPECT_EQ(read_16(blocks - 1, 1).what, What::read);
    EXPECT_EQ(read_16(blocks, 0).status, scsi_status::good);
    expect_sense(read_16(blocks, 1), 5, 0x21);
    expect_sense(read_16(blocks - 1, 2), 5, 0x21);
    expect_sense(read_16(blocks + 1, 0), 5, 0x21);
    expect_sense(read_16(UINT64_MAX, 1), 5, 0x21);
    expect_sense(read_16(UINT64_MAX - 1, UINT32_MAX), 5, 0x21);
}

TEST_F(Device, NoMoreThanAnInitiatorCanExpectIsMoved) {
    given_settings.size = uint64_t{1} << 40;
    const ScsiDevice large(given_settings);
    const Bytes most = {0x88, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0, 0};
    const Bytes more = {0x88, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0};
    EXPECT_EQ(large.plan(0, most.data(), given).length, 0x7fffff * 512u);
    expect_sense(large.plan(0, more.data(), given), 5, 0x24);
}

TEST_F(Device, RefusesWhatItDoesNotKnow) {
    expect_sense(plan({0xc1}), 5, 0x20);
    expect_sense(plan({0x28, 0x20, 0, 0, 0, 0, 0, 0, 1}), 5, 0x24);  // protection information
    expect_sense(plan({0x00}, 2), 5, 0x25);
    expect_sense(plan({0x9e, 0x12}), 5, 0x24);
    EXPECT_EQ(ask({0x03, 0, 0, 0, 18}, 2)[12], 0x25);
}

TEST_F(Device, TellsItsCapacity) {
    const Bytes small = ask({0x25});
    EXPECT_EQ(load_be32(small.data()), blocks - 1);
    EXPECT_EQ(load_be32(small.data() + 4), 512u);
    const Bytes large = ask({0x9e, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32});
    EXPECT_EQ(large.size(), 32u);
    EXPECT_EQ(load_be64(large.data()), blocks - 1);
    EXPECT_EQ(load_be32(large.data() + 8), 512u);
    expect_sense(plan({0x25, 0, 0, 0, 0, 1}), 5, 0x24);
}

TEST_F(Device, ListsItsUnits) {
    const Bytes bytes = ask({0xa0, 0, 0, 0, 0, 0, 0, 0, 1, 0});
    ASSERT_EQ(bytes.size(), 24u);
    EXPECT_EQ(load_be32(bytes.data()), 16u);
    EXPECT_EQ(bytes[17], 1);
    EXPECT_EQ(ask({0xa0, 0, 0, 0, 0, 0, 0, 0, 0, 16}).size(), 16u);
    expect_sense(plan({0xa0, 0, 0, 0, 0, 0, 0, 0, 0, 15}), 5, 0x24);
}

TEST_F(Device, ModePagesAreOfTheLengthThatIsTold) {
    const Bytes small = ask({0x1a, 0, 0x3f, 0, 255});
    EXPECT_EQ(small[0], small.size() - 1);
    EXPECT_EQ(small[3], 8) << "a block descriptor";
    const Bytes large = ask({0x5a, 8, 0x08, 0, 0, 0, 0, 1, 0});
    EXPECT_EQ(load_be16(large.data()), large.size() - 2);
    EXPECT_EQ(large[8], 0x08);
    expect_sense(plan({0x1a, 0, 0xff, 0, 255}), 5, 0x39);
    expect_sense(plan({0x1a, 0, 0x02, 0, 255}), 5, 0x24);
}

TEST_F(Device, EveryCommandThatItReportsItKnows) {
    const Bytes all = ask({0xa3, 0x0c, 0, 0, 0, 0, 0, 1, 0, 0});
    ASSERT_EQ(all.size() % 8, 4u);
    ASSERT_EQ(load_be32(all.data()), all.size() - 4);
    for (size_t at = 4; at < all.size(); at += 8) {
        const ScsiPlan made = plan({all[at], all[at + 3]});
        EXPECT_FALSE(made.sense.key == 5 && made.sense.asc == 0x20) << unsigned{all[at]};
        const bool has_service_action = (all[at + 5] & 1) != 0;
        const Bytes one = ask({0xa3, 0x0c, static_cast<uint8_t>(has_service_action ? 2 : 1), all[at], 0,
                               all[at + 3], 0, 0, 1, 0});
        EXPECT_EQ(one[1], 3);
        EXPECT_EQ(one.size(), 4u + all[at + 7]);
    }
    EXPECT_EQ(ask({0xa3, 0x0c, 1, 0xc1, 0, 0, 0, 0, 1, 0})[1], 1);
}

TEST_F(Device, IsThinAndSaysWhatOneCommandMayAskFor) {
    const Bytes limits = ask({0x12, 1, 0xb0, 0, 255});
    ASSERT_EQ(limits.size(), 64u);
    EXPECT_EQ(limits[4], 1) << "WSNZ";
    EXPECT_EQ(limits[5], 32);
    EXPECT_EQ(load_be32(limits.data() + 20), 1u << 20);
    EXPECT_EQ(load_be32(limits.data() + 24), 256u);
    EXPECT_EQ(load_be64(limits.data() + 36), 1u << 17);
    const Bytes provisioning = ask({0x12, 1, 0xb2, 0, 255});
    ASSERT_EQ(provisioning.size(), 8u);
    EXPECT_EQ(provisioning[5], 0xe4);
    EXPECT_EQ(provisioning[6], 2);
    EXPECT_EQ(ask({0x9e, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32})[14], 0xc0);
}

TEST_F(Device, CollectsTheDataOfWhatItDoesAtOnce) {
    ScsiPlan made = plan({0x42, 0, 0, 0, 0, 0, 0, 0, 24}, 1);
    EXPECT_EQ(made.what, What::unmap);
    EXPECT_EQ(made.lun, 1u);
    EXPECT_EQ(made.length, 24u);
    for (const Bytes& cdb :
         {Bytes{0x41, 8, 0, 0, 0, 5, 0, 0, 3}, Bytes{0x93, 8, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 3}}) {
        made = plan(cdb, 1);
        EXPECT_EQ(made.what, What::write_same);
        EXPECT_EQ(made.offset, 5u * 512);
        EXPECT_EQ(made.length, 512u);
        EXPECT_EQ(made.extent, 3u * 512);
    }
    made = plan({0x89, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 3}, 1);
    EXPECT_EQ(made.what, What::compare_and_write);
    EXPECT_EQ(made.offset, 5u * 512);
    EXPECT_EQ(made.length, 6u * 512);
    EXPECT_EQ(made.extent, 3u * 512);
    EXPECT_EQ(plan({0x89}).what, What::status) << "of no blocks";
}

TEST_F(Device, WritesTheSameToNoMoreThanItSays) {
    given_settings.size = uint64_t{1} << 40;
    const ScsiDevice large(given_settings);
    const Bytes most = {0x93, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0};
    const Bytes more = {0x93, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 0};
    EXPECT_EQ(large.plan(0, most.data(), given).extent, uint64_t{1} << 26);
    expect_sense(large.plan(0, more.data(), given), 5, 0x24);
}

TEST_F(Device, RefusesWhatIsBeyondItsLimits) {
    expect_sense(plan({0x42, 1, 0, 0, 0, 0, 0, 0, 24}), 5, 0x24);  // ANCHOR
    expect_sense(plan({0x42, 0, 0, 0, 0, 0, 0, 0x10, 0x09}), 5, 0x1a);
    expect_sense(plan({0x41, 0x10, 0, 0, 0, 0, 0, 0, 1}), 5, 0x24);  // ANCHOR
    expect_sense(plan({0x41, 0x02, 0, 0, 0, 0, 0, 0, 1}), 5, 0x24);  // LBDATA
    expect_sense(plan({0x41, 0x20, 0, 0, 0, 0, 0, 0, 1}), 5, 0x24);  // protection information
    expect_sense(plan({0x41, 0, 0, 0, 0, 0, 0, 0, 0}), 5, 0x24);
    expect_sense(plan({0x41, 0, 0, 0, 3, 0xe7, 0, 0, 2}), 5, 0x21);
    expect_sense(plan({0x93, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1}), 5, 0x21);
    expect_sense(plan({0x41, 0, 0, 0, 3, 0xe9, 0, 0, 0}), 5, 0x21);
    expect_sense(plan({0x89, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 33}), 5, 0x24);
    expect_sense(plan({0x89, 0, 0, 0, 0, 0, 0, 0, 3, 0xe7, 0, 0, 0, 2}), 5, 0x21);
    expect_sense(plan({0x42, 0, 0, 0, 0, 0, 0, 0, 24}, 2), 5, 0x25);
}

TEST(FixedSense, IsReadAsItIsMeant) {
    Bytes bytes(fixed_sense_length);
    write_fixed_sense(senses::invalid_field(7),
                      std::span<uint8_t, fixed_sense_length>(bytes.data(), bytes.size()));
    const auto sense = parse_sense(bytes);
    ASSERT_TRUE(sense);
    EXPECT_EQ(sense->sense_key, 5);
    EXPECT_EQ(sense->asc, 0x24);
    EXPECT_EQ(sense->ascq, 0);
    EXPECT_EQ(bytes[17], 7);
}

TEST(FixedSense, TellsWhereSomethingDiffers) {
    Sense miscompare = senses::miscompare;
    miscompare.information = 0x010203;
    Bytes bytes(fixed_sense_length);
    write_fixed_sense(miscompare, std::span<uint8_t, fixed_sense_length>(bytes.data(), bytes.size()));
    EXPECT_EQ(bytes[0], 0xf0);
    EXPECT_EQ(load_be32(bytes.data() + 3), 0x010203u);
    write_fixed_sense(senses::miscompare, std::span<uint8_t, fixed_sense_length>(bytes.data(), bytes.size()));
    EXPECT_EQ(bytes[0], 0x70);
    EXPECT_EQ(load_be32(bytes.data() + 3), 0u);
}

}  // namespace
}  // namespace sanscope
