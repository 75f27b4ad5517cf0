// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/load_outcome.h"

#include <cmath>
#include <fmt/format.h>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace sanscope::lab {
namespace {

using Json = nlohmann::json;

// Nested deeper than anything expected, a text could exhaust the stack of whoever walks through it.
constexpr int deepest = 32;

Json parse(std::string_view text) {
    const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth < deepest; };
    return Json::parse(text.begin(), text.end(), shallow, false);
}

const Json* member(const Json& object, std::initializer_list<const char*> path) {
    const Json* at = &object;
    for (const char* const name : path) {
        if (!at->is_object()) return nullptr;
        const auto found = at->find(name);
        if (found == at->end()) return nullptr;
        at = &*found;
    }
    return at;
}

std::optional<double> number(const Json& object, std::initializer_list<const char*> path) {
    const Json* const found = member(object, path);
    if (found == nullptr || !found->is_number()) return std::nullopt;
    const auto value = found->get<double>();
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

Result<Measurement> parse_generate_outcome(std::string_view text) {
    const Json json = parse(text);
    const auto errors = number(json, {"errors"});
    const auto commands = number(json, {"commands"});
    const auto rate = number(json, {"bytes_per_second"});
    if (!errors || !commands || !rate) return Error{"the load did not tell what it did"};
    if (*errors > 0) return Error{fmt::format("{} commands of the load failed", *errors)};
    if (*commands == 0) return Error{"no command of the load was answered"};
    Measurement measured;
    measured[Measure::bytes_per_second] = rate;
    measured[Measure::commands_per_second] = number(json, {"commands_per_second"});
    measured[Measure::turnaround_mean_ns] = number(json, {"turnaround_ns", "mean"});
    measured[Measure::turnaround_sd_ns] = number(json, {"turnaround_ns", "stddev"});
    measured[Measure::turnaround_p99_ns] = number(json, {"turnaround_ns", "p99"});
    const auto& mean = measured[Measure::turnaround_mean_ns];
    const auto& sd = measured[Measure::turnaround_sd_ns];
    constexpr double percent = 100;
    if (mean && sd && *mean > 0) measured[Measure::turnaround_sd_percent] = percent * *sd / *mean;
    return measured;
}

Result<Measurement> parse_iperf_outcome(std::string_view text) {
    const Json json = parse(text);
    if (const Json* const error = member(json, {"error"}); error != nullptr && error->is_string())
        return Error{"iperf3: " + error->get<std::string>()};
    const auto rate = number(json, {"end", "sum_received", "bits_per_second"});
    if (!rate) return Error{"iperf3 did not tell what it did"};
    constexpr double bits = 8;
    Measurement measured;
    measured[Measure::bytes_per_second] = *rate / bits;
    measured[Measure::retransmissions] = number(json, {"end", "sum_sent", "retransmits"});
    return measured;
}

}  // namespace sanscope::lab
