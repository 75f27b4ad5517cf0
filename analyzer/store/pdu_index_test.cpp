// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/pdu_index.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "analyzer/engine/analysis.h"
#include "analyzer/engine/testing/captured_conversations.h"
#include "analyzer/ingest/capture_file.h"

namespace sanscope {
namespace {

using test::CapturedConversations;
using testing::ElementsAre;
using testing::IsEmpty;

using Pdus = std::vector<uint32_t>;
using Packets = std::vector<PacketNumber>;

class PduIndexOfCapture : public testing::TestWithParam<unsigned> {
  protected:
    CapturedConversations captured{GetParam(), 3, 40, GetParam() % 4 * 10};
    const ResultStore& store = captured.engine.store();
    PduIndex index{store};

    void SetUp() override {
        index.update();
        ASSERT_GT(store.pdus().size(), 300u);
        ASSERT_EQ(store.connections().size(), 3u);
    }
    Packets packets_of(uint32_t pdu) const {
        Packets packets;
        index.packets_of_pdu(pdu, packets);
        return packets;
    }
    // Of additional header segments in the last PDU of a stream nothing in the store shows.
    bool end_is_known(uint32_t pdu) const {
        const PduRow& row = store.pdus()[pdu];
        const bool last = index.stream(row.connection, row.sender).back() == pdu;
        return !last || captured.sent(row)->header[4] == 0;
    }
};

TEST_P(PduIndexOfCapture, packets_of_every_pdu) {
    for (uint32_t pdu = 0; pdu < store.pdus().size(); ++pdu) {
        const PduRow& row = store.pdus()[pdu];
        ASSERT_NE(captured.sent(row), nullptr) << pdu;
        if (!end_is_known(pdu)) continue;
        Packets expected;
        for (PacketNumber packet = 1; packet <= captured.packets.size(); ++packet) {
            if (captured.carries(packet, row)) expected.push_back(packet);
        }
        EXPECT_EQ(packets_of(pdu), expected) << pdu;
    }
}

TEST_P(PduIndexOfCapture, pdus_of_every_packet) {
    std::set<std::pair<PacketNumber, uint32_t>> by_pdu;
    for (uint32_t pdu = 0; pdu < store.pdus().size(); ++pdu) {
        for (const PacketNumber packet : packets_of(pdu)) by_pdu.insert({packet, pdu});
    }
    std::set<std::pair<PacketNumber, uint32_t>> by_packet;
    const auto insert = [&](PacketNumber packet, uint32_t pdu) {
        EXPECT_TRUE(by_packet.insert({packet, pdu}).second) << packet << " has " << pdu << " twice";
    };
    EXPECT_TRUE(index.for_each_carried(1, UINT64_MAX, nullptr, insert));
    EXPECT_EQ(by_packet, by_pdu);
    // In parts, and one by one.
    by_packet.clear();
    for (PacketNumber first = 1; first <= captured.packets.size(); first += 37) {
        index.for_each_carried(first, first + 36, nullptr, insert);
    }
    EXPECT_EQ(by_packet, by_pdu);
    by_packet.clear();
    for (PacketNumber packet = 0; packet <= captured.packets.size() + 1; ++packet) {
        index.carried_by(packet, [&](uint32_t pdu) { insert(packet, pdu); });
    }
    EXPECT_EQ(by_packet, by_pdu);
}

TEST_P(PduIndexOfCapture, pdus_that_a_packet_completes) {
    for (PacketNumber packet = 0; packet <= captured.packets.size() + 1; ++packet) {
        Pdus expected;
        for (uint32_t pdu = 0; pdu < store.pdus().size(); ++pdu) {
            if (packet > 0 && store.pdus()[pdu].last_packet == packet) expected.push_back(pdu);
        }
        Pdus found;
        index.completed_by(packet, [&](uint32_t pdu) { found.push_back(pdu); });
        EXPECT_EQ(found, expected) << packet;
    }
}

TEST_P(PduIndexOfCapture, pdus_of_every_command) {
    for (uint64_t command = 1; command <= store.commands().size(); ++command) {
        Pdus expected;
        for (uint32_t pdu = 0; pdu < store.pdus().size(); ++pdu) {
            if (store.pdus()[pdu].command == command) expected.push_back(pdu);
        }
        Pdus found;
        index.pdus_of_command(command, found);
        EXPECT_EQ(found, expected) << command;
        EXPECT_EQ(found.size(), store.command(command).pdus);
    }
}

TEST_P(PduIndexOfCapture, pdus_of_every_connection_by_completion) {
    for (uint32_t connection = 1; connection <= 3; ++connection) {
        Pdus found;
        index.pdus_of_connection(connection, found);
        Pdus expected;
        for (uint32_t pdu = 0; pdu < store.pdus().size(); ++pdu) {
            if (store.pdus()[pdu].connection == connection) expected.push_back(pdu);
        }
        std::stable_sort(expected.begin(), expected.end(), [&](uint32_t a, uint32_t b) {
            return store.pdus()[a].last_packet - 1 < store.pdus()[b].last_packet - 1;
        });
        EXPECT_EQ(found, expected);
    }
}

TEST_P(PduIndexOfCapture, pdus_of_bytes) {
    for (uint32_t pdu = 0; pdu < store.pdus().size(); ++pdu) {
        if (!end_is_known(pdu)) continue;
        const PduRow& row = store.pdus()[pdu];
        const ConnectionRow& connection = store.connection(row.connection);
        const Side side = connection.side_of(row.sender);
        const auto seq = connection.stream_start_seq[index_of(side)] + static_cast<uint32_t>(row.bhs_offset);
        const auto length = static_cast<uint32_t>(captured.sent(row)->end - row.bhs_offset);
        // Looked for at any packet: that is only to tell which of the bytes with these numbers are meant.
        for (const PacketNumber near : {PacketNumber{1}, row.last_packet, captured.packets.size()}) {
            Pdus found;
            index.pdus_of_bytes(row.connection, side, seq, length, near, found);
            EXPECT_THAT(found, ElementsAre(pdu));
            found.clear();
            index.pdus_of_bytes(row.connection, side, seq + length - 1, 1, near, found);
            EXPECT_THAT(found, ElementsAre(pdu));
            found.clear();
            index.pdus_of_bytes(row.connection, side, seq - 1, length + 1, near, found);
            EXPECT_EQ(found.size(), row.bhs_offset == 0 ? 1u : 2u);
        }
    }
}

TEST_P(PduIndexOfCapture, losses_of_every_packet) {
    size_t found = 0;
    for (PacketNumber packet = 1; packet <= captured.packets.size(); ++packet) {
        index.losses_of(packet, [&](size_t loss) {
            EXPECT_EQ(store.losses()[loss].packet, packet);
            ++found;
        });
    }
    EXPECT_EQ(found, store.losses().size());
    EXPECT_EQ(found > 0, GetParam() % 4 > 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PduIndexOfCapture, testing::Range(0u, 8u));

// Captures of real networks, cut off, damaged, begun in the middle: the ways to ask agree, and rows are where they are
// looked for.
TEST(PduIndex, of_every_sample) {
    size_t samples = 0;
    size_t pdus_without_packets = 0;
    for (const auto& entry : std::filesystem::directory_iterator(SANSCOPE_SAMPLES)) {
        const std::string name = entry.path().filename();
        if (name.find(".pcap") == std::string::npos) continue;
        ++samples;
        const auto source = open_capture(entry.path());
        ASSERT_TRUE(source) << name;
        Engine engine(ResultStore::Keep::everything());
        ASSERT_TRUE(analyse(**source, engine, {}));
        const ResultStore& store = engine.store();
        PduIndex index(store);
        index.update();

        std::vector<Packets> one_by_one(store.pdus().size());
        std::vector<Packets> in_one_pass(store.pdus().size());
        index.for_each_carried(1, store.segments().size(), nullptr, [&](PacketNumber packet, uint32_t pdu) {
            in_one_pass[pdu].push_back(packet);
        });
        std::vector<Pdus> completed(store.segments().size() + 1);
        for (uint32_t pdu = 0; pdu < store.pdus().size(); ++pdu) {
            const PduRow& row = store.pdus()[pdu];
            completed[row.last_packet].push_back(pdu);
            index.packets_of_pdu(pdu, one_by_one[pdu]);
            const Packets& packets = one_by_one[pdu];
            EXPECT_EQ(packets, in_one_pass[pdu]) << name << " PDU " << pdu;
            pdus_without_packets += packets.empty() ? 1u : 0u;
            // Its first byte is in the packet its row names; of an inferred one that is when it was delivered.
            if (!row.inferred) {
                EXPECT_THAT(packets, testing::Contains(row.first_packet)) << name << " PDU " << pdu;
            }
        }
        for (PacketNumber packet = 1; packet < completed.size(); ++packet) {
            Pdus found;
            index.completed_by(packet, [&](uint32_t pdu) { found.push_back(pdu); });
            EXPECT_EQ(found, completed[packet]) << name << " packet " << packet;
        }
    }
    EXPECT_GT(samples, 20u);
    EXPECT_EQ(pdus_without_packets, 0u);
}

// A store put together by hand: connection 1, whose initiator is side a; 100 bytes a segment.
struct SmallStore {
    explicit SmallStore(uint32_t start_seq = 1000) : seq(start_seq) {
        uint32_t number = 0;
        ConnectionRow& row = store.add_connection(number);
        row.first_packet = 1;
        row.last_packet = 1000;
        row.stream_start_seq[0] = row.stream_start_seq[1] = start_seq;
        row.stream_start_known[0] = row.stream_start_known[1] = true;
    }
    void segment(uint32_t offset, uint32_t length = 100, Side side = Side::a) {
        store.add_segment() = {1, seq + offset, 0, length, 0, 0, side};
    }
    uint32_t pdu(uint64_t offset, uint32_t data, PacketNumber first, PacketNumber last, uint64_t command = 0,
                 bool inferred = false) {
        PduRow& row = store.add_pdu();
        row.inferred = inferred;
        row.connection = 1;
        row.bhs_offset = offset;
        row.data_length = data;
        row.first_packet = first;
        row.last_packet = last;
        row.command = command;
        return static_cast<uint32_t>(store.pdus().size() - 1);
    }
    Packets packets_of(uint32_t pdu) {
        PduIndex index(store);
        index.update();
        Packets packets;
        index.packets_of_pdu(pdu, packets);
        Packets in_one_pass;
        index.for_each_carried(1, 1000, nullptr, [&](PacketNumber packet, uint32_t carried) {
            if (carried == pdu) in_one_pass.push_back(packet);
        });
        EXPECT_EQ(in_one_pass, packets);
        return packets;
    }
    uint32_t seq;
    ResultStore store{ResultStore::Keep::everything()};
};

TEST(PduIndex, data_that_overtook_the_header_is_the_pdus) {
    SmallStore small;
    small.segment(0);    // 1
    small.segment(200);  // 2: ahead of the header's segment
    small.segment(300);
    small.segment(100);  // 4
    small.segment(200);  // 5: again, too late
    small.pdu(0, 52, 1, 1);
    const uint32_t late = small.pdu(100, 252, 4, 4);
    EXPECT_THAT(small.packets_of(late), ElementsAre(2, 3, 4));
}

TEST(PduIndex, an_inferred_pdu_that_waited_behind_a_hole_came_before_it_was_delivered) {
    SmallStore small;
    small.segment(0);
    small.segment(200);  // 2: ahead of what the next one brings
    small.segment(100);
    small.pdu(0, 52, 1, 1);
    small.pdu(100, 52, 3, 3);
    small.pdu(200, 0, 2, 3);
    const uint32_t inferred = small.pdu(248, 4, 3, 3, 0, true);
    EXPECT_THAT(small.packets_of(inferred), ElementsAre(2));
}

TEST(PduIndex, the_other_direction_and_other_connections_are_not) {
    SmallStore small;
    small.segment(0);
    small.segment(100, 100, Side::b);
    small.store.add_segment();  // no TCP
    small.store.add_segment() = {2, 1100, 0, 100, 0, 0, Side::a};
    small.segment(100, 0);
    small.segment(100);
    EXPECT_THAT(small.packets_of(small.pdu(0, 152, 1, 6)), ElementsAre(1, 6));
}

TEST(PduIndex, one_that_never_completes_goes_on_to_the_end) {
    SmallStore small(0xffffffd0);
    small.segment(0);
    small.segment(100);
    small.segment(300);  // behind a hole
    small.pdu(0, 52, 1, 1);
    EXPECT_THAT(small.packets_of(small.pdu(100, 800, 2, 0)), ElementsAre(2, 3));
}

TEST(PduIndex, bytes_between_pdus_are_nobodys) {
    // Behind a header that was not captured another one is found far on.
    SmallStore small;
    for (uint32_t offset = 0; offset < 1000; offset += 100) small.segment(offset);
    const uint32_t before = small.pdu(0, 152, 1, 2);
    const uint32_t behind = small.pdu(2000 - 1150, 52, 9, 10);
    EXPECT_THAT(small.packets_of(before), ElementsAre(1, 2));
    EXPECT_THAT(small.packets_of(behind), ElementsAre(9, 10));
    PduIndex index(small.store);
    index.update();
    index.carried_by(5, [](uint32_t) { ADD_FAILURE(); });
}

TEST(PduIndex, the_same_sequence_numbers_4_GiB_on_are_other_bytes) {
    SmallStore small;
    constexpr uint64_t round = uint64_t{1} << 32;
    small.segment(0);
    for (uint32_t quarter = 1; quarter < 4; ++quarter) small.segment(quarter << 30);
    small.segment(0);
    const uint32_t first = small.pdu(0, 52, 1, 1);
    for (uint32_t i = 1; i < 4; ++i) small.pdu(uint64_t{i} << 30, 52, 1 + i, 1 + i);
    const uint32_t second = small.pdu(round, 52, 5, 5);
    EXPECT_THAT(small.packets_of(first), ElementsAre(1));
    EXPECT_THAT(small.packets_of(second), ElementsAre(5));
}

TEST(PduIndex, without_a_known_beginning_a_row_tells_two_packets) {
    SmallStore small;
    for (uint32_t offset = 0; offset < 400; offset += 100) small.segment(offset);
    small.store.connection(1).stream_start_known[0] = false;
    EXPECT_THAT(small.packets_of(small.pdu(0, 352, 1, 4)), ElementsAre(1, 4));
    EXPECT_THAT(small.packets_of(small.pdu(400, 0, 4, 4)), ElementsAre(4));
}

TEST(PduIndex, follows_a_store_that_grows) {
    SmallStore small;
    PduIndex index(small.store);
    small.segment(0);
    const uint32_t first = small.pdu(0, 52, 1, 1, 3);
    index.update();
    small.segment(100);
    const uint32_t second = small.pdu(100, 52, 2, 2, 3);
    Pdus found;
    index.pdus_of_command(3, found);
    EXPECT_THAT(found, ElementsAre(first));
    index.update();
    found.clear();
    index.pdus_of_command(3, found);
    EXPECT_THAT(found, ElementsAre(first, second));
    EXPECT_THAT(index.stream(1, Role::initiator), ElementsAre(first, second));
    Packets packets;
    index.packets_of_pdu(second, packets);
    EXPECT_THAT(packets, ElementsAre(2));
}

TEST(PduIndex, of_what_is_not_there_nothing) {
    SmallStore small;
    small.segment(0);
    small.pdu(0, 52, 1, 1);
    PduIndex index(small.store);
    index.update();
    Pdus pdus;
    Packets packets;
    index.pdus_of_command(0, pdus);
    index.pdus_of_command(1, pdus);
    index.pdus_of_connection(0, pdus);
    index.pdus_of_connection(77, pdus);
    index.pdus_of_bytes(1, Side::b, 1000, 10, 1, pdus);
    index.pdus_of_bytes(1, Side::a, 1000, 0, 1, pdus);
    index.pdus_of_bytes(9, Side::a, 1000, 10, 1, pdus);
    EXPECT_THAT(pdus, IsEmpty());
    index.packets_of_pdu(1, packets);
    EXPECT_THAT(packets, IsEmpty());
}

}  // namespace
}  // namespace sanscope
