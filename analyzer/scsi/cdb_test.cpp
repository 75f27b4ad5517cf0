// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/scsi/cdb.h"

#include <gtest/gtest.h>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

constexpr uint64_t none = unknown<uint64_t>;
constexpr auto disk = DeviceType::direct_access_block;

// A CDB of all-different bytes: byte n holds n, so that a field read at the wrong place shows.
std::vector<uint8_t> numbered(uint8_t opcode, size_t size) {
    std::vector<uint8_t> cdb(size);
    for (size_t i = 0; i < size; i++) cdb[i] = static_cast<uint8_t>(i);
    cdb[0] = opcode;
    return cdb;
}

// The same for a command with a service action, in byte 1 or (operation code 7Fh) bytes 8 and 9.
std::vector<uint8_t> numbered(uint8_t opcode, uint16_t service_action, size_t size) {
    std::vector<uint8_t> cdb = numbered(opcode, size);
    if (opcode == 0x7f) {
        cdb[8] = static_cast<uint8_t>(service_action >> 8);
        cdb[9] = static_cast<uint8_t>(service_action);
    } else {
        cdb[1] = static_cast<uint8_t>(service_action);
    }
    return cdb;
}

struct Expected {
    std::vector<uint8_t> cdb;
    std::string name;
    uint64_t lba;
    uint64_t blocks;
    uint64_t bytes;
    DataDirection direction;
    DeviceType device = DeviceType::unknown;
};

void expect_all(std::initializer_list<Expected> cases) {
    for (const Expected& expected : cases) {
        SCOPED_TRACE(expected.name);
        const CdbInfo info = decode_cdb(expected.cdb, expected.device, all_command_sets, expected.direction);
        EXPECT_EQ(info.name, expected.name);
        EXPECT_EQ(info.opcode, expected.cdb[0]);
        EXPECT_EQ(info.lba, expected.lba);
        EXPECT_EQ(info.blocks, expected.blocks);
        EXPECT_EQ(info.bytes, expected.bytes);
        EXPECT_EQ(info.direction, expected.direction);
    }
}

TEST(DecodeCdb, reads_and_writes_of_every_length_give_lba_and_blocks) {
    const auto in = DataDirection::in;
    const auto out = DataDirection::out;
    expect_all({
        {numbered(0x08, 6), "READ(6)", 0x010203, 4, none, in, disk},
        {numbered(0x0a, 6), "WRITE(6)", 0x010203, 4, none, out, disk},
        {numbered(0x28, 10), "READ(10)", 0x02030405, 0x0708, none, in},
        {numbered(0x2a, 10), "WRITE(10)", 0x02030405, 0x0708, none, out},
        {numbered(0x2e, 10), "WRITE AND VERIFY(10)", 0x02030405, 0x0708, none, out},
        {numbered(0xa8, 12), "READ(12)", 0x02030405, 0x06070809, none, in},
        {numbered(0xaa, 12), "WRITE(12)", 0x02030405, 0x06070809, none, out},
        {numbered(0xae, 12), "WRITE AND VERIFY(12)", 0x02030405, 0x06070809, none, out},
        {numbered(0x88, 16), "READ(16)", 0x0203040506070809, 0x0a0b0c0d, none, in},
        {numbered(0x8a, 16), "WRITE(16)", 0x0203040506070809, 0x0a0b0c0d, none, out},
        {numbered(0x8b, 16), "ORWRITE(16)", 0x0203040506070809, 0x0a0b0c0d, none, out},
        {numbered(0x8e, 16), "WRITE AND VERIFY(16)", 0x0203040506070809, 0x0a0b0c0d, none, out},
        {numbered(0x89, 16), "COMPARE AND WRITE", 0x0203040506070809, 0x0d, none, out},
        {numbered(0x9c, 16), "WRITE ATOMIC(16)", 0x0203040506070809, 0x0c0d, none, out},
        {numbered(0x7f, 0x0009, 32), "READ(32)", 0x0c0d0e0f10111213, 0x1c1d1e1f, none, in},
        {numbered(0x7f, 0x000b, 32), "WRITE(32)", 0x0c0d0e0f10111213, 0x1c1d1e1f, none, out},
        {numbered(0x7f, 0x000c, 32), "WRITE AND VERIFY(32)", 0x0c0d0e0f10111213, 0x1c1d1e1f, none, out},
        {numbered(0x53, 10), "XDWRITEREAD(10)", 0x02030405, 0x0708, none, DataDirection::bidirectional},
    });
}

