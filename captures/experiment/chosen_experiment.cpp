// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/chosen_experiment.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace sanscope::lab {
namespace {

Result<std::vector<Selection>> selections(std::string_view option, const std::vector<std::string>& texts) {
    std::vector<Selection> all;
    for (const std::string& text : texts) {
        auto selection = parse_selection(text);
        if (!selection) return Error{fmt::format("{}: {}", option, selection.error().message)};
        all.push_back(std::move(*selection));
    }
    return all;
}

}  // namespace

Result<ChosenExperiment> choose(const Wishes& wishes) {
    const Experiment* const named = find_experiment(wishes.name);
    if (named == nullptr) return Error{fmt::format("'{}' is no experiment", wishes.name)};
    const auto given = selections("--set", wishes.set);
    if (!given) return given.error();
    const auto selected = selections("--only", wishes.only);
    if (!selected) return selected.error();
    auto experiment = with_values(*named, *given);
    if (!experiment) return Error{"--set: " + experiment.error().message};
    auto settings = settings_of(*experiment, *selected);
    if (!settings) return settings.error();
    if (settings->empty()) return Error{"--only: no run of this experiment has these settings"};
    const unsigned repetitions = wishes.repetitions > 0 ? wishes.repetitions : experiment->repetitions;
    if (settings->size() > most_runs / repetitions)
        return Error{fmt::format("these are more than {} runs", most_runs)};
    const double seconds = wishes.seconds > 0 ? wishes.seconds : experiment->seconds;
    return ChosenExperiment{std::move(*experiment), std::move(*settings), repetitions, seconds};
}

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

std::string duration_text(double seconds) {
    constexpr double minute = 60;
    if (seconds < 2 * minute) return fmt::format("{:.0f} s", seconds);
    return fmt::format("{:.0f} min", std::ceil(seconds / minute));
}

std::string plan_sentence(const ChosenExperiment& chosen, size_t remaining, size_t done,
                          bool records_packets) {
    const size_t all = chosen.settings.size() * chosen.repetitions;
    return fmt::format("{}: {} runs of {} s{}; about {}", chosen.experiment.name, remaining, chosen.seconds,
                       done == 0 ? "" : fmt::format(", {} of {} are done", done, all),
                       duration_text(estimated_seconds(remaining, chosen.seconds, records_packets)));
}

std::string dry_run_text(const ChosenExperiment& chosen, const std::vector<PlannedRun>& remaining,
                         size_t done, bool records_packets) {
    std::string text;
    for (size_t i = 0; i < remaining.size(); ++i) {
        text += fmt::format("{:4}  repetition {}  {}\n", i + 1, remaining[i].repetition,
                            run_label(chosen.experiment, remaining[i].settings));
    }
    return text + plan_sentence(chosen, remaining.size(), done, records_packets) + '\n';
}

}  // namespace sanscope::lab
