// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/capture/out_of_order.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/base/serial32.h"
#include "analyzer/report/human_units.h"
#include "analyzer/vocabulary/issues.h"
#include "analyzer/vocabulary/side.h"

namespace sanscope {

using Kind = Finding::Kind;

namespace {

using AddressesAndPorts = std::array<uint64_t, 5>;

AddressesAndPorts addresses_and_ports(const ConnectionRow& row) {
    const auto& initiator = row.initiator.address.words;
    const auto& target = row.target.address.words;
    return {initiator[0], initiator[1], target[0], target[1],
            uint64_t{row.initiator.port} << 16 | row.target.port};
}

// Whether the sequence numbers of both sides of `later`, which stands behind `first` in the capture, go on in those of `first`: a
// new connection would begin elsewhere (RFC 9293 §3.4.1).
bool leads_up_to(const ConnectionRow& later, const ConnectionRow& first) {
    constexpr uint64_t not_captured = 1 << 16;
    return std::ranges::all_of(std::array{Role::initiator, Role::target}, [&](Role role) {
        const size_t of_later = index_of(later.side_of(role));
        const size_t of_first = index_of(first.side_of(role));
        if (!later.stream_start_known[of_later] || !first.stream_start_known[of_first]) return false;
        const int32_t ahead = Serial32(later.stream_start_seq[of_later])
                                  .distance_to(Serial32(first.stream_start_seq[of_first]));
        const uint64_t bytes = role == Role::initiator ? later.bytes_out : later.bytes_in;
        return ahead > 0 && static_cast<uint64_t>(ahead) <= bytes + not_captured;
    });
}

// The order is that of the file: what stands among the packets of a connection that is out of order may be so, too.
void add_beside(const ResultStore& store, std::vector<bool>& out_of_order) {
    std::vector<std::pair<PacketNumber, PacketNumber>> places;  // from one to another, in order, apart
    for (size_t i = 0; i < out_of_order.size(); ++i) {
        const ConnectionRow& row = store.connection(static_cast<uint32_t>(i + 1));
        if (out_of_order[i]) places.emplace_back(row.first_packet, row.last_packet);
    }
    std::ranges::sort(places);
    size_t kept = 0;
    for (size_t i = 1; i < places.size(); ++i) {
        if (places[i].first <= places[kept].second) {
            places[kept].second = std::max(places[kept].second, places[i].second);
        } else {
            places[++kept] = places[i];
        }
    }
    places.resize(kept + 1);
    for (size_t i = 0; i < out_of_order.size(); ++i) {
        const ConnectionRow& row = store.connection(static_cast<uint32_t>(i + 1));
        const auto behind = std::ranges::upper_bound(places, row.last_packet, {},
                                                     [](const auto& place) { return place.first; });
        if (behind != places.begin() && std::prev(behind)->second >= row.first_packet) out_of_order[i] = true;
    }
}

// By number - 1; empty: of none.
std::vector<bool> across_unexplained(const FindingsInput& input) {
    const std::vector<PacketNumber>& at = input.totals.set_back_unexplained;
    std::vector<bool> across(input.store.connections().size());
    bool any = false;
    size_t i = 0;
    for (const ConnectionRow& row : input.store.connections()) {
        const auto behind = std::ranges::upper_bound(at, row.first_packet);
        across[i] = behind != at.end() && *behind <= row.last_packet;
        any = any || across[i];
        ++i;
    }
    if (!any) across.clear();
    return across;
}

// What is so in whatever order the packets stand.
constexpr std::array of_any_order = {Kind::no_packets,    Kind::no_iscsi,    Kind::capture_damaged,
                                     Kind::capture_drops, Kind::passed_over, Kind::snap_length,
                                     Kind::capture_issue, Kind::offload};

// What was not yet.
void doubt(FindingList& list, const std::vector<bool>& connections, std::string_view why) {
    for (Finding& finding : list) {
        if (std::ranges::find(of_any_order, finding.kind) != of_any_order.end()) continue;
        const bool of_one = finding.connection != 0 && finding.connection <= connections.size();
        if (of_one && !connections[finding.connection - 1]) continue;
        finding.severity = std::max(finding.severity, Finding::Severity::notice);
        if (finding.confidence == Finding::Confidence::possible) continue;
        finding.confidence = Finding::Confidence::possible;
        finding.explanation += fmt::format(" {}: what is told here may be of that alone.", why);
    }
}

}  // namespace

std::vector<bool> find_out_of_order(const ResultStore& store) {
    const size_t connections = store.connections().size();
    std::vector<bool> out_of_order(connections);
    // Of each pair the one that began last of those that stand before.
    std::map<AddressesAndPorts, size_t> latest;
    size_t number = 0;
    bool any = false;
    for (const ConnectionRow& row : store.connections()) {
        const size_t at = number++;
        out_of_order[at] = row.out_of_order;
        const auto [before, is_first] = latest.try_emplace(addresses_and_ports(row), at);
        if (!is_first) {
            const ConnectionRow& other = store.connection(static_cast<uint32_t>(before->second + 1));
            if (other.start_ns - least_set_back_ns > row.start_ns || leads_up_to(row, other)) {
                out_of_order[at] = out_of_order[before->second] = true;
            } else if (other.start_ns < row.start_ns) {
                before->second = at;
            }
        }
        any = any || out_of_order[at];
    }
    if (!any) {
        out_of_order.clear();
    } else {
        add_beside(store, out_of_order);
    }
    return out_of_order;
}

void add_out_of_order(FindingList& list, const FindingsInput& input, const std::vector<bool>& out_of_order) {
    if (out_of_order.empty()) return;
    const auto count = static_cast<uint64_t>(std::ranges::count(out_of_order, true));
    const bool within_one = std::ranges::any_of(input.store.connections(), &ConnectionRow::out_of_order);
    const bool times_go_back = !input.issues.times_in_order();
    Finding finding;
    finding.kind = Kind::capture_issue;
    finding.severity = Finding::Severity::notice;
    finding.side = Finding::Side::capture;
    finding.title = fmt::format("Packets of {} are not in the order in which they {}",
                                counted(count, "connection"), times_go_back ? "passed" : "were sent");
    finding.explanation = fmt::format(
        "Files that were put one behind the other in another order than they were recorded, or twice, look "
        "like this{}. What seems missing, late or sent again may stand elsewhere in the capture{}. {} "
        "(reordercap), "
        "and leave out what is there twice (editcap -d), or open the files that it was made of together.",
        times_go_back ? ""
                      : "; so do captures of two places in one, and seldom a path on which many were held up",
        within_one ? ": of what TCP did nothing is said" : "",
        times_go_back ? "Sort it" : "Sort it if its times go back there");
    // Where no time goes back by much, it may have been the path.
    if (!times_go_back) finding.confidence = Finding::Confidence::likely;
    if (within_one) {
        finding.add_sign(
            "they stand behind others which the same side sent later, by acknowledgement numbers or TCP "
            "timestamps, which never decrease (RFC 9293, RFC 7323)");
        finding.add_sign(
            "many in a row, of both sides in turn or of times long before: a path has a few late between "
            "others");
    } else {
        finding.add_sign(
            fmt::format("of two connections with the same addresses and ports, the one that stands "
                        "later in the capture began {} ms earlier or more, or its sequence numbers lead up "
                        "to those of the other",
                        least_set_back_ns / 1'000'000));
    }
    list.push_back(std::move(finding));
}

void doubt_out_of_order(FindingList& list, const FindingsInput& input,
                        const std::vector<bool>& out_of_order) {
    if (!out_of_order.empty()) doubt(list, out_of_order, "Packets are not in order in the capture");
    const std::vector<bool> across = across_unexplained(input);
    if (!across.empty())
        doubt(list, across, "The capture's times go back, and its packets may not be in order");
}

}  // namespace sanscope