TEST(DecodeCdb, commands_that_move_no_data_give_lba_and_blocks_too) {
    const auto no_data = DataDirection::none;
    expect_all({
        {numbered(0x35, 10), "SYNCHRONIZE CACHE(10)", 0x02030405, 0x0708, none, no_data},
        {numbered(0x91, 16), "SYNCHRONIZE CACHE(16)", 0x0203040506070809, 0x0a0b0c0d, none, no_data, disk},
        {numbered(0x34, 10), "PRE-FETCH(10)", 0x02030405, 0x0708, none, no_data},
        {numbered(0x90, 16), "PRE-FETCH(16)", 0x0203040506070809, 0x0a0b0c0d, none, no_data},
        {numbered(0x2b, 10), "SEEK(10)", 0x02030405, none, none, no_data, disk},
        {numbered(0x00, 6), "TEST UNIT READY", none, none, none, no_data},
    });
}

TEST(DecodeCdb, commands_with_a_byte_count_give_bytes) {
    const auto in = DataDirection::in;
    const auto out = DataDirection::out;
    expect_all({
        {numbered(0x12, 6), "INQUIRY", none, none, 0x0304, in},
        {numbered(0x03, 6), "REQUEST SENSE", none, none, 4, in},
        {numbered(0x1a, 6), "MODE SENSE(6)", none, none, 4, in},
        {numbered(0x55, 10), "MODE SELECT(10)", none, none, 0x0708, out},
        {numbered(0x5e, 0, 10), "PERSISTENT RESERVE IN", none, none, 0x0708, in},
        {numbered(0x5f, 0, 10), "PERSISTENT RESERVE OUT", none, none, 0x05060708, out},
        {numbered(0xa0, 12), "REPORT LUNS", none, none, 0x06070809, in},
        {numbered(0x42, 10), "UNMAP", none, none, 0x0708, out},
        {numbered(0x3b, 10), "WRITE BUFFER", none, none, 0x060708, out},
        {numbered(0x3e, 10), "READ LONG(10)", 0x02030405, none, 0x0708, in},
        {numbered(0x25, 10), "READ CAPACITY(10)", none, none, none, in},
        {numbered(0x83, 0x00, 16), "EXTENDED COPY(LID1)", none, none, 0x0a0b0c0d, out},
    });
}

TEST(DecodeCdb, a_transfer_length_of_zero_means_256_blocks_in_read_6_and_write_6_alone) {
    EXPECT_EQ(decode_cdb(std::vector<uint8_t>{0x08, 0, 0, 0, 0, 0}, disk).blocks, 256u);
    EXPECT_EQ(decode_cdb(std::vector<uint8_t>{0x0a, 0, 0, 0, 0, 0}, disk).blocks, 256u);
    EXPECT_EQ(decode_cdb(std::vector<uint8_t>{0x28, 0, 0, 0, 0, 0, 0, 0, 0, 0}).blocks, 0u);
}

TEST(DecodeCdb, the_upper_bits_of_byte_1_are_no_part_of_a_six_byte_lba) {
    EXPECT_EQ(decode_cdb(std::vector<uint8_t>{0x08, 0xff, 0, 1, 1, 0}, disk).lba, 0x1f0001u);
}

TEST(DecodeCdb, verify_takes_data_only_with_bytchk) {
    for (const uint8_t opcode : std::initializer_list<uint8_t>{0x2f, 0xaf, 0x8f}) {
        std::vector<uint8_t> cdb = numbered(opcode, 16);
        cdb[1] = 0xf9;
        EXPECT_EQ(decode_cdb(cdb).direction, DataDirection::none);
        cdb[1] = 0x02;
        EXPECT_EQ(decode_cdb(cdb).direction, DataDirection::out);
    }
    std::vector<uint8_t> cdb = numbered(0x7f, 0x000a, 32);
    cdb[10] = 0x04;
    EXPECT_STREQ(decode_cdb(cdb).name, "VERIFY(32)");
    EXPECT_EQ(decode_cdb(cdb).direction, DataDirection::out);
    cdb[10] = 0;
    EXPECT_EQ(decode_cdb(cdb).direction, DataDirection::none);
}

