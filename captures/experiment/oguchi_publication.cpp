// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/oguchi.h"

namespace sanscope::lab {

// The numbers are in the figures alone.
Publication oguchi_publication() {
    const std::vector<std::string_view> long_delays{"4", "8", "16"};
    const std::vector<Condition> small{{"pdu_bytes", {"32K"}}, {"request_bytes", {"32K"}}};
    const std::vector<Condition> large{{"pdu_bytes", {"1M"}}, {"request_bytes", {"1M"}}};
    const std::vector<Condition> largest{{"pdu_bytes", {"16776704"}}, {"request_bytes", {"16776704"}}};
    const Condition reads{"operation", {"read"}};
    const Condition one_at_a_time{"queue_depth", {"1"}};
    return {.claims = {{.where = "figure 6",
                        .statement = "Reads of 32 KiB at a time are much slower than a plain socket",
                        .measure = Measure::bytes_per_second,
                        .among = {reads, one_at_a_time, small[0], {"delay_ms", long_delays}},
                        .subject = {{"load", {"iscsi"}}},
                        .reference = {{"load", {"socket"}}},
                        .most = 0.5},
                       {.where = "figure 6",
                        .statement = "The longer the delay, the slower they are",
                        .measure = Measure::bytes_per_second,
                        .among = {{"load", {"iscsi"}}, reads, one_at_a_time, small[0]},
                        .subject = {{"delay_ms", {"16"}}},
                        .reference = {{"delay_ms", {"1"}}},
                        .most = 0.5},
                       {.where = "figure 7",
                        .statement = "Large PDUs are faster than small ones",
                        .measure = Measure::bytes_per_second,
                        .among = {{"load", {"iscsi"}}, reads, one_at_a_time, {"delay_ms", long_delays}},
                        .subject = large,
                        .reference = small,
                        .least = 2},
                       {.where = "figure 7",
                        .statement = "… the more so where they are larger than 1 MiB",
                        .measure = Measure::bytes_per_second,
                        .among = {{"load", {"iscsi"}}, reads, one_at_a_time, {"delay_ms", {"16"}}},
                        .subject = largest,
                        .reference = large,
                        .least = 1}}};
}

}  // namespace sanscope::lab
