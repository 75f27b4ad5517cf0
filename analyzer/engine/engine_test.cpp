// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/engine/engine.h"

#include <array>
#include <atomic>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "analyzer/engine/analysis.h"
#include "analyzer/engine/testing/conversation.h"
#include "analyzer/ingest/capture_builder.h"
#include "analyzer/ingest/capture_file.h"
#include "analyzer/ingest/temporary_file.h"
#include "analyzer/net/testing/frame_builder.h"
#include "analyzer/tables/tables.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::Conversation;
using test::SentSegment;
using test::operator+;
using testing::SizeIs;

test::Choose random_choices(unsigned seed) {
    return [random = std::mt19937(seed)](uint32_t limit) mutable {
        return static_cast<uint32_t>(random() % limit);
    };
}

struct Ends {
    uint8_t initiator = 1;
    uint16_t port = 3260;
    uint16_t vlan = 0;
};

Bytes frame_of(const SentSegment& segment, Ends ends = {}) {
    const std::string initiator = "10.0.0." + std::to_string(ends.initiator);
    const std::string target = "10.0.1.1";
    frames::Ipv4 ip;
    ip.source = segment.from_target ? target : initiator;
    ip.destination = segment.from_target ? initiator : target;
    ip.id = segment.ip_id;
    frames::Tcp tcp;
    tcp.source_port = segment.from_target ? ends.port : uint16_t{50000};
    tcp.destination_port = segment.from_target ? uint16_t{50000} : ends.port;
    tcp.seq = segment.seq;
    tcp.ack = segment.ack;
    tcp.flags = segment.flags;
    const frames::Layer packet = frames::ipv4(ip, frames::tcp(tcp, segment.payload));
    return frames::ethernet(ends.vlan == 0 ? packet : frames::vlan(ends.vlan, packet)).bytes;
}

// An engine that is fed frame by frame, a microsecond apart.
class Feeding {
  public:
    explicit Feeding(ResultStore::Keep keep = {}) : engine(keep) {}

    void frame(const Bytes& bytes, size_t snap = 0xffffffff) {
        batch_.packets.resize(1);
        RawPacket& raw = batch_.packets[0];
        raw.data = bytes.data();
        raw.wire_length = static_cast<uint32_t>(bytes.size());
        raw.captured_length = static_cast<uint32_t>(std::min(bytes.size(), snap));
        raw.time_ns = time_ns += 1000;
        batch_.first_packet = ++packet;
        decode_batch(batch_, decoded_);
        engine.process(batch_, decoded_);
    }
    void segment(const SentSegment& segment, Ends ends = {}) { frame(frame_of(segment, ends)); }
    void all(const Conversation& conversation, Ends ends = {}) {
        for (const SentSegment& one : conversation.segments) segment(one, ends);
    }
    const ResultStore& finish() {
        engine.finish();
        return engine.store();
    }

    Engine engine;
    uint64_t packet = 0;
    int64_t time_ns = 1'700'000'000'000'000'000;

  private:
    PacketBatch batch_;
    std::vector<DecodedPacket> decoded_;
};

// A row as text.
std::string text_of(const Table& table, size_t row) {
    std::string text;
    for (size_t column = 0; column < table.columns().size(); ++column) {
        Cell cell;
        table.cell(row, column, cell);
        switch (cell.kind) {
            case Cell::Kind::empty:
                break;
            case Cell::Kind::integer:
                text += std::to_string(cell.integer);
                break;
            case Cell::Kind::unsigned_integer:
                text += std::to_string(cell.unsigned_integer);
                break;
            case Cell::Kind::text:
                text += cell.text;
                break;
            case Cell::Kind::boolean:
                text += cell.boolean ? "true" : "false";
                break;
        }
        text += ',';
    }
    return text;
}

std::vector<std::string> all_tables(const ResultStore& store) {
    std::vector<std::string> lines;
    for (const TableInfo& info : table_infos()) {
        const std::unique_ptr<Table> table = info.make(store);
        for (size_t row = 0; row < table->rows(); ++row) lines.push_back(text_of(*table, row));
    }
    return lines;
}

void expect_all_found(const Conversation& sent, const ResultStore& found) {
    ASSERT_THAT(found.pdus(), SizeIs(sent.pdus.size()));
    ASSERT_THAT(found.commands(), SizeIs(sent.commands.size()));
    for (size_t i = 0; i < sent.pdus.size(); ++i) {
        const PduRow& row = found.pdus()[i];
        const Bhs bhs(sent.pdus[i].header.data());
        EXPECT_EQ(row.opcode, bhs.opcode_value()) << i;
        EXPECT_EQ(row.itt, bhs.itt()) << i;
        EXPECT_EQ(row.bhs_offset, sent.pdus[i].begin) << i;
        EXPECT_EQ(row.data_length, bhs.data_segment_length()) << i;
        EXPECT_FALSE(row.damaged) << i;
    }
    for (size_t i = 0; i < sent.commands.size(); ++i) {
        const CommandRow& row = found.commands()[i];
        EXPECT_EQ(row.itt, sent.commands[i].itt) << i;
        EXPECT_EQ(row.status, sent.commands[i].status) << i;
        EXPECT_EQ(row.pdus, sent.commands[i].pdus) << i;
        EXPECT_EQ(row.r2ts, sent.commands[i].r2ts) << i;
        EXPECT_EQ(row.outcome, Outcome::completed) << i;
    }
}

