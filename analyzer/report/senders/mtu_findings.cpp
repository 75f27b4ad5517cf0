// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/senders/mtu_findings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sanscope {
namespace {

using Kind = Finding::Kind;
using Severity = Finding::Severity;

// The side of a connection whose large segments do not arrive.
struct SendingSide {
    const ConnectionRow& row;
    bool is_initiator;

    const Endpoint& from() const { return is_initiator ? row.initiator : row.target; }
    const Endpoint& to() const { return is_initiator ? row.target : row.initiator; }
    // Frames reach the capture before the path, and what comes back to this host does so last.
    bool is_captured_here() const {
        return row.vantage == (is_initiator ? Vantage::initiator : Vantage::target);
    }
    std::string name() const {
        return fmt::format("{} {}", is_initiator ? "initiator" : "target",
                           format_endpoint(from().address, from().port));
    }
};

// What routers said of segments of this side that were too big.
struct TooBig {
    uint64_t count = 0;
    IcmpErrorRow first;
};

TooBig too_big_for(const NetworkEvents& events, const SendingSide& side) {
    TooBig said;
    for (const IcmpErrorRow& error : events.icmp_errors()) {
        const bool of_it = error.too_big && error.source == side.from() && error.destination == side.to() &&
                           error.time_ns >= side.row.start_ns && error.packet >= side.row.first_packet;
        // One that says that what fits does not is nobody's hop (RFC 8201 §4).
        if (!of_it || (error.mtu != 0 && error.datagram_length != 0 && error.mtu >= error.datagram_length))
            continue;
        if (said.count++ == 0) said.first = error;
    }
    return said;
}

std::string mss_sign(const ConnectionRow& row) {
    const auto of = [](const SentDataRow& data) {
        if (!data.syn.known) return std::string("one that was not captured");
        return data.syn.mss == 0 ? std::string("none") : std::to_string(data.syn.mss);
    };
    return fmt::format("MSS announced in the SYNs: {} by the initiator, {} by the target", of(row.out),
                       of(row.in));
}

std::string next_hop(const IcmpErrorRow& error) {
    return error.mtu == 0 ? "a next hop whose MTU it does not tell"
                          : fmt::format("the next hop, whose MTU is {}", error.mtu);
}

// A router told the sender, and the sender goes on all the same.
void add_unheeded_message(Finding& finding, const SendingSide& side, const TooBig& said) {
    const IcmpErrorRow& error = said.first;
    finding.add_sign(fmt::format("ICMP{} from {} in packet {}: a packet of {} is too big for {}",
                                 error.ipv6 ? "v6 Packet Too Big" : " \"fragmentation needed\"",
                                 format(error.reporter), error.packet,
                                 counted_exactly(error.datagram_length, "byte"), next_hop(error)));
    finding.explanation += fmt::format(
        " The router at {} says so, but {} goes on with segments of the same size: {}.",
        format(error.reporter), side.name(),
        side.is_captured_here()
            ? "the message reaches that host, and a firewall on it drops it or its path MTU discovery is off"
            : "the message does not reach that host, or is not heeded there. Let every firewall between the "
              "two pass "
              "ICMP type 3 code 4 (ICMPv6 type 2)");
    if (side.is_captured_here()) {
        finding.side = side.is_initiator ? Finding::Side::initiator : Finding::Side::target;
    }
}

void add_silence(Finding& finding, const SendingSide& side, const Engine::Totals& totals) {
    // Where the capture has nothing but TCP, a filter may have left the messages out.
    const bool may_be_filtered = totals.packets == totals.tcp_packets;
    if (may_be_filtered) {
        finding.explanation +=
            " Whether a router says so by ICMP is not known: this capture has nothing but TCP.";
    } else if (side.is_captured_here()) {
        finding.add_sign(
            "no ICMP message about it is in the capture, taken at the sender's host and with more than TCP "
            "in it");
    } else {
        finding.explanation += " No ICMP message about it is in the capture.";
    }
}

void add_signs(Finding& finding, const FindingsInput& input) {
    const ConnectionRow& row = input.store.connection(finding.connection);
    const SendingSide side{row, finding.sender == Finding::Sender::initiator};
    finding.add_sign(mss_sign(row));
    const TooBig said = too_big_for(input.store.network_events(), side);
    if (said.count > 0) {
        add_unheeded_message(finding, side, said);
    } else {
        add_silence(finding, side, input.totals);
    }
}

// A segment that was sent again and again by a timer, as large as it was, and in the end in pieces.
struct Stuck {
    uint32_t seq = 0;
    uint32_t length = 0;
    uint32_t repeats = 0;
    PacketNumber first_packet = 0;
    int64_t begin_ns = no_time;
};

struct CutUp {
    Stuck stuck;
    uint32_t piece = 0;
    int64_t end_ns = no_time;
    uint64_t count = 0;
};

constexpr uint32_t least_large = 1000;  // bytes; any path carries that
constexpr uint32_t least_repeats = 2;

// RFC 4821 §7.5; net.ipv4.tcp_mtu_probing of Linux lowers the MSS after timeouts (tcp_mtu_probing()).
bool is_cut(const Stuck& stuck, const LossRow& row) {
    constexpr uint32_t five = 5;
    constexpr uint32_t four = 4;
    return stuck.repeats >= least_repeats && row.seq == stuck.seq && row.length > 0 &&
           uint64_t{row.length} * five <= uint64_t{stuck.length} * four;
}

class SegmentsCutUp {
  public:
    void add(const LossRow& row) {
        if (!is_sent_again(row.kind)) return;
        const auto key = std::pair(row.connection.value(), row.sender);
        if (row.kind != LossKind::rto && !stuck_.contains(key)) return;
        constexpr size_t most_senders = 65536;
        if (stuck_.size() >= most_senders && !stuck_.contains(key)) return;
        Stuck& stuck = stuck_[key];
        if (is_cut(stuck, row)) {
            CutUp& cut = cut_[key];
            if (cut.count++ == 0) cut = {stuck, row.length, row.time_ns, 1};
            stuck = {};
            return;
        }
        if (row.kind != LossKind::rto || row.length < least_large) return;
        if (stuck.repeats > 0 && row.seq == stuck.seq && row.length == stuck.length) {
            ++stuck.repeats;
            return;
        }
        const bool has_delay = row.delay_ns >= 0;  // no_time is less
        stuck = {row.seq, row.length, 1, row.packet, has_delay ? row.time_ns - row.delay_ns : row.time_ns};
    }
    const CutUp* of(uint32_t connection, Side side) const {
        const auto found = cut_.find({connection, side});
        return found == cut_.end() ? nullptr : &found->second;
    }

