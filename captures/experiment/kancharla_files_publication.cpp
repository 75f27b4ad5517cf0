// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <fmt/format.h>

#include "captures/experiment/kancharla_files.h"

namespace sanscope::lab {
namespace {

struct Line {
    std::string_view delay;
    double rewrite_reno;  // KB/s
    double seeks_reno;    // a second
    double rewrite_fair;
    double seeks_fair;
};
constexpr std::array table_8{Line{"0", 1383, 65.8, 1633, 93.9}, Line{"2", 669, 65.4, 917, 82.7},
                             Line{"4", 484, 58.5, 591, 71.1},   Line{"6", 389, 54.5, 433, 63.7},
                             Line{"8", 322, 52.5, 341, 57.0},   Line{"10", 279, 42.0, 291, 47.1}};

std::vector<Condition> run(std::string_view pattern, std::string_view control, std::string_view delay) {
    return {{"pattern", {pattern}},
            {"congestion_control", {control}},
            {"delay_ms", {delay}},
            {"queue_depth", {"1"}}};
}

void add(std::vector<PublishedValue>& values, std::string_view control, std::string_view delay,
         double rewrites, double seeks) {
    // Each of its bytes is read and written, and each tenth seek is written again: what the load counts is both.
    constexpr double kilobyte_both_ways = 2 * 1024;
    constexpr double commands_of_a_seek = 1.1;
    values.push_back({"table 8", fmt::format("rewrite {:g} KB/s, read and written", rewrites),
                      run("rewrite", control, delay), Measure::bytes_per_second,
                      rewrites * kilobyte_both_ways});
    values.push_back({"table 8", fmt::format("{:g} seeks a second, 1.1 commands each", seeks),
                      run("seeks", control, delay), Measure::commands_per_second,
                      seeks * commands_of_a_seek});
}

Claim fair(std::string_view where, std::string_view statement, std::string_view pattern,
           std::string_view queue_depth, Measure measure, double least, double most) {
    return {.where = where,
            .statement = statement,
            .measure = measure,
            .among = {{"pattern", {pattern}}, {"queue_depth", {queue_depth}}},
            .subject = {{"congestion_control", {"fair"}}},
            .reference = {{"congestion_control", {"reno"}}},
            .least = least,
            .most = most};
}

constexpr double any = std::numeric_limits<double>::infinity();

}  // namespace

Publication kancharla_files_publication() {
    Publication publication;
    for (const Line& line : table_8) {
        add(publication.values, "reno", line.delay, line.rewrite_reno, line.seeks_reno);
        add(publication.values, "fair", line.delay, line.rewrite_fair, line.seeks_fair);
    }
    publication.claims = {fair("table 8", "Rewrites are faster with Fair-TCP (there by 5 to 35 %)", "rewrite",
                               "1", Measure::bytes_per_second, 1.05, any),
                          fair("table 8", "Seeks are faster with Fair-TCP (there by 10 to 40 %)", "seeks",
                               "1", Measure::commands_per_second, 1.1, any),
                          fair("figure 6", "So are the seeks of several processes, by 20 to 30 %", "seeks",
                               "3", Measure::commands_per_second, 1.2, any),
                          fair("figure 7", "Postmark takes 10 to 18 % longer with Reno", "postmark", "1",
                               Measure::bytes_per_second, 1.1, any),
                          fair("figure 8", "Of several processes of Postmark it takes 17 to 50 % longer",
                               "postmark", "5", Measure::bytes_per_second, 1.17, any),
                          {.where = "table 8",
                           .statement = "Rewrites slow down much with delay, to a fifth at 10 ms",
                           .measure = Measure::bytes_per_second,
                           .among = {{"pattern", {"rewrite"}}, {"queue_depth", {"1"}}},
                           .subject = {{"delay_ms", {"10"}}},
                           .reference = {{"delay_ms", {"0"}}},
                           .most = 0.3},
                          {.where = "table 8",
                           .statement = "… and seeks less, to a half or more",
                           .measure = Measure::commands_per_second,
                           .among = {{"pattern", {"seeks"}}, {"queue_depth", {"1"}}},
                           .subject = {{"delay_ms", {"10"}}},
                           .reference = {{"delay_ms", {"0"}}},
                           .least = 0.45}};
    return publication;
}

}  // namespace sanscope::lab