TEST(Engine, FindsEveryPduAndCommandOfAConnection) {
    for (unsigned seed = 0; seed < 8; ++seed) {
        Conversation::Options options;
        options.commands = 40;
        options.header_digest = (seed & 1) != 0;
        options.data_digest = (seed & 2) != 0;
        const Conversation conversation(options, random_choices(seed));
        Feeding f;
        f.all(conversation);
        const ResultStore& found = f.finish();
        expect_all_found(conversation, found);
        ASSERT_THAT(found.sessions(), SizeIs(1));
        EXPECT_EQ(found.sessions()[0].initiator_name, "iqn.i");
        EXPECT_EQ(found.sessions()[0].header_digest, options.header_digest ? "CRC32C" : "None");
        ASSERT_THAT(found.connections(), SizeIs(1));
        const ConnectionRow& connection = found.connections()[0];
        EXPECT_TRUE(connection.iscsi);
        EXPECT_EQ(connection.session, 1u);
        EXPECT_EQ(connection.initiator.port, 50000);
        EXPECT_EQ(connection.target.port, 3260);
        EXPECT_EQ(connection.packets_out + connection.packets_in, conversation.segments.size());
        EXPECT_EQ(connection.bytes_out, conversation.stream_length(false));
        EXPECT_EQ(connection.bytes_in, conversation.stream_length(true));
        EXPECT_EQ(connection.retransmissions_out + connection.retransmissions_in, 0u);
    }
}

TEST(Engine, KeepsASegmentForEveryPacket) {
    const Conversation conversation({}, random_choices(3));
    Feeding f(ResultStore::Keep::everything());
    f.all(conversation);
    const ResultStore& found = f.finish();
    ASSERT_THAT(found.segments(), SizeIs(conversation.segments.size()));
    const ConnectionRow& connection = found.connections()[0];
    for (size_t i = 0; i < conversation.segments.size(); ++i) {
        const SentSegment& sent = conversation.segments[i];
        const SegmentRow& row = found.segments()[i];
        EXPECT_EQ(row.connection, 1u) << i;
        EXPECT_EQ(row.seq, sent.seq) << i;
        EXPECT_EQ(row.ack, sent.ack) << i;
        EXPECT_EQ(row.payload_length, sent.payload.size()) << i;
        EXPECT_EQ(row.flags, sent.flags & 0xff) << i;
        EXPECT_EQ(connection.is_initiator(row.sender), !sent.from_target) << i;
    }
    // The first PDU of each side begins with the byte its stream is counted from.
    for (const PduRow& pdu : found.pdus()) {
        if (pdu.bhs_offset != 0) continue;
        const SegmentRow& first = found.segment(pdu.first_packet);
        const size_t side = index_of(first.sender);
        EXPECT_TRUE(connection.stream_start_known[side]);
        EXPECT_EQ(connection.stream_start_seq[side], first.seq);
    }
}

TEST(Engine, DescribesConnectionsThatGoOn) {
    const Conversation conversation({}, random_choices(4));
    Feeding f;
    f.all(conversation);
    f.engine.describe_connections();
    const ConnectionRow& connection = f.engine.store().connections()[0];
    EXPECT_TRUE(connection.iscsi);
    EXPECT_EQ(connection.target.port, 3260);
    EXPECT_EQ(connection.packets_out + connection.packets_in, conversation.segments.size());
}

TEST(Engine, CountsHowOftenTheClockIsSetBack) {
    constexpr int64_t second = 1'000'000'000;
    const Conversation conversation({}, random_choices(9));
    Feeding f;
    const auto feed = [&](size_t index, int64_t set_ns) {
        f.time_ns += set_ns;
        f.segment(conversation.segments[index]);
    };
    feed(0, 0);
    feed(1, -second / 20);  // as packets of two interfaces may come
    feed(2, 3600 * second);
    feed(3, -3600 * second);
    feed(4, 0);
    feed(5, -second);
    f.finish();
    EXPECT_EQ(f.engine.issues()[Issue::times_set_back].count, 2u);
    EXPECT_EQ(f.engine.issues()[Issue::times_set_back].first_packet, 4u);
}

// Where sequence numbers go on behind it, it was the clock; of halves of a file in the wrong order they do not.
TEST(Engine, TellsWhichTimesThatGoBackMayBeOfAWrongOrder) {
    constexpr int64_t second = 1'000'000'000;
    const Conversation conversation({.commands = 40}, random_choices(9));
    const size_t all = conversation.segments.size();
    Feeding set;
    for (size_t i = 0; i < all; ++i) {
        if (i == all / 2) set.time_ns -= second;
        set.segment(conversation.segments[i]);
    }
    set.finish();
    EXPECT_EQ(set.engine.issues()[Issue::times_set_back].count, 1u);
    EXPECT_TRUE(set.engine.totals().set_back_unexplained.empty());
    Feeding swapped;
    for (size_t i = 0; i < all; ++i) {
        if (i == all - all / 2) swapped.time_ns -= 3 * second;
        swapped.segment(conversation.segments[(i + all / 2) % all]);
    }
    swapped.finish();
    EXPECT_EQ(swapped.engine.issues()[Issue::times_set_back].count, 1u);
    EXPECT_EQ(swapped.engine.totals().set_back_unexplained,
              std::vector<PacketNumber>{static_cast<PacketNumber>(all - all / 2 + 1)});
}

