// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/gao.h"

namespace sanscope::lab {

Experiment gao_figures() {
    RunSettings base;
    base.delay_ms = 1;
    base.request_bytes = 64 << 10;
    return {
        .name = "gao-fig7-10",
        .title = "Reads against request size, connections, queue depth, latency and MTU",
        .source = "Gao et al. on the performance of iSCSI, figures 7 to 10",
        .method =
            "Sequential reads over 1 ms one way unless said otherwise. Each sweep varies two settings and "
            "leaves the others: requests of 64 KiB in PDUs of up to 256 KiB, one connection, a queue "
            "depth of 1, an MTU of 1500 bytes.",
        .base = base,
        .sweeps = {{{{"request_bytes"}, {"4K", "16K", "64K", "256K", "1M", "4M"}},
                    {{"connections"}, {"1", "2", "4", "8"}}},
                   {{{"queue_depth"}, {"1", "2", "4", "8", "16", "32"}}, {{"request_bytes"}, {"4K", "64K"}}},
                   {{{"delay_ms"}, {"0", "1", "2", "4", "8"}}, {{"queue_depth"}, {"1", "8", "32"}}},
                   {{{"mtu"}, {"576", "1500", "4000", "9000"}},
                    {{"request_bytes"}, {"64K", "1M"}},
                    {{"queue_depth"}, {"8"}},
                    {{"rate_mbit"}, {"0"}}}},
        .measured = {Measure::bytes_per_second, Measure::commands_per_second, Measure::turnaround_mean_ns,
                     Measure::turnaround_p99_ns},
        .drawings = {{.title = "Request size and connections",
                      .x = "request_bytes",
                      .x_axis = Drawing::Axis::sizes,
                      .lines = {"connections"},
                      .only = {{"delay_ms", "1"}, {"queue_depth", "1"}, {"rate_mbit", "400"}}},
                     {.title = "Queue depth",
                      .x = "queue_depth",
                      .x_axis = Drawing::Axis::logarithmic,
                      .lines = {"request_bytes"},
                      .only = {{"delay_ms", "1"}, {"connections", "1"}, {"rate_mbit", "400"}}},
                     {.title = "Latency of the path",
                      .x = "delay_ms",
                      .lines = {"queue_depth"},
                      .only = {{"request_bytes", "64K"}, {"connections", "1"}, {"rate_mbit", "400"}}},
                     {.title = "MTU, as fast as the machine can",
                      .x = "mtu",
                      .lines = {"request_bytes"},
                      .only = {{"rate_mbit", "0"}}}},
    };
}

}  // namespace sanscope::lab
