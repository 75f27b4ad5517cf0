// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/oguchi.h"

namespace sanscope::lab {

Experiment oguchi_figures() {
    RunSettings base;
    base.rate_mbit = 200;
    const Factor delays{{"delay_ms"}, {"0", "1", "2", "4", "8", "16"}};
    // A data segment is at most 2^24 - 1 bytes long (RFC 7143 §11.7): the largest one of whole blocks.
    const Factor pdus{{"pdu_bytes", "request_bytes"},
                      {"32K", "64K", "128K", "256K", "512K", "1M", "2M", "4M", "16776704"}};
    const Factor eight_large{{"pdu_bytes", "request_bytes"}, {"1M"}};
    const Factor at_once{{"queue_depth"}, {"8"}};
    return {
        .name = "oguchi-fig6-7",
        .title = "Sequential reads over a path with delay: PDU size",
        .source = "M. Oguchi et al. on iSCSI storage access over a path with long latency, figures 6 and 7",
        .method =
            "One command at a time, each answered in one PDU: request size and PDU size are the same, the "
            "queue depth is 1. The largest data segment that iSCSI can have of whole blocks stands for 16 "
            "MB. Besides, 1 MiB is read with eight commands at once, as today's initiators do. The plain "
            "socket's line is iperf3's, in the same direction. Socket buffers tune "
            "themselves up to 32 MiB, so that no TCP window is the limit. The link's rate is 200 Mbit/s, "
            "which a machine of two processors can pass on frame by frame. Reads are answered from "
            "memory; the publication read from disks.",
        .base = base,
        .sweeps = {{delays, pdus}, {{{"load"}, {"socket"}}, delays}, {at_once, eight_large, delays}},
        .seconds = 5,
        .measured = {Measure::bytes_per_second, Measure::turnaround_mean_ns, Measure::turnaround_sd_percent},
        .drawings = {{.title = "Throughput against delay",
                      .x = "delay_ms",
                      .lines = {"pdu_bytes"},
                      .only = {{"queue_depth", "1"}}},
                     {.title = "Throughput against PDU size",
                      .x = "pdu_bytes",
                      .x_axis = Drawing::Axis::sizes,
                      .lines = {"delay_ms"},
                      .with_sockets = false,
                      .only = {{"queue_depth", "1"}}},
                     {.title = "1 MiB: one command at a time, and eight",
                      .x = "delay_ms",
                      .lines = {"queue_depth"},
                      .only = {{"pdu_bytes", "1M"}}}},
    };
}

}  // namespace sanscope::lab