TEST(DecodeCdb, write_same_takes_no_data_with_ndob) {
    std::vector<uint8_t> cdb = numbered(0x93, 16);
    cdb[1] = 0x08;
    EXPECT_EQ(decode_cdb(cdb, disk).direction, DataDirection::out);
    cdb[1] = 0x09;
    EXPECT_EQ(decode_cdb(cdb, disk).direction, DataDirection::none);
}

TEST(DecodeCdb, service_actions_name_the_command) {
    struct {
        uint8_t opcode;
        uint16_t service_action;
        const char* name;
    } const cases[] = {
        {0x9e, 0x10, "READ CAPACITY(16)"},
        {0x9e, 0x12, "GET LBA STATUS(16)"},
        {0x9e, 0x1f, "SERVICE ACTION IN(16)"},
        {0x9f, 0x11, "WRITE LONG(16)"},
        {0xa3, 0x0a, "REPORT TARGET PORT GROUPS"},
        {0xa3, 0x0c, "REPORT SUPPORTED OPERATION CODES"},
        {0xa3, 0x1c, "MAINTENANCE IN"},
        {0xa4, 0x0a, "SET TARGET PORT GROUPS"},
        {0x83, 0x10, "POPULATE TOKEN"},
        {0x84, 0x07, "RECEIVE ROD TOKEN INFORMATION"},
        {0x84, 0x1f, "RECEIVE COPY RESULTS"},
        {0x94, 0x04, "RESET WRITE POINTER"},
        {0x95, 0x00, "REPORT ZONES"},
        {0xab, 0x01, "READ MEDIA SERIAL NUMBER"},
        {0x7f, 0x000d, "WRITE SAME(32)"},
        {0x7f, 0x1ff0, "ATA PASS-THROUGH(32)"},
        {0x7f, 0x8801, "FORMAT OSD"},
        {0x7f, 0x880e, "GET ATTRIBUTES"},
        {0x7f, 0x8885, "READ"},
        {0x7f, 0x8f7f, "PERFORM TASK MANAGEMENT FUNCTION"},
        {0x7f, 0x7777, "VARIABLE LENGTH CDB"},
    };
    for (const auto& c : cases) {
        const CdbInfo info = decode_cdb(numbered(c.opcode, c.service_action, 64));
        EXPECT_STREQ(info.name, c.name);
        EXPECT_EQ(info.service_action, c.service_action) << c.name;
    }
}

TEST(DecodeCdb, the_upper_bits_of_byte_1_are_no_part_of_a_service_action) {
    std::vector<uint8_t> cdb = numbered(0x9e, 0x10 | 0xe0, 16);
    EXPECT_STREQ(decode_cdb(cdb).name, "READ CAPACITY(16)");
    EXPECT_EQ(decode_cdb(cdb).service_action, 0x10);
}

TEST(DecodeCdb, commands_without_service_action_have_none) {
    EXPECT_EQ(decode_cdb(numbered(0x28, 10)).service_action, unknown<uint16_t>);
}

TEST(DecodeCdb, osd_and_osd_2_keep_the_length_in_different_places) {
    const CdbInfo osd = decode_cdb(numbered(0x7f, 0x8805, 200));
    EXPECT_STREQ(osd.name, "READ");
    EXPECT_EQ(osd.bytes, 0x2425262728292a2bu);
    EXPECT_EQ(decode_cdb(numbered(0x7f, 0x8885, 236)).bytes, 0x2021222324252627u);
}