// RFC 5961 §4.2: it changes nothing, and the connection goes on.
TEST(Engine, ASynFromElsewhereEndsNoConnectionThatGoesOn) {
    const Conversation conversation({.commands = 20}, random_choices(9));
    for (const bool answered : {false, true}) {
        Feeding f;
        for (size_t i = 0; i < conversation.segments.size(); ++i) {
            f.segment(conversation.segments[i]);
            if (i != conversation.segments.size() / 2) continue;
            f.segment({.flags = tcp_syn, .ip_id = 7, .seq = 0x70000000, .payload = {}});
            f.segment({.flags = tcp_syn, .ip_id = 8, .seq = 0x70000000, .payload = {}});
            if (answered)
                f.segment({.from_target = true,
                           .flags = tcp_syn | tcp_ack,
                           .ip_id = 9,
                           .seq = 5,
                           .ack = 0x70000001,
                           .payload = {}});
        }
        const ResultStore& found = f.finish();
        EXPECT_THAT(found.connections(), SizeIs(2));
        EXPECT_EQ(found.connections()[0].last_packet == f.packet, !answered);
        if (answered) continue;
        expect_all_found(conversation, found);
        EXPECT_EQ(found.connections()[1].packets_out, 2u);
    }
}

// Two storage networks with the same addresses, seen at one mirror port: each in its VLAN.
TEST(Engine, KeepsConnectionsOfTwoVlansApart) {
    const Conversation one({.commands = 20}, random_choices(9));
    const Conversation other({.commands = 25}, random_choices(10));
    for (const bool tagged_one_way : {false, true}) {
        Feeding f;
        const size_t longer = std::max(one.segments.size(), other.segments.size());
        for (size_t i = 0; i < longer; ++i) {
            if (i < one.segments.size()) {
                const bool tagged = !tagged_one_way || one.segments[i].from_target;
                f.frame(frame_of(one.segments[i], {.vlan = tagged ? uint16_t{10} : uint16_t{0}}));
            }
            if (i >= other.segments.size()) continue;
            SentSegment segment = other.segments[i];
            segment.seq += segment.from_target ? 0x77777777u : 0x12345678u;
            if ((segment.flags & tcp_ack) != 0)
                segment.ack += segment.from_target ? 0x12345678u : 0x77777777u;
            f.frame(frame_of(segment, {.vlan = 20}));
        }
        const ResultStore& found = f.finish();
        ASSERT_THAT(found.connections(), SizeIs(2)) << tagged_one_way;
        EXPECT_EQ(found.commands().size(), one.commands.size() + other.commands.size());
        for (const CommandRow& row : found.commands()) EXPECT_EQ(row.outcome, Outcome::completed);
        EXPECT_EQ(found.connections()[0].packets_out + found.connections()[0].packets_in,
                  one.segments.size());
        EXPECT_EQ(found.connections()[1].packets_out + found.connections()[1].packets_in,
                  other.segments.size());
    }
}

// A mirror port shows what a bridge takes in and what it gives out, in two VLANs.
TEST(Engine, TakesAPacketThatComesInTwoVlansForACopy) {
    const Conversation conversation({.commands = 20}, random_choices(9));
    for (const uint16_t before : {uint16_t{0}, uint16_t{10}}) {
        Feeding f;
        for (const SentSegment& segment : conversation.segments) {
            f.frame(frame_of(segment, {.vlan = before}));
            f.frame(frame_of(segment, {.vlan = 20}));
        }
        expect_all_found(conversation, f.finish());
        EXPECT_THAT(f.engine.store().connections(), SizeIs(1));
    }
}

// One packet with a time to come spoils no round trip of its connection, before or after.
TEST(Engine, BelievesNoTimeThatIsFarAheadOfThoseAroundIt) {
    constexpr int64_t second = 1'000'000'000;
    const Conversation conversation({}, random_choices(9));
    for (size_t wrong = 3; wrong < 12; ++wrong) {
        Feeding f;
        for (size_t i = 0; i < conversation.segments.size(); ++i) {
            if (i == wrong) f.time_ns += int64_t{46} * 365 * 86'400 * second;
            f.segment(conversation.segments[i]);
            if (i == wrong) f.time_ns -= int64_t{46} * 365 * 86'400 * second;
        }
        f.finish();
        for (const WindowRow& row : f.engine.store().windows())
            EXPECT_LT(row.srtt_ns, 10 * second) << "packet " << row.packet;
        for (const SenderSummary& sender : f.engine.store().senders())
            EXPECT_LT(sender.rtt_min_ns(), 10 * second);
    }
}

// What was lost and sent again, and how long the path is, with all times from a packet on moved.
struct PathAsFound {
    std::vector<std::pair<PacketNumber, LossKind>> losses;
    std::vector<int64_t> round_trips_ns;
    std::vector<ClockJump> clock_jumps;
    uint64_t set_back = 0;
    bool explained = false;
};

PathAsFound path_with_clock_set(const char* name, PacketNumber set_at, int64_t set_ns) {
    const auto source = open_capture(std::string(SANSCOPE_SAMPLES "/") + name);
    if (!source) return {};
    Engine engine(ResultStore::Keep::everything());
    PacketBatch batch;
    std::vector<DecodedPacket> decoded;
    while ((*source)->claim(batch)) {
        (*source)->load(batch);
        (*source)->parse(batch);
        for (size_t i = 0; i < batch.packets.size(); ++i)
            batch.packets[i].time_ns += batch.first_packet + i >= set_at ? set_ns : 0;
        decode_batch(batch, decoded);
        engine.process(batch, decoded);
    }
    engine.finish();
    PathAsFound found;
    found.set_back = engine.issues()[Issue::times_set_back].count;
    found.explained = engine.totals().set_back_unexplained.empty() &&
                      std::ranges::none_of(engine.store().connections(), &ConnectionRow::out_of_order);
    for (const LossRow& row : engine.store().losses()) found.losses.emplace_back(row.packet, row.kind);
    for (const SenderSummary& sender : engine.store().senders())
        found.round_trips_ns.push_back(sender.rtt_min_ns());
    std::ranges::sort(found.losses);
    found.clock_jumps.assign(engine.store().clock_jumps().begin(), engine.store().clock_jumps().end());
    return found;
}

