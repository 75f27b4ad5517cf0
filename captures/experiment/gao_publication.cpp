// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/gao.h"

namespace sanscope::lab {
namespace {

constexpr double mega = 1e6;

// Reads over the shortest path, in frames of 1500 bytes.
std::vector<Condition> reads(std::string_view request, std::string_view connections,
                             std::string_view depth = "1", std::string_view mtu = "1500") {
    return {{"load", {"iscsi"}},
            {"operation", {"read"}},
            {"delay_ms", {"0.6"}},
            {"request_bytes", {request}},
            {"queue_depth", {depth}},
            {"connections", {connections}},
            {"mtu", {mtu}}};
}

}  // namespace

Publication gao_publication() {
    const Condition one_at_a_time{"queue_depth", {"1"}};
    const Condition ordinary{"mtu", {"1500"}};
    const Condition near{"delay_ms", {"0.6"}};
    const Condition small{"request_bytes", {"2K", "4K", "8K"}};
    const Condition two{"connections", {"2"}};
    const Condition iscsi{"load", {"iscsi"}};
    return {
        .values =
            {{"figure 7", "0.25 MB/s", reads("2K", "1"), Measure::bytes_per_second, 0.25 * mega},
             {"figure 7", "0.53 MB/s", reads("2K", "2"), Measure::bytes_per_second, 0.53 * mega},
             {"figure 7", "0.62 MB/s at most", reads("128K", "2"), Measure::bytes_per_second, 0.62 * mega},
             {"figure 8", "a peak of about 140 commands a second, at a queue length of 8",
              reads("4K", "2", "4"), Measure::commands_per_second, 140},
             {"figure 10", "0.72 MB/s", reads("128K", "2", "1", "2260"), Measure::bytes_per_second,
              0.72 * mega},
             {"§4.1",
              "TCP: 5.07 Mbit/s (Netperf)",
              {{"load", {"socket"}}, {"operation", {"read"}}, {"delay_ms", {"0.6"}}, {"connections", {"1"}}},
              Measure::bytes_per_second,
              5.07e6 / 8}},
        .claims = {
            {.where = "figure 7",
             .statement = "Small requests are faster over two connections than over one",
             .measure = Measure::bytes_per_second,
             .among = {iscsi, one_at_a_time, ordinary, small},
             .subject = {two},
             .reference = {{"connections", {"1"}}},
             .least = 1.1},
            {.where = "figure 7",
             .statement = "… and of 2 KiB more than twice as fast",
             .measure = Measure::bytes_per_second,
             .among = {iscsi, one_at_a_time, ordinary, {"request_bytes", {"2K"}}},
             .subject = {two},
             .reference = {{"connections", {"1"}}},
             .least = 2},
            {.where = "figure 7",
             .statement = "More connections than two gain nothing",
             .measure = Measure::bytes_per_second,
             .among = {iscsi, one_at_a_time, ordinary},
             .subject = {{"connections", {"4"}}},
             .reference = {two},
             .most = 1.05},
            {.where = "figure 8",
             .statement = "The rate of commands grows up to a queue length of 8",
             .measure = Measure::commands_per_second,
             .among = {iscsi, near, two, {"request_bytes", {"4K"}}},
             .subject = {{"queue_depth", {"4"}}},
             .reference = {one_at_a_time},
             .least = 1.02},
            {.where = "figure 8",
             .statement = "… and no further",
             .measure = Measure::commands_per_second,
             .among = {iscsi, near, two, {"request_bytes", {"4K"}}},
             .subject = {{"queue_depth", {"16"}}},
             .reference = {{"queue_depth", {"4"}}},
             .most = 1.05},
            {.where = "figure 9",
             .statement = "Three times the latency takes little from two connections (there 5 to 11 %)",
             .measure = Measure::bytes_per_second,
             .among = {iscsi, one_at_a_time, two},
             .subject = {{"delay_ms", {"1.9"}}},
             .reference = {near},
             .least = 0.85},
            {.where = "figure 10",
             .statement = "A larger MTU is faster (there by 16 %, of 128 KiB)",
             .measure = Measure::bytes_per_second,
             .among = {iscsi, one_at_a_time, two, {"request_bytes", {"128K"}}},
             .subject = {{"mtu", {"2260"}}},
             .reference = {ordinary},
             .least = 1.01}}};
}

}  // namespace sanscope::lab
