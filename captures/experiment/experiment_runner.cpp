// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/experiment_runner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <utility>

#include "captures/experiment/experiment_page.h"
#include "captures/experiment/figure.h"
#include "captures/experiment/result_table.h"

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
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    if (!out) return Error{fmt::format("{}: cannot be written", path.string())};
    return std::monostate{};
}

}  // namespace

std::string run_label(const Experiment& experiment, const RunSettings& settings) {
    std::string label;
    for (const SettingColumn& column : setting_columns()) {
        const bool varied = std::ranges::any_of(experiment.sweeps, [&](const std::vector<Factor>& sweep) {
            return std::ranges::any_of(
                sweep, [&](const Factor& factor) { return factor.settings.front() == column.name; });
        });
        if (!varied || (settings.load == Load::socket && column.of_iscsi_only)) continue;
        label += fmt::format("{}{}", label.empty() ? "" : ", ", column.label(settings));
    }
    return label;
}

std::string dry_run_text(const ChosenExperiment& chosen, const std::vector<PlannedRun>& remaining) {
    const Experiment& experiment = *chosen.experiment;
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
        const auto measured = make_run(run, means, stop);
        if (stop) {
            tally.interrupted = true;
            return tally;
        }
        const double taken = std::chrono::duration<double>(Clock::now() - began).count();
        const double left =
            taken / static_cast<double>(i + 1) * static_cast<double>(remaining.size() - i - 1);
        const std::string label = run_label(*chosen.experiment, run.settings);
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
                           outcome_text(*chosen.experiment, *measured),
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
    const Experiment& experiment = *chosen.experiment;
    const auto rows = summarise(chosen.settings, records, chosen.seconds);
    const std::string svg = chart_svg(std::string(experiment.title), figure_panels(experiment, rows));
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