// In the midst of commands, losses and repairs.
TEST(Engine, AClockThatIsSetBackLosesNothingAndInventsNothing) {
    constexpr int64_t second = 1'000'000'000;
    for (const char* const name : {"loss-mixed-initiator.pcap.zst", "loss-mixed-target.pcap.zst"}) {
        const PathAsFound as_captured = path_with_clock_set(name, 1, 0);
        ASSERT_GT(as_captured.losses.size(), 40u) << name;
        EXPECT_EQ(as_captured.set_back, 0u) << name;
        for (const PacketNumber set_at : {900u, 2500u, 4923u, 7001u}) {
            for (const int64_t set_ns :
                 {-second / 500, -second / 50, -second * 2 / 10, -5 * second, -3600 * second}) {
                const PathAsFound found = path_with_clock_set(name, set_at, set_ns);
                EXPECT_EQ(found.set_back, 1u) << name << ", packet " << set_at << ", " << set_ns;
                EXPECT_TRUE(found.explained) << name << ", packet " << set_at << ", " << set_ns;
                EXPECT_EQ(found.losses, as_captured.losses)
                    << name << ", packet " << set_at << ", " << set_ns;
                EXPECT_EQ(found.round_trips_ns, as_captured.round_trips_ns)
                    << name << ", packet " << set_at << ", " << set_ns;
            }
        }
    }
}

TEST(Engine, TcpTimestampsShowAClockThatIsSetAhead) {
    constexpr int64_t second = 1'000'000'000;
    for (const char* const name : {"loss-mixed-initiator.pcap.zst", "loss-mixed-target.pcap.zst"}) {
        EXPECT_TRUE(path_with_clock_set(name, 1, 0).clock_jumps.empty()) << name;
        for (const PacketNumber set_at : {4923u, 6000u, 7001u}) {
            for (const int64_t set_ns : {second / 2, 5 * second, 3600 * second}) {
                const PathAsFound found = path_with_clock_set(name, set_at, set_ns);
                ASSERT_EQ(found.clock_jumps.size(), 1u) << name << ", packet " << set_at << ", " << set_ns;
                const ClockJump& jump = found.clock_jumps[0];
                EXPECT_EQ(jump.packet, set_at);
                EXPECT_NEAR(static_cast<double>(jump.end_ns - jump.begin_ns), static_cast<double>(set_ns),
                            .02 * static_cast<double>(set_ns));
            }
        }
    }
}

// While a capture grows, a view wants to know where it is made and how long the path is.
TEST(Engine, DescribesWhatIsKnownOfThePathBeforeTheEnd) {
    for (const char* const name : {"loss-mixed-initiator.pcap.zst", "loss-mixed-target.pcap.zst"}) {
        const auto source = open_capture(std::string(SANSCOPE_SAMPLES "/") + name);
        ASSERT_TRUE(source) << name;
        Engine engine(ResultStore::Keep::nothing());
        std::vector<ConnectionRow> before;
        AnalysisOptions options;
        options.threads = 1;
        options.progress = [&] {
            engine.describe_connections();
            before.assign(engine.store().connections().begin(), engine.store().connections().end());
        };
        ASSERT_TRUE(analyse(**source, engine, options));
        ASSERT_EQ(before.size(), engine.store().connections().size());
        for (size_t i = 0; i < before.size(); ++i) {
            const ConnectionRow& after = engine.store().connections()[i];
            EXPECT_NE(after.vantage, Vantage::unknown) << name;
            EXPECT_EQ(before[i].vantage, after.vantage) << name;
            EXPECT_NE(after.rtt_min_ns, no_time) << name;
            EXPECT_EQ(before[i].rtt_min_ns, after.rtt_min_ns) << name;
            EXPECT_GT(before[i].retransmissions_out + before[i].retransmissions_in, 0u) << name;
        }
    }
}

TEST(Engine, FindsIscsiOnAnyPort) {
    const Conversation conversation({}, random_choices(1));
    Feeding f;
    f.all(conversation, {.initiator = 1, .port = 8080});
    expect_all_found(conversation, f.finish());
}

TEST(Engine, TakesTheSideThatSpeaksAsInitiatorForThatWhateverItsPort) {
    const Conversation conversation({}, random_choices(1));
    Feeding f;
    // Without the handshake only the ports could tell.
    for (size_t i = Conversation::handshake_segments; i < conversation.segments.size(); ++i) {
        f.segment(conversation.segments[i], {.initiator = 1, .port = 60000});
    }
    EXPECT_EQ(f.finish().connections()[0].initiator.port, 50000);
}

DecodeAs decoding(uint16_t port, DecodeAs::Protocol protocol) {
    DecodeAs rules;
    rules.add({port, protocol});
    return rules;
}

// Begun inside a connection, with the end of one PDU before each header: no segment begins with a header.
void feed_unaligned(Feeding& f, const Conversation& conversation, uint16_t port) {
    constexpr size_t first_pdu = 6;
    constexpr uint64_t shift = 8;
    for (size_t i = first_pdu; i < conversation.pdus.size(); ++i) {
        const test::SentPdu& pdu = conversation.pdus[i];
        f.segment(conversation.resent(pdu.from_target, pdu.begin - shift, pdu.end - shift),
                  {.initiator = 1, .port = port});
    }
}