TEST(DecodeCdb, the_device_type_decides_what_a_shared_operation_code_means) {
    struct {
        uint8_t opcode;
        DeviceType device;
        const char* name;
    } const cases[] = {
        {0xa5, DeviceType::media_changer, "MOVE MEDIUM"},
        {0xa5, DeviceType::cd_dvd, "PLAY AUDIO(12)"},
        {0xa3, DeviceType::cd_dvd, "SEND KEY"},
        {0xa3, DeviceType::direct_access_block, "REPORT TARGET PORT GROUPS"},
        {0xa1, DeviceType::cd_dvd, "BLANK"},
        {0xa1, DeviceType::direct_access_block, "ATA PASS-THROUGH(12)"},
        {0x44, DeviceType::sequential_access, "REPORT DENSITY SUPPORT"},
        {0x44, DeviceType::media_changer, "REPORT VOLUME TYPES SUPPORTED"},
        {0x2b, DeviceType::sequential_access, "LOCATE(10)"},
        {0x2b, DeviceType::media_changer, "POSITION TO ELEMENT"},
        {0x2b, DeviceType::direct_access_block, "SEEK(10)"},
        {0x1b, DeviceType::sequential_access, "LOAD UNLOAD"},
        {0xb5, DeviceType::media_changer, "REQUEST VOLUME ELEMENT ADDRESS"},
        {0xb5, DeviceType::sequential_access, "SECURITY PROTOCOL OUT"},
        {0x93, DeviceType::sequential_access, "ERASE(16)"},
        {0x93, DeviceType::host_managed_zoned_block, "WRITE SAME(16)"},
    };
    for (const auto& c : cases) {
        EXPECT_STREQ(decode_cdb(numbered(c.opcode, 0x0a, 16), c.device).name, c.name);
    }
}

constexpr CommandSets of_disks = 0x01;
constexpr CommandSets of_tapes = 0x02;

TEST(DecodeCdb, with_the_device_type_unknown_all_that_may_be_meant_is_named) {
    EXPECT_STREQ(decode_cdb(numbered(0x2b, 10)).name, "SEEK(10) or LOCATE(10) or POSITION TO ELEMENT");
    EXPECT_STREQ(decode_cdb(numbered(0x93, 16)).name, "WRITE SAME(16) or ERASE(16)");
    EXPECT_STREQ(decode_cdb(numbered(0x51, 10)).name, "XPWRITE(10) or READ DISC INFORMATION");
    EXPECT_STREQ(decode_cdb(numbered(0xa5, 12)).name, "MOVE MEDIUM or PLAY AUDIO(12)");
    EXPECT_STREQ(decode_cdb(numbered(0x1b, 6)).name,
                 "START STOP UNIT or LOAD UNLOAD or OPEN/CLOSE IMPORT/EXPORT ELEMENT");
    EXPECT_STREQ(decode_cdb(numbered(0x16, 6)).name, "RESERVE(6)") << "one of all devices";
}

TEST(DecodeCdb, with_the_device_type_unknown_fields_are_those_that_do_not_depend_on_it) {
    const CdbInfo read = decode_cdb(numbered(0x08, 6));
    EXPECT_STREQ(read.name, "READ(6)");
    EXPECT_EQ(read.direction, DataDirection::in);
    EXPECT_EQ(read.lba, none);
    EXPECT_EQ(read.blocks, none);
    EXPECT_EQ(read.bytes, none);
    EXPECT_EQ(decode_cdb(numbered(0x2b, 10)).lba, none);
    EXPECT_EQ(decode_cdb(numbered(0x28, 10)).lba, 0x02030405u) << "of disks, CD and DVD alike";
    EXPECT_EQ(decode_cdb(numbered(0x88, 16)).lba, 0x0203040506070809u);
}

TEST(DecodeCdb, with_the_device_type_unknown_the_way_of_the_data_decides_where_it_can) {
    const auto named = [](uint8_t opcode, DataDirection direction) {
        return decode_cdb(numbered(opcode, 16), DeviceType::unknown, all_command_sets, direction).name;
    };
    EXPECT_STREQ(named(0x42, DataDirection::out), "UNMAP");
    EXPECT_STREQ(named(0x42, DataDirection::in), "READ SUB-CHANNEL");
    EXPECT_STREQ(named(0x42, DataDirection::none), "UNMAP or READ SUB-CHANNEL") << "of a length of 0";
    EXPECT_STREQ(named(0x34, DataDirection::none), "PRE-FETCH(10)");
    EXPECT_STREQ(named(0x34, DataDirection::in), "READ POSITION");
    EXPECT_STREQ(named(0x80, DataDirection::none), "WRITE FILEMARKS(16)");
    EXPECT_STREQ(named(0x28, DataDirection::none), "READ(10)");
}

