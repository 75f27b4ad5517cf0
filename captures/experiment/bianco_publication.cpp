// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/bianco.h"

namespace sanscope::lab {
namespace {

constexpr double mega = 1e6;

std::vector<Condition> local_disk(std::string_view operation) {
    return {{"load", {"iscsi"}},       {"operation", {operation}}, {"delay_ms", {"0"}},
            {"window_bytes", {"16M"}}, {"loss_percent", {"0"}},    {"request_bytes", {"256K"}},
            {"queue_depth", {"1"}}};
}

Claim striped(std::string_view statement, std::string_view targets, double least) {
    return {.where = "figure 3",
            .statement = statement,
            .measure = Measure::bytes_per_second,
            .among = {{"load", {"iscsi"}}, {"target_latency_us", {"15000"}}},
            .subject = {{"targets", {targets}}},
            .reference = {{"targets", {"1"}}},
            .least = least};
}

}  // namespace

// Rates are in MB/s; curves are in the figures alone.
Publication bianco_publication() {
    const Condition sockets{"load", {"socket"}};
    const Condition iscsi{"load", {"iscsi"}};
    const Condition large_window{"window_bytes", {"16M"}};
    const Condition nothing_lost{"loss_percent", {"0"}};
    const Condition long_paths{"delay_ms", {"25", "50"}};
    const Condition one_at_a_time{"queue_depth", {"1"}};
    return {
        .values = {{"§III.B", "writes about 45 MB/s, in a LAN", local_disk("write"),
                    Measure::bytes_per_second, 45 * mega},
                   {"§III.B", "reads about 60 MB/s, in a LAN", local_disk("read"), Measure::bytes_per_second,
                    60 * mega}},
        .claims = {
            {.where = "figure 4",
             .statement = "With a small TCP window a plain socket slows down as the round trip grows",
             .measure = Measure::bytes_per_second,
             .among = {sockets, {"window_bytes", {"256K"}}},
             .subject = {{"delay_ms", {"50"}}},
             .reference = {{"delay_ms", {"0"}}},
             .most = 0.5},
            {.where = "figure 4",
             .statement = "… and so does iSCSI",
             .measure = Measure::bytes_per_second,
             .among = {iscsi, {"window_bytes", {"256K"}}},
             .subject = {{"delay_ms", {"50"}}},
             .reference = {{"delay_ms", {"0"}}},
             .most = 0.5},
            {.where = "figure 5",
             .statement = "With 16 MB of TCP window a plain socket still fills the path",
             .measure = Measure::bytes_per_second,
             .among = {sockets, large_window, nothing_lost},
             .subject = {{"delay_ms", {"25"}}},
             .reference = {{"delay_ms", {"0"}}},
             .least = 0.8},
            {.where = "figure 5 and §IV",
             .statement = "With 256 KiB under way iSCSI does not, whatever the TCP window",
             .measure = Measure::bytes_per_second,
             .among = {large_window, nothing_lost, one_at_a_time, {"request_bytes", {"256K"}}, long_paths},
             .subject = {iscsi},
             .reference = {sockets},
             .most = 0.5},
            {.where = "§III.D",
             .statement = "It is what iSCSI has under way that limits it: with more of it, it is not stuck",
             .measure = Measure::bytes_per_second,
             .among = {iscsi, large_window, nothing_lost, one_at_a_time, long_paths},
             .subject = {{"request_bytes", {"4M"}}},
             .reference = {{"request_bytes", {"256K"}}},
             .least = 2},
            {.where = "figure 6",
             .statement = "5 % of loss take away nearly 90 % of the throughput, without any delay",
             .measure = Measure::bytes_per_second,
             .among = {large_window, {"delay_ms", {"0"}}},
             .subject = {{"loss_percent", {"5"}}},
             .reference = {nothing_lost},
             .most = 0.2},
            {.where = "figure 7",
             .statement = "Other traffic takes throughput from storage",
             .measure = Measure::bytes_per_second,
             .among = {{"queue_frames", {"200"}}, {"priority", {"none"}}},
             .subject = {{"background_mbit", {"150"}}},
             .reference = {{"background_mbit", {"0"}}},
             .most = 0.75},
            {.where = "figure 7",
             .statement = "… and where it is as much as the link carries, each gets half",
             .measure = Measure::bytes_per_second,
             .among = {{"queue_frames", {"200"}}, {"priority", {"none"}}},
             .subject = {{"background_mbit", {"200"}}},
             .reference = {{"background_mbit", {"0"}}},
             .least = 0.35,
             .most = 0.65},
            {.where = "figure 8",
             .statement = "With priority, storage is as fast as without other traffic",
             .measure = Measure::bytes_per_second,
             .among = {{"queue_frames", {"200"}}, {"priority", {"storage"}}},
             .subject = {{"background_mbit", {"200"}}},
             .reference = {{"background_mbit", {"0"}}},
             .least = 0.85},
            {.where = "§III.E",
             .statement = "… and its delay is smaller where the link is full",
             .measure = Measure::turnaround_mean_ns,
             .among = {{"queue_frames", {"200"}}, {"background_mbit", {"150", "200"}}},
             .subject = {{"priority", {"storage"}}},
             .reference = {{"priority", {"none"}}},
             .most = 0.9},
            striped("Two targets are nearly twice as fast as one", "2", 1.7),
            striped("Four are nearly four times as fast", "4", 3.2)}};
}

}  // namespace sanscope::lab
