// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/capture/out_of_order.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <utility>

#include "analyzer/report/human_units.h"
#include "analyzer/vocabulary/issues.h"

namespace sanscope {

using Kind = Finding::Kind;

bool is_out_of_order(const ResultStore& store) {
    return std::ranges::any_of(store.connections(), &ConnectionRow::out_of_order);
}

void add_out_of_order(FindingList& list, const ResultStore& store) {
    const auto connections =
        static_cast<uint64_t>(std::ranges::count_if(store.connections(), &ConnectionRow::out_of_order));
    if (connections == 0) return;
    Finding finding;
    finding.kind = Kind::capture_issue;
    finding.severity = Finding::Severity::notice;
    finding.side = Finding::Side::capture;
    finding.title = fmt::format("Packets of {} are not in the order in which they passed",
                                counted(connections, "connection"));
    finding.explanation =
        "Files that were put one behind the other in another order than they were recorded, or twice, look "
        "like this. What seems "
        "missing, late or sent again may stand elsewhere in the capture: of what these connections' TCP did "
        "nothing is said. Sort "
        "it (reordercap), and leave out what is there twice (editcap -d), or open the files that it was made "
        "of together.";
    finding.add_sign(fmt::format("they stand behind packets of the same sender that are {} ms later and more",
                                 least_set_back_ns / 1'000'000));
    finding.add_sign("and the sender's TCP timestamps, which never decrease (RFC 7323), say the same");
    list.push_back(std::move(finding));
}

void doubt_out_of_order(FindingList& list, const ResultStore& store) {
    if (!is_out_of_order(store)) return;
    for (Finding& finding : list) {
        if (finding.kind == Kind::capture_issue) continue;
        const bool of_one = finding.connection != 0 && finding.connection <= store.connections().size();
        if (of_one && !store.connection(finding.connection).out_of_order) continue;
        finding.confidence = Finding::Confidence::possible;
        finding.severity = std::max(finding.severity, Finding::Severity::notice);
        finding.explanation +=
            " Packets are not in order in the capture: what is told here may be of that alone.";
    }
}

}  // namespace sanscope
