// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/tcp/tcp_connection.h"

#include <gtest/gtest.h>
#include <initializer_list>
#include <string>
#include <vector>

namespace sanscope {
namespace {

struct Sent {
    uint32_t seq = 0;
    uint32_t ack = 0;
    uint16_t flags = tcp_ack;
    uint32_t length = 0;
    uint16_t ip_id = 0;
    std::vector<uint8_t> options = {};
};

class Connection {
  public:
    // Whether the segment belongs to this connection; if so it is counted.
    bool takes(Side from, const Sent& sent) {
        DecodedPacket packet;
        packet.kind = DecodedPacket::Kind::tcp;
        packet.seq = sent.seq;
        packet.ack = sent.ack;
        packet.flags = sent.flags;
        packet.payload_length = sent.length;
        packet.ip_id = sent.ip_id;
        packet.options = sent.options.data();
        packet.options_length = static_cast<uint8_t>(sent.options.size());
        if (tcp.is_of_next_incarnation(from, packet)) return false;
        ++packet_;
        tcp.note(from, packet, {packet_, paused_ns + static_cast<int64_t>(packet_) * 1000});
        return true;
    }
    void open() {
        ASSERT_TRUE(takes(Side::a, {.seq = 1000, .flags = tcp_syn}));
        ASSERT_TRUE(takes(Side::b, {.seq = 5000, .ack = 1001, .flags = tcp_syn | tcp_ack}));
        ASSERT_TRUE(takes(Side::a, {.seq = 1001, .ack = 5001}));
    }
    ConnectionRow row() const {
        ConnectionRow row;
        tcp.describe(Side::a, row);
        return row;
    }

    ReassemblyBudget budget;
    TcpConnection tcp{budget};
    int64_t paused_ns = 0;

