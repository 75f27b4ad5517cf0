// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/bianco.h"

namespace sanscope::lab {
namespace {

std::vector<std::vector<Factor>> sweeps() {
    const Factor sockets{{"load"}, {"socket"}};
    const Factor both{{"operation"}, {"read", "write"}};
    const Factor writes{{"operation"}, {"write"}};
    const Factor delays{{"delay_ms"}, {"0", "1", "5", "10", "25", "50"}};
    const Factor small_window{{"window_bytes"}, {"256K"}};
    const Factor jitter{{"jitter_percent"}, {"70"}};
    const Factor sizes{{"request_bytes"}, {"64K", "256K", "1M", "4M", "16M"}};
    const Factor depths{{"queue_depth"}, {"1", "4"}};
    const Factor others{{"background_mbit"}, {"0", "50", "100", "150", "200"}};
    const Factor short_queue{{"queue_frames"}, {"200"}};
    const Factor storage_first{{"priority"}, {"storage"}};
    const Factor losses{{"loss_percent"}, {"0", "0.1", "0.5", "1", "2", "5"}};
    return {// Figure 4
            {both, delays, small_window, jitter},
            {sockets, both, delays, small_window, jitter},
            // Figure 5
            {delays, sizes, depths},
            {writes, delays, {{"request_bytes"}, {"256K", "4M"}}},
            {sockets, both, delays},
            // Figure 6
            {both, losses, {{"queue_depth"}, {"4"}}},
            {sockets, both, losses},
            // Figure 7
            {both, others, short_queue, {{"targets"}, {"2"}}, {{"queue_depth"}, {"4"}}},
            {sockets, both, others, short_queue},
            // Figure 8
            {both, others, short_queue, {{"targets"}, {"2"}}, {{"queue_depth"}, {"4"}}, storage_first},
            {sockets, both, others, short_queue, storage_first},
            // Figure 3
            {both,
             {{"targets"}, {"1", "2", "4"}},
             {{"request_bytes"}, {"64K"}},
             {{"target_latency_us"}, {"15000"}}}};
}

std::vector<Departure> departures() {
    return {
        {"The link has 200 Mbit/s; theirs had a gigabit",
         "a machine of two processors passes on no more frame by frame; the delays at which a window is "
         "too small are five times as long"},
        {"The round trip is twice the delay, which is half of it each way",
         "it goes up to 100 ms, as theirs"},
        {"Where jitter is, it is uniform and keeps the order of packets",
         "their netem may have reordered them; figures 5 and 6 are not said to have jitter, and have "
         "none here"},
        {"Outstanding data are the queue depth times the request size, from 64 KiB to 64 MiB",
         "their initiator's limit of 256 KiB is one command of 256 KiB here, and can be left behind"},
        {"Targets are as their nullio, in memory", "disks were not the limit in figures 4 to 6"},
        {"Of figure 3, a disk is a latency of 15 ms for each command of 64 KiB, and all targets are "
         "behind one link",
         "four of these disks stay below what the link passes on; theirs had 45 to 60 MB/s each and two "
         "links"},
        {"Other traffic is UDP at a fixed rate, in the direction of the data, through a queue of 200 frames",
         "theirs came from a tester, which does not yield to anybody either"},
        {"Priority (figure 8) is a class of its own at the host that sends the data, whose queues (HTB) pass "
         "on the link's "
         "rate: whatever is not other traffic goes first. Theirs was an 802.1p tag in a switch",
         "the link here has one queue; before it, at its rate, packets wait where there are two. A queue of "
         "one's "
         "own host also holds back whoever sends, and drops less than one of a switch"}};
}

}  // namespace

Experiment bianco_figures() {
    RunSettings base;
    base.rate_mbit = 200;
    base.window_bytes = 16 << 20;
    base.request_bytes = 256 << 10;
    return {
        .name = "bianco-fig3-7",
        .title =
            "Outstanding data, round trip and TCP window; loss; several targets; other traffic and priority",
        .source =
            "A. Bianco, J. M. Finochietto, M. Modesti, F. Neri: Distributed Storage on Networks of Linux "
            "PCs Using the iSCSI Protocol (HPSR 2008); figures 3 to 8",
        .method =
            "Sequential reads and writes in PDUs of up to 256 KiB, and iperf3 over a plain socket in the "
            "same direction. Figure 4: socket buffers of 256 KiB, a delay that varies by 70 %, one "
            "command of 256 KiB at a time. Figure 5: socket buffers of 16 MiB, and from one command of "
            "64 KiB to four of 16 MiB under way. Figure 6: no delay, and single packets on the way of "
            "the data are lost, each by itself. Figure 3: requests of 64 KiB go in stripes over one, two "
            "and four targets, one command at a time with each. Figure 7: beside other traffic, with two "
            "targets, four commands of 256 KiB at a time with each. Figure 8: the same, with storage before "
            "other "
            "traffic.",
        .departures = departures(),
        .publication = bianco_publication(),
        .base = base,
        .sweeps = sweeps(),
        .seconds = 5,
        .measured = {Measure::bytes_per_second, Measure::turnaround_mean_ns, Measure::turnaround_sd_ns,
                     Measure::turnaround_sd_percent, Measure::initiator_processor_percent,
                     Measure::target_processor_percent},
        .drawings = {{.title = "Figure 3: targets",
                      .x = "targets",
                      .lines = {"operation"},
                      .with_sockets = false,
                      .only = {{"target_latency_us", "15000"}}},
                     {.title = "Figure 4: buffers of 256 KiB, jitter of 70 %",
                      .x = "delay_ms",
                      .lines = {"operation"},
                      .only = {{"jitter_percent", "70"}}},
                     {.title = "Figure 5: buffers of 16 MiB, reads",
                      .x = "delay_ms",
                      .y_axis = Drawing::Axis::logarithmic,
                      .lines = {"request_bytes", "queue_depth"},
                      .only = {{"operation", "read"},
                               {"window_bytes", "16M"},
                               {"loss_percent", "0"},
                               {"queue_frames", "4000"},
                               {"target_latency_us", "0"}}},
                     {.title = "Figure 5: buffers of 16 MiB, writes",
                      .x = "delay_ms",
                      .y_axis = Drawing::Axis::logarithmic,
                      .lines = {"request_bytes", "queue_depth"},
                      .only = {{"operation", "write"},
                               {"window_bytes", "16M"},
                               {"loss_percent", "0"},
                               {"queue_frames", "4000"},
                               {"target_latency_us", "0"}}},
                     {.title = "Figure 6: loss, without delay",
                      .x = "loss_percent",
                      .y_axis = Drawing::Axis::logarithmic,
                      .lines = {"operation"},
                      .only = {{"delay_ms", "0"},
                               {"window_bytes", "16M"},
                               {"queue_frames", "4000"},
                               {"queue_depth", "4"},
                               {"request_bytes", "256K"}}},
                     {.title = "Figure 7: other traffic",
                      .x = "background_mbit",
                      .lines = {"operation"},
                      .only = {{"queue_frames", "200"}, {"priority", "none"}}},
                     {.title = "Figure 8: other traffic, storage first",
                      .x = "background_mbit",
                      .lines = {"operation"},
                      .only = {{"queue_frames", "200"}, {"priority", "storage"}}},
                     {.title = "Figures 7 and 8: turnaround of reads",
                      .x = "background_mbit",
                      .y = Measure::turnaround_mean_ns,
                      .lines = {"priority"},
                      .with_sockets = false,
                      .only = {{"queue_frames", "200"}, {"operation", "read"}}}},
    };
}

}  // namespace sanscope::lab
