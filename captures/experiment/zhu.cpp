// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/zhu.h"

namespace sanscope::lab {

Experiment zhu_tables() {
    RunSettings base;
    base.delay_ms = 25;
    base.rate_mbit = 200;
    base.pdu_bytes = 64 << 10;
    base.request_bytes = 1 << 20;
    base.queue_depth = 4;
    return {
        .name = "zhu-tab",
        .title = "How soon reads over a long path reach their rate",
        .source = "Zhu et al. on data transfer over long fat paths, the tables",
        .method =
            "Sequential reads of 1 MiB in PDUs of 64 KiB over 25 ms one way at 200 Mbit/s; the queue "
            "depth is 4 on each connection. The rate is that of the data that the initiator acknowledges, "
            "in steps of 100 ms as recorded at the target; time and data to 50 % and 90 % count from the "
            "first command until the end of the first step that reaches that share of the highest rate, "
            "which "
            "is that of the fastest second: single steps are uneven.",
        .base = base,
        .sweeps = {{{{"window_bytes"}, {"64K", "256K", "1M", "4M", "32M"}},
                    {{"mtu"}, {"1500", "9000"}},
                    {{"connections"}, {"1", "2", "4", "8"}}}},
        .seconds = 4,
        .records_packets = true,
        .measured = {Measure::bytes_per_second, Measure::to_half_ns, Measure::to_ninety_ns,
                     Measure::bytes_to_half, Measure::bytes_to_ninety, Measure::retransmissions},
        .drawings = {{.title = "Throughput",
                      .x = "window_bytes",
                      .x_axis = Drawing::Axis::sizes,
                      .lines = {"connections", "mtu"}},
                     {.title = "Time to 90 %",
                      .x = "window_bytes",
                      .x_axis = Drawing::Axis::sizes,
                      .y = Measure::to_ninety_ns,
                      .lines = {"connections", "mtu"}}},
    };
}

}  // namespace sanscope::lab
