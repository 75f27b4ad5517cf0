// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/capture/out_of_order.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>

#include "analyzer/report/human_units.h"
#include "analyzer/vocabulary/issues.h"

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
            if (other.start_ns - least_set_back_ns > row.start_ns) {
                out_of_order[at] = out_of_order[before->second] = true;
            } else if (other.start_ns < row.start_ns) {
                before->second = at;
            }
        }
        any = any || out_of_order[at];
    }
    if (!any) out_of_order.clear();
    return out_of_order;
}

void add_out_of_order(FindingList& list, const ResultStore& store, const std::vector<bool>& out_of_order) {
    if (out_of_order.empty()) return;
    const auto count = static_cast<uint64_t>(std::ranges::count(out_of_order, true));
    const bool within_one = std::ranges::any_of(store.connections(), &ConnectionRow::out_of_order);
    Finding finding;
    finding.kind = Kind::capture_issue;
    finding.severity = Finding::Severity::notice;
    finding.side = Finding::Side::capture;
    finding.title =
        fmt::format("Packets of {} are not in the order in which they passed", counted(count, "connection"));
    finding.explanation = fmt::format(
        "Files that were put one behind the other in another order than they were recorded, or twice, look "
        "like "
        "this. What seems missing, late or sent again may stand elsewhere in the capture{}. Sort it "
        "(reordercap), "
        "and leave out what is there twice (editcap -d), or open the files that it was made of together.",
        within_one ? ": of what TCP did nothing is said" : "");
    const std::string by = fmt::format("{} ms", least_set_back_ns / 1'000'000);
    if (within_one) {
        finding.add_sign(
            fmt::format("they stand behind packets of the same sender that are {} later and more", by));
        finding.add_sign("and the sender's TCP timestamps, which never decrease (RFC 7323), say the same");
    } else {
        finding.add_sign(
            fmt::format("of two connections with the same addresses and ports, the one that stands "
                        "later in the capture began {} earlier or more",
                        by));
    }
    list.push_back(std::move(finding));
}

void doubt_out_of_order(FindingList& list, const std::vector<bool>& out_of_order) {
    if (out_of_order.empty()) return;
    for (Finding& finding : list) {
        if (finding.kind == Kind::capture_issue) continue;
        const bool of_one = finding.connection != 0 && finding.connection <= out_of_order.size();
        if (of_one && !out_of_order[finding.connection - 1]) continue;
        finding.confidence = Finding::Confidence::possible;
        finding.severity = std::max(finding.severity, Finding::Severity::notice);
        finding.explanation +=
            " Packets are not in order in the capture: what is told here may be of that alone.";
    }
}

}  // namespace sanscope
