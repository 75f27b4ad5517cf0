// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/run_plan.h"

#include <algorithm>
#include <fmt/format.h>
#include <random>
#include <set>
#include <utility>

namespace sanscope::lab {
namespace {

bool is_selected(const RunSettings& settings, const std::vector<Selection>& selected) {
    return std::ranges::all_of(selected, [&](const Selection& one) {
        if (settings.load == Load::socket && one.setting->of_iscsi_only) return true;
        return std::ranges::find(one.values, one.setting->text(settings)) != one.values.end();
    });
}

Result<std::vector<RunSettings>> vary(const std::vector<RunSettings>& before, const Factor& factor) {
    std::vector<RunSettings> after;
    for (const RunSettings& settings : before) {
        for (const std::string_view value : factor.values) {
            RunSettings& varied = after.emplace_back(settings);
            for (const std::string_view name : factor.settings) {
                const SettingColumn* const column = find_setting(name);
                if (column == nullptr || !column->set(varied, value))
                    return Error{fmt::format("'{}' cannot be {}", name, value)};
            }
        }
    }
    return after;
}

}  // namespace

Result<Selection> parse_selection(std::string_view text) {
    const size_t equals = text.find('=');
    const SettingColumn* const column = find_setting(text.substr(0, equals));
    if (equals == std::string_view::npos || column == nullptr) {
        std::string names;
        for (const SettingColumn& one : setting_columns())
            names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
        return Error{fmt::format("'{}' is no SETTING=VALUE[,VALUE…]; settings are {}", text, names)};
    }
    Selection selection{column, {}};
    text.remove_prefix(equals + 1);
    while (true) {
        const std::string_view value = text.substr(0, text.find(','));
        RunSettings settings;
        if (!column->set(settings, value))
            return Error{fmt::format("'{}' cannot be '{}'", column->name, value)};
        selection.values.push_back(column->text(settings));
        if (value.size() == text.size()) return selection;
        text.remove_prefix(value.size() + 1);
    }
}

Result<std::vector<RunSettings>> settings_of(const Experiment& experiment,
                                             const std::vector<Selection>& selected) {
    std::vector<RunSettings> all;
    std::set<std::string> seen;
    for (const std::vector<Factor>& sweep : experiment.sweeps) {
        std::vector<RunSettings> combinations{experiment.base};
        for (const Factor& factor : sweep) {
            auto varied = vary(combinations, factor);
            if (!varied) return varied.error();
            combinations = std::move(*varied);
        }
        for (RunSettings& settings : combinations) {
            if (is_selected(settings, selected) && seen.insert(settings_text(settings)).second)
                all.push_back(std::move(settings));
        }
    }
    return all;
}

std::vector<PlannedRun> plan_runs(const std::vector<RunSettings>& settings, unsigned repetitions) {
    std::vector<PlannedRun> plan;
    for (unsigned repetition = 1; repetition <= repetitions; ++repetition) {
        const size_t begin = plan.size();
        for (const RunSettings& one : settings) plan.push_back({one, repetition});
        // std::shuffle may differ from library to library.
        std::mt19937_64 random(repetition);
        for (size_t left = settings.size(); left > 1; --left)
            std::swap(plan[begin + left - 1], plan[begin + random() % left]);
    }
    return plan;
}

double estimated_seconds(size_t runs, double seconds_of_load, bool records_packets) {
    constexpr double to_build_hosts = 1.2;
    constexpr double to_record_and_analyse = 1.8;
    return static_cast<double>(runs) *
           (seconds_of_load + to_build_hosts + (records_packets ? to_record_and_analyse : 0));
}

}  // namespace sanscope::lab