  private:
    uint64_t packet_ = 0;
};

// As RFC 7323 Appendix A lays it out.
std::vector<uint8_t> timestamp(uint32_t tsval) {
    return {1,
            1,
            8,
            10,
            static_cast<uint8_t>(tsval >> 24),
            static_cast<uint8_t>(tsval >> 16),
            static_cast<uint8_t>(tsval >> 8),
            static_cast<uint8_t>(tsval),
            0,
            0,
            0,
            0};
}

// So many segments from then on, one each millisecond, of a side whose TSval counts them.
void pass(Connection& c, int64_t from_ms, int64_t to_ms, int64_t clock_ahead_ms = 0) {
    for (int64_t i = from_ms; i < to_ms; ++i) {
        DecodedPacket packet;
        packet.kind = DecodedPacket::Kind::tcp;
        packet.seq = static_cast<uint32_t>(5001 + i * 100);
        packet.ack = 1001;
        packet.flags = tcp_ack;
        packet.payload_length = 100;
        const std::vector<uint8_t> options = timestamp(static_cast<uint32_t>(70'000 + i));
        packet.options = options.data();
        packet.options_length = static_cast<uint8_t>(options.size());
        c.tcp.note(Side::b, packet, {static_cast<PacketNumber>(i + 4), (i + clock_ahead_ms) * 1'000'000});
    }
}

// A file's quarters in another order, or one of them once more at its end.
TEST(TcpConnection, OfAFileWhosePiecesAreInAnotherOrderIsOutOfOrder) {
    Connection swapped;
    for (const int64_t quarter : {0, 2, 1, 3}) pass(swapped, quarter * 500, quarter * 500 + 500);
    EXPECT_TRUE(swapped.row().out_of_order);
    EXPECT_EQ(swapped.row().unjudged(), Unjudged::one_direction);
    Connection doubled;
    pass(doubled, 0, 2000);
    pass(doubled, 500, 1000);
    EXPECT_TRUE(doubled.row().out_of_order);
}

// Without TCP timestamps, acknowledgement numbers tell.
TEST(TcpConnection, WithoutTimestampsIsOutOfOrderByWhatIsAcknowledged) {
    constexpr int64_t ms = 1'000'000;
    const auto made = [](std::initializer_list<uint32_t> quarters) {
        Connection c;
        PacketNumber packet = 0;
        for (const uint32_t quarter : quarters) {
            for (uint32_t i = quarter * 250; i < quarter * 250 + 250; ++i) {
                DecodedPacket request;
                request.kind = DecodedPacket::Kind::tcp;
                request.seq = 1000 + i * 48;
                request.ack = 5000 + i * 500;
                request.flags = tcp_ack;
                request.payload_length = 48;
                c.tcp.note(Side::a, request, {++packet, i * 2 * ms});
                DecodedPacket answer = request;
                answer.seq = request.ack;
                answer.ack = request.seq + 48;
                answer.payload_length = 500;
                c.tcp.note(Side::b, answer, {++packet, (i * 2 + 1) * ms});
            }
        }
        return c.row();
    };
    EXPECT_FALSE(made({0, 1, 2, 3}).out_of_order);
    EXPECT_TRUE(made({0, 2, 1, 3}).out_of_order);
    EXPECT_EQ(made({0, 2, 1, 3}).unjudged(), Unjudged::out_of_order);
    EXPECT_TRUE(made({0, 1, 2, 3, 1}).out_of_order);
    EXPECT_TRUE(made({2, 3, 0, 1}).out_of_order);
}

TEST(TcpConnection, InOrderIsNotOutOfOrderNorWhereTheClockWasSetBack) {
    Connection in_order;
    pass(in_order, 0, 2000);
    EXPECT_FALSE(in_order.row().out_of_order);
    Connection set_back;
    pass(set_back, 0, 1000);
    pass(set_back, 1000, 2000, -700);
    EXPECT_FALSE(set_back.row().out_of_order);
    Connection at_once;
    pass(at_once, 0, 1000);
    pass(at_once, 950, 1000);
    EXPECT_FALSE(at_once.row().out_of_order) << "sent again within the time that interfaces may be apart";
}

// A capture that pauses goes on more than 1 GiB farther: the other side's acknowledgements have come so far, or the segment
// acknowledges what the other side sent. Elsewhere without either, it is another connection.
TEST(TcpConnection, GoesOnFarAwayWhereAcknowledgementsVouchForIt) {
    constexpr uint32_t far = 1'500'000'000;
    Connection vouched;
    vouched.open();
    ASSERT_TRUE(vouched.takes(Side::a, {.seq = 1001, .ack = 5001, .length = 48}));
    ASSERT_TRUE(vouched.takes(Side::b, {.seq = 5001, .ack = 1049, .length = 1000}));
    EXPECT_TRUE(vouched.takes(Side::b, {.seq = 5001 + far, .ack = 1049, .length = 1000}));
    ASSERT_TRUE(vouched.takes(Side::a, {.seq = 1049, .ack = 6001 + far}));
    EXPECT_TRUE(vouched.takes(Side::b, {.seq = 6001 + far, .ack = 900'000'000, .length = 1000}));

    Connection another;
    another.open();
    ASSERT_TRUE(another.takes(Side::a, {.seq = 1001, .ack = 5001, .length = 48}));
    ASSERT_TRUE(another.takes(Side::b, {.seq = 5001, .ack = 1049, .length = 1000}));
    EXPECT_FALSE(another.takes(Side::b, {.seq = 5001 + far, .ack = 900'000'000, .length = 1000}));
}

TEST(TcpConnection, TakesNothingOfAStrayAcknowledgement) {
    constexpr uint32_t far = 900'000'000;
    Connection c;
    c.open();
    ASSERT_TRUE(c.takes(Side::b, {.seq = 5001, .ack = 1001, .length = 1000}));
    ASSERT_TRUE(c.takes(Side::a, {.seq = 1001 + far, .ack = 6001 + far}));
    EXPECT_FALSE(c.tcp.lacks_acknowledged(Side::b));
    ASSERT_TRUE(c.takes(Side::a, {.seq = 1001, .ack = 6001}));
    EXPECT_TRUE(c.tcp.lacks_acknowledged(Side::b)) << "its stream was given nothing";
    EXPECT_EQ(c.row().packets_out, 4u);
}

TEST(TcpConnection, GoesOnFarAwayWhereASecondAcknowledgementStandsThere) {
    constexpr uint32_t far = 900'000'000;
    Connection c;
    c.open();
    ASSERT_TRUE(c.takes(Side::a, {.seq = 1001 + far, .ack = 6001 + far}));
    EXPECT_FALSE(c.tcp.lacks_acknowledged(Side::b));
    ASSERT_TRUE(c.takes(Side::a, {.seq = 1001 + far, .ack = 7001 + far}));
    EXPECT_TRUE(c.tcp.lacks_acknowledged(Side::b));
}

// Each of 20 segments is captured 5 us after it is acknowledged.
TEST(TcpConnection, DataBehindTheirAcknowledgementsShowThatTheClocksAreApart) {
    Connection c;
    c.open();
    for (uint32_t i = 0; i < 22; ++i) {
        if (i < 20) {
            ASSERT_TRUE(c.takes(Side::a, {.seq = 1001, .ack = 5001 + (i + 1) * 100}));
        }
        if (i >= 2) {
            ASSERT_TRUE(c.takes(Side::b, {.seq = 5001 + (i - 2) * 100, .ack = 1001, .length = 100}));
        }
    }
    const ConnectionRow row = c.row();
    EXPECT_EQ(row.in.new_segments, 20u);
    EXPECT_EQ(row.in.late_segments, 20u);
    EXPECT_EQ(row.in.first_late_packet, 7u);
    EXPECT_NEAR(static_cast<double>(row.in.late_ns), 5'000, 40);
    EXPECT_EQ(row.clocks_apart_ns(), row.in.late_ns);
    EXPECT_EQ(row.out.late_segments, 0u);
}

TEST(TcpConnection, AFewDataBehindTheirAcknowledgementsShowNothing) {
    Connection c;
    c.open();
    for (uint32_t i = 0; i < 500; ++i) {
        if (i % 60 == 0) {
            ASSERT_TRUE(c.takes(Side::a, {.seq = 1001, .ack = 5001 + (i + 1) * 100}));
        }
        ASSERT_TRUE(c.takes(Side::b, {.seq = 5001 + i * 100, .ack = 1001, .length = 100}));
    }
    const ConnectionRow row = c.row();
    EXPECT_EQ(row.in.new_segments, 500u);
    EXPECT_EQ(row.in.late_segments, 9u);
    EXPECT_EQ(row.clocks_apart_ns(), 0);
}

TEST(TcpConnection, DataThatComeAgainAreNotLate) {
    Connection c;
    c.open();
    for (uint32_t i = 0; i < 20; ++i) {
        ASSERT_TRUE(c.takes(Side::b, {.seq = 5001 + i * 100, .ack = 1001, .length = 100}));
        ASSERT_TRUE(c.takes(Side::a, {.seq = 1001, .ack = 5001 + (i + 1) * 100}));
        ASSERT_TRUE(c.takes(Side::b, {.seq = 5001 + i * 100, .ack = 1001, .length = 100}));
    }
    EXPECT_EQ(c.row().in.new_segments, 20u);
    EXPECT_EQ(c.row().in.late_segments, 0u);
}

// Answers of ten segments to requests of 48 bytes, with so many acknowledgements without data in each.
ConnectionRow reads(uint32_t requests, uint32_t pure_acks, uint32_t length) {
    Connection c;
    EXPECT_TRUE(c.takes(Side::a, {.seq = 1000, .flags = tcp_syn}));
    EXPECT_TRUE(c.takes(Side::b, {.seq = 5000, .ack = 1001, .flags = tcp_syn | tcp_ack}));
    for (uint32_t i = 0; i < requests; ++i) {
        const uint32_t request = 1001 + 48 * i;
        const uint32_t answer = 5001 + 10 * length * i;
        EXPECT_TRUE(c.takes(Side::a, {.seq = request, .ack = answer, .length = 48}));
        for (uint32_t k = 0; k < 10; ++k) {
            EXPECT_TRUE(
                c.takes(Side::b, {.seq = answer + k * length, .ack = request + 48, .length = length}));
            if (k < pure_acks) {
                EXPECT_TRUE(c.takes(Side::a, {.seq = request + 48, .ack = answer + (k + 1) * length}));
            }
        }
    }
    return c.row();
}

TEST(TcpConnection, TellsWhereAcknowledgementsWithoutDataWereNotCaptured) {
    EXPECT_TRUE(reads(20, 0, 1448).out.lacks_pure_acks());
    EXPECT_TRUE(reads(20, 0, 1448).lacks_pure_acks());
    EXPECT_FALSE(reads(20, 0, 1448).in.lacks_pure_acks()) << "requests of one segment each";
    EXPECT_TRUE(reads(20, 0, 60'000).lacks_pure_acks()) << "merged by receive offload";
    EXPECT_FALSE(reads(20, 0, 100).lacks_pure_acks()) << "no full segments";
    EXPECT_FALSE(reads(20, 1, 1448).lacks_pure_acks());
    EXPECT_FALSE(reads(20, 9, 1448).lacks_pure_acks());
    EXPECT_FALSE(reads(16, 0, 1448).lacks_pure_acks()) << "too few to tell";
}

TEST(TcpConnection, CountsPacketsAndBytesOfEachSide) {
    Connection c;
    c.open();
    c.takes(Side::a, {.seq = 1001, .length = 100});
    c.takes(Side::b, {.seq = 5001, .length = 30});
    c.takes(Side::a, {.seq = 1101, .length = 50});
    const ConnectionRow row = c.row();
    EXPECT_EQ(row.packets_out, 4u);
    EXPECT_EQ(row.packets_in, 2u);
    EXPECT_EQ(row.bytes_out, 150u);
    EXPECT_EQ(row.bytes_in, 30u);
    EXPECT_EQ(row.first_packet, 1u);
    EXPECT_EQ(row.last_packet, 6u);
    EXPECT_EQ(row.start_ns, 1000);
    EXPECT_EQ(row.end_ns, 6000);
}

TEST(TcpConnection, TellsWhoSentTheReset) {
    Connection c;
    c.open();
    c.takes(Side::b, {.seq = 5001, .flags = tcp_rst | tcp_ack});
    c.takes(Side::b, {.seq = 5001, .flags = tcp_rst | tcp_ack});
    const ConnectionRow row = c.row();
    EXPECT_FALSE(row.out.reset);
    EXPECT_TRUE(row.in.reset);
    EXPECT_EQ(row.in.reset_packet, 4u);
    EXPECT_EQ(row.in.reset_ns, 4000);
}

TEST(TcpConnection, CountsSyns) {
    Connection c;
    for (int i = 0; i < 3; ++i) c.takes(Side::a, {.seq = 1000, .flags = tcp_syn});
    EXPECT_EQ(c.row().out.syns, 3u);
    EXPECT_EQ(c.row().in.syns, 0u);
}

TEST(TcpConnection, TellsTheLargestSegmentAndTheLargestThatWasAcknowledged) {
    Connection c;
    c.open();
    c.takes(Side::b, {.seq = 5001, .ack = 1001, .length = 300});
    c.takes(Side::a, {.seq = 1001, .ack = 5301});
    c.takes(Side::b, {.seq = 5301, .ack = 1001, .length = 8948});
    c.takes(Side::b, {.seq = 14249, .ack = 1001, .length = 100});
    c.takes(Side::a, {.seq = 1001, .ack = 5301, .length = 48});
    EXPECT_EQ(c.row().in.answers_since, 0u);  // may have been on its way before
    c.paused_ns = 200'000'000;
    c.takes(Side::a, {.seq = 1001, .ack = 5301});
    c.takes(Side::a, {.seq = 1001, .ack = 5301});
    ConnectionRow row = c.row();
    EXPECT_EQ(row.in.largest_payload, 8948u);
    EXPECT_EQ(row.in.largest_acknowledged, 300u);
    EXPECT_EQ(row.in.unacknowledged, 9048u);
    EXPECT_EQ(row.in.answers_since, 2u);
    EXPECT_EQ(row.in.acknowledged_ns, 5000);
    c.takes(Side::a, {.seq = 1001, .ack = 14349});
    row = c.row();
    EXPECT_EQ(row.in.largest_acknowledged, 8948u);
    EXPECT_EQ(row.in.unacknowledged, 0u);
    EXPECT_EQ(row.in.answers_since, 0u);
}

// RFC 2018 §3: kind 5, length, and the two edges.
std::vector<uint8_t> sack(uint32_t begin, uint32_t end) {
    std::vector<uint8_t> options{1, 1, 5, 10};
    for (const uint32_t edge : {begin, end}) {
        for (const int shift : {24, 16, 8, 0}) options.push_back(static_cast<uint8_t>(edge >> shift));
    }
    return options;
}

TEST(TcpConnection, CountsAnAnswerAtOnceWhereItsSackIsOfWhatWasSentBehind) {
    Connection c;
    c.open();
    c.takes(Side::b, {.seq = 5001, .ack = 1001, .length = 100});
    c.takes(Side::b, {.seq = 5101, .ack = 1001, .length = 8948});
    c.takes(Side::b, {.seq = 14049, .ack = 1001, .length = 100});
    c.takes(Side::a, {.seq = 1001, .ack = 5001, .options = sack(5101, 14049)});
    EXPECT_EQ(c.row().in.answers_since, 0u);  // of itself, and of nothing behind it
    c.takes(Side::a, {.seq = 1001, .ack = 5001, .options = sack(14049, 14149)});
    EXPECT_EQ(c.row().in.answers_since, 1u);
}

TEST(TcpConnection, TellsWhatWasSentButNeverSeenByWhatComesBehindIt) {
    Connection c;
    c.open();
    c.takes(Side::b, {.seq = 5001, .ack = 1001, .length = 300});
    c.takes(Side::a, {.seq = 1001, .ack = 5301});
    c.takes(Side::b, {.seq = 25301, .ack = 1001});
    EXPECT_EQ(c.row().in.unacknowledged, 20000u);
    EXPECT_EQ(c.row().in.largest_payload, 300u);
}

TEST(TcpConnection, DescribesTheSidesTheOtherWayRoundForTheOtherInitiator) {
    Connection c;
    c.takes(Side::a, {.seq = 1, .length = 100});
    ConnectionRow row;
    c.tcp.describe(Side::b, row);
    EXPECT_EQ(row.bytes_in, 100u);
    EXPECT_EQ(row.bytes_out, 0u);
}

TEST(TcpConnection, TellsWhoSentTheFirstSyn) {
    Connection c;
    c.open();
    EXPECT_TRUE(c.tcp.sent_first_syn(Side::a));
    EXPECT_FALSE(c.tcp.sent_first_syn(Side::b));
    EXPECT_TRUE(c.tcp.syn_seen(Side::b));
    Connection answer_only;
    answer_only.takes(Side::a, {.seq = 5000, .ack = 1001, .flags = tcp_syn | tcp_ack});
    EXPECT_FALSE(answer_only.tcp.sent_first_syn(Side::a));
}

TEST(TcpConnection, KnowsTheLesserOfTheSegmentSizesAnnounced) {
    Connection c;
    c.takes(Side::a, {.seq = 1, .flags = tcp_syn, .options = {2, 4, 0x23, 0x00}});
    EXPECT_EQ(c.row().mss, 0x2300u);
    c.takes(Side::b, {.seq = 1, .flags = tcp_syn | tcp_ack, .options = {2, 4, 0x05, 0xb4}});
    EXPECT_EQ(c.row().mss, 1460u);
    EXPECT_EQ(Connection().row().mss, unknown<uint32_t>);
}

TEST(TcpConnection, TakesARetransmittedSynAsItsOwn) {
    Connection c;
    EXPECT_TRUE(c.takes(Side::a, {.seq = 1000, .flags = tcp_syn}));
    EXPECT_TRUE(c.takes(Side::a, {.seq = 1000, .flags = tcp_syn}));
    EXPECT_TRUE(c.takes(Side::b, {.seq = 5000, .ack = 1001, .flags = tcp_syn | tcp_ack}));
    EXPECT_TRUE(c.takes(Side::b, {.seq = 5000, .ack = 1001, .flags = tcp_syn | tcp_ack}));
}

TEST(TcpConnection, TakesASynThatComesAfterItsFirstDataAsItsOwn) {
    Connection c;
    EXPECT_TRUE(c.takes(Side::a, {.seq = 1001, .length = 500}));
    EXPECT_TRUE(c.takes(Side::a, {.seq = 1000, .flags = tcp_syn}));
    EXPECT_TRUE(c.takes(Side::b, {.seq = 5000, .ack = 1001, .flags = tcp_syn | tcp_ack}));
}

TEST(TcpConnection, LeavesASynWithAnotherNumberToTheNextConnection) {
    Connection c;
    c.open();
    c.takes(Side::a, {.seq = 1001, .length = 100});
    EXPECT_FALSE(c.takes(Side::a, {.seq = 90000, .flags = tcp_syn}));
}

TEST(TcpConnection, LeavesASynToTheNextConnectionWhereItsOwnWasNotCaptured) {
    Connection c;
    c.takes(Side::a, {.seq = 1'000'000, .length = 100});
    EXPECT_FALSE(c.takes(Side::a, {.seq = 500'000, .flags = tcp_syn}));
    EXPECT_FALSE(c.takes(Side::a, {.seq = 5'000'000, .flags = tcp_syn}));
    // Near enough, but this connection is over.
    c.takes(Side::b, {.seq = 1, .flags = tcp_rst});
    EXPECT_FALSE(c.takes(Side::a, {.seq = 1'000'000, .flags = tcp_syn}));
}

TEST(TcpConnection, LeavesDataFromElsewhereToTheNextConnectionOnceClosed) {
    Connection c;
    c.open();
    c.takes(Side::a, {.seq = 1001, .length = 100});
    EXPECT_TRUE(c.takes(Side::a, {.seq = 1001u - (1u << 27), .length = 100}));
    c.takes(Side::a, {.seq = 1101, .flags = tcp_fin | tcp_ack});
    EXPECT_FALSE(c.tcp.closed());
    c.takes(Side::b, {.seq = 5001, .flags = tcp_fin | tcp_ack});
    EXPECT_TRUE(c.tcp.closed());
    // A late retransmission still is this connection's.
    EXPECT_TRUE(c.takes(Side::a, {.seq = 1001, .length = 100}));
    EXPECT_FALSE(c.takes(Side::a, {.seq = 1001u - (1u << 27), .length = 100}));
}

TEST(TcpConnection, LeavesDataBeyondAnyWindowToTheNextConnection) {
    Connection c;
    c.takes(Side::a, {.seq = 1000, .length = 100});
    EXPECT_FALSE(c.takes(Side::a, {.seq = 1000 + (1u << 30) + 200, .length = 100}));
    EXPECT_FALSE(c.takes(Side::a, {.seq = 1000 - (1u << 30) - 200, .length = 100}));
    EXPECT_TRUE(c.takes(Side::a, {.seq = 1000 - (1u << 29), .length = 100}));
}

// Of one connection: packets, each with its time.
class Timed {
  public:
    // By how much the packet's time is shown to go back.
    int64_t takes(Side from, const Sent& sent, int64_t time_ns) {
        DecodedPacket packet;
        packet.seq = sent.seq;
        packet.ack = sent.ack;
        packet.flags = sent.flags;
        packet.payload_length = sent.length;
        const TcpConnection::SetBack back = tcp.set_back(from, packet, time_ns, 1'000'000);
        tcp.note(from, packet, {++packet_, time_ns});
        since = back.since;
        return back.by_ns;
    }
    ReassemblyBudget budget;
    TcpConnection tcp{budget};
    PacketNumber since = 0;

  private:
    uint64_t packet_ = 0;
};

TEST(TcpConnection, ShowsAClockThatWasSetBackWhereItsSequenceGoesOn) {
    constexpr int64_t ms = 1'000'000;
    Timed c;
    EXPECT_EQ(c.takes(Side::a, {.seq = 1000, .ack = 5000, .length = 100}, 100 * ms), 0);
    EXPECT_EQ(c.takes(Side::b, {.seq = 5000, .ack = 1100, .length = 100}, 101 * ms), 0);
    EXPECT_EQ(c.takes(Side::b, {.seq = 5100, .ack = 1100, .length = 100}, 96 * ms), 5 * ms);
    EXPECT_EQ(c.since, 2u);
    // By the clock as it goes on from there.
    EXPECT_EQ(c.takes(Side::b, {.seq = 5200, .ack = 1100, .length = 100}, 97 * ms), 0);
    EXPECT_EQ(c.takes(Side::a, {.seq = 1100, .ack = 5300}, 98 * ms), 2 * ms) << "the other side's first";
    EXPECT_EQ(c.since, 1u);
    EXPECT_EQ(c.takes(Side::a, {.seq = 1100, .ack = 5300, .length = 100}, 99 * ms), 0);
}

TEST(TcpConnection, ShowsAClockThatWasSetBackByWhatAcknowledges) {
    constexpr int64_t ms = 1'000'000;
    Timed c;
    c.takes(Side::a, {.seq = 1000, .ack = 5000, .length = 100}, 100 * ms);
    c.takes(Side::b, {.seq = 5000, .ack = 1100}, 101 * ms);
    c.takes(Side::a, {.seq = 1100, .ack = 5000, .length = 100}, 200 * ms);
    EXPECT_EQ(c.takes(Side::b, {.seq = 5000, .ack = 1200}, 180 * ms), 20 * ms);
    EXPECT_EQ(c.since, 3u);
}

// Each queue of an interface is written when it is full; of a direction's packets, queues may share out too.
TEST(TcpConnection, ShowsNoClockThatWasSetBackWherePacketsAreOutOfOrder) {
    constexpr int64_t ms = 1'000'000;
    Timed queues;
    for (uint32_t n = 0; n < 8; ++n)
        EXPECT_EQ(
            queues.takes(Side::a, {.seq = 1000 + n * 100, .ack = 5000, .length = 100}, (100 + 2 * n) * ms),
            0);
    for (uint32_t n = 0; n < 8; ++n)
        EXPECT_EQ(queues.takes(Side::b, {.seq = 5000, .ack = 1100 + n * 100}, (101 + 2 * n) * ms), 0) << n;
    Timed shared;
    for (const uint32_t n : {0u, 2u, 4u, 1u, 3u, 6u, 5u, 7u})
        EXPECT_EQ(
            shared.takes(Side::a, {.seq = 1000 + n * 100, .ack = 5000, .length = 100}, (100 + 2 * n) * ms),
            0);
    for (const uint32_t n : {4u, 6u, 1u, 3u, 7u, 5u})
        EXPECT_EQ(shared.takes(Side::b, {.seq = 5000, .ack = 1100 + n * 100}, (101 + 2 * n) * ms), 0) << n;
}

TEST(TcpConnection, KnowsSegmentsOfAnotherNetworkWithTheSameEnds) {
    DecodedPacket packet;
    packet.flags = tcp_ack;
    packet.payload_length = 100;
    const auto is_of_another = [&](const Connection& c, Side from, uint32_t seq, uint32_t ack) {
        packet.seq = seq;
        packet.ack = ack;
        return c.tcp.is_of_another_network(from, packet);
    };
    Connection c;
    EXPECT_FALSE(is_of_another(c, Side::a, 1000, 5000)) << "nothing is known";
    c.takes(Side::a, {.seq = 1000, .ack = 5000, .length = 100});
    EXPECT_FALSE(is_of_another(c, Side::a, 1100, 5000));
    EXPECT_FALSE(is_of_another(c, Side::b, 5000, 1100)) << "it acknowledges what was sent";
    EXPECT_TRUE(is_of_another(c, Side::b, 77'000'000, 88'000'000));
    EXPECT_TRUE(is_of_another(c, Side::a, 77'000'000, 5000));
    packet.flags = tcp_syn;
    Connection opened;
    opened.open();
    EXPECT_FALSE(is_of_another(opened, Side::a, 1000, 0)) << "the same SYN";
    EXPECT_TRUE(is_of_another(opened, Side::a, 2000, 0));
}

TEST(TcpConnection, IsClosedByAReset) {
    Connection c;
    c.open();
    EXPECT_FALSE(c.tcp.closed());
    c.takes(Side::b, {.seq = 5001, .flags = tcp_rst});
    EXPECT_TRUE(c.tcp.closed());
}

TEST(TcpConnection, BeginsTheStreamBehindTheSyn) {
    Connection c;
    c.open();
    DecodedPacket packet;
    packet.seq = 1011;
    packet.payload_length = packet.payload_captured = 1;
    const uint8_t byte = 9;
    packet.payload = &byte;
    StreamPiece piece;
    EXPECT_FALSE(c.tcp.add_payload(Side::a, packet, {9, 9}, piece));
    EXPECT_TRUE(c.tcp.holds(Side::a));
    EXPECT_TRUE(c.tcp.flush_piece(Side::a, piece));
    EXPECT_TRUE(piece.not_captured);
    EXPECT_EQ(piece.length, 10u);
}

TEST(TcpConnection, TellsWhetherAStreamBeginsWithItsFirstByte) {
    Connection c;
    EXPECT_FALSE(c.tcp.begins_behind_syn(Side::a));
    c.open();
    EXPECT_TRUE(c.tcp.begins_behind_syn(Side::a));
    const uint8_t byte = 9;
    DecodedPacket packet;
    packet.seq = 1001;
    packet.payload_length = packet.payload_captured = 1;
    packet.payload = &byte;
    StreamPiece piece;
    EXPECT_TRUE(c.tcp.add_payload(Side::a, packet, {9, 9}, piece));
    EXPECT_TRUE(c.tcp.begins_behind_syn(Side::a));
    c.tcp.begin_stream_at(Side::b, Serial32(5002));
    EXPECT_FALSE(c.tcp.begins_behind_syn(Side::b));
}

TEST(TcpConnection, CountsDataThatComesWithTheSynFromTheByteBehindIt) {
    Connection c;
    DecodedPacket packet;
    packet.seq = 1000;
    packet.flags = tcp_syn;
    const uint8_t bytes[] = {1, 2};
    packet.payload = bytes;
    packet.payload_length = packet.payload_captured = 2;
    c.tcp.note(Side::a, packet, {1, 1});
    StreamPiece piece;
    EXPECT_TRUE(c.tcp.add_payload(Side::a, packet, {1, 1}, piece));
    packet.seq = 1003;
    packet.flags = tcp_ack;
    c.tcp.note(Side::a, packet, {2, 2});
    EXPECT_TRUE(c.tcp.add_payload(Side::a, packet, {2, 2}, piece));
    EXPECT_EQ(piece.offset, 2u);
}

}  // namespace
}  // namespace sanscope