TEST(Engine, DecodesAsIscsiWhatItsContentDoesNotShowToBeThat) {
    const Conversation conversation({.commands = 60}, random_choices(3));
    constexpr uint16_t port = 60000;
    Feeding unasked;
    feed_unaligned(unasked, conversation, port);
    EXPECT_TRUE(unasked.finish().pdus().empty());
    EXPECT_FALSE(unasked.engine.store().connections()[0].iscsi);

    Feeding f;
    f.engine.decode_as(decoding(port, DecodeAs::Protocol::iscsi));
    feed_unaligned(f, conversation, port);
    const ResultStore& found = f.finish();
    ASSERT_THAT(found.connections(), SizeIs(1));
    EXPECT_TRUE(found.connections()[0].iscsi);
    // Though it is the higher port.
    EXPECT_EQ(found.connections()[0].target.port, port);
    EXPECT_GT(found.pdus().size(), conversation.pdus.size() / 2);
    EXPECT_GT(found.commands().size(), conversation.commands.size() / 2);
}

TEST(Engine, DecodesAsIscsiWhatWouldBeFoundToBeThatAllTheSame) {
    const Conversation conversation({}, random_choices(1));
    for (const uint16_t ruled : {uint16_t{3261}, uint16_t{50000}}) {
        Feeding f;
        f.engine.decode_as(decoding(ruled, DecodeAs::Protocol::iscsi));
        f.all(conversation, {.initiator = 1, .port = 3261});
        expect_all_found(conversation, f.finish());
    }
    // Without the handshake, and with the initiator's port in the rule, the first header tells.
    Feeding f;
    f.engine.decode_as(decoding(50000, DecodeAs::Protocol::iscsi));
    for (size_t i = Conversation::handshake_segments; i < conversation.segments.size(); ++i)
        f.segment(conversation.segments[i], {.initiator = 1, .port = 3261});
    EXPECT_EQ(f.finish().connections()[0].initiator.port, 50000);
    EXPECT_THAT(f.engine.store().commands(), SizeIs(conversation.commands.size()));
}

TEST(Engine, DecodesAsDataWhatWouldBeFoundToBeIscsi) {
    const Conversation conversation({}, random_choices(1));
    Feeding f;
    f.engine.decode_as(decoding(3260, DecodeAs::Protocol::data));
    f.all(conversation);
    f.all(conversation, {.initiator = 2, .port = 3261});
    const ResultStore& found = f.finish();
    ASSERT_THAT(found.connections(), SizeIs(2));
    EXPECT_FALSE(found.connections()[0].iscsi);
    EXPECT_GT(found.connections()[0].bytes_in + found.connections()[0].bytes_out, 0u);
    EXPECT_TRUE(found.connections()[1].iscsi);
    for (const PduRow& row : found.pdus()) EXPECT_EQ(row.connection, 2u);
    EXPECT_THAT(found.commands(), SizeIs(conversation.commands.size()));
}

TEST(Engine, FindsNoSessionInOtherTrafficOnPort3260) {
    Feeding f;
    SentSegment segment;
    segment.seq = 1000;
    for (int i = 0; i < 200; ++i) {
        segment.from_target = i % 2 != 0;
        segment.payload =
            frames::text("GET / HTTP/1.1\r\nHost: san.example.org\r\nAccept: text/html,*/*\r\n\r\n");
        if (i % 5 == 0) segment.payload = Bytes(300);
        if (i % 7 == 0) segment.payload = test::pattern(500);
        f.segment(segment);
        segment.seq += 500;
    }
    const ResultStore& found = f.finish();
    EXPECT_TRUE(found.sessions().empty());
    EXPECT_TRUE(found.pdus().empty());
    ASSERT_THAT(found.connections(), SizeIs(1));
    EXPECT_FALSE(found.connections()[0].iscsi);
    EXPECT_EQ(found.connections()[0].session, 0u);
}

TEST(Engine, FindsTheSamePdusWhereAMirrorPortShowsEveryPacketTwice) {
    const Conversation conversation({.commands = 30}, random_choices(2));
    Feeding f;
    for (const SentSegment& segment : conversation.segments) {
        f.segment(segment);
        f.segment(segment);
    }
    const ResultStore& found = f.finish();
    expect_all_found(conversation, found);
    EXPECT_EQ(found.connections()[0].retransmissions_out, 0u);
    EXPECT_EQ(found.connections()[0].retransmissions_in, 0u);
}

TEST(Engine, FindsAllButTheLoginOfAConnectionThatBeganBeforeTheCapture) {
    for (const bool digests : {false, true}) {
        Conversation::Options options;
        options.commands = 60;
        options.header_digest = options.data_digest = digests;
        const Conversation conversation(options, random_choices(3));
        constexpr size_t login_segments = 2;
        Feeding f;
        for (size_t i = Conversation::handshake_segments + login_segments; i < conversation.segments.size();
             ++i) {
            f.segment(conversation.segments[i]);
        }
        const ResultStore& found = f.finish();
        ASSERT_THAT(found.pdus(), SizeIs(conversation.pdus.size() - 2)) << digests;
        ASSERT_THAT(found.commands(), SizeIs(conversation.commands.size()));
        for (const CommandRow& row : found.commands()) EXPECT_EQ(row.outcome, Outcome::completed);
        ASSERT_THAT(found.sessions(), SizeIs(1));
        EXPECT_EQ(found.sessions()[0].initiator_name, "");
        size_t good = 0;
        for (const PduRow& row : found.pdus()) {
            EXPECT_FALSE(row.damaged);
            if (row.header_digest == Digest::ok) ++good;
        }
        EXPECT_EQ(good, digests ? good : 0u);
        if (digests) {
            EXPECT_GE(good, found.pdus().size() - 4) << "all but the first of each side";
        }
    }
}

