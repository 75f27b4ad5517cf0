// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/kancharla.h"

namespace sanscope::lab {
namespace {

const Factor operations{{"operation"}, {"read", "write"}};
const Factor delays{{"delay_ms"}, {"0", "2", "4", "6", "8", "10"}};
const Factor controls{{"congestion_control"}, {"reno", "cubic", "bbr", "fair"}};

Factor one(std::string_view setting, std::string value) {
    return {{setting}, {std::move(value)}};
}

// 1 MiB in flight in all: with more of it, a run over a path with losses would take much longer to end than to go on.
std::vector<std::vector<Factor>> sweeps() {
    std::vector<std::vector<Factor>> all;
    for (const auto& [connections, depth] : {std::pair("4", "2"), {"1", "8"}}) {
        const Factor at_once = one("connections", connections);
        const Factor queue = one("queue_depth", depth);
        // Nothing lost, single packets lost, and what a short queue drops.
        all.push_back({operations, controls, delays, at_once, queue, {{"loss_percent"}, {"0", "2.7"}}});
        all.push_back({operations, controls, delays, at_once, queue, one("queue_frames", "50")});
    }
    const Factor lost = one("loss_percent", "2.7");
    const Factor reno_and_fair{{"congestion_control"}, {"reno", "fair"}};
    for (const auto& [request, depth] : {std::pair("8K", "32"), {"32K", "8"}}) {
        all.push_back({operations,
                       reno_and_fair,
                       {{"delay_ms"}, {"0", "4", "10"}},
                       lost,
                       one("request_bytes", request),
                       one("queue_depth", depth)});
    }
    all.push_back({one("operation", "write"), reno_and_fair, one("delay_ms", "4"), lost,
                   one("connections", "2"), one("queue_depth", "4")});
    return all;
}

std::vector<Departure> departures() {
    return {
        {"The link has 100 Mbit/s; theirs had a gigabit",
         "a machine of two processors passes on no more frame by frame, and 2.7 % of loss leaves TCP "
         "less than that"},
        {"Delay is one way; theirs is not said to be one way or both", "it is what the link here is set to"},
        {"Losses are of single packets on the way of the data alone",
         "acknowledgements are cumulative, and so the losses that count are known"},
        {"Reads and writes are of the target's memory, 128 KiB each, and eight of them are in flight; "
         "theirs went through a file system to disks, which merged smaller calls to 128 KiB and had one "
         "read in flight",
         "then it is the connections that are compared, and not a page cache. Where block sizes differ "
         "here, nothing merges them"},
        {"Fair-TCP does not share the round trip's estimate between connections",
         "the kernel lets no BPF program write it: needless retransmissions are not what they would be"},
        {"BBR, CUBIC and one connection are measured besides", "they are what is used today"},
        {"Table 6 prints the same numbers of Fair-TCP for 6 and for 8 ms; they stand here as printed",
         "one of the two lines is likely a misprint, and nothing tells what it should be"},
        {"Bonnie++ and Postmark (tables 3 and 8, figures 6 to 8) are not measured here",
         "they are an experiment of their own, kancharla-fig6-8"}};
}

Drawing against_delay(std::string_view title, std::string_view operation, Measure measure) {
    return {.title = title,
            .x = "delay_ms",
            .y = measure,
            .lines = {"connections", "congestion_control"},
            .only = {{"operation", operation}, {"loss_percent", "2.7"}, {"request_bytes", "128K"}}};
}

Drawing against_block_size(std::string_view title, std::string_view operation) {
    return {.title = title,
            .x = "request_bytes",
            .x_axis = Drawing::Axis::sizes,
            .lines = {"delay_ms", "congestion_control"},
            .only = {{"operation", operation}, {"loss_percent", "2.7"}, {"connections", "4"}}};
}

}  // namespace

Experiment kancharla_tables() {
    RunSettings base;
    base.rate_mbit = 100;
    base.window_bytes = 512 << 10;
    base.pdu_bytes = 64 << 10;
    base.request_bytes = 128 << 10;
    base.queue_depth = 2;
    base.connections = 4;
    return {
        .name = "kancharla-tab4-7",
        .title =
            "One connection and four: how even windows and turnaround are, and what Fair-TCP makes of it",
        .source =
            "B. K. Kancharla, G. M. Narayan, K. Gopinath: Performance Evaluation of Multiple TCP "
            "connections in iSCSI; tables 4 to 7, figures 1, 4 and 5, and §2.1",
        .method =
            "Sequential reads and writes of 128 KiB, eight in flight in all: a queue depth of 8 on one "
            "connection, of 2 on each of four; of smaller blocks as many more. Socket buffers have 512 "
            "KiB at most. Each is run without losses, with 2.7 % of the packets lost, each by itself, "
            "and with a queue of 50 frames at the link, which drops what is more. The aggregate window "
            "is the sum of the sender's congestion windows at each moment, as inferred from packets "
            "recorded at the sender; mean and standard deviation are over time, after the first tenth of "
            "the run. The figure shows the runs with 2.7 % of loss and, in one panel, those with the "
            "short queue; the windows over time are of two connections.",
        .departures = departures(),
        .publication = kancharla_publication(),
        .base = base,
        .sweeps = sweeps(),
        .seconds = 5,
        .records_packets = true,
        .measured = {Measure::bytes_per_second, Measure::window_mean_bytes, Measure::window_sd_bytes,
                     Measure::window_sd_percent, Measure::window_difference_mean_bytes,
                     Measure::window_difference_sd_bytes, Measure::turnaround_mean_ns,
                     Measure::turnaround_sd_ns, Measure::turnaround_sd_percent, Measure::retransmissions,
                     Measure::retransmissions_per_gigabyte, Measure::needless_retransmissions,
                     Measure::initiator_processor_percent, Measure::target_processor_percent},
        .drawings = {against_delay("Table 4: retransmissions, writes", "write",
                                   Measure::retransmissions_per_gigabyte),
                     against_delay("Table 5: aggregate window, writes", "write", Measure::window_mean_bytes),
                     against_delay("Table 5: its deviation", "write", Measure::window_sd_percent),
                     against_delay("§2.1: difference of windows, writes", "write",
                                   Measure::window_difference_sd_bytes),
                     against_delay("Table 6: turnaround of writes", "write", Measure::turnaround_mean_ns),
                     against_delay("Table 6: its deviation", "write", Measure::turnaround_sd_percent),
                     against_delay("Table 7: turnaround of reads", "read", Measure::turnaround_mean_ns),
                     against_delay("Table 7: its deviation", "read", Measure::turnaround_sd_percent),
                     against_block_size("Figure 4: writes, four connections", "write"),
                     against_block_size("Figure 5: reads, four connections", "read"),
                     {.title = "Deviation of the aggregate window, short queue",
                      .x = "delay_ms",
                      .y = Measure::window_sd_percent,
                      .lines = {"connections", "congestion_control"},
                      .only = {{"operation", "write"}, {"queue_frames", "50"}}}},
        .traced = {{"connections", {"2"}}},
        .traced_title = "Figure 1: windows",
    };
}

}  // namespace sanscope::lab
