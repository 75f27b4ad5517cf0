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
    const Factor writes{{"operation"}, {"write"}};
    const Factor written{{"pdu_bytes", "request_bytes"}, {"32K", "1M"}};
    return {
        .name = "oguchi-fig6-7",
        .title = "Sequential reads over a path with delay: PDU size",
        .source =
            "M. Oguchi, S. Yamaguchi, M. Kitsuregawa: Performance Improvement of Sequential Access to "
            "IP-Storage using IP-SAN analysis tools; figures 6 and 7",
        .method =
            "One command at a time, each answered in one PDU: request size and PDU size are the same, "
            "the queue depth is 1. Besides, 1 MiB is read with eight commands at once, as today's "
            "initiators do, and 32 KiB and 1 MiB are written. The plain socket's line is iperf3's, in "
            "the same direction. Socket buffers tune themselves up to 32 MiB, so that no TCP window is "
            "the limit.",
        .departures =
            {{"The largest PDU is 512 bytes short of 16 MiB",
              "a data segment is at most 2^24 − 1 bytes long (RFC 7143 §11.7), and this is the largest "
              "one of whole blocks"},
             {"The link has 200 Mbit/s", "a machine of two processors passes on no more frame by frame"},
             {"Data are in memory; theirs were on disks", "only the protocol and the network are to be seen"},
             {"The receive window has up to 32 MiB; theirs had 2 MB",
              "with it, no TCP window is the limit at any delay"},
             {"Their driver's line (500 KB at a time, in commands of 32 KiB) is that of 32 KiB here",
              "it sends the same commands, one after the other"},
             {"Eight commands at once and writes are measured besides", "they are what is used today"}},
        .publication = oguchi_publication(),
        .base = base,
        .sweeps = {{delays, pdus},
                   {{{"load"}, {"socket"}}, delays},
                   {at_once, eight_large, delays},
                   {writes, delays, written},
                   {writes, {{"load"}, {"socket"}}, delays}},
        .seconds = 5,
        .measured = {Measure::bytes_per_second, Measure::turnaround_mean_ns, Measure::turnaround_sd_ns,
                     Measure::turnaround_sd_percent, Measure::initiator_processor_percent,
                     Measure::target_processor_percent},
        .drawings =
            {{.title = "Figures 6 and 7: throughput against delay",
              .x = "delay_ms",
              .lines = {"pdu_bytes"},
              .only = {{"queue_depth", "1"}, {"operation", "read"}}},
             {.title = "The same against PDU size",
              .x = "pdu_bytes",
              .x_axis = Drawing::Axis::sizes,
              .lines = {"delay_ms"},
              .with_sockets = false,
              .only = {{"queue_depth", "1"}, {"operation", "read"}}},
             {.title = "1 MiB: one command at a time, and eight",
              .x = "delay_ms",
              .lines = {"queue_depth"},
              .only = {{"pdu_bytes", "1M"}, {"operation", "read"}}},
             {.title = "Writes", .x = "delay_ms", .lines = {"pdu_bytes"}, .only = {{"operation", "write"}}}},
    };
}

}  // namespace sanscope::lab