TEST(Engine, JoinsTwoConnectionsOfOneSession) {
    const auto connection = [](Feeding& f, uint8_t host, const Bytes& request, const Bytes& response) {
        SentSegment segment;
        segment.seq = 100;
        segment.payload = request;
        f.segment(segment, {.initiator = host});
        segment.from_target = true;
        segment.payload = response;
        f.segment(segment, {.initiator = host});
    };
    const Bytes keys = test::text_keys({"InitiatorName=iqn.i", "TargetName=iqn.t", "MaxConnections=2"});
    Feeding f;
    connection(f, 1, test::login_request(keys, 5, 0).bytes(), test::login_response({}, 5, 9).bytes());
    connection(f, 2, test::login_request(keys, 5, 9).bytes(), test::login_response({}, 5, 9).bytes());
    connection(f, 3, test::login_request(keys, 6, 0).bytes(), test::login_response({}, 6, 10).bytes());
    const ResultStore& found = f.finish();
    ASSERT_THAT(found.sessions(), SizeIs(2));
    EXPECT_EQ(found.sessions()[0].connections, 2u);
    EXPECT_EQ(found.connections()[1].session, 1u);
    EXPECT_EQ(found.connections()[2].session, 2u);
}

TEST(Engine, KeepsConnectionsApartThatUseTheSamePortsOneAfterTheOther) {
    const Conversation first({}, random_choices(4));
    const Conversation second({}, random_choices(5));
    Feeding f;
    f.all(first);
    f.all(second);
    const ResultStore& found = f.finish();
    ASSERT_THAT(found.connections(), SizeIs(2));
    EXPECT_THAT(found.sessions(), SizeIs(2));
    EXPECT_THAT(found.commands(), SizeIs(first.commands.size() + second.commands.size()));
    EXPECT_EQ(found.connections()[0].last_packet, first.segments.size());
    EXPECT_EQ(found.connections()[1].first_packet, first.segments.size() + 1);
}

TEST(Engine, LosesOnlyWhatAMissingPacketHeld) {
    const Conversation conversation({.commands = 100, .longest_data = 20000}, random_choices(6));
    size_t lossless = 0;
    for (size_t lost = conversation.segments.size() / 2; lost < conversation.segments.size() / 2 + 40;
         ++lost) {
        Feeding f;
        for (size_t i = 0; i < conversation.segments.size(); ++i) {
            if (i != lost) f.segment(conversation.segments[i]);
        }
        const ResultStore& found = f.finish();
        size_t completed = 0;
        for (const CommandRow& row : found.commands())
            completed += row.outcome == Outcome::completed ? 1u : 0u;
        const size_t touched = conversation.segments[lost].payload.size() / bhs_length + 1;
        EXPECT_GE(completed + 2 * touched, conversation.commands.size()) << lost;
        lossless += completed == conversation.commands.size() ? 1u : 0u;
    }
    EXPECT_GT(lossless, 10u) << "most packets hold nothing but data";
}

TEST(Engine, GivesTheMomentsOfAReadByThePacketsThatCompleteItsPdus) {
    Feeding f;
    SentSegment out;
    SentSegment in;
    in.from_target = true;
    const auto send = [&](SentSegment& side, const Bytes& bytes) {
        side.payload = bytes;
        f.segment(side);
        side.seq += static_cast<uint32_t>(bytes.size());
    };
    send(out, test::login_request(test::text_keys({"InitiatorName=iqn.i"})).bytes());         // 1
    send(in, test::login_response({}).bytes());                                               // 2
    send(out, test::scsi_command(7, 1, test::Moves::in, 1000, test::read_10(0, 2)).bytes());  // 3
    const Bytes data = test::data_in(7, 0, test::pattern(1000), 2).flags(0x80).bytes();
    send(in, Bytes(data.begin(), data.begin() + 500));  // 4
    // The second half comes after what follows it.
    const auto second_seq = in.seq;
    in.seq += static_cast<uint32_t>(data.size() - 500);
    send(in, test::scsi_response(7, 0, 1, 2).bytes());  // 5
    in.seq = second_seq;
    send(in, Bytes(data.begin() + 500, data.end()));  // 6
    const ResultStore& found = f.finish();
    ASSERT_THAT(found.commands(), SizeIs(1));
    const CommandRow& row = found.commands()[0];
    EXPECT_EQ(row.request_packet, 3u);
    EXPECT_EQ(row.first_byte_packet, 4u);
    EXPECT_EQ(row.first_data_packet, 6u);
    EXPECT_EQ(row.response_packet, 6u) << "TCP delivers the status with the packet that fills the hole";
    EXPECT_EQ(row.turnaround_ns(), 3000);
}

TEST(Engine, FindsTheLoginResponseThatComesInPiecesAfterTheFirstCommand) {
    Conversation::Options options;
    options.commands = 1;
    const Conversation conversation(options, random_choices(3));
    constexpr size_t login_response = Conversation::handshake_segments + 1;
    Feeding f;
    for (size_t i = 0; i < conversation.segments.size(); ++i) {
        if (i == login_response) continue;
        f.segment(conversation.segments[i]);
    }
    for (const auto& [begin, end] : {std::pair<size_t, size_t>{0, 3}, {3, 48}, {48, 100}}) {
        f.segment(conversation.resent(true, begin, std::min(end, conversation.stream_length(true))));
    }
    const ResultStore& found = f.finish();
    EXPECT_THAT(found.pdus(), SizeIs(conversation.pdus.size()));
    ASSERT_THAT(found.commands(), SizeIs(1));
    EXPECT_EQ(found.commands()[0].outcome, Outcome::completed);
}

