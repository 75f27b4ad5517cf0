// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/zhu.h"

namespace sanscope::lab {
namespace {

constexpr double megabit = 1e6 / 8;  // bytes

// Small windows, as of TCP that nobody tuned, over the long path.
std::vector<Condition> parallel(std::string_view sockets) {
    return {{"load", {"socket"}},
            {"operation", {"write"}},
            {"delay_ms", {"26"}},
            {"window_bytes", {"64K"}},
            {"connections", {sockets}}};
}

std::vector<Condition> storage(std::string_view operation) {
    return {{"load", {"iscsi"}},       {"operation", {operation}}, {"delay_ms", {"0.05"}},
            {"request_bytes", {"8K"}}, {"window_bytes", {"32M"}},  {"mtu", {"9000"}}};
}

Claim of_sockets(std::string_view where, std::string_view statement, Measure measure,
                 std::string_view subject, std::string_view reference, double least, double most) {
    return {.where = where,
            .statement = statement,
            .measure = measure,
            .among = {{"load", {"socket"}}, {"delay_ms", {"26"}}, {"window_bytes", {"64K"}}},
            .subject = {{"connections", {subject}}},
            .reference = {{"connections", {reference}}},
            .least = least,
            .most = most};
}

Claim of_blast(std::string_view where, std::string_view statement, Measure measure, std::string_view sockets,
               double least, double most) {
    return {.where = where,
            .statement = statement,
            .measure = measure,
            .among = {{"delay_ms", {"26"}}, {"operation", {"write"}}},
            .subject = {{"load", {"blast"}}, {"blast_mbit", {"190"}}},  // below the rate of the link
            .reference = {{"load", {"socket"}}, {"window_bytes", {"64K"}}, {"connections", {sockets}}},
            .least = least,
            .most = most};
}

constexpr double any = std::numeric_limits<double>::infinity();

}  // namespace

// The text has rates in Mbit/s in §2 and MB/s ("MBps") in §3; most are in the figures alone.
Publication zhu_publication() {
    const Condition near_storage{"delay_ms", {"0.05"}};
    const Condition iscsi{"load", {"iscsi"}};
    const Condition small_requests{"request_bytes", {"512", "1K", "2K", "4K", "8K"}};
    return {
        .values =
            {{"§2.4", "TCP: 5.37 Mbit/s", parallel("1"), Measure::bytes_per_second, 5.37 * megabit},
             {"§2.4", "Psockets: 875 Mbit/s at most (8 sockets are held for the best)", parallel("8"),
              Measure::bytes_per_second, 875 * megabit},
             {"§2.3.4", "256 sockets: about 600 Mbit/s", parallel("256"), Measure::bytes_per_second,
              600 * megabit},
             {"figure 11", "reads: about 120 MB/s at most", storage("read"), Measure::bytes_per_second,
              120e6},
             {"figure 12", "writes: about 120 MB/s at most", storage("write"), Measure::bytes_per_second,
              120e6},
             {"§2.4",
              "RBUDP: 837 Mbit/s",
              {{"load", {"blast"}}, {"operation", {"write"}}, {"delay_ms", {"26"}}, {"blast_mbit", {"190"}}},
              Measure::bytes_per_second,
              837 * megabit}},
        .claims = {{.where = "figure 4",
                    .statement = "TCP that is not tuned drops to a small part of its rate over the long path",
                    .measure = Measure::bytes_per_second,
                    .among = {{"load", {"socket"}}, {"connections", {"1"}}, {"window_bytes", {"64K"}}},
                    .subject = {{"delay_ms", {"26"}}},
                    .reference = {near_storage},
                    .most = 0.1},
                   of_sockets("§2.4", "Parallel sockets make up for small windows", Measure::bytes_per_second,
                              "8", "1", 4, any),
                   of_sockets("§2.3.4", "256 sockets are slower than 8", Measure::bytes_per_second, "256",
                              "8", 0, 1),
                   of_sockets("§2.3.4", "The rate is not proportional to the number of sockets",
                              Measure::bytes_per_second, "256", "1", 0, 200),
                   of_sockets("figure 8", "Parallel sockets reach their rate sooner than one",
                              Measure::to_ninety_ns, "8", "1", 0, 1),
                   of_sockets("figure 3", "Parallel sockets take more of the processor than one",
                              Measure::initiator_processor_percent, "8", "1", 1, any),
                   {.where = "§2.3.2",
                    .statement = "A blast that repairs what was lost is slower over the long path",
                    .measure = Measure::bytes_per_second,
                    .among = {{"load", {"blast"}}},
                    .subject = {{"delay_ms", {"26"}}},
                    .reference = {near_storage},
                    .most = 1},
                   of_blast("§2.3.4", "Over the long path a blast is slower than 8 sockets",
                            Measure::bytes_per_second, "8", 0, 1),
                   of_blast("§2.3.4", "A blast has its rate at once", Measure::to_ninety_ns, "8", 0, 1),
                   of_blast("figure 3", "A blast takes more of its sender's processor than TCP",
                            Measure::initiator_processor_percent, "1", 1, any),
                   {.where = "figure 8",
                    .statement = "Over the long path it takes longer to reach the rate",
                    .measure = Measure::to_ninety_ns,
                    .among = {{"load", {"socket"}}},
                    .subject = {{"delay_ms", {"26"}}},
                    .reference = {near_storage},
                    .least = 1},
                   {.where = "figures 6 and 7",
                    .statement = "… and more data",
                    .measure = Measure::bytes_to_ninety,
                    .among = {{"load", {"socket"}}},
                    .subject = {{"delay_ms", {"26"}}},
                    .reference = {near_storage},
                    .least = 1},
                   {.where = "§3.3.4",
                    .statement = "The I/O size matters little",
                    .measure = Measure::bytes_per_second,
                    .among = {iscsi, near_storage},
                    .subject = {{"request_bytes", {"512"}}},
                    .reference = {{"request_bytes", {"8K"}}},
                    .least = 0.8,
                    .most = 1.25},
                   {.where = "§3.3.1",
                    .statement = "The largest socket buffers gain nothing over the default ones",
                    .measure = Measure::bytes_per_second,
                    .among = {iscsi, near_storage, small_requests},
                    .subject = {{"window_bytes", {"32M"}}},
                    .reference = {{"window_bytes", {"256K"}}},
                    .least = 0.9,
                    .most = 1.05},
                   {.where = "§3.3.2",
                    .statement = "Frames of 9 KB are faster than those of 1.5 KB (there by about 10 MB/s)",
                    .measure = Measure::bytes_per_second,
                    .among = {iscsi, near_storage, small_requests},
                    .subject = {{"mtu", {"9000"}}},
                    .reference = {{"mtu", {"1500"}}},
                    .least = 1.02}}};
}

}  // namespace sanscope::lab
