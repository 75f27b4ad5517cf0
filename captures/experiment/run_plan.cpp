// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/run_plan.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <random>
#include <set>
#include <utility>

namespace sanscope::lab {
namespace {

bool is_selected(const RunSettings& settings, const std::vector<Selection>& selected) {
    return std::ranges::all_of(selected, [&](const Selection& one) {
        if (!one.setting->means_something_to(settings.load)) return true;
        return std::ranges::find(one.values, one.setting->text(settings)) != one.values.end();
    });
}

Result<std::vector<RunSettings>> vary(const std::vector<RunSettings>& before, const Factor& factor) {
    std::vector<RunSettings> after;
    if (before.size() > most_combinations / std::max<size_t>(1, factor.values.size()))
        return Error{fmt::format("these are more than {} combinations of settings", most_combinations)};
    for (const RunSettings& settings : before) {
        for (const std::string& value : factor.values) {
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

bool is_given(std::string_view name, const std::vector<Selection>& given) {
    return std::ranges::any_of(given, [&](const Selection& one) { return one.setting->name == name; });
}

// In place of the factor that has this setting, or as one more.
void put_into(std::vector<Factor>& sweep, const Selection& one, const std::vector<Selection>& given) {
    const std::string_view name = one.setting->name;
    const auto has_it = [&](const Factor& factor) {
        return std::ranges::find(factor.settings, name) != factor.settings.end();
    };
    const auto found = std::ranges::find_if(sweep, has_it);
    if (found == sweep.end()) {
        sweep.push_back({{name}, one.values});
        return;
    }
    const auto given_settings = std::ranges::count_if(
        found->settings, [&](std::string_view setting) { return is_given(setting, given); });
    if (given_settings == 1) {
        found->values = one.values;
        return;
    }
    std::erase(found->settings, name);
    const Factor its_own{{name}, one.values};
    if (found->settings.empty()) {
        *found = its_own;
    } else {
        sweep.push_back(its_own);
    }
}

// A condition on a setting that now has other values would leave nothing; several of them need a line each.
void follow(Drawing& drawing, const Selection& one) {
    const std::string_view name = one.setting->name;
    std::erase_if(drawing.only, [&](const auto& condition) { return condition.first == name; });
    if (one.values.size() > 1 && drawing.x != name &&
        std::ranges::find(drawing.lines, name) == drawing.lines.end())
        drawing.lines.push_back(name);
}

std::optional<Error> contradiction(const RunSettings& settings) {
    if (settings.load == Load::iscsi && settings.connections > most_iscsi_connections) {
        return Error{fmt::format("'connections' cannot be {} of iSCSI: an initiator's session has {} at most",
                                 settings.connections, most_iscsi_connections)};
    }
    if (settings.priority == Priority::storage && settings.rate_mbit <= 0)
        return Error{"'priority' cannot be storage on a link without a rate: nothing waits there"};
    if (settings.load == Load::iscsi && settings.pattern != Pattern::sequential && settings.targets > 1)
        return Error{"'pattern' can be sequential alone where there are several targets"};
    return std::nullopt;
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
        if (!column->set(settings, value)) {
            return Error{
                fmt::format("'{}' cannot be '{}'; it takes {}", column->name, value, column->bounds())};
        }
        selection.values.push_back(column->text(settings));
        if (value.size() == text.size()) return selection;
        text.remove_prefix(value.size() + 1);
    }
}

Result<Experiment> with_values(Experiment experiment, const std::vector<Selection>& given) {
    for (auto one = given.begin(); one != given.end(); ++one) {
        if (std::ranges::find(given.begin(), one, one->setting, &Selection::setting) != one)
            return Error{fmt::format("'{}' is given twice", one->setting->name)};
        for (std::vector<Factor>& sweep : experiment.sweeps) put_into(sweep, *one, given);
        for (Drawing& drawing : experiment.drawings) follow(drawing, *one);
    }
    return experiment;
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
            if (!is_selected(settings, selected) || !seen.insert(settings_text(settings)).second) continue;
            if (auto wrong = contradiction(settings)) return *wrong;
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
