// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/kancharla.h"

namespace sanscope::lab {

Experiment kancharla_tables() {
    RunSettings base;
    base.rate_mbit = 100;
    base.queue_frames = 200;
    base.pdu_bytes = 64 << 10;
    base.request_bytes = 64 << 10;
    base.queue_depth = 8;
    const std::vector<std::string_view> lines{"connections", "congestion_control"};
    return {
        .name = "kancharla-tab5-7",
        .title = "One connection and four: how even windows and turnaround are",
        .source = "Kancharla et al. on iSCSI over several TCP connections, tables 5 to 7",
        .method =
            "Sequential reads of 64 KiB, 32 in flight in all: a queue depth of 32 on one connection, of 8 "
            "on each of four. The link's rate of 100 Mbit/s and its queue of 200 frames make windows grow "
            "and fall. The aggregate window is the sum of the target's congestion windows at each moment, "
            "as inferred from packets recorded at the target; mean and standard deviation are over time, "
            "after the first tenth of the run.",
        .base = base,
        .sweeps = {{{{"delay_ms"}, {"0", "1", "2", "5", "10"}},
                    {{"connections"}, {"4"}},
                    {{"congestion_control"}, {"reno", "cubic", "bbr"}}},
                   {{{"delay_ms"}, {"0", "1", "2", "5", "10"}},
                    {{"connections"}, {"1"}},
                    {{"queue_depth"}, {"32"}},
                    {{"congestion_control"}, {"reno", "cubic", "bbr"}}}},
        .seconds = 6,
        .records_packets = true,
        .measured = {Measure::bytes_per_second, Measure::window_mean_bytes, Measure::window_sd_bytes,
                     Measure::window_sd_percent, Measure::turnaround_mean_ns, Measure::turnaround_sd_ns,
                     Measure::turnaround_sd_percent, Measure::retransmissions},
        .drawings =
            {{.title = "Aggregate window", .x = "delay_ms", .y = Measure::window_mean_bytes, .lines = lines},
             {.title = "Its spread", .x = "delay_ms", .y = Measure::window_sd_percent, .lines = lines},
             {.title = "Spread of turnaround",
              .x = "delay_ms",
              .y = Measure::turnaround_sd_percent,
              .lines = lines},
             {.title = "Retransmissions", .x = "delay_ms", .y = Measure::retransmissions, .lines = lines}},
    };
}

}  // namespace sanscope::lab
