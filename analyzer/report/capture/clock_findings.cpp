// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/capture/clock_findings.h"

#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "analyzer/report/human_units.h"
#include "analyzer/store/result_store.h"
#include "analyzer/vocabulary/issues.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {
namespace {

Finding of_clock(std::string title, std::string explanation) {
    Finding finding;
    finding.kind = Finding::Kind::capture_issue;
    finding.severity = Finding::Severity::notice;
    finding.side = Finding::Side::capture;
    finding.title = std::move(title);
    finding.explanation = std::move(explanation);
    return finding;
}

// How often, by how much and where times run backwards.
void add_set_back(FindingList& list, const FindingsInput& input) {
    const Issues::Count& count = input.issues[Issue::times_set_back];
    if (count.count == 0) return;
    const std::string length = human_duration(input.totals.largest_set_back_ns);
    const std::string title =
        count.count == 1
            ? fmt::format("The capture's times go back by {} in packet {}", length, count.first_packet)
            : fmt::format("The capture's times go back {}, by {} at most, first in packet {}",
                          counted(count.count, "time"), length, count.first_packet);
    const char* const explanation =
        count.count <= most_set_back
            ? "How long anything took across that is not known, nor how much there was in a second. What TCP "
              "did is inferred as if the clock had gone on there. A clock that was set, files put one behind "
              "the "
              "other, or packets with wrong times look like this."
            : "So often, a clock is hardly set: interfaces whose clocks differ, packets in disorder, or a "
              "virtual machine's clock that is put right again and again, look "
              "like this. How long anything took is not known, nor are round trips, and what TCP waited for "
              "is "
              "in doubt.";
    Finding finding = of_clock(title, explanation);
    finding.packet = count.first_packet;
    list.push_back(std::move(finding));
}

// Which connection shows it most, and what it leaves in doubt.
void add_clocks_apart(FindingList& list, const ResultStore& store) {
    uint32_t connections = 0;
    uint32_t worst = 0;
    for (uint32_t number = 1; number <= store.connections().size(); ++number) {
        const int64_t apart_ns = store.connection(number).clocks_apart_ns();
        if (apart_ns == 0) continue;
        ++connections;
        if (worst == 0 || apart_ns > store.connection(worst).clocks_apart_ns()) worst = number;
    }
    if (connections == 0) return;
    const ConnectionRow& row = store.connection(worst);
    const bool of_initiator = row.out.clock_ahead_ns() > row.in.clock_ahead_ns();
    const SentDataRow& sent = of_initiator ? row.out : row.in;
    const std::string apart = human_duration(row.clocks_apart_ns());
    Finding finding = of_clock(
        fmt::format("The clocks of the two directions are apart, by {} at least{}", apart,
                    connections == 1 ? "" : ", in " + counted(connections, "connection")),
        fmt::format(
            "Times from one direction to the other are wrong by that. Commands' times shorter than {} "
            "and queue depths are left out{}. A tap whose ports have clocks of their own, files of two "
            "interfaces merged, or a mirror that holds one direction back looks like this. Stamp both "
            "directions by one clock.",
            human_duration(row.least_comparable_ns()),
            row.round_trip_in_doubt() ? ", and of what TCP did nothing is said" : ""));
    finding.connection = worst;
    finding.packet = sent.first_late_packet;
    finding.add_sign(fmt::format("{} of {} of the {} were captured after what acknowledges them",
                                 human_count(sent.late_segments), counted(sent.new_segments, "segment"),
                                 of_initiator ? "initiator" : "target"));
    finding.add_sign(fmt::format("one in ten of them by {} or more", human_duration(sent.late_ns)));
    list.push_back(std::move(finding));
}

// The connection of which that is most; nullptr: of none is it more than 0.
const ConnectionRow* worst_by(const ResultStore& store, int64_t ConnectionRow::*error_ns) {
    const ConnectionRow* worst = nullptr;
    for (const ConnectionRow& row : store.connections()) {
        if (row.*error_ns > (worst == nullptr ? 0 : worst->*error_ns)) worst = &row;
    }
    return worst;
}

// What is left out for it.
std::string left_out_words(const ConnectionRow& worst) {
    return fmt::format("Commands' times shorter than {} are left out{}.",
                       human_duration(worst.least_comparable_ns()),
                       worst.round_trip_in_doubt() ? ", and of what TCP did nothing is said" : "");
}

void add_coarse_clock(FindingList& list, const ResultStore& store) {
    const ConnectionRow* const worst = worst_by(store, &ConnectionRow::clock_step_ns);
    if (worst == nullptr) return;
    const std::string step = human_duration(worst->clock_step_ns);
    Finding finding = of_clock(
        fmt::format("The capture's times are in steps of {}", step),
        left_out_words(*worst) + " Record with a clock, and into a file format, that keeps microseconds.");
    finding.add_sign(
        fmt::format("times are apart by multiples of {}, over long stretches at least, and one packet in "
                    "eight or more there has that of the one before",
                    step));
    list.push_back(std::move(finding));
}

void add_stamped_in_batches(FindingList& list, const ResultStore& store) {
    const ConnectionRow* const worst = worst_by(store, &ConnectionRow::batches_apart_ns);
    if (worst == nullptr) return;
    Finding finding =
        of_clock(fmt::format("The capture's packets were stamped in batches about {} apart",
                             human_duration(worst->batches_apart_ns)),
                 left_out_words(*worst) +
                     " Each packet has the time at which a batch was handed over, not that at which it came: "
                     "so does a virtual machine that was not running meanwhile, a capture buffer that is "
                     "read when it is full or after a while where packets get their times only then, or a "
                     "tool that writes the time of reading. Record with a machine of its own that has time "
                     "for it, or with timestamps of the adapter.");
    finding.add_sign(
        "in both directions most packets that follow within 0.2 ms of each other have TCP timestamps that "
        "are much farther apart");
    list.push_back(std::move(finding));
}

}  // namespace

void add_clock_findings(FindingList& list, const FindingsInput& input) {
    add_set_back(list, input);
    add_clocks_apart(list, input.store);
    add_coarse_clock(list, input.store);
    add_stamped_in_batches(list, input.store);
}

}  // namespace sanscope