TEST(Engine, ReadsThroughFragmentsOfTheNetworkLayer) {
    const Conversation conversation({}, random_choices(7));
    Feeding f;
    for (const SentSegment& segment : conversation.segments) {
        frames::Ipv4 ip;
        ip.source = segment.from_target ? "10.0.1.1" : "10.0.0.1";
        ip.destination = segment.from_target ? "10.0.0.1" : "10.0.1.1";
        ip.id = segment.ip_id;
        frames::Tcp tcp;
        tcp.source_port = segment.from_target ? 3260 : 50000;
        tcp.destination_port = segment.from_target ? 50000 : 3260;
        tcp.seq = segment.seq;
        tcp.ack = segment.ack;
        tcp.flags = segment.flags;
        for (const frames::Layer& fragment :
             frames::ipv4_fragments(ip, frames::tcp(tcp, segment.payload), 64)) {
            f.frame(frames::ethernet(fragment).bytes);
        }
    }
    expect_all_found(conversation, f.finish());
    EXPECT_EQ(f.engine.issues()[Issue::fragments_never_completed].count, 0u);
}

TEST(Engine, CountsWhatItCannotRead) {
    const Conversation conversation({}, random_choices(8));
    Feeding f;
    f.frame(frame_of(conversation.segments[0]), 40);
    Bytes broken = frame_of(conversation.segments[0]);
    broken[14] = 0x41;  // an IPv4 header of four bytes
    f.frame(broken);
    f.finish();
    EXPECT_EQ(f.engine.issues()[Issue::frames_truncated].count, 1u);
    EXPECT_EQ(f.engine.issues()[Issue::frames_truncated].first_packet, 1u);
    EXPECT_EQ(f.engine.issues()[Issue::frames_malformed].count, 1u);
    EXPECT_EQ(f.engine.totals().packets, 2u);
    EXPECT_EQ(f.engine.totals().tcp_packets, 0u);
}

TEST(Engine, TakesTimesFromTheEndsOfTime) {
    for (const int64_t step : {std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()}) {
        const Conversation conversation({}, random_choices(9));
        Feeding f;
        f.time_ns = 0;
        for (const SentSegment& segment : conversation.segments) {
            f.time_ns = f.time_ns > 0 || f.time_ns < -1'000'000 ? 0 : step - (step > 0 ? 1000 : -1000);
            f.segment(segment);
        }
        EXPECT_THAT(f.finish().commands(), SizeIs(conversation.commands.size()));
    }
}

// Every packet another connection: more than are followed at once.
TEST(Engine, FollowsABoundedNumberOfConnectionsThroughAScanOfPorts) {
    constexpr uint32_t scanned = 150'000;
    static_assert(scanned > Engine::max_live_connections);
    Engine engine({.commands = false, .pdus = false});
    PacketBatch batch;
    batch.packets.resize(1000);
    std::vector<DecodedPacket> decoded(1000);
    for (uint32_t i = 0; i < scanned; i += 1000) {
        batch.first_packet = i + 1;
        for (uint32_t j = 0; j < 1000; ++j) {
            const uint32_t n = i + j;
            const uint8_t source[] = {10, static_cast<uint8_t>(n >> 16), static_cast<uint8_t>(n >> 8),
                                      static_cast<uint8_t>(n)};
            const uint8_t target[] = {10, 255, 0, 1};
            batch.packets[j].time_ns = n;
            decoded[j].kind = DecodedPacket::Kind::tcp;
            decoded[j].source = IpAddress::from_v4(source);
            decoded[j].destination = IpAddress::from_v4(target);
            decoded[j].destination_port = 3260;
            decoded[j].flags = tcp_syn;
        }
        engine.process(batch, decoded);
    }
    engine.finish();
    EXPECT_EQ(engine.store().connections().size(), scanned);
    EXPECT_TRUE(engine.store().sessions().empty());
    EXPECT_EQ(engine.store().connection(scanned).packets_out, 1u);
}

// A capture of several connections at once, of a size to make many batches.
Bytes large_capture() {
    std::vector<Conversation> conversations;
    for (unsigned i = 0; i < 4; ++i) {
        Conversation::Options options;
        options.commands = 2500;
        options.longest_data = 16000;
        options.header_digest = options.data_digest = i == 1;
        conversations.emplace_back(options, random_choices(i));
    }
    test::PcapBuilder capture;
    std::mt19937 random(5);
    std::vector<size_t> at(conversations.size());
    uint32_t microseconds = 0;
    for (size_t left = conversations.size(); left > 0;) {
        const size_t which = random() % conversations.size();
        const auto& segments = conversations[which].segments;
        for (int burst = 0; burst < 5 && at[which] < segments.size(); ++burst) {
            ++microseconds;
            const Ends ends{.initiator = static_cast<uint8_t>(which + 1)};
            capture.packet(1000 + microseconds / 1'000'000, microseconds % 1'000'000,
                           frame_of(segments[at[which]], ends));
            if (++at[which] == segments.size()) --left;
        }
    }
    return capture.bytes();
}

