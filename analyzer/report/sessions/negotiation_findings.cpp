// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/sessions/negotiation_findings.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sanscope {
namespace {

using Kind = Finding::Kind;
using Severity = Finding::Severity;

// Options are in use where both SYNs have them; a SYN-ACK may only have those that the SYN has (RFC 7323 §1.3, RFC 2018 §2).
enum class Lacks : uint8_t { neither, initiator, target };

Lacks side_without(const ConnectionRow& row, bool SynOptionsRow::*option) {
    if (!row.out.syn.known || !row.in.syn.known) return Lacks::neither;
    if (!(row.out.syn.*option)) return Lacks::initiator;
    return row.in.syn.*option ? Lacks::neither : Lacks::target;
}

Finding::Side side_of(Lacks lacks) {
    return lacks == Lacks::initiator ? Finding::Side::initiator : Finding::Side::target;
}

std::string_view syn_of(Lacks lacks) {
    return lacks == Lacks::initiator ? "the initiator's SYN" : "the target's SYN-ACK";
}

constexpr std::string_view removed_on_the_way =
    "Or a firewall or accelerator on the path removes TCP options.";

// Without window scaling the field of 16 bits is the most that a receiver can offer.
constexpr uint32_t widest_unscaled = 65535;

const SenderFacts* sender_of(const Finding& finding, std::span<const SenderFacts> senders) {
    const auto found = std::ranges::find_if(senders, [&](const SenderFacts& facts) {
        return facts.number == finding.connection &&
               facts.is_initiator == (finding.sender == Finding::Sender::initiator);
    });
    return found == senders.end() ? nullptr : &*found;
}

// A receive window that is as wide as it can be told of is not the receiver's choice.
std::vector<Finding> unscaled_windows(const FindingList& list, const ResultStore& store,
                                      std::span<const SenderFacts> senders) {
    std::vector<Finding> found;
    for (const Finding& consequence : list) {
        if (consequence.kind != Kind::receiver_window || consequence.connection == 0) continue;
        const ConnectionRow& row = store.connection(consequence.connection);
        const Lacks lacks = side_without(row, &SynOptionsRow::window_scaling);
        const SenderFacts* const facts = sender_of(consequence, senders);
        if (lacks == Lacks::neither || facts == nullptr) continue;
        constexpr uint32_t segments = 2;  // so many less are as wide as whole segments make it
        const uint32_t least = widest_unscaled - std::min(segments * facts->mss(), widest_unscaled);
        if (facts->widest_window < least || facts->widest_offered > widest_unscaled) continue;
        Finding finding = facts->finding(Kind::negotiation, consequence.severity);
        finding.side = side_of(lacks);
        finding.cost_ns = consequence.cost_ns;
        finding.begin_ns = consequence.begin_ns;
        finding.end_ns = consequence.end_ns;
        finding.packet = row.first_packet;
        finding.title = fmt::format(
            "TCP window scaling was not agreed on: at most 64 KiB of {} can be in flight", facts->name());
        finding.explanation = fmt::format(
            "{} does not have the option (RFC 7323): no receive window can be wider, and the round trip does "
            "the rest. "
            "Switch it on there (net.ipv4.tcp_window_scaling=1 on Linux). {}",
            lacks == Lacks::initiator ? "The initiator's SYN" : "The target's SYN-ACK", removed_on_the_way);
        finding.add_sign(fmt::format("{} has no window scale option", syn_of(lacks)));
        finding.add_sign(fmt::format("the window was full at {}: {}",
                                     human_binary_bytes(facts->widest_window), consequence.title));
        found.push_back(std::move(finding));
    }
    return found;
}

// Losses are the path's; that each round trip can repair but one of them is not.
void add_to_losses(FindingList& list, const ResultStore& store) {
    for (Finding& finding : list) {
        if (finding.kind != Kind::lost_segments || finding.connection == 0) continue;
        const Lacks lacks =
            side_without(store.connection(finding.connection), &SynOptionsRow::sack_permitted);
        if (lacks == Lacks::neither) continue;
        finding.add_sign(fmt::format("no SACK: {} does not permit it", syn_of(lacks)));
        finding.explanation +=
            " Without SACK only one loss can be repaired in a round trip: switch it on "
            "(net.ipv4.tcp_sack=1 on Linux).";
    }
}

// Which options are not in use, by the side that lacks them; of all connections alike one finding.
struct Options {
    Lacks scaling = Lacks::neither;
    Lacks sack = Lacks::neither;
    Lacks timestamps = Lacks::neither;
    bool operator==(const Options&) const = default;
    bool operator<(const Options& other) const {
        return std::tie(scaling, sack, timestamps) < std::tie(other.scaling, other.sack, other.timestamps);
    }
};

void add_missing_options(FindingList& list, const ResultStore& store) {
    struct Connections {
        uint32_t first = 0;
        uint64_t count = 0;
    };
    std::map<Options, Connections> by_options;
    uint32_t number = 0;
    for (const ConnectionRow& row : store.connections()) {
        ++number;
        if (!row.iscsi) continue;
        const Options options{.scaling = side_without(row, &SynOptionsRow::window_scaling),
                              .sack = side_without(row, &SynOptionsRow::sack_permitted),
                              .timestamps = side_without(row, &SynOptionsRow::timestamps)};
        if (options == Options{}) continue;
        Connections& connections = by_options[options];
        if (connections.count++ == 0) connections.first = number;
    }
    for (const auto& [options, connections] : by_options) {
        const ConnectionRow& row = store.connection(connections.first);
        Finding finding;
        finding.kind = Kind::negotiation;
        finding.connection = connections.first;
        finding.session = row.session;
        finding.packet = row.first_packet;
        std::string names;
        const auto name = [&](Lacks lacks, std::string_view option) {
            if (lacks == Lacks::neither) return;
            names += (names.empty() ? "" : ", ") + std::string(option);
            const bool is_first = finding.side == Finding::Side::none;
            finding.side = is_first || finding.side == side_of(lacks) ? side_of(lacks) : Finding::Side::both;
            finding.add_sign(fmt::format("{} has no {} option", syn_of(lacks), option));
        };
        name(options.scaling, "window scale");
        name(options.sack, "SACK-permitted");
        name(options.timestamps, "timestamps");
        // Without timestamps a cookie has no room for them (tcp_syncookies of Linux).
        const bool may_be_cookie =
            (options.scaling == Lacks::target || options.sack == Lacks::target) && !row.in.syn.timestamps;
        finding.title = fmt::format("{} without a TCP option that most use: {}",
                                    counted(connections.count, "connection"), names);
        finding.explanation = fmt::format(
            "As hosts are set, or as they are made. It matters on long paths (window scaling), with losses "
            "(SACK) and "
            "at high rates (timestamps). {}{}",
            removed_on_the_way,
            may_be_cookie ? " Or the target's queue of SYNs was full, and it answered with SYN cookies."
                          : "");
        list.push_back(std::move(finding));
    }
}

// Writes that may not send anything with their command wait a round trip; where that is much of their time, r2t_waits says so.
void add_writes_that_wait(FindingList& list, const ResultStore& store) {
    constexpr int64_t long_path_ns = 2'000'000;
    std::vector<bool> told(store.sessions().size());
    uint32_t number = 0;
    for (const ConnectionRow& row : store.connections()) {
        ++number;
        if (row.session == 0 || row.rtt_min_ns == no_time || row.rtt_min_ns < long_path_ns) continue;
        const SessionRow& session = store.session(row.session);
        const bool waits = session.initial_r2t == Ternary::yes && session.immediate_data == Ternary::no;
        if (!waits || row.session.index() >= store.summary().sessions().size() || told[row.session.index()])
            continue;
        if (store.summary().sessions()[row.session.index()].bytes_written == 0) continue;
        const bool has_cost = std::ranges::any_of(list, [&](const Finding& finding) {
            return finding.kind == Kind::r2t_waits && finding.session == row.session;
        });
        if (has_cost) continue;
        told[row.session.index()] = true;
        Finding finding;
        finding.kind = Kind::negotiation;
        finding.side = Finding::Side::both;
        finding.connection = number;
        finding.session = row.session;
        finding.title = fmt::format(
            "No write of session {} may send data with its command: InitialR2T=Yes, ImmediateData=No",
            row.session.value());
        finding.explanation = fmt::format(
            "Each write waits for an R2T first, a round trip of {} and more. Let both sides offer "
            "ImmediateData=Yes and "
            "InitialR2T=No.",
            human_duration(row.rtt_min_ns));
        finding.add_sign("InitialR2T=Yes and ImmediateData=No came of the login");
        list.push_back(std::move(finding));
    }
}

}  // namespace

void add_negotiation_findings(FindingList& list, const FindingsInput& input,
                              std::span<const SenderFacts> senders) {
    std::vector<Finding> unscaled = unscaled_windows(list, input.store, senders);
    for (Finding& finding : unscaled) list.push_back(std::move(finding));
    add_to_losses(list, input.store);
    add_missing_options(list, input.store);
    add_writes_that_wait(list, input.store);
}

}  // namespace sanscope