TEST(DecodeCdb, what_a_device_may_be_by_other_commands_decides_as_well) {
    const auto named = [](uint8_t opcode, CommandSets sets) {
        return decode_cdb(numbered(opcode, 16), DeviceType::unknown, sets).name;
    };
    EXPECT_STREQ(named(0x1b, of_tapes), "LOAD UNLOAD");
    EXPECT_STREQ(named(0x91, of_disks), "SYNCHRONIZE CACHE(16)");
    EXPECT_STREQ(named(0x91, of_tapes), "SPACE(16)");
    EXPECT_EQ(decode_cdb(numbered(0x88, 16), DeviceType::unknown, of_tapes).lba, 0x0405060708090a0bu);
    EXPECT_STREQ(named(0x28, of_tapes), "READ(10)") << "foreign to it, as far as known";
    EXPECT_EQ(decode_cdb(numbered(0x08, 6), DeviceType::unknown, of_disks).lba, 0x010203u);
}

TEST(CommandSetsWith, are_those_that_have_the_command) {
    const auto sets = [](uint8_t opcode, DataDirection direction = DataDirection::unknown) {
        return command_sets_with(numbered(opcode, 16), direction);
    };
    EXPECT_EQ(sets(0x10), of_tapes) << "WRITE FILEMARKS(6)";
    EXPECT_EQ(sets(0x05), of_tapes) << "READ BLOCK LIMITS";
    EXPECT_EQ(sets(0x42, DataDirection::out), of_disks) << "UNMAP";
    EXPECT_EQ(sets(0x88), of_disks) << "READ(16)";
    EXPECT_EQ(sets(0x28) & of_tapes, 0) << "READ(10)";
    EXPECT_NE(sets(0x28), of_disks) << "READ(10) is of CD and DVD too";
    EXPECT_EQ(sets(0x08), of_disks | of_tapes) << "READ(6)";
    EXPECT_EQ(sets(0x12), all_command_sets) << "INQUIRY";
    EXPECT_EQ(sets(0xd8), all_command_sets) << "of a vendor";
    EXPECT_EQ(command_sets_with({}), all_command_sets);
}

TEST(DecodeCdb, an_operation_code_foreign_to_the_device_is_still_named) {
    EXPECT_STREQ(decode_cdb(numbered(0x28, 10), DeviceType::cd_dvd).name, "READ(10)");
    EXPECT_STREQ(decode_cdb(numbered(0xb8, 12), DeviceType::direct_access_block).name, "READ ELEMENT STATUS");
    EXPECT_STREQ(decode_cdb(numbered(0x28, 10), DeviceType{0x0d}).name, "READ(10)");
}

TEST(DecodeCdb, tape_transfers_count_blocks_or_bytes_by_the_fixed_bit) {
    const auto tape = DeviceType::sequential_access;
    std::vector<uint8_t> cdb = {0x08, 0x01, 1, 2, 3, 0};
    EXPECT_EQ(decode_cdb(cdb, tape).blocks, 0x010203u);
    EXPECT_EQ(decode_cdb(cdb, tape).bytes, none);
    EXPECT_EQ(decode_cdb(cdb, tape).lba, none);
    cdb[1] = 0x02;
    EXPECT_EQ(decode_cdb(cdb, tape).blocks, none);
    EXPECT_EQ(decode_cdb(cdb, tape).bytes, 0x010203u);
    cdb = {0x08, 0x01, 0, 0, 0, 0};
    EXPECT_EQ(decode_cdb(cdb, tape).blocks, 0u);
    cdb = numbered(0x88, 16);
    EXPECT_EQ(decode_cdb(cdb, tape).blocks, 0x0c0d0eu);
    EXPECT_EQ(decode_cdb(cdb, tape).lba, 0x0405060708090a0bu);
}

TEST(DecodeCdb, multimedia_and_changer_commands_are_known) {
    const auto in = DataDirection::in;
    expect_all({
        {numbered(0xbe, 12), "READ CD", 0x02030405, 0x060708, none, in},
        {numbered(0x43, 10), "READ TOC/PMA/ATIP", none, none, 0x0708, in},
        {numbered(0x46, 10), "GET CONFIGURATION", none, none, 0x0708, in},
        {numbered(0x51, 10), "READ DISC INFORMATION", none, none, 0x0708, in, DeviceType::cd_dvd},
        {numbered(0xb8, 12), "READ ELEMENT STATUS", none, none, 0x070809, in},
    });
}

