// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/experiment_runner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

#include "captures/experiment/experiment_page.h"
#include "captures/experiment/figure.h"
#include "captures/experiment/result_table.h"
#include "captures/experiment/window_trace.h"

namespace sanscope::lab {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t most_failures_in_a_row = 3;

std::string duration_text(double seconds) {
    constexpr double minute = 60;
    if (seconds < 2 * minute) return fmt::format("{:.0f} s", seconds);
    return fmt::format("{:.0f} min", std::ceil(seconds / minute));
}

std::string outcome_text(const Experiment& experiment, const Measurement& measured) {
    std::string text;
    for (const Measure measure : experiment.measured) {
        const auto& value = measured[measure];
        const MeasureInfo& info = measure_info(measure);
        if (value) {
            text += fmt::format("{}{} {:.{}f}", text.empty() ? "" : "; ", info.heading, *value / info.scale,
                                info.decimals);
        }
        constexpr size_t enough = 60;
        if (text.size() > enough) break;
    }
    return text;
}

Result<std::monostate> write_file(const std::filesystem::path& path, std::string_view text) {
    // What was there before stays until all of it is written.
    const std::filesystem::path unfinished = path.string() + ".new";
    std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    std::error_code error;
    if (out) std::filesystem::rename(unfinished, path, error);
    if (out && !error) return std::monostate{};
    std::filesystem::remove(unfinished, error);
    return Error{fmt::format("{}: cannot be written; all runs that are done are in runs.csv", path.string())};
}

bool is_traced(const Experiment& experiment, const RunSettings& settings) {
    return !experiment.traced.empty() && settings.load == Load::iscsi && fulfil(settings, experiment.traced);
}

// In a folder of its own, after what tells the run from others.
std::filesystem::path trace_path(const std::filesystem::path& folder, const Experiment& experiment,
                                 const RunSettings& settings) {
    std::string name = run_label(experiment, settings);
    std::ranges::replace_if(
        name, [](char c) { return !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.'); }, '-');
    return folder / "windows" / (name + ".csv");
}

// One that is missing or cut off is left out: its run is to be made again for it.
void add_traces(const ChosenExperiment& chosen, const std::filesystem::path& folder,
                std::vector<ChartPanel>& panels) {
    for (const RunSettings& settings : chosen.settings) {
        if (!is_traced(chosen.experiment, settings)) continue;
        std::ifstream in(trace_path(folder, chosen.experiment, settings), std::ios::binary);
        const auto samples = parse_window_trace(std::string(std::istreambuf_iterator<char>(in), {}));
        if (!samples || samples->empty()) continue;
        panels.push_back(window_panel(fmt::format("{}, {}, {} ms", chosen.experiment.traced_title,
                                                  settings.congestion_control, settings.delay_ms),
                                      *samples));
    }
}

}  // namespace

std::string run_label(const Experiment& experiment, const RunSettings& settings) {
    std::string label;
    for (const SettingColumn& column : setting_columns()) {
        const bool varied = std::ranges::any_of(experiment.sweeps, [&](const std::vector<Factor>& sweep) {
            return std::ranges::any_of(
                sweep, [&](const Factor& factor) { return factor.settings.front() == column.name; });
        });
        if (!varied || !column.means_something_to(settings.load)) continue;
        label += fmt::format("{}{}", label.empty() ? "" : ", ", column.label(settings));
    }
    return label;
}

std::vector<std::string> leave_out(std::vector<PlannedRun>& remaining, std::string_view available) {
    if (available.empty()) return {};
    const std::string words = fmt::format(" {} ", available);
    std::map<std::string, size_t> runs;
    std::erase_if(remaining, [&](const PlannedRun& run) {
        const std::string& name = run.settings.congestion_control;
        if (words.find(fmt::format(" {} ", name)) != std::string::npos) return false;
        ++runs[name];
        return true;
    });
    std::vector<std::string> sentences;
    for (const auto& [name, count] : runs) {
        sentences.push_back(fmt::format(
            "{} is no congestion control of this kernel now, and {} run{} left out; {}", name, count,
            count == 1 ? " is" : "s are",
            name == "fair" ? "`sanscope fair-tcp start` registers it"
                           : fmt::format("`modprobe tcp_{}` loads it where there is such a module", name)));
    }
    return sentences;
}

std::string dry_run_text(const ChosenExperiment& chosen, const std::vector<PlannedRun>& remaining) {
    const Experiment& experiment = chosen.experiment;
    std::string text;
    for (size_t i = 0; i < remaining.size(); ++i) {
        text += fmt::format("{:4}  repetition {}  {}\n", i + 1, remaining[i].repetition,
                            run_label(experiment, remaining[i].settings));
    }
    const size_t all = chosen.settings.size() * chosen.repetitions;
    const std::string done =
        remaining.size() == all ? "" : fmt::format(", {} of {} are done", all - remaining.size(), all);
    text += fmt::format(
        "{}: {} runs of {} s{}; about {}\n", experiment.name, remaining.size(), chosen.seconds, done,
        duration_text(estimated_seconds(remaining.size(), chosen.seconds, experiment.records_packets)));
    return text;
}

Result<RunTally> make_runs(const ChosenExperiment& chosen, const std::vector<PlannedRun>& remaining,
                           const RunMeans& means, RunRecordFile& file, const std::atomic<bool>& stop,
                           const std::function<void(std::string_view)>& report) {
    RunTally tally;
    size_t in_a_row = 0;
    const auto began = Clock::now();
    for (size_t i = 0; i < remaining.size(); ++i) {
        const PlannedRun& run = remaining[i];
        RunMeans of_run = means;
        if (run.repetition == 1 && is_traced(chosen.experiment, run.settings))
            of_run.window_trace = trace_path(means.scratch, chosen.experiment, run.settings);
        const auto measured = make_run(run, of_run, stop);
        if (stop) {
            tally.interrupted = true;
            return tally;
        }
        const double taken = std::chrono::duration<double>(Clock::now() - began).count();
        const double left =
            taken / static_cast<double>(i + 1) * static_cast<double>(remaining.size() - i - 1);
        const std::string label = run_label(chosen.experiment, run.settings);
        if (!measured) {
            report(fmt::format("{:4}/{}  {}: failed: {}", i + 1, remaining.size(), label,
                               measured.error().message));
            ++tally.failed;
            if (++in_a_row == most_failures_in_a_row) return tally;
            continue;
        }
        in_a_row = 0;
        ++tally.done;
        report(fmt::format("{:4}/{}  {}: {}{}", i + 1, remaining.size(), label,
                           outcome_text(chosen.experiment, *measured),
                           left > 0 ? fmt::format("  ({} left)", duration_text(left)) : ""));
        const auto kept = file.append({run, std::string(link_name(means.link)), means.seconds, *measured});
        if (!kept) return kept.error();
    }
    return tally;
}

Result<std::vector<std::string>> write_results(const ChosenExperiment& chosen,
                                               const std::vector<RunRecord>& records,
                                               const std::filesystem::path& folder,
                                               std::string_view version) {
    const Experiment& experiment = chosen.experiment;
    const auto rows = summarise(chosen.settings, records, chosen.seconds);
    auto panels = figure_panels(experiment, rows);
    add_traces(chosen, folder, panels);
    const std::string svg = chart_svg(std::string(experiment.title), panels);
    const std::vector<std::pair<std::string, std::string>> files{
        {"table.csv", table_csv(experiment, rows)},
        {"table.md", table_markdown(experiment, rows)},
        {"figure.svg", svg},
        {"page.html", experiment_page({.experiment = experiment,
                                       .rows = rows,
                                       .records = records,
                                       .repetitions = chosen.repetitions,
                                       .seconds = chosen.seconds,
                                       .figure = svg,
                                       .left_out = chosen.left_out,
                                       .machine = machine_facts(version)})}};
    std::vector<std::string> written;
    for (const auto& [name, text] : files) {
        if (const auto done = write_file(folder / name, text); !done) return done.error();
        written.push_back(name);
    }
    constexpr double patience_seconds = 30;
    const std::atomic<bool> never = false;
    const std::string png = (folder / "figure.png").string();
    const auto drawn =
        run_program("", "rsvg-convert", {"--zoom", "2", "-o", png, (folder / "figure.svg").string()},
                    patience_seconds, never);
    if (drawn) written.emplace_back("figure.png");
    return written;
}

}  // namespace sanscope::lab
