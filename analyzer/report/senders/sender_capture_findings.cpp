// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/senders/sender_capture_findings.h"

#include <cstdint>
#include <string>
#include <utility>

namespace sanscope {

// Captures of both ends put together, or of two places on the path: what passes the second time later than the next few
// packets looks sent again.
bool add_captured_twice(const OfSender& sender) {
    const SenderFacts& facts = sender.facts;
    if (!facts.is_all_twice()) return false;
    const uint64_t copies = sender.count(LossKind::duplicate);
    Finding finding = sender.begin(Finding::Kind::captured_twice, Finding::Severity::notice, 0);
    finding.side = Finding::Side::capture;
    finding.doubts_connection = true;
    finding.title =
        fmt::format("Nearly all that {} sent is in the capture twice: losses cannot be told", facts.name());
    finding.explanation =
        "As where captures of two places are merged. Analyse one of them alone: here nothing is said of "
        "TCP, and times of commands may be of either place.";
    if (copies > 0) finding.add_sign(fmt::format("{} are the same packet again", counted(copies, "segment")));
    finding.add_sign(fmt::format("{} {}look retransmitted; together they are half of all",
                                 counted(facts.repaired() + sender.count(LossKind::spurious), "segment"),
                                 copies > 0 ? "more " : ""));
    sender.list.push_back(std::move(finding));
    return true;
}

void add_clock_jump(const OfSender& sender) {
    const SenderFacts& facts = sender.facts;
    const Spells& jumps = facts.clock_jumps;
    if (jumps.count == 0) return;
    Finding finding = sender.begin(Finding::Kind::capture_issue, Finding::Severity::notice, 0);
    finding.side = Finding::Side::capture;
    finding.doubts_durations = true;
    place_at(finding, jumps.longest);
    const std::string length = human_duration(jumps.longest.length_ns());
    const uint64_t missing = sender.count(LossKind::not_captured);
    finding.title =
        missing == 0
            ? fmt::format("The capture's clock jumped ahead by {} in packet {}, or both hosts stood still",
                          length, jumps.longest.packet)
            : fmt::format(
                  "Nothing was captured for {} before packet {}, or the capture's clock jumped "
                  "ahead, or both hosts stood still",
                  length, jumps.longest.packet);
    finding.explanation =
        "Commands that were outstanding across it are not judged by their time. A clock that was set, "
        "two files merged into one, a recording that paused, or hosts that were suspended look like "
        "this.";
    if (facts.clocks_stood_still) {
        finding.add_sign("nothing passed, and by the TCP timestamps (TSval) of both hosts no time did");
    } else {
        finding.add_sign(
            fmt::format("data of {} were unacknowledged all that time, and no retransmission was captured",
                        facts.name()));
    }
    if (missing > 0) {
        finding.add_sign(fmt::format("{} of its data that were acknowledged are not in the capture",
                                     counted(missing, "segment")));
    }
    sender.list.push_back(std::move(finding));
}

}  // namespace sanscope