TEST(DecodeCdb, security_protocol_lengths_count_512_bytes_where_inc_512_is_set) {
    std::vector<uint8_t> cdb = {0xa2, 0, 0, 0, 0x00, 0, 0, 0, 0, 3, 0, 0};
    EXPECT_EQ(decode_cdb(cdb).bytes, 3u);
    cdb[4] = 0x80;
    EXPECT_EQ(decode_cdb(cdb).bytes, 3u * 512);
}

TEST(DecodeCdb, no_bytes_say_nothing) {
    const CdbInfo info = decode_cdb({});
    EXPECT_STREQ(info.name, "");
    EXPECT_EQ(info.opcode, unknown<uint16_t>);
    EXPECT_EQ(info.direction, DataDirection::unknown);
}

TEST(DecodeCdb, a_vendor_specific_operation_code_has_no_name) {
    const CdbInfo info = decode_cdb(numbered(0xd8, 10));
    EXPECT_STREQ(info.name, "");
    EXPECT_EQ(info.opcode, 0xd8);
    EXPECT_EQ(info.lba, none);
}

TEST(DecodeCdb, a_cdb_cut_short_yields_what_its_bytes_still_say) {
    const std::vector<uint8_t> cdb = numbered(0x28, 10);
    for (size_t size = 1; size < cdb.size(); size++) {
        const CdbInfo info = decode_cdb(std::span(cdb).first(size));
        EXPECT_STREQ(info.name, "READ(10)");
        EXPECT_EQ(info.lba, size >= 6 ? 0x02030405 : none);
        EXPECT_EQ(info.blocks, size >= 9 ? 0x0708 : none);
    }
}

TEST(DecodeCdb, a_cut_before_the_service_action_leaves_the_general_name) {
    const std::vector<uint8_t> variable = numbered(0x7f, 0x0009, 32);
    EXPECT_STREQ(decode_cdb(std::span(variable).first(9)).name, "VARIABLE LENGTH CDB");
    EXPECT_EQ(decode_cdb(std::span(variable).first(9)).service_action, unknown<uint16_t>);
    const std::vector<uint8_t> copy = {0x83};
    EXPECT_STREQ(decode_cdb(copy).name, "EXTENDED COPY");
    EXPECT_EQ(decode_cdb(copy).service_action, unknown<uint16_t>);
}

TEST(DecodeCdb, a_32_byte_command_without_its_extended_cdb_yields_its_name) {
    const std::vector<uint8_t> cdb = numbered(0x7f, 0x0009, 32);
    const CdbInfo info = decode_cdb(std::span(cdb).first(16));
    EXPECT_STREQ(info.name, "READ(32)");
    EXPECT_EQ(info.lba, none);
    EXPECT_EQ(info.blocks, none);
}

TEST(Opcodes, reads_and_writes_are_those_that_decode_as_such) {
    int reads = 0;
    int writes = 0;
    for (unsigned opcode = 0; opcode < 256; ++opcode) {
        const CdbInfo info =
            decode_cdb(numbered(static_cast<uint8_t>(opcode), 16), DeviceType::direct_access_block);
        const std::string_view name = info.name;
        const auto is_of = [&](std::string_view word) {
            for (const char* length : {"6", "10", "12", "16"}) {
                if (name == std::string(word) + "(" + length + ")") return true;
            }
            return false;
        };
        EXPECT_EQ(is_read_opcode(info.opcode), is_of("READ")) << name;
        EXPECT_EQ(is_write_opcode(info.opcode), is_of("WRITE")) << name;
        reads += is_read_opcode(info.opcode) ? 1 : 0;
        writes += is_write_opcode(info.opcode) ? 1 : 0;
    }
    EXPECT_EQ(reads, 4);
    EXPECT_EQ(writes, 4);
    EXPECT_FALSE(is_read_opcode(unknown<uint16_t>));
    EXPECT_FALSE(is_write_opcode(unknown<uint16_t>));
}

}  // namespace
}  // namespace sanscope
