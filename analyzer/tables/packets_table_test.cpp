// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/tables/packets_table.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include "analyzer/engine/testing/captured_conversations.h"
#include "analyzer/net/testing/frame_builder.h"
#include "analyzer/query/column_meaning.h"
#include "analyzer/query/row_filter.h"
#include "analyzer/query/row_order.h"
#include "analyzer/query/select.h"
#include "analyzer/tables/testing/table_text.h"

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Cells = std::map<std::string, std::string>;

// Packets without a meaning of their own: what they are is in the segments of the store.
struct SmallCapture {
    SmallCapture() {
        uint32_t number = 0;
        ConnectionRow& row = store.add_connection(number);
        row.initiator = v4_endpoint({192, 0, 2, 1}, 40000);
        row.target = v4_endpoint({192, 0, 2, 2}, 3260);
        row.iscsi = true;
        row.last_packet = 100;
        row.stream_start_known[0] = row.stream_start_known[1] = true;
        row.stream_start_seq[0] = row.stream_start_seq[1] = 1000;
        store.add_connection(number) = row;
        store.connection(2).iscsi = false;
    }
    PacketNumber packet(const SegmentRow& segment) {
        RawPacket raw;
        raw.time_ns = 5'000 + static_cast<int64_t>(index.packets());
        raw.captured_length = 0;
        raw.wire_length = 54 + segment.payload_length;
        raw.interface = 3;
        index.add(raw, 0);
        store.add_segment() = segment;
        return index.packets();
    }
    PduRow& pdu(uint64_t offset, uint8_t opcode, PacketNumber first, PacketNumber last) {
        PduRow& row = store.add_pdu();
        row.connection = 1;
        row.bhs_offset = offset;
        row.opcode = opcode;
        row.first_packet = first;
        row.last_packet = last;
        return row;
    }
    Cells cells(PacketNumber packet) {
        PduIndex pdus(store);
        pdus.update();
        return row_of(*make_packets_table(index, store, &pdus), packet - 1);
    }
    std::string info(PacketNumber packet) { return cells(packet).at("info"); }

    PacketIndex index;
    ResultStore store{ResultStore::Keep::everything()};
};

TEST(PacketsTable, what_is_no_tcp_has_its_protocol_and_addresses) {
    SmallCapture capture;
    const auto cells = [&](const frames::Layer& frame) {
        RawPacket raw;
        raw.data = frame.bytes.data();
        raw.captured_length = raw.wire_length = static_cast<uint32_t>(frame.bytes.size());
        raw.link_type = LinkType::ethernet;
        capture.index.add(raw, 0);
        capture.store.add_segment();
        return capture.cells(capture.index.packets());
    };
    const Cells request = cells(frames::ethernet(frames::arp({})));
    EXPECT_EQ(request.at("protocol"), "ARP");
    EXPECT_EQ(request.at("source"), "10.0.0.1");
    EXPECT_EQ(request.at("destination"), "10.0.0.2");
    EXPECT_EQ(request.at("info"), "who has 10.0.0.2? tell 10.0.0.1");
    const Cells reply = cells(frames::ethernet(frames::arp({.reply = true, .mac = 9})));
    EXPECT_EQ(reply.at("info"), "10.0.0.1 is at 02:00:00:00:00:09");
    const Cells datagram = cells(
        frames::ethernet(frames::ipv4({}, frames::udp({.source_port = 68, .destination_port = 67}, {}))));
    EXPECT_EQ(datagram.at("protocol"), "UDP");
    EXPECT_EQ(datagram.at("source"), "10.0.0.1:68");
    EXPECT_EQ(datagram.at("destination"), "10.0.0.2:67");
}

