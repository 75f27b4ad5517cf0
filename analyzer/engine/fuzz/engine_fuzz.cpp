// SPDX-License-Identifier: GPL-3.0-or-later

// Operations on a whole connection: an iSCSI conversation is made, cut into TCP segments, and these are repeated, sent
// again cut differently, and change places. Then the PDUs and commands found must be exactly those that were sent; the
// moment of an answer alone may be unknown, where it is captured only behind its acknowledgement. In the lossy half
// segments are also left out, cut by a snap length and moved far: then every PDU told as whole must be one that was sent,
// and none twice; but where digests are in use and the login that says so is lost as well, the boundaries of PDUs may be
// mistaken until headers are seen whole.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fuzzer/FuzzedDataProvider.h>
#include <memory>
#include <set>
#include <tuple>
#include <vector>

#include "analyzer/engine/engine.h"
#include "analyzer/engine/testing/conversation.h"

namespace {

using namespace sanscope;
using test::Conversation;
using test::SentSegment;

void require(bool claim, int line = __builtin_LINE()) {
    if (claim) return;
    std::fprintf(stderr, "The claim in line %d does not hold.\n", line);
    std::abort();
}

struct Packet {
    SentSegment segment;
    uint32_t captured;
    int64_t after_ns = 1000;  // the packet before
};

struct Losses {
    bool any = false;
    bool of_login = false;
};

std::vector<Packet> as_captured(FuzzedDataProvider& choices, const Conversation& conversation,
                                Losses losses) {
    const bool lossy = losses.any;
    std::vector<Packet> packets;
    const auto take = [&](const SentSegment& segment) {
        packets.push_back({segment, static_cast<uint32_t>(segment.payload.size())});
    };
    for (const SentSegment& segment : conversation.segments) take(segment);
    // What shows the connection and its streams' beginnings stays where it is.
    const size_t login_end = Conversation::handshake_segments + 2;
    const size_t first = losses.of_login ? 0 : lossy ? login_end : login_end - 1;
    const auto any = [&] { return choices.ConsumeIntegralInRange<size_t>(first, packets.size() - 1); };
    const int operations = choices.ConsumeIntegralInRange<int>(0, 60);
    for (int i = 0; i < operations && choices.remaining_bytes() > 0; ++i) {
        const size_t at = any();
        switch (choices.ConsumeIntegralInRange<int>(0, lossy ? 8 : 4)) {
            case 0: {  // a mirror port's copy, or a retransmission
                Packet copy = packets[at];
                if (choices.ConsumeBool()) copy.segment.ip_id = 0;
                packets.insert(
                    packets.begin() + static_cast<std::ptrdiff_t>(std::min(at + 1, packets.size())), copy);
                break;
            }
            case 1:
            case 2: {
                const size_t other =
                    std::min(at + choices.ConsumeIntegralInRange<size_t>(1, 5), packets.size() - 1);
                std::swap(packets[at], packets[other]);
                break;
            }
            case 3: {  // sent again, cut differently
                const bool from_target = choices.ConsumeBool();
                const size_t length = conversation.stream_length(from_target);
                const auto begin = choices.ConsumeIntegralInRange<size_t>(0, length - 1);
                const auto end = std::min(length, begin + choices.ConsumeIntegralInRange<size_t>(1, 3000));
                const SentSegment segment = conversation.resent(from_target, begin, end);
                // Not before any of its bytes were sent.
                size_t place = packets.size();
                while (place > at && place > 0 && !lossy) {
                    const SentSegment& before = packets[place - 1].segment;
                    const bool sent_by_then =
                        before.from_target == from_target &&
                        Serial32(segment.seq)
                            .before(Serial32(before.seq) + static_cast<uint32_t>(before.payload.size()));
                    if (sent_by_then) break;
                    --place;
                }
                packets.insert(packets.begin() + static_cast<std::ptrdiff_t>(place),
                               {segment, static_cast<uint32_t>(segment.payload.size())});
                break;
            }
            case 4:  // an acknowledgement alone
                packets.insert(packets.begin() + static_cast<std::ptrdiff_t>(at), packets[at]);
                packets[at].segment.payload.clear();
                packets[at].captured = 0;
                break;
            case 5:
                packets.erase(packets.begin() + static_cast<std::ptrdiff_t>(at));
                if (packets.size() <= first) return packets;
                break;
            case 6:
                packets[at].captured = choices.ConsumeIntegralInRange<uint32_t>(0, packets[at].captured);
                break;
            case 7:
                std::swap(packets[at], packets[any()]);
                break;
            case 8:
                packets[at].after_ns = choices.ConsumeBool()
                                           ? choices.ConsumeIntegral<int64_t>()
                                           : choices.ConsumeIntegralInRange<int64_t>(0, 100'000'000);
                break;
        }
    }
    if (lossy && choices.ConsumeBool()) {
        const auto snap = choices.ConsumeIntegralInRange<uint32_t>(0, 200);
        for (size_t i = first; i < packets.size(); ++i)
            packets[i].captured = std::min(packets[i].captured, snap);
    }
    return packets;
}

void feed(Engine& engine, const std::vector<Packet>& packets) {
    const uint8_t addresses[2][4] = {{10, 0, 0, 1}, {10, 0, 0, 2}};
    uint64_t time_ns = 0;
    PacketBatch batch;
    std::vector<DecodedPacket> decoded(1);
    batch.packets.resize(1);
    for (size_t i = 0; i < packets.size(); ++i) {
        const Packet& packet = packets[i];
        time_ns += static_cast<uint64_t>(packet.after_ns);
        // A block of exactly that size, so that the sanitizer sees a read beyond it.
        const auto exact = std::make_unique<uint8_t[]>(packet.captured);
        std::copy_n(packet.segment.payload.begin(), packet.captured, exact.get());
        batch.first_packet = i + 1;
        batch.packets[0].time_ns = static_cast<int64_t>(time_ns);
        DecodedPacket& out = decoded[0];
        out = DecodedPacket{};
        out.kind = DecodedPacket::Kind::tcp;
        const bool from_target = packet.segment.from_target;
        out.source = IpAddress::from_v4(addresses[from_target]);
        out.destination = IpAddress::from_v4(addresses[!from_target]);
        out.source_port = from_target ? 3260 : 50000;
        out.destination_port = from_target ? 50000 : 3260;
        out.flags = packet.segment.flags;
        out.ip_id = packet.segment.ip_id;
        out.seq = packet.segment.seq;
        out.ack = packet.segment.ack;
        out.payload = exact.get();
        out.payload_captured = packet.captured;
        out.payload_length = static_cast<uint32_t>(packet.segment.payload.size());
        engine.process(batch, decoded);
    }
    engine.finish();
}

// What a PDU is, as sent and as reported.
using Facts = std::tuple<bool, uint8_t, uint32_t, uint32_t>;
Facts facts(bool from_target, const uint8_t* header) {
    const Bhs bhs(header);
    return {from_target, bhs.opcode_value(), bhs.itt(), bhs.data_segment_length()};
}
Facts facts(const PduRow& row) {
    return {row.sender == Role::target, row.opcode, row.itt, row.data_length};
}

// Data of the target that were captured only after a packet that acknowledges them: they passed before, nobody knows when.
bool any_answer_behind_its_acknowledgement(const std::vector<Packet>& packets) {
    std::vector<bool> captured;  // by offset in the target's stream
    bool begun = false;
    bool acknowledged = false;
    Serial32 begin;
    Serial32 upto;
    for (const Packet& packet : packets) {
        const SentSegment& segment = packet.segment;
        if (!segment.from_target) {
            const Serial32 ack(segment.ack);
            if ((segment.flags & tcp_ack) == 0 || (acknowledged && !upto.before(ack))) continue;
            acknowledged = true;
            upto = ack;
            continue;
        }
        if (!begun) begin = Serial32(segment.seq);
        begun = true;
        for (uint32_t i = 0; i < segment.payload.size(); ++i) {
            const Serial32 byte = Serial32(segment.seq) + i;
            const auto offset = static_cast<size_t>(begin.distance_to(byte));
            if (offset >= captured.size()) captured.resize(offset + 1);
            if (!captured[offset] && acknowledged && byte.before(upto)) return true;
            captured[offset] = true;
        }
    }
    return false;
}

// `moments_known`: of all answers.
void require_exactly(const Conversation& sent, const ResultStore& found, bool moments_known) {
    std::multiset<std::pair<uint64_t, Facts>> pdus;
    for (const auto& pdu : sent.pdus) pdus.insert({pdu.begin, facts(pdu.from_target, pdu.header.data())});
    require(found.pdus().size() == pdus.size());
    for (const PduRow& row : found.pdus()) {
        require(!row.damaged && !row.inferred && row.last_packet != 0);
        require(row.header_digest != Digest::bad && row.data_digest != Digest::bad);
        const auto place = pdus.find({row.bhs_offset, facts(row)});
        require(place != pdus.end());
        pdus.erase(place);
    }
    // A Data-Out that comes behind its command's status is no command's.
    size_t of_commands = 0;
    for (const PduRow& row : found.pdus()) {
        if (row.opcode == static_cast<uint8_t>(Opcode::scsi_data_out) && row.command == 0) ++of_commands;
    }
    using Command = std::tuple<uint32_t, uint32_t, uint64_t, uint32_t, uint16_t>;
    std::multiset<Command> commands;
    for (const auto& c : sent.commands) commands.insert({c.itt, c.cmd_sn, c.bytes, c.r2ts, c.status});
    require(found.commands().size() == commands.size());
    for (const CommandRow& row : found.commands()) {
        require(row.outcome == Outcome::completed && row.request_packet != 0);
        require(row.response_packet != 0 || !moments_known);
        const auto place = commands.find({row.itt, row.cmd_sn, row.bytes, row.r2ts, row.status});
        require(place != commands.end());
        commands.erase(place);
        of_commands += row.pdus;
    }
    size_t of_commands_sent = 0;
    for (const auto& c : sent.commands) of_commands_sent += c.pdus;
    require(of_commands == of_commands_sent);
    require(found.sessions().size() == 1);
    require(found.connections().size() == 1);
}

void require_no_more_than(const Conversation& sent, const ResultStore& found) {
    using Kind = std::tuple<bool, uint8_t, uint32_t>;
    std::multiset<Facts> pdus;
    std::multiset<Kind> kinds;  // for those whose tag was cut off
    for (const auto& pdu : sent.pdus) {
        const Facts one = facts(pdu.from_target, pdu.header.data());
        pdus.insert(one);
        kinds.insert({std::get<0>(one), std::get<1>(one), std::get<3>(one)});
    }
    for (const PduRow& row : found.pdus()) {
        if (row.damaged || row.inferred || row.last_packet == 0) continue;
        require(row.first_packet <= row.last_packet);
        const auto kind = kinds.find({row.sender == Role::target, row.opcode, row.data_length});
        require(kind != kinds.end());
        kinds.erase(kind);
        const bool tag_seen = row.itt != 0 && row.itt != unknown<uint32_t>;
        if (!tag_seen) continue;
        const auto place = pdus.find(facts(row));
        require(place != pdus.end());
        pdus.erase(place);
    }
}

void require_consistency(const ResultStore& found) {
    for (const CommandRow& row : found.commands()) {
        require(row.turnaround_ns() == no_time || row.response_packet != 0);
        require(row.connection >= 1 && row.connection <= found.connections().size());
        require(row.session >= 1 && row.session <= found.sessions().size());
    }
    for (const PduRow& row : found.pdus()) require(row.command <= found.commands().size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
    FuzzedDataProvider choices(input, size);
    Losses losses;
    losses.any = choices.ConsumeBool();
    losses.of_login = losses.any && choices.ConsumeBool();
    Conversation::Options options;
    options.header_digest = choices.ConsumeBool();
    options.data_digest = choices.ConsumeBool();
    options.commands = choices.ConsumeIntegralInRange<unsigned>(1, 20);
    options.in_flight = choices.ConsumeIntegralInRange<unsigned>(1, 8);
    options.longest_segment = choices.ConsumeBool() ? 1448 : 300;
    // The conversation from half of the input, the operations from the rest.
    const std::vector<uint8_t> script = choices.ConsumeBytes<uint8_t>(size / 2);
    FuzzedDataProvider writing(script.data(), script.size());
    const Conversation conversation(options, [&](uint32_t limit) {
        return limit > 1 ? writing.ConsumeIntegralInRange<uint32_t>(0, limit - 1) : 0;
    });
    const std::vector<Packet> packets = as_captured(choices, conversation, losses);
    Engine engine({});
    feed(engine, packets);
    require_consistency(engine.store());
    const bool digests = options.header_digest || options.data_digest;
    if (losses.any) {
        if (!losses.of_login || !digests) require_no_more_than(conversation, engine.store());
    } else {
        require_exactly(conversation, engine.store(), !any_answer_behind_its_acknowledgement(packets));
    }
    return 0;
}
