// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <fmt/format.h>
#include <utility>

#include "captures/experiment/kancharla.h"

namespace sanscope::lab {
namespace {

constexpr size_t delay_count = 6;
constexpr std::array<std::string_view, delay_count> delays{"0", "2", "4", "6", "8", "10"};

// By delay; the deviation also in percent of the mean, as printed.
struct Line {
    std::array<double, delay_count> means;
    std::array<double, delay_count> deviations;
    std::array<double, delay_count> percents;
};
struct Comparison {
    Line standard;  // TCP Reno with SACK
    Line fair;
};

// Segments.
constexpr Comparison table_5{
    {{17.0, 13.2, 13.6, 14.2, 14.5, 14.8}, {5.0, 4.3, 4.1, 4.1, 4.2, 4.1}, {29, 33, 30, 29, 29, 27}},
    {{16.4, 16.0, 15.7, 15.6, 15.6, 15.6}, {3.2, 3.4, 3.2, 3.2, 3.1, 3.1}, {19, 21, 20, 20, 20, 20}}};
// The publication gives no unit; rates and delays fit milliseconds.
constexpr Comparison table_6{
    {{208, 351, 450, 548, 642, 728}, {225, 265, 288, 332, 376, 378}, {108, 75, 64, 60, 60, 51}},
    {{102, 183, 310, 414, 414, 636}, {131, 117, 146, 182, 182, 225}, {127, 64, 47, 43, 43, 35}}};
constexpr Comparison table_7{
    {{52, 87, 116, 147, 172, 196}, {105, 140, 127, 147, 150, 139}, {201, 161, 110, 100, 87, 71}},
    {{56, 71, 103, 133, 160, 187}, {104, 82, 95, 99, 104, 103}, {186, 116, 92, 75, 65, 55}}};
// Thousands, of a file of 1 GB.
constexpr std::array<double, delay_count> table_4_standard{20.8, 26.5, 27.6, 27.4, 27.1, 26.7};
constexpr std::array<double, delay_count> table_4_fair{21.0, 21.4, 21.9, 21.3, 21.9, 21.6};

constexpr double segment_bytes = 1448;  // of an Ethernet frame of 1500 bytes, with timestamps
constexpr double ns_per_ms = 1e6;

struct Unit {
    std::string_view name;
    double in_base_units;
};

std::vector<Condition> settings(std::string_view operation, std::string_view control,
                                std::string_view connections, std::string_view delay) {
    return {{"operation", {operation}}, {"congestion_control", {control}}, {"connections", {connections}},
            {"loss_percent", {"2.7"}},  {"request_bytes", {"128K"}},       {"delay_ms", {delay}}};
}

struct Measures {
    Measure mean;
    Measure deviation;
    Measure percent;
};

void add(std::vector<PublishedValue>& values, std::string_view where, std::string_view operation,
         const Comparison& table, const Measures& measures, const Unit& unit) {
    const auto add_line = [&](std::string_view control, const Line& line) {
        for (size_t i = 0; i < delay_count; ++i) {
            const auto add_one = [&](Measure measure, std::string printed, double value) {
                values.push_back({where, std::move(printed), settings(operation, control, "4", delays[i]),
                                  measure, value});
            };
            add_one(measures.mean, fmt::format("mean {:g} {}", line.means[i], unit.name),
                    line.means[i] * unit.in_base_units);
            add_one(measures.deviation, fmt::format("SD {:g} {}", line.deviations[i], unit.name),
                    line.deviations[i] * unit.in_base_units);
            add_one(measures.percent, fmt::format("%SD {:g}", line.percents[i]), line.percents[i]);
        }
    };
    add_line("reno", table.standard);
    add_line("fair", table.fair);
}

void add_table_4(std::vector<PublishedValue>& values, std::string_view control,
                 const std::array<double, delay_count>& thousands) {
    for (size_t i = 0; i < delay_count; ++i) {
        values.push_back({"table 4", fmt::format("{:g} · 10³ of a file of 1 GB", thousands[i]),
                          settings("write", control, "4", delays[i]), Measure::retransmissions_per_gigabyte,
                          thousands[i] * 1e3});
    }
}

Claim fair_against_reno(std::string_view where, std::string_view statement, std::string_view operation,
                        Measure measure, double least, double most) {
    return {.where = where,
            .statement = statement,
            .measure = measure,
            .among = {{"operation", {operation}},
                      {"connections", {"4"}},
                      {"loss_percent", {"2.7"}},
                      {"request_bytes", {"128K"}}},
            .subject = {{"congestion_control", {"fair"}}},
            .reference = {{"congestion_control", {"reno"}}},
            .least = least,
            .most = most};
}

constexpr double any = std::numeric_limits<double>::infinity();

std::vector<Claim> claims() {
    std::vector<Claim> all{
        fair_against_reno("table 5", "The aggregate window of Fair-TCP is larger", "write",
                          Measure::window_mean_bytes, 1, any),
        fair_against_reno("table 5", "The aggregate window of Fair-TCP deviates less", "write",
                          Measure::window_sd_percent, 0, 1),
        fair_against_reno("table 4", "Fair-TCP retransmits less", "write",
                          Measure::retransmissions_per_gigabyte, 0, 1),
        fair_against_reno("table 6", "Writes are answered sooner with Fair-TCP", "write",
                          Measure::turnaround_mean_ns, 0, 1),
        fair_against_reno("table 6", "The turnaround of writes deviates less with Fair-TCP", "write",
                          Measure::turnaround_sd_percent, 0, 1),
        fair_against_reno("table 7", "Reads are answered sooner with Fair-TCP", "read",
                          Measure::turnaround_mean_ns, 0, 1),
        fair_against_reno("table 7", "The turnaround of reads deviates less with Fair-TCP", "read",
                          Measure::turnaround_sd_percent, 0, 1),
        fair_against_reno("figure 4", "Writes are faster with Fair-TCP at every delay", "write",
                          Measure::bytes_per_second, 1, any),
        fair_against_reno("figure 5", "Reads are faster with Fair-TCP, though not by much", "read",
                          Measure::bytes_per_second, 1, 1.25)};
    all.push_back({.where = "§2.1",
                   .statement = "Connections that share their window differ less than those that compete",
                   .measure = Measure::window_difference_sd_bytes,
                   .among = {{"connections", {"2", "4"}}, {"loss_percent", {"2.7"}}},
                   .subject = {{"congestion_control", {"fair"}}},
                   .reference = {{"congestion_control", {"reno"}}},
                   .most = 0.75});
    all.push_back({.where = "§4.1",
                   .statement = "Throughput falls fast with delay",
                   .measure = Measure::bytes_per_second,
                   .among = {{"connections", {"4"}}, {"loss_percent", {"2.7"}}},
                   .subject = {{"delay_ms", {"10"}}},
                   .reference = {{"delay_ms", {"0"}}},
                   .most = 0.5});
    all.push_back({.where = "figures 4 and 5",
                   .statement = "The block size matters little",
                   .measure = Measure::bytes_per_second,
                   .among = {{"connections", {"4"}}, {"loss_percent", {"2.7"}}},
                   .subject = {{"request_bytes", {"8K"}}, {"queue_depth", {"32"}}},
                   .reference = {{"request_bytes", {"128K"}}, {"queue_depth", {"2"}}},
                   .least = 0.8,
                   .most = 1.25});
    return all;
}

}  // namespace

Publication kancharla_publication() {
    Publication publication;
    std::vector<PublishedValue>& values = publication.values;
    add_table_4(values, "reno", table_4_standard);
    add_table_4(values, "fair", table_4_fair);
    const Measures windows{Measure::window_mean_bytes, Measure::window_sd_bytes, Measure::window_sd_percent};
    const Measures turnaround{Measure::turnaround_mean_ns, Measure::turnaround_sd_ns,
                              Measure::turnaround_sd_percent};
    add(values, "table 5", "write", table_5, windows, {"segments", segment_bytes});
    add(values, "table 6", "write", table_6, turnaround, {"(ms)", ns_per_ms});
    add(values, "table 7", "read", table_7, turnaround, {"(ms)", ns_per_ms});
    values.push_back(
        {"§2.1", "mean 0", settings("write", "reno", "2", "4"), Measure::window_difference_mean_bytes, 0});
    values.push_back({"§2.1", "SD 3.06 segments", settings("write", "reno", "2", "4"),
                      Measure::window_difference_sd_bytes, 3.06 * segment_bytes});
    publication.claims = claims();
    return publication;
}

}  // namespace sanscope::lab