TEST(PacketsTable, a_segment_of_iscsi_gives_every_cell) {
    SmallCapture capture;
    capture.packet({});
    capture.packet({1, 1000, 777, 48, 501, tcp_psh | tcp_ack, Side::a});
    capture.pdu(0, 0x01, 2, 2);
    const Cells expected = {
        {"packet", "2"},
        {"time_ns", "5001"},
        {"source", "192.0.2.1:40000"},
        {"destination", "192.0.2.2:3260"},
        {"protocol", "iSCSI"},
        {"length", "102"},
        {"captured_length", "0"},
        {"connection", "1"},
        {"seq", "1000"},
        {"ack", "777"},
        {"payload", "48"},
        {"window", "501"},
        {"flags", "PSH, ACK"},
        {"interface", "3"},
        {"pdu", "1"},
        {"info", "SCSI Command"},
        {"analysis", ""},
        {"relative_seq", "1"},
        {"relative_ack", ""},  // before the first byte seen
        {"delta_ns", "1"},
    };
    EXPECT_EQ(capture.cells(2), expected);
}

TEST(PacketsTable, what_is_no_segment_or_not_yet_one_is_empty) {
    SmallCapture capture;
    capture.packet({});
    RawPacket raw;
    capture.index.add(raw, 0);
    const auto table = make_packets_table(capture.index, capture.store);
    ASSERT_EQ(table->rows(), 2u);
    EXPECT_THAT(known_cells(*table, 0),
                ElementsAre("captured_length", "interface", "length", "packet", "time_ns"));
    EXPECT_THAT(known_cells(*table, 1),
                ElementsAre("captured_length", "delta_ns", "interface", "length", "packet", "time_ns"));
}

TEST(PacketsTable, a_block_before_the_first_packet_has_no_time) {
    SmallCapture capture;
    RawPacket block;
    block.link_type = LinkType::not_a_packet;
    capture.index.add(block, 0);
    capture.store.add_segment();
    block.time_ns = 7;
    capture.index.add(block, 0);
    capture.store.add_segment();
    const auto table = make_packets_table(capture.index, capture.store);
    EXPECT_EQ(row_of(*table, 0).at("time_ns"), "");
    EXPECT_EQ(row_of(*table, 1).at("time_ns"), "7");
    EXPECT_EQ(row_of(*table, 1).at("delta_ns"), "");
}

TEST(PacketsTable, of_an_unknown_connection_there_are_no_ends) {
    SmallCapture capture;
    capture.packet({9, 1, 0, 10, 0, 0, Side::a});
    const Cells cells = capture.cells(1);
    EXPECT_EQ(cells.at("source"), "");
    EXPECT_EQ(cells.at("protocol"), "TCP");
    EXPECT_EQ(cells.at("flags"), "");
    EXPECT_EQ(cells.at("ack"), "");
}

TEST(PacketsTable, ends_by_direction_whoever_initiates) {
    SmallCapture capture;
    capture.packet({1, 0, 0, 0, 0, tcp_ack, Side::b});
    capture.packet({1, 0, 0, 0, 0, tcp_ack, Side::a});
    EXPECT_EQ(capture.cells(1).at("source"), "192.0.2.2:3260");
    EXPECT_EQ(capture.cells(1).at("protocol"), "TCP");
    capture.store.connection(1).initiator_side = Side::b;
    EXPECT_EQ(capture.cells(1).at("source"), "192.0.2.1:40000");
    EXPECT_EQ(capture.cells(2).at("source"), "192.0.2.2:3260");
}

