// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/experiment_page.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <set>
#include <sys/utsname.h>
#include <thread>

#include "captures/experiment/comparison.h"
#include "captures/experiment/lab_process.h"
#include "captures/experiment/markup.h"

namespace sanscope::lab {
namespace {

// Of a file of "name : value" lines, the first value of this name; "" where there is none.
std::string value_in(const char* path, std::string_view name) {
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with(name)) continue;
        const size_t colon = line.find(':');
        const size_t begin =
            colon == std::string::npos ? std::string::npos : line.find_first_not_of(" \t", colon + 1);
        return begin == std::string::npos ? "" : line.substr(begin);
    }
    return "";
}

std::string iperf_version() {
    constexpr double patience_seconds = 5;
    const std::atomic<bool> never = false;
    const auto told = run_program("", "iperf3", {"--version"}, patience_seconds, never);
    return told ? told->substr(0, told->find('\n')) : "not installed";
}

constexpr std::string_view style =
    "body{font:15px/1.5 'DejaVu Sans',Helvetica,Arial,sans-serif;max-width:1240px;margin:2em auto;padding:0 "
    "1em;color:#222}"
    "h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}svg{max-width:100%;height:auto}"
    "table{border-collapse:collapse;font-size:13px}th,td{padding:3px 10px;text-align:right;border-bottom:1px "
    "solid #ddd}"
    "th{border-bottom:2px solid #555;vertical-align:bottom}dt{font-weight:bold}dd{margin:0 0 .4em 1.5em}";

// The document's own declaration has no place within another one.
std::string_view without_declaration(std::string_view svg) {
    const size_t begin = svg.find("<svg");
    return begin == std::string_view::npos ? svg : svg.substr(begin);
}

std::string definitions(const std::vector<std::pair<std::string, std::string>>& facts) {
    std::string text = "<dl>\n";
    for (const auto& [name, value] : facts)
        text += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escape_markup(name), escape_markup(value));
    return text + "</dl>\n";
}

// What an experiment varies, and what all its runs have in common.
std::vector<std::pair<std::string, std::string>> what_was_run(const PageContents& contents) {
    std::vector<std::pair<std::string, std::string>> facts;
    std::string same;
    for (const SettingColumn& column : setting_columns()) {
        std::vector<std::string> labels;
        for (const ResultRow& row : contents.rows) {
            if (!column.means_something_to(row.settings.load)) continue;
            const std::string label = column.text(row.settings);
            if (std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
        }
        if (labels.size() > 1) {
            facts.emplace_back(column.heading, fmt::format("{}", fmt::join(labels, ", ")));
        } else if (labels.size() == 1) {
            same += fmt::format("{}{}: {}", same.empty() ? "" : "; ", column.heading, labels.front());
        }
    }
    facts.emplace_back("the same in all runs", same);
    facts.emplace_back(
        "runs", fmt::format("{} s of load each, each of the settings {} times, interleaved, with fresh hosts",
                            contents.seconds, contents.repetitions));
    std::set<std::string> links;
    for (const RunRecord& record : contents.records) links.insert(record.link);
    facts.emplace_back("link",
                       fmt::format("{}, between network namespaces of one machine, without segmentation "
                                   "offload",
                                   fmt::join(links, ", ")));
    return facts;
}

}  // namespace

MachineFacts machine_facts(std::string_view version) {
    utsname kernel{};
    ::uname(&kernel);
    return {{"processors", fmt::format("{} × {}", std::thread::hardware_concurrency(),
                                       value_in("/proc/cpuinfo", "model name"))},
            {"memory", value_in("/proc/meminfo", "MemTotal")},
            {"kernel", fmt::format("{} {}", kernel.sysname, kernel.release)},
            {"sanscope", std::string(version)},
            {"iperf3", iperf_version()}};
}

std::string experiment_page(const PageContents& contents) {
    const Experiment& experiment = contents.experiment;
    std::string page = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
        "charset=\"utf-8\">\n<title>{0}</title>\n<style>{1}</style>\n"
        "</head>\n<body>\n<h1>{0}</h1>\n<p>After {2}.</p>\n<p>{3}</p>\n",
        escape_markup(experiment.title), style, escape_markup(experiment.source),
        escape_markup(experiment.method));
    page += fmt::format(
        "{}\n<p>Points are medians of the repetitions, whiskers go from the lowest to the highest.</p>\n",
        without_declaration(contents.figure));
    for (const std::string& sentence : contents.left_out)
        page += fmt::format("<p>{}</p>\n", escape_markup(sentence));
    page += claims_html(experiment.publication, contents.rows);
    page += published_values_html(experiment.publication, contents.rows);
    page += departures_html(experiment.departures);
    page += "<h2>Table</h2>\n<p>Medians, with the lowest and the highest in brackets.</p>\n" +
            table_html(experiment, contents.rows);
    page += "<h2>What was run</h2>\n" + definitions(what_was_run(contents));
    page += "<h2>On what</h2>\n" + definitions(contents.machine);
    return page + "</body>\n</html>\n";
}

}  // namespace sanscope::lab