  private:
    std::map<std::pair<uint32_t, Side>, Stuck> stuck_;
    std::map<std::pair<uint32_t, Side>, CutUp> cut_;
};

// The same sequence number backs off until it goes in smaller pieces: the hole was there all the same.
std::optional<Finding> found_out(const CutUp& cut, const SenderFacts& facts) {
    const SentDataRow& data = facts.is_initiator ? facts.connection->out : facts.connection->in;
    // Where nothing was acknowledged after it, nobody knows that pieces get through.
    const bool got_through = data.acknowledged_ns != no_time && data.acknowledged_ns >= cut.end_ns;
    if (!got_through || cut.stuck.length > facts.mss()) return std::nullopt;
    Finding finding = facts.finding(Kind::mtu_black_hole, Severity::problem);
    finding.side = Finding::Side::path;
    finding.confidence = Finding::Confidence::likely;
    finding.cost_ns = elapsed_ns(cut.stuck.begin_ns, cut.end_ns);
    finding.begin_ns = cut.stuck.begin_ns;
    finding.end_ns = cut.end_ns;
    finding.packet = cut.stuck.first_packet;
    finding.title = fmt::format(
        "Segments of {} of {} did not arrive, pieces of {} did: the path's MTU is smaller",
        counted_exactly(cut.stuck.length, "byte"), facts.name(), counted_exactly(cut.piece, "byte"));
    finding.explanation =
        "Some hop drops packets of that size. The sender lowered its segment size after timeouts (RFC "
        "4821), and each connection will lose that time again. Set the MTU alike on both hosts and every "
        "switch port between them.";
    finding.add_sign(fmt::format("a segment of {} was retransmitted {} by timeout in the same size",
                                 counted_exactly(cut.stuck.length, "byte"),
                                 counted(cut.stuck.repeats, "time")));
    finding.add_sign(fmt::format("sent in pieces of {} the same bytes were acknowledged",
                                 counted_exactly(cut.piece, "byte")));
    return finding;
}

// Losses that routers explain: they quote the segments that did not fit.
struct ExplainedLosses {
    uint64_t all = 0;
    uint64_t too_big = 0;
};

ExplainedLosses explained_losses(const ResultStore& store, uint32_t connection, const SendingSide& side) {
    std::vector<const IcmpErrorRow*> messages;
    for (const IcmpErrorRow& error : store.network_events().icmp_errors()) {
        if (error.too_big && error.source == side.from() && error.destination == side.to())
            messages.push_back(&error);
    }
    ExplainedLosses losses;
    if (messages.empty()) return losses;
    const Side sender = side.row.side_of(side.is_initiator ? Role::initiator : Role::target);
    for (const LossRow& row : store.losses()) {
        if (row.connection != connection || row.sender != sender || !is_sent_again(row.kind)) continue;
        ++losses.all;
        const bool quoted = std::ranges::any_of(messages, [&](const IcmpErrorRow* error) {
            return row.seq - error->seq < error->datagram_length;
        });
        losses.too_big += quoted ? 1 : 0;
    }
    return losses;
}

// Path MTU discovery at work (RFC 1191, RFC 8201): what did not fit was told, and sent again in smaller pieces.
void tell_discovery(Finding& finding, const SendingSide& side, const ExplainedLosses& losses,
                    const NetworkEvents& events) {
    const TooBig said = too_big_for(events, side);
    if (said.count == 0) return;
    const std::string sign =
        fmt::format("{} of them lie in segments that {} reports as too big for {}",
                    human_count(losses.too_big), format(said.first.reporter), next_hop(said.first));
    finding.add_sign(sign);
    constexpr uint64_t one_in = 10;
    if ((losses.all - losses.too_big) * one_in > losses.all) return;
    finding.severity = Severity::information;
    finding.title = fmt::format("{} of {} were too big for the path, and sent again in smaller pieces",
                                counted(losses.too_big, "segment"), side.name());
    finding.explanation = fmt::format(
        "Path MTU discovery works: the router at {} told the sender (ICMP, first in packet {}), which heeds "
        "it. Each new "
        "connection may lose its first large segments so. With the MTU set alike everywhere none would be "
        "lost.",
        format(said.first.reporter), said.first.packet);
}

// Behind the hop, what was too big is never seen.
void add_suspicion(Finding& finding, const SenderFacts& facts) {
    const SentDataRow& data = facts.is_initiator ? facts.connection->out : facts.connection->in;
    constexpr uint32_t options = 60;
    constexpr uint64_t many = 100;
    const uint32_t mss = facts.mss();
    const bool all_smaller = data.largest_payload + options < mss && facts.bytes() > many * mss;
    if (facts.captured_at_sender() || !facts.mss_is_agreed() || !all_smaller) return;
    finding.explanation += fmt::format(
        " Or they were too big for the path: none of its segments is larger than {}, though the SYNs "
        "allow {}.",
        counted_exactly(data.largest_payload, "byte"), mss);
}

bool tells_of(const FindingList& list, const SenderFacts& facts) {
    const auto sender = facts.is_initiator ? Finding::Sender::initiator : Finding::Sender::target;
    return std::ranges::any_of(list, [&](const Finding& finding) {
        return finding.kind == Kind::mtu_black_hole && finding.connection == facts.number &&
               finding.sender == sender;
    });
}

}  // namespace