TEST(PacketsTable, tcp_in_short) {
    SmallCapture capture;
    const auto info = [&](uint32_t payload, int flags) {
        return capture.info(
            capture.packet({2, 1, 4'000'000'000, payload, 0, static_cast<uint8_t>(flags), Side::a}));
    };
    EXPECT_EQ(info(0, tcp_syn), "opens the connection");
    EXPECT_EQ(info(0, tcp_syn | tcp_ack), "accepts the connection");
    EXPECT_EQ(info(0, tcp_ack), "ACK 4000000000");
    EXPECT_EQ(info(1448, tcp_ack), "1448 bytes");
    EXPECT_EQ(info(10, tcp_ack | tcp_fin), "10 bytes, sends no more");
    EXPECT_EQ(info(0, tcp_rst), "resets the connection");
    EXPECT_EQ(info(0, 0), "");
    EXPECT_EQ(capture.cells(1).at("protocol"), "TCP");
    capture.packet({1, 0, 0, 0, 0, 0xff, Side::a});
    EXPECT_EQ(capture.cells(capture.index.packets()).at("flags"), "FIN, SYN, RST, PSH, ACK, URG, ECE, CWR");
}

TEST(PacketsTable, pdus_that_a_packet_completes_or_carries) {
    SmallCapture capture;
    for (uint32_t i = 0; i < 3; ++i) capture.packet({1, 1000 + 100 * i, 0, 100, 0, tcp_ack, Side::b});
    for (const uint64_t offset : {0u, 48u}) capture.pdu(offset, 0x25, 1, 1).sender = Role::target;
    capture.pdu(96, 0x21, 1, 2).sender = Role::target;
    PduRow& last = capture.pdu(144, 0x25, 2, 3);
    last.sender = Role::target;
    last.data_length = 108;
    EXPECT_EQ(capture.info(1), "SCSI Data-In ×2");
    EXPECT_EQ(capture.info(2), "SCSI Response");
    EXPECT_EQ(capture.info(3), "SCSI Data-In");
    EXPECT_EQ(capture.cells(2).at("pdu"), "3");
    last.last_packet = 4;
    EXPECT_EQ(capture.info(3), "100 bytes of SCSI Data-In");
    EXPECT_EQ(capture.cells(3).at("pdu"), "");

    uint64_t command = 0;
    capture.store.begin_command(command).name = "READ(10)";
    capture.packet({1, 1000, 0, 48, 0, tcp_ack, Side::a});
    capture.pdu(0, 0x01, 4, 4).command = command;
    EXPECT_EQ(capture.info(4), "SCSI Command READ(10)");
    // Without an index of PDUs.
    EXPECT_EQ(row_of(*make_packets_table(capture.index, capture.store), 3).at("info"), "48 bytes");
}

TEST(PacketsTable, losses_are_told_first) {
    SmallCapture capture;
    ResultStore& store = capture.store;
    capture.packet({1, 1000, 0, 48, 0, tcp_ack, Side::a});
    capture.packet({1, 1000, 0, 48, 0, tcp_ack, Side::a});
    capture.pdu(0, 0x00, 1, 1);
    store.add_loss(store.add_sender(1, Side::a), {.packet = 2, .connection = 1, .kind = LossKind::tlp});
    EXPECT_EQ(capture.info(1), "NOP-Out");
    EXPECT_EQ(capture.info(2), "tail loss probe, 48 bytes");
}

// In the small capture: what one side sent, one call a packet.
struct AnalysedCapture : SmallCapture {
    PacketNumber ack(Side sender, uint32_t seq, uint32_t ack, uint16_t window) {
        return packet({1, seq, ack, 0, window, tcp_ack, sender});
    }
    PacketNumber data(Side sender, uint32_t seq, uint32_t ack, uint32_t length) {
        return packet({1, seq, ack, length, 500, tcp_ack, sender});
    }
    void loss(PacketNumber at, Side sender, LossKind kind) {
        store.add_loss(store.add_sender(1, sender), {.packet = at, .connection = 1, .kind = kind});
    }
    std::string analysis(PacketNumber packet) { return cells(packet).at("analysis"); }
};

TEST(PacketsTable, a_duplicate_ack_repeats_the_one_before_it) {
    AnalysedCapture capture;
    EXPECT_EQ(capture.analysis(capture.ack(Side::b, 1000, 1000, 500)), "");  // nothing is before it
    capture.data(Side::a, 1000, 1000, 100);
    EXPECT_EQ(capture.analysis(capture.ack(Side::b, 1000, 1100, 500)), "");  // acknowledges something new
    capture.data(Side::a, 1200, 1000, 100);
    EXPECT_EQ(capture.analysis(capture.ack(Side::b, 1000, 1100, 500)), "duplicate ACK");
    EXPECT_EQ(capture.analysis(capture.ack(Side::b, 1000, 1100, 900)), "window update");
    EXPECT_EQ(capture.analysis(capture.ack(Side::b, 1000, 1100, 0)), "zero window");
    // Neither are data one, nor what was sent before them.
    EXPECT_EQ(capture.analysis(capture.data(Side::b, 1000, 1100, 40)), "");
    EXPECT_EQ(capture.analysis(capture.ack(Side::b, 999, 1100, 500)), "");
    EXPECT_EQ(capture.analysis(capture.ack(Side::b, 1040, 1100, 500)), "duplicate ACK");
}

TEST(PacketsTable, of_an_ack_whose_sender_was_long_silent_nothing_is_told) {
    AnalysedCapture capture;
    capture.ack(Side::b, 1000, 1100, 500);
    for (int i = 0; i < 1000; ++i) capture.packet({2, 1, 1, 10, 500, tcp_ack, Side::a});
    EXPECT_EQ(capture.analysis(capture.ack(Side::b, 1000, 1100, 500)), "");
    EXPECT_EQ(capture.analysis(capture.ack(Side::b, 1000, 1100, 500)), "duplicate ACK");
}

TEST(PacketsTable, acks_of_probes_are_no_duplicates) {
    for (const auto& [kind, probe, answer] :
         {std::tuple(LossKind::keep_alive, "keep-alive", "keep-alive ACK"),
          std::tuple(LossKind::zero_window_probe, "zero window probe", "zero window probe ACK")}) {
        AnalysedCapture capture;
        capture.ack(Side::b, 1000, 1100, 500);
        const PacketNumber asked = capture.data(Side::a, 1099, 1000, 1);
        capture.loss(asked, Side::a, kind);
        const PacketNumber answered = capture.ack(Side::b, 1000, 1100, 500);
        EXPECT_EQ(capture.analysis(asked), probe);
        EXPECT_EQ(capture.analysis(answered), answer);
    }
}

TEST(PacketsTable, analysis_has_wiresharks_terms) {
    AnalysedCapture capture;
    for (const auto& [kind, term] :
         {std::pair(LossKind::fast_retransmit, "fast retransmission"),
          std::pair(LossKind::rto, "retransmission (RTO)"), std::pair(LossKind::tlp, "retransmission (TLP)"),
          std::pair(LossKind::spurious, "spurious retransmission"),
          std::pair(LossKind::out_of_order, "out of order"), std::pair(LossKind::duplicate, "captured twice"),
          std::pair(LossKind::not_captured, "previous segment not captured")}) {
        const PacketNumber packet = capture.data(Side::a, 1000, 1000, 100);
        capture.loss(packet, Side::a, kind);
        EXPECT_EQ(capture.analysis(packet), term);
        capture.loss(packet, Side::a, kind);
        EXPECT_EQ(capture.analysis(packet), term);  // once
    }
    const PacketNumber reset = capture.packet({1, 1000, 0, 0, 0, tcp_rst, Side::a});
    EXPECT_EQ(capture.analysis(reset), "RST");
    // Without an index of PDUs nobody knows of losses; of a connection that is none there is nothing to compare.
    EXPECT_EQ(row_of(*make_packets_table(capture.index, capture.store), 0).at("analysis"), "");
    EXPECT_EQ(capture.analysis(capture.packet({9, 1, 0, 0, 0, tcp_ack, Side::a})), "");
}

TEST(PacketsTable, analysis_tells_a_status_that_is_not_good) {
    for (const auto& [status, term] :
         {std::pair(2, "CHECK CONDITION"), std::pair(8, "BUSY"), std::pair(0, "")}) {
        SmallCapture capture;
        uint64_t number = 0;
        CommandRow& command = capture.store.begin_command(number);
        command.response_packet = 2;
        command.status = static_cast<uint16_t>(status);
        capture.packet({1, 1000, 1000, 48, 500, tcp_ack, Side::b});
        capture.packet({1, 1048, 1000, 96, 500, tcp_ack, Side::b});
        // Its data, the last of them with the response in one packet.
        for (const uint64_t i : {0u, 1u, 2u}) {
            const PacketNumber packet = i == 0 ? 1 : 2;
            PduRow& pdu = capture.pdu(48 * i, i < 2 ? 0x25 : 0x21, packet, packet);
            pdu.sender = Role::target;
            pdu.command = number;
        }
        EXPECT_EQ(capture.cells(1).at("analysis"), "");
        EXPECT_EQ(capture.cells(2).at("analysis"), term);
    }
}

TEST(PacketsTable, many_statuses_leave_tcp_its_place_in_the_analysis) {
    AnalysedCapture capture;
    const auto responses = [&](std::initializer_list<uint16_t> statuses, uint8_t flags) {
        const PacketNumber packet = capture.index.packets() + 1;
        uint64_t offset = 0;
        for (const PduRow& pdu : capture.store.pdus()) offset = std::max(offset, pdu.bhs_offset + 48);
        const auto seq = static_cast<uint32_t>(1000 + offset);
        for (const uint16_t status : statuses) {
            uint64_t number = 0;
            CommandRow& command = capture.store.begin_command(number);
            command.response_packet = packet;
            command.status = status;
            PduRow& pdu = capture.pdu(offset, 0x21, packet, packet);
            pdu.sender = Role::target;
            pdu.command = number;
            offset += 48;
        }
        capture.packet({1, seq, 1000, static_cast<uint32_t>(48 * statuses.size()), 0, flags, Side::b});
        return packet;
    };
    const PacketNumber alike = responses({2, 2, 8, 2, 8}, tcp_ack);
    capture.loss(alike, Side::b, LossKind::rto);
    EXPECT_EQ(capture.analysis(alike), "retransmission (RTO), zero window, CHECK CONDITION, BUSY");
    const PacketNumber different = responses({0x18, 0x28, 0x40, 0x22}, tcp_ack);
    EXPECT_THAT(capture.analysis(different), HasSubstr("zero window, RESERVATION CONFLICT"));
    EXPECT_TRUE(capture.analysis(different).ends_with("…"));
    EXPECT_THAT(capture.analysis(responses({0x18, 0x28, 0x40, 0x22}, tcp_ack | tcp_rst)),
                HasSubstr("RST, RESERVATION CONFLICT"));
}

TEST(PacketsTable, relative_numbers_count_from_the_syn_or_the_first_byte) {
    SmallCapture capture;
    ConnectionRow& row = capture.store.connection(2);
    row.first_packet = 2;
    row.stream_start_known[0] = row.stream_start_known[1] = false;
    capture.packet({1, 1500, 1000, 10, 500, tcp_ack, Side::a});
    capture.packet({2, 70, 0, 0, 500, tcp_syn, Side::a});
    capture.packet({2, 4'294'967'290, 71, 100, 500, tcp_ack, Side::b});
    capture.packet({2, 71, 94, 30, 500, tcp_ack, Side::a});
    EXPECT_EQ(capture.cells(1).at("relative_seq"), "501");
    EXPECT_EQ(capture.cells(1).at("relative_ack"), "1");
    EXPECT_EQ(capture.cells(2).at("relative_seq"), "0");
    EXPECT_EQ(capture.cells(2).at("relative_ack"), "");
    EXPECT_EQ(capture.cells(3).at("relative_seq"), "1");
    EXPECT_EQ(capture.cells(3).at("relative_ack"), "1");
    EXPECT_EQ(capture.cells(4).at("relative_seq"), "1");
    EXPECT_EQ(capture.cells(4).at("relative_ack"), "101");
}

TEST(PacketsTable, before_the_first_byte_seen_there_is_no_relative_number) {
    SmallCapture capture;
    capture.packet({1, 1000, 5000, 10, 500, tcp_ack, Side::a});
    capture.packet({1, 990, 999, 10, 500, tcp_ack, Side::a});  // sent before, captured after
    capture.packet({1, 5000, 998, 0, 500, tcp_ack, Side::b});
    EXPECT_EQ(capture.cells(1).at("relative_seq"), "1");
    EXPECT_EQ(capture.cells(1).at("relative_ack"), "4001");
    EXPECT_EQ(capture.cells(2).at("relative_seq"), "");
    EXPECT_EQ(capture.cells(2).at("relative_ack"), "0");
    EXPECT_EQ(capture.cells(3).at("relative_seq"), "4001");
    EXPECT_EQ(capture.cells(3).at("relative_ack"), "");
    // Far ahead is not before.
    capture.packet({1, 999 + 3'000'000'000, 1000, 10, 500, tcp_ack, Side::a});
    EXPECT_EQ(capture.cells(4).at("relative_seq"), "3000000000");
}

TEST(PacketsTable, below_a_syn_relative_numbers_are_what_they_are) {
    SmallCapture capture;
    capture.packet({1, 999, 0, 0, 500, tcp_syn, Side::a});
    capture.packet({1, 998, 0, 1, 500, tcp_ack, Side::a});
    EXPECT_EQ(capture.cells(1).at("relative_seq"), "0");
    EXPECT_EQ(capture.cells(2).at("relative_seq"), "4294967295");
}

TEST(PacketsTable, what_is_too_long_is_cut) {
    SmallCapture capture;
    capture.packet({1, 1000, 0, 500, 0, tcp_ack, Side::a});
    for (uint64_t i = 0; i < 8; ++i) capture.pdu(48 * i, i % 2 == 0 ? 0x02 : 0x10, 1, 1);
    const std::string info = capture.info(1);
    EXPECT_THAT(info, HasSubstr("Task Management Function Request, SNACK Request, "));
    EXPECT_TRUE(info.ends_with("…"));
    EXPECT_LE(info.size(), sizeof Cell::buffer);
}

TEST(PacketsTable, columns_mean_what_they_are) {
    std::string bytes;
    for (const ColumnInfo& column : packets_table_columns()) {
        const Meaning meaning = meaning_of(column);
        if (meaning == Meaning::bytes) bytes += std::string(column.name) + " ";
        EXPECT_NE(meaning, Meaning::hexadecimal);
        EXPECT_EQ(meaning == Meaning::duration, column.name == "delta_ns");
        EXPECT_EQ(meaning == Meaning::moment, column.name == "time_ns");
        if (column.name == "protocol") {
            // All that protocol_name() has, but the one of two words.
            EXPECT_THAT(known_words(column),
                        ElementsAre("iSCSI", "TCP", "ARP", "ICMP", "ICMPv6", "IGMP", "UDP", "SCTP", "GRE",
                                    "ESP", "OSPF", "VRRP", "IPv4", "IPv6", "LLDP", "STP", "LLC", "Ethernet"));
        } else {
            EXPECT_THAT(known_words(column), ElementsAre()) << column.name;
        }
    }
    EXPECT_EQ(bytes, "length captured_length payload ");
}

class PacketsOfConversations : public testing::Test {
  protected:
    test::CapturedConversations captured{3, 2, 30, 20};
    PacketIndex index;
    PduIndex pdus{captured.engine.store()};

    void SetUp() override {
        for (size_t i = 0; i < captured.frames_sent.size(); ++i) {
            RawPacket raw;
            raw.data = captured.frames_sent[i].data();
            raw.captured_length = raw.wire_length = static_cast<uint32_t>(captured.frames_sent[i].size());
            raw.time_ns = captured.first_ns + 1000 * static_cast<int64_t>(i);
            raw.link_type = LinkType::ethernet;
            index.add(raw, 0);
        }
        pdus.update();
    }
    std::vector<size_t> where(const Table& table, std::string_view expression) {
        const auto filter = RowFilter::compile(expression, table.name(), table.columns());
        if (const auto* error = std::get_if<FilterError>(&filter)) {
            ADD_FAILURE() << expression << ": " << error->message;
            return {};
        }
        std::vector<size_t> rows;
        select(std::get<RowFilter>(filter), table, 0, table.rows(), rows);
        return rows;
    }
};

TEST_F(PacketsOfConversations, are_filtered) {
    const auto table = make_packets_table(index, captured.engine.store(), &pdus);
    std::vector<size_t> of_first_target;
    std::vector<size_t> long_ones;
    for (size_t i = 0; i < captured.packets.size(); ++i) {
        const auto& packet = captured.packets[i];
        if (packet.conversation == 0 && packet.from_target) of_first_target.push_back(i);
        if (packet.end - packet.begin > 1000) long_ones.push_back(i);
    }
    EXPECT_EQ(where(*table, "source == 10.0.1.1:3260 and destination == 10.0.0.1:50000"), of_first_target);
    EXPECT_EQ(where(*table, "payload > 1000"), long_ones);
    EXPECT_EQ(where(*table, "protocol == iSCSI and length > 1kB").size(),
              where(*table, "payload > 0 and length > 1000").size());
    EXPECT_EQ(where(*table, "flags contains \"SYN\""), where(*table, "info contains \"the connection\""));
    EXPECT_EQ(where(*table, "flags == \"SYN, ACK\"").size(), 2u);
    EXPECT_FALSE(where(*table, "info contains \"Data-In\" and pdu").empty());
}

TEST_F(PacketsOfConversations, many_cells_are_as_one_by_one) {
    // Behind the last segment are packets of which none is known.
    RawPacket raw;
    raw.wire_length = 60;
    for (int i = 0; i < 5; ++i) index.add(raw, 0);
    const auto table = make_packets_table(index, captured.engine.store(), &pdus);
    ASSERT_GT(table->rows(), 300u);
    const std::vector<std::pair<size_t, size_t>> ranges{
        {0, table->rows()}, {1, 64}, {100, 60}, {127, 2}, {table->rows() - 70, 70}, {table->rows() - 3, 3}};
    Cell cell;
    for (size_t column = 0; column < table->columns().size(); ++column) {
        for (const auto& [first, count] : ranges) {
            std::vector<Cell> cells(count);
            table->cells(column, first, cells);
            std::vector<uint64_t> values(count, 1);
            std::vector<uint8_t> known(count, 2);
            const NumberSlice slice = {column, values.data(), known.data()};
            const bool number = table->columns()[column].type != ColumnType::text;
            if (number) table->numbers(first, count, {&slice, 1});
            for (size_t i = 0; i < count; ++i) {
                table->cell(first + i, column, cell);
                ASSERT_EQ(text_of(cells[i]), text_of(cell)) << table->columns()[column].name;
                if (!number) continue;
                uint64_t value = 0;
                uint8_t is_known = 0;
                NumberSlice{column, &value, &is_known}.set(0, cell);
                ASSERT_EQ(values[i], value) << table->columns()[column].name;
                ASSERT_EQ(known[i], is_known) << table->columns()[column].name;
            }
        }
    }
}

TEST_F(PacketsOfConversations, are_ordered_by_every_column) {
    const auto table = make_packets_table(index, captured.engine.store(), &pdus);
    for (size_t column = 0; column < table->columns().size(); ++column) {
        std::vector<uint32_t> rows;
        for (uint32_t row = 0; row < table->rows(); ++row) rows.push_back(row);
        ASSERT_TRUE(order_rows(*table, column, false, rows));
        Cell before;
        Cell cell;
        for (size_t i = 1; i < rows.size(); ++i) {
            table->cell(rows[i - 1], column, before);
            table->cell(rows[i], column, cell);
            if (text_of(before) == text_of(cell)) {
                EXPECT_LT(rows[i - 1], rows[i]);
            }
            EXPECT_FALSE(before.kind == Cell::Kind::empty && cell.kind != Cell::Kind::empty);
            if (cell.kind == Cell::Kind::unsigned_integer) {
                EXPECT_LE(before.unsigned_integer, cell.unsigned_integer);
            }
        }
    }
}

}  // namespace
}  // namespace sanscope
