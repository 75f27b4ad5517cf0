// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/bianco.h"

namespace sanscope::lab {

Experiment bianco_figures() {
    RunSettings base;
    base.rate_mbit = 200;
    base.request_bytes = 256 << 10;
    base.queue_depth = 8;
    const Factor delays{{"delay_ms"}, {"0.5", "1", "2", "5", "10", "20"}};
    return {
        .name = "bianco-fig4-6",
        .title = "Reads against round trip, TCP window, and loss",
        .source = "A. Bianco et al. on iSCSI over wide area networks, figures 4 to 6",
        .method =
            "Sequential reads of 256 KiB in one PDU each over a link of 200 Mbit/s, eight at once, so "
            "that TCP is the limit and not the command. In the first sweep the socket buffers bound the "
            "window, without losses; in the second single packets from the target are lost, each by "
            "itself, while the window is free.",
        .base = base,
        .sweeps = {{delays, {{"window_bytes"}, {"64K", "256K", "1M", "32M"}}},
                   {{{"delay_ms"}, {"1", "5", "20"}},
                    {{"loss_percent"}, {"0.001", "0.01", "0.1", "1"}},
                    {{"congestion_control"}, {"reno", "cubic"}}}},
        .measured = {Measure::bytes_per_second, Measure::turnaround_mean_ns, Measure::turnaround_p99_ns},
        .drawings = {{.title = "Throughput against delay, by socket buffers",
                      .x = "delay_ms",
                      .x_axis = Drawing::Axis::logarithmic,
                      .y_axis = Drawing::Axis::logarithmic,
                      .lines = {"window_bytes"},
                      .only = {{"loss_percent", "0"}}},
                     {.title = "Throughput against socket buffers, by delay",
                      .x = "window_bytes",
                      .x_axis = Drawing::Axis::sizes,
                      .y_axis = Drawing::Axis::logarithmic,
                      .lines = {"delay_ms"},
                      .only = {{"loss_percent", "0"}}},
                     {.title = "Throughput against loss",
                      .x = "loss_percent",
                      .x_axis = Drawing::Axis::logarithmic,
                      .y_axis = Drawing::Axis::logarithmic,
                      .lines = {"delay_ms", "congestion_control"}}},
    };
}

}  // namespace sanscope::lab
