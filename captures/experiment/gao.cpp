// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/gao.h"

namespace sanscope::lab {
namespace {

std::vector<std::vector<Factor>> sweeps() {
    const Factor both{{"operation"}, {"read", "write"}};
    const Factor latencies{{"delay_ms"}, {"0.6", "1.25", "1.9"}};
    const Factor two{{"connections"}, {"2"}};
    return {{both,
             {{"request_bytes"}, {"2K", "4K", "8K", "16K", "32K", "64K", "128K"}},
             {{"connections"}, {"1", "2", "4"}}},
            {both, {{"queue_depth"}, {"1", "2", "4", "8", "16"}}, {{"request_bytes"}, {"4K"}}, two},
            {latencies, {{"request_bytes"}, {"2K", "8K", "32K", "128K"}}, two},
            {{{"mtu"}, {"576", "1000", "1500", "2000", "2260"}}, {{"request_bytes"}, {"2K", "128K"}}, two},
            {{{"load"}, {"socket"}}, both, latencies, {{"connections"}, {"1", "2"}}}};
}

std::vector<Departure> departures() {
    return {{"Each connection carries its commands and their answers; theirs sent requests over one half of "
             "the connections and took answers from the other",
             "RFC 7143 §4.2.2 demands connection allegiance: the data and the status of a command go over "
             "the connection that brought the command. No initiator or target that keeps to it can be split "
             "so"},
            {"The link is 5.3 Mbit/s of frames, both ways at once; theirs was 802.11b",
             "TCP carries about as much over it as they measured, 5.07 Mbit/s. What 802.11b adds to each "
             "frame, its acknowledgements, its one channel for both directions and its retransmissions are "
             "not there"},
            {"Latencies of 1.2, 2.5 and 3.8 ms are round trips here, half of it each way",
             "theirs are not said to be one way or both"},
            {"The queue length is that of both connections together, half of it on each",
             "the queue depth here is that of a connection"},
            {"Data are in memory; theirs were on a disk", "it was the link that was the limit"},
            {"Writes are measured besides; NFS (figure 6) is not", "it is no load of iSCSI"}};
}

}  // namespace

Experiment gao_figures() {
    RunSettings base;
    base.delay_ms = 0.6;
    base.rate_mbit = 5.3;
    base.queue_frames = 100;
    base.request_bytes = 4 << 10;
    return {
        .name = "gao-fig7-10",
        .title = "A slow link: request size and connections, queue length, latency and MTU",
        .source =
            "Y. Gao, Y. Zhu, H. Xiong, R. Kanagavelu, J. Yan, Z. Liu: An iSCSI Design over Wireless "
            "Network; figures 7 to 10",
        .method =
            "Sequential reads over a link of 5.3 Mbit/s and a round trip of 1.2 ms, one command at a "
            "time on each connection, in frames of 1500 bytes, unless said otherwise. Figure 7: requests "
            "of 2 to 128 KiB over one, two and four connections, also written. Figure 8: 4 KiB over two "
            "connections, by queue length. Figure 9: by latency, over two connections. Figure 10: by "
            "MTU, over two connections. The plain socket is iperf3's.",
        .departures = departures(),
        .publication = gao_publication(),
        .base = base,
        .sweeps = sweeps(),
        .seconds = 5,
        .measured = {Measure::bytes_per_second, Measure::commands_per_second, Measure::turnaround_mean_ns,
                     Measure::turnaround_sd_ns, Measure::turnaround_sd_percent, Measure::turnaround_p99_ns,
                     Measure::initiator_processor_percent, Measure::target_processor_percent},
        .drawings =
            {{.title = "Figure 7: request size and connections",
              .x = "request_bytes",
              .x_axis = Drawing::Axis::sizes,
              .lines = {"connections"},
              .with_sockets = false,
              .only = {{"operation", "read"}, {"delay_ms", "0.6"}, {"queue_depth", "1"}, {"mtu", "1500"}}},
             {.title = "The same of writes",
              .x = "request_bytes",
              .x_axis = Drawing::Axis::sizes,
              .lines = {"connections"},
              .with_sockets = false,
              .only = {{"operation", "write"}, {"delay_ms", "0.6"}, {"queue_depth", "1"}, {"mtu", "1500"}}},
             {.title = "Figure 8: queue depth on each of two connections, 4 KiB",
              .x = "queue_depth",
              .x_axis = Drawing::Axis::logarithmic,
              .y = Measure::commands_per_second,
              .lines = {"operation"},
              .with_sockets = false,
              .only = {{"connections", "2"}, {"request_bytes", "4K"}, {"delay_ms", "0.6"}, {"mtu", "1500"}}},
             {.title = "Figure 9: one-way delay, two connections",
              .x = "delay_ms",
              .lines = {"request_bytes"},
              .only = {{"operation", "read"}, {"connections", "2"}, {"mtu", "1500"}, {"queue_depth", "1"}}},
             {.title = "Figure 10: MTU, two connections",
              .x = "mtu",
              .lines = {"request_bytes"},
              .with_sockets = false,
              .only =
                  {{"operation", "read"}, {"connections", "2"}, {"delay_ms", "0.6"}, {"queue_depth", "1"}}}},
    };
}

}  // namespace sanscope::lab