TEST(Analysis, GivesTheSameTablesWithAnyNumberOfThreads) {
    const Bytes bytes = large_capture();
    ASSERT_GT(bytes.size(), 20u << 20);
    const test::TemporaryFile file(bytes);
    std::vector<std::string> expected;
    for (const unsigned threads : {1u, 2u, 3u, 8u}) {
        auto source = open_capture(file.path());
        ASSERT_TRUE(source) << source.error().message;
        Engine engine({});
        size_t batches = 0;
        AnalysisOptions options;
        options.threads = threads;
        options.progress = [&] { ++batches; };
        EXPECT_TRUE(analyse(**source, engine, options));
        EXPECT_GT(batches, 10u);
        const std::vector<std::string> tables = all_tables(engine.store());
        if (threads == 1) expected = tables;
        ASSERT_GT(tables.size(), 20'000u);
        ASSERT_EQ(tables.size(), expected.size()) << threads;
        for (size_t i = 0; i < tables.size(); ++i) ASSERT_EQ(tables[i], expected[i]) << threads << " threads";
    }
}

std::vector<std::string> all_told(const Engine& engine) {
    std::vector<std::string> told = all_tables(engine.store());
    for (size_t i = 0; i < issue_infos.size(); ++i) {
        const Issues::Count& count = engine.issues()[static_cast<Issue>(i)];
        told.push_back(fmt::format("{} {} {}", issue_infos[i].name, count.count, count.first_packet));
    }
    return told;
}

// Losses that a side repairs, packets that came twice, a kernel's word in the midst, issues that only senders have.
TEST(Analysis, GivesTheSameRowsAndIssuesOfEachSampleWithTwoThreads) {
    for (const char* name : {"loss-mixed-target.pcap.zst", "mirrored-twice.pcapng.zst", "reordered.pcap.zst",
                             "kernel-truth-target.pcapng.zst", "sniffer-drops.pcap.zst"}) {
        std::array<std::vector<std::string>, 2> expected;
        for (const unsigned threads : {1u, 2u}) {
            for (const bool kernel_rows : {false, true}) {
                auto source = open_capture(std::string(SANSCOPE_SAMPLES "/") + name);
                ASSERT_TRUE(source) << source.error().message;
                ResultStore::Keep keep;
                keep.kernel_windows = keep.kernel_ca_transitions = kernel_rows;
                Engine engine(keep);
                AnalysisOptions options;
                options.threads = threads;
                EXPECT_TRUE(analyse(**source, engine, options));
                const std::vector<std::string> told = all_told(engine);
                std::vector<std::string>& alone = expected[kernel_rows ? 1 : 0];
                if (threads == 1) alone = told;
                EXPECT_EQ(told, alone) << name;
            }
        }
    }
}

// With both locks held neither thread changes what is looked at: rows seen once stay as they were, but for those that go on.
TEST(Analysis, LetsOthersLookWhileTwoThreadsWrite) {
    const test::TemporaryFile large(large_capture());
    const std::string samples = SANSCOPE_SAMPLES "/";
    for (const std::string& name :
         {large.path(), samples + "loss-mixed-target.pcap.zst", samples + "kernel-truth-target.pcapng.zst"}) {
        std::vector<std::string> alone;
        for (const unsigned threads : {1u, 2u}) {
            auto source = open_capture(name);
            ASSERT_TRUE(source) << source.error().message;
            Engine engine(ResultStore::Keep::everything());
            std::shared_mutex engine_lock;
            std::shared_mutex senders_lock;
            std::atomic<bool> ended = false;
            std::jthread looker([&] {
                // All rows now and then, and the latest each time: while it looks, nobody writes.
                const auto look = [&](bool at_all) {
                    const std::shared_lock engine_held(engine_lock);
                    const std::shared_lock senders_held(senders_lock);
                    const ResultStore& store = engine.store();
                    const size_t windows = store.windows().size();
                    const size_t segments = store.segments().size();
                    constexpr size_t latest = 1000;
                    for (size_t row = at_all ? 0 : windows - std::min(windows, latest); row < windows; ++row)
                        ASSERT_LE(store.windows()[row].packet, segments);
                    for (const LossRow& row : store.losses()) ASSERT_LE(row.packet, segments);
                    std::this_thread::yield();
                    ASSERT_EQ(store.windows().size(), windows);
                    ASSERT_EQ(store.segments().size(), segments);
                };
                constexpr uint64_t looks_at_all = 16;
                for (uint64_t looks = 0; looks == 0 || !ended; ++looks) look(looks % looks_at_all == 0);
            });
            AnalysisOptions options;
            options.threads = threads;
            options.engine_lock = &engine_lock;
            options.senders_lock = &senders_lock;
            options.progress = [&] {
                const std::lock_guard lock(engine_lock);
                engine.describe_connections();
            };
            EXPECT_TRUE(analyse(**source, engine, options));
            ended = true;
            looker.join();
            if (threads == 1) alone = all_told(engine);
            EXPECT_EQ(all_told(engine), alone) << name;
        }
    }
}

TEST(Analysis, EndsEarlyWhenAskedTo) {
    const test::TemporaryFile file(large_capture());
    for (const unsigned threads : {1u, 4u}) {
        auto source = open_capture(file.path());
        ASSERT_TRUE(source) << source.error().message;
        Engine engine({});
        std::atomic<bool> stop = false;
        AnalysisOptions options;
        options.threads = threads;
        options.stop = &stop;
        options.progress = [&] { stop = true; };
        EXPECT_FALSE(analyse(**source, engine, options));
        EXPECT_GT(engine.totals().packets, 0u);
        EXPECT_GT(engine.store().pdus().size(), 0u);
    }
}

}  // namespace
}  // namespace sanscope