void add_mtu_findings(FindingList& list, const FindingsInput& input, std::span<const SenderFacts> senders,
                      const Stop& stop) {
    SegmentsCutUp cut_up;
    size_t row_number = 0;
    for (const LossRow& row : input.store.losses()) {
        if (stop.asked_at(row_number++)) return;
        cut_up.add(row);
    }
    for (const SenderFacts& facts : senders) {
        if (facts.is_not_judged() || facts.is_all_twice() || tells_of(list, facts)) continue;
        const Side side = facts.connection->side_of(facts.is_initiator ? Role::initiator : Role::target);
        const CutUp* const cut = cut_up.of(facts.number, side);
        if (cut == nullptr) continue;
        if (auto finding = found_out(*cut, facts)) list.push_back(std::move(*finding));
    }
    for (Finding& finding : list) {
        if (finding.kind == Kind::mtu_black_hole) add_signs(finding, input);
        if (finding.kind != Kind::lost_segments || finding.connection == 0) continue;
        const SendingSide side{input.store.connection(finding.connection),
                               finding.sender == Finding::Sender::initiator};
        const ExplainedLosses losses = explained_losses(input.store, finding.connection, side);
        if (losses.too_big > 0) tell_discovery(finding, side, losses, input.store.network_events());
        const auto facts = std::ranges::find_if(senders, [&](const SenderFacts& one) {
            return one.number == finding.connection && one.is_initiator == side.is_initiator;
        });
        if (facts != senders.end() && losses.too_big == 0) add_suspicion(finding, *facts);
    }
}

}  // namespace sanscope
