// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/load/r2t_findings.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace sanscope {
namespace {

using Kind = Finding::Kind;

// Below, R2Ts are what writes larger than FirstBurstLength need anyway.
constexpr double least_r2t_share = 0.35;

}  // namespace

bool add_r2t_waits(const SessionLoad& load) {
    if (load.reads || load.rtt_ns < SessionLoad::least_long_path_ns || load.turnaround_ns == 0) return false;
    // The usual write must have had some: what a few large ones waited for is no share of the others' time.
    if (2 * load.parts.with_r2ts < load.parts.count()) return false;
    const auto count = static_cast<double>(load.parts.count());
    const double r2ts = static_cast<double>(load.parts.r2ts) / count;
    // RFC 7143 §13.17: as many may be outstanding at once, and cost one round trip together; 1 where nothing was agreed on.
    const bool at_once_known = load.row.max_outstanding_r2t != unknown<uint32_t>;
    const uint32_t at_once = at_once_known ? std::max(load.row.max_outstanding_r2t, 1u) : 1;
    const double rounds = std::max(r2ts / at_once, static_cast<double>(load.parts.with_r2ts) / count);
    // Of the usual one: a few that took very long say nothing of R2Ts.
    const auto usual_ns = static_cast<double>(load.turnaround_ns);
    const double share =
        usual_ns > 0 ? std::min(rounds * static_cast<double>(load.rtt_ns) / usual_ns, 1.0) : 0;
    if (share < least_r2t_share) return false;
    Finding finding = load.begin(Kind::r2t_waits, Finding::Severity::notice,
                                 static_cast<int64_t>(static_cast<double>(load.busy_ns) * share));
    finding.side = Finding::Side::both;
    finding.title = fmt::format("Writes of session {} waited for {:.1f} R2Ts each: {} of their time",
                                load.session.session, r2ts, human_percent(share));
    if (!at_once_known) finding.confidence = Finding::Confidence::likely;
    const bool never_at_once = load.row.initial_r2t == Ternary::yes && load.row.immediate_data == Ternary::no;
    finding.explanation = fmt::format(
        "{} a round trip ({}) before {} data may be sent. {}",
        at_once > 1 ? fmt::format("R2Ts, up to {} at once (MaxOutstandingR2T), cost", at_once)
                    : "Each R2T costs",
        human_duration(load.rtt_ns), at_once > 1 ? "their" : "its",
        never_at_once ? "Let data go along with the command: ImmediateData=Yes, InitialR2T=No, a "
                        "FirstBurstLength that holds a write; both ends must offer them."
                      : "Let more data go along with the command (ImmediateData=Yes, InitialR2T=No, a "
                        "larger FirstBurstLength), and let each R2T ask for more (MaxBurstLength).");
    finding.add_sign(
        fmt::format("{} for {}", counted(load.parts.r2ts, "R2T"), counted(load.parts.count(), "write")));
    if (load.row.initial_r2t != Ternary::unknown) {
        finding.add_sign(fmt::format("negotiated: InitialR2T={}, ImmediateData={}, FirstBurstLength {}",
                                     load.row.initial_r2t == Ternary::yes ? "Yes" : "No",
                                     load.row.immediate_data == Ternary::yes ? "Yes" : "No",
                                     load.row.first_burst_length == unknown<uint32_t>
                                         ? "?"
                                         : human_binary_bytes(load.row.first_burst_length)));
    }
    finding.add_sign(fmt::format("the median write takes {}, the minimum round-trip time is {}",
                                 human_duration(static_cast<int64_t>(usual_ns)),
                                 human_duration(load.rtt_ns)));
    load.list.push_back(std::move(finding));
    return true;
}

}  // namespace sanscope
