// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/experiment_runner.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <utility>

#include "captures/experiment/experiment_page.h"
#include "captures/experiment/figure.h"
#include "captures/experiment/result_folder.h"
#include "captures/experiment/result_table.h"
#include "captures/experiment/run_capture.h"
#include "captures/experiment/window_trace.h"

namespace sanscope::lab {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t most_failures_in_a_row = 3;

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

bool lacks_packet_measures(const RunSettings& settings, const Measurement& measured) {
    return settings.load == Load::iscsi && !measured[Measure::retransmissions];
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
std::filesystem::path trace_path(const std::filesystem::path& folder, const ChosenExperiment& chosen,
                                 const RunSettings& settings) {
    std::string name = run_label(chosen.experiment, settings);
    // Runs of another length are other runs.
    if (chosen.seconds != chosen.experiment.seconds) name += fmt::format("-{}s", chosen.seconds);
    std::ranges::replace_if(
        name, [](char c) { return !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.'); }, '-');
    return folder / "windows" / (name + ".csv");
}

// One that is missing or cut off is left out: its run is to be made again for it.
void add_traces(const ChosenExperiment& chosen, const std::filesystem::path& folder,
                std::vector<ChartPanel>& panels) {
    for (const RunSettings& settings : chosen.settings) {
        if (!is_traced(chosen.experiment, settings)) continue;
        std::ifstream in(trace_path(folder, chosen, settings), std::ios::binary);
        const auto samples = parse_window_trace(std::string(std::istreambuf_iterator<char>(in), {}));
        if (!samples || samples->empty()) continue;
        panels.push_back(window_panel(fmt::format("{}, {}, {} ms", chosen.experiment.traced_title,
                                                  settings.congestion_control, settings.delay_ms),
                                      *samples));
    }
}

}  // namespace

Result<RunTally> make_runs(const ChosenExperiment& chosen, const std::vector<PlannedRun>& remaining,
                           const RunMeans& means, bool keep_captures, RunRecordFile& file,
                           const std::atomic<bool>& stop, const std::function<void(const RunNews&)>& tell) {
    RunTally tally;
    size_t in_a_row = 0;
    const auto began = Clock::now();
    const std::filesystem::path captures = means.scratch / captures_folder;
    if (keep_captures) {
        if (const auto made = make_folder(captures); !made) return made.error();
    }
    for (size_t i = 0; i < remaining.size(); ++i) {
        const PlannedRun& run = remaining[i];
        RunNews news{.kind = RunNews::Kind::begins,
                     .number = i + 1,
                     .of = remaining.size(),
                     .label = run_label(chosen.experiment, run.settings),
                     .repetition = run.repetition};
        tell(news);
        RunMeans of_run = means;
        if (run.repetition == 1 && is_traced(chosen.experiment, run.settings))
            of_run.window_trace = trace_path(means.scratch, chosen, run.settings);
        const std::string name = capture_name(run, means.seconds);
        const bool kept = keep_captures && run.settings.load == Load::iscsi;
        // Of a run that is not among the records.
        std::error_code error;
        std::filesystem::remove(captures / name, error);
        if (kept) of_run.capture = captures / name;
        const auto measured = make_run(run, of_run, stop);
        if (stop) {
            std::filesystem::remove(captures / name, error);
            tally.interrupted = true;
            return tally;
        }
        const double taken = std::chrono::duration<double>(Clock::now() - began).count();
        news.seconds_left =
            taken / static_cast<double>(i + 1) * static_cast<double>(remaining.size() - i - 1);
        if (!measured) {
            news.kind = RunNews::Kind::failed;
            news.text = measured.error().message;
            tell(news);
            ++tally.failed;
            if (++in_a_row == most_failures_in_a_row) return tally;
            continue;
        }
        in_a_row = 0;
        if (const auto written =
                file.append({run, std::string(link_name(means.link)), means.seconds, *measured});
            !written) {
            std::filesystem::remove(captures / name, error);
            return written.error();
        }
        ++tally.done;
        news.kind = RunNews::Kind::done;
        news.text = outcome_text(chosen.experiment, *measured);
        if (means.records_packets && lacks_packet_measures(run.settings, *measured))
            news.text += "; packets were dropped while they were recorded: what they show is left out";
        if (kept) news.capture = name;
        tell(news);
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
    const std::filesystem::path png = folder / "figure.png";
    const std::filesystem::path unfinished = folder / "figure.png.new";
    const auto drawn = run_program(
        "", "rsvg-convert", {"--zoom", "2", "-o", unfinished.string(), (folder / "figure.svg").string()},
        patience_seconds, never);
    std::error_code error;
    if (drawn) std::filesystem::rename(unfinished, png, error);
    if (drawn && !error) {
        written.emplace_back("figure.png");
    } else {
        // One of fewer runs would stand beside the tables of all.
        for (const auto& one : {unfinished, png}) std::filesystem::remove(one, error);
    }
    return written;
}

}  // namespace sanscope::lab
