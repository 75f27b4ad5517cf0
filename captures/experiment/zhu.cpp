// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/zhu.h"

namespace sanscope::lab {
namespace {

std::vector<std::vector<Factor>> sweeps() {
    const Factor both{{"operation"}, {"read", "write"}};
    const Factor paths{{"delay_ms"}, {"0.05", "26"}};
    const Factor buffers{{"window_bytes"}, {"64K", "32M"}};
    return {// Figures 3 to 8
            {{{"load"}, {"socket"}}, both, paths, buffers, {{"connections"}, {"1", "8", "16", "64", "256"}}},
            {both, paths, buffers, {{"connections"}, {"1", "8", "16", "64"}}},
            {{{"load"}, {"blast"}}, both, paths, {{"blast_mbit"}, {"150", "190", "250"}}},
            // Figures 11 to 14
            {both,
             {{"request_bytes"}, {"512", "1K", "2K", "4K", "8K"}},
             {{"window_bytes"}, {"256K", "32M"}},
             {{"mtu"}, {"1500", "9000"}},
             {{"queue_depth"}, {"16"}}}};
}

std::vector<Departure> departures() {
    return {
        {"The link has 200 Mbit/s; theirs had a gigabit",
         "a machine of two processors passes on no more frame by frame"},
        {"A run takes seconds; theirs moved 100 GB", "the rates are reached long before"},
        {"In place of RBUDP stands a transfer of our own in its manner, of as much data as fills a run at "
         "its rate: "
         "150, 190 and 250 Mbit/s, the last of them beyond the link",
         "its rate is the user's choice, there as here; how it repairs what a link dropped is only seen "
         "where "
         "one does. Its rate counts from the announcement of the transfer to the last datagram, repair and "
         "all"},
        {"UDT is not measured", "its library, which had its last release (4.11) long ago, is not kept up"},
        {"Parallel sockets are iperf3's, 128 of one process at most; theirs were a library's",
         "both split one transfer over TCP connections of one program. iSCSI's connections stand "
         "beside them, 64 at most"},
        {"TCP that nobody tuned is one whose buffers end at 64 KiB",
         "their 5.37 Mbit/s over a round trip of 52 ms are a window of 35 KB, about what such a "
         "buffer gives"},
        {"Data are in memory; theirs were on a RAID-0",
         "the network is to be seen; their disks wrote 4 MB/s of 512 bytes each, which they do not "
         "explain"},
        {"16 commands are under way", "their load is not said to have had one or more"},
        {"File systems (figure 15) are not measured", "they are not the protocol's"}};
}

Drawing of_connections(std::string_view title, Measure measure) {
    return {.title = title,
            .x = "connections",
            .x_axis = Drawing::Axis::logarithmic,
            .y = measure,
            .lines = {"window_bytes", "blast_mbit"},
            .only = {{"operation", "write"}, {"delay_ms", "26"}, {"request_bytes", "256K"}}};
}

Drawing of_sizes(std::string_view title, std::string_view operation) {
    return {.title = title,
            .x = "request_bytes",
            .x_axis = Drawing::Axis::sizes,
            .lines = {"window_bytes", "mtu"},
            .with_sockets = false,
            .only = {{"operation", operation}, {"delay_ms", "0.05"}, {"queue_depth", "16"}}};
}

}  // namespace

Experiment zhu_tables() {
    RunSettings base;
    base.delay_ms = 0.05;
    base.rate_mbit = 200;
    base.pdu_bytes = 64 << 10;
    base.request_bytes = 256 << 10;
    base.queue_depth = 4;
    base.blast_mbit = 190;
    return {
        .name = "zhu-fig3-14",
        .title =
            "Parallel connections and a blast of UDP over a long path; I/O size, buffers and frames over a "
            "short "
            "one",
        .source =
            "Y. Zhu, D. Talia, A. Bassi, P. Massonet: Evaluation for High Volume Data Transfer "
            "Mechanisms in Grids (CoreGRID TR-0178); figures 3, 4, 6 to 8 and 11 to 14",
        .method =
            "Figures 3 to 8: iperf3 over 1 to 256 parallel sockets, and sequential reads and writes of "
            "256 KiB, four on each of 1 to 64 connections, over round trips of 0.1 and 52 ms, with "
            "socket buffers of 64 KiB and of 32 MiB; and a blast of UDP at a fixed rate, whose receiver "
            "tells over TCP "
            "what is missing, which is sent again, until nothing is. Figures 11 to 14: requests of 512 bytes "
            "to 8 KiB, "
            "16 at once, over the short path, with buffers of 256 KiB and 32 MiB, in frames of 1.5 and 9 "
            "KB. The rate rises in steps of 100 ms: of iSCSI that of the data acknowledged, as recorded "
            "at the sender; of plain sockets what iperf3 tells at the initiator; of a blast what arrived for "
            "the first "
            "time. Time and data to 50 % "
            "and 90 % count until the end of the first step that reaches that share of the highest rate, "
            "which is that of the fastest second: single steps are uneven.",
        .departures = departures(),
        .publication = zhu_publication(),
        .base = base,
        .sweeps = sweeps(),
        .seconds = 4,
        .records_packets = true,
        .measured = {Measure::bytes_per_second, Measure::turnaround_mean_ns, Measure::turnaround_sd_ns,
                     Measure::turnaround_sd_percent, Measure::to_half_ns, Measure::to_ninety_ns,
                     Measure::bytes_to_half, Measure::bytes_to_ninety, Measure::retransmissions,
                     Measure::initiator_processor_percent, Measure::target_processor_percent},
        .drawings = {of_connections("Figure 3: processor of the sender, round trip 52 ms",
                                    Measure::initiator_processor_percent),
                     of_connections("Figure 3: processor of the receiver, round trip 52 ms",
                                    Measure::target_processor_percent),
                     of_connections("Figure 4: throughput, round trip 52 ms", Measure::bytes_per_second),
                     of_connections("Figure 6: data to 50 %", Measure::bytes_to_half),
                     of_connections("Figure 7: data to 90 %", Measure::bytes_to_ninety),
                     of_connections("Figure 8: time to 90 %", Measure::to_ninety_ns),
                     of_sizes("Figures 11 and 13: reads over the short path", "read"),
                     of_sizes("Figures 12 and 14: writes over the short path", "write")},
    };
}

}  // namespace sanscope::lab
