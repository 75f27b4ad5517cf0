// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/kancharla_files.h"

#include <string>
#include <utility>

namespace sanscope::lab {
namespace {

Factor one(std::string_view setting, std::string value) {
    return {{setting}, {std::move(value)}};
}

// The queue depth is that of each of four connections.
std::vector<std::vector<Factor>> sweeps() {
    const Factor controls{{"congestion_control"}, {"reno", "fair"}};
    const Factor delays{{"delay_ms"}, {"0", "2", "4", "6", "8", "10"}};
    const auto load = [&](std::string_view operation, std::string_view pattern, std::string_view depths) {
        return std::vector<Factor>{controls, delays, one("operation", std::string(operation)),
                                   one("pattern", std::string(pattern)),
                                   one("queue_depth", std::string(depths))};
    };
    return {// Table 8, figure 7
            load("write", "rewrite", "1"), load("read", "seeks", "1"), load("write", "postmark", "1"),
            // Figures 6 and 8
            load("write", "rewrite", "2"), load("read", "seeks", "3"), load("write", "postmark", "5")};
}

std::vector<Departure> departures() {
    return {
        {"The loads are lists of requests, made after what is published of the tools, and not the tools",
         "a file system's cache would be measured with them: what a disk is asked for is what the network "
         "carries. "
         "docs/experiments.md says how the lists are made"},
        {"Nothing is cached: every file that is read is asked for, every block that is written goes out",
         "their initiator had 256 MB of memory, of which nobody can tell today what it held"},
        {"The pool of files of Postmark is there before; its creation is not in the run",
         "a run takes seconds, and shows transactions"},
        {"Requests go out as soon as there is room: 4 at once for one process, more for several",
         "their numbers under way are not told: reads were synchronous, three seeks at once, writes "
         "asynchronous"},
        {"A run takes seconds and has a rate; theirs took until all was done",
         "the ratio of the rates is that of the times"},
        {"The link has 100 Mbit/s, and losses are on one way: of seeks that of reads, else that of writes",
         "as in kancharla-tab4-7"},
        {"Of 4 processes of Bonnie++ and 10 of Postmark, the requests are those of one, more of which are "
         "under way",
         "they compete for the same connections"}};
}

Drawing of(std::string_view title, std::string_view pattern, Measure measure) {
    return {.title = title,
            .x = "delay_ms",
            .y = measure,
            .lines = {"queue_depth", "congestion_control"},
            .only = {{"pattern", pattern}}};
}

}  // namespace

Experiment kancharla_file_loads() {
    RunSettings base;
    base.rate_mbit = 100;
    base.loss_percent = 2.7;
    base.window_bytes = 512 << 10;
    base.pdu_bytes = 64 << 10;
    base.connections = 4;
    return {
        .name = "kancharla-fig6-8",
        .title = "Loads as Postmark and Bonnie++ make them, through Fair-TCP and Reno",
        .source =
            "B. K. Kancharla, G. M. Narayan, K. Gopinath: Performance Evaluation of Multiple TCP "
            "connections in iSCSI; table 8, figures 6 to 8",
        .method =
            "Four connections with socket buffers of 512 KiB, 2.7 % of the packets lost, each by itself. "
            "Rewrites "
            "read 128 KiB of a file of 1 GiB and write them again, in order; seeks read 4 KiB of it at "
            "random "
            "places, of which one in ten is written again; Postmark's transactions read, extend, create and "
            "remove "
            "files of 500 bytes to 100 KiB, 20 000 of them. One command at a time on each connection stands "
            "for "
            "one process; two, three and five for several.",
        .departures = departures(),
        .publication = kancharla_files_publication(),
        .base = base,
        .sweeps = sweeps(),
        .seconds = 5,
        .records_packets = true,
        .measured = {Measure::bytes_per_second, Measure::commands_per_second, Measure::turnaround_mean_ns,
                     Measure::turnaround_sd_ns, Measure::turnaround_sd_percent, Measure::window_mean_bytes,
                     Measure::window_sd_percent, Measure::retransmissions,
                     Measure::retransmissions_per_gigabyte, Measure::initiator_processor_percent,
                     Measure::target_processor_percent},
        .drawings = {of("Table 8: rewrites", "rewrite", Measure::bytes_per_second),
                     of("Table 8: seeks, commands", "seeks", Measure::commands_per_second),
                     of("Figures 7 and 8: Postmark", "postmark", Measure::bytes_per_second),
                     of("Turnaround in Postmark", "postmark", Measure::turnaround_mean_ns)},
    };
}

}  // namespace sanscope::lab
