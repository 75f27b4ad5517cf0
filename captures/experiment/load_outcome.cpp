// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/load_outcome.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "captures/experiment/time_series.h"

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

void add_up(std::optional<double>& sum, std::optional<double> more) {
    if (more) sum = sum.value_or(0) + *more;
}

// In pieces of about a step of add_rise() each, at its middle: the ends of intervals are not exact. Within one that is longer the
// rate is taken for even.
void add_interval(double begin, double end, uint64_t bytes, std::vector<DataArrival>& arrivals) {
    constexpr double ns_per_second = 1e9;
    constexpr double step = 0.1;
    constexpr double most_pieces = 1000;
    constexpr size_t most_arrivals = 1'000'000;
    double pieces = std::clamp(std::round((end - begin) / step), 1.0, most_pieces);
    if (arrivals.size() >= most_arrivals) pieces = 1;
    const auto count = static_cast<uint64_t>(pieces);
    for (uint64_t i = 0; i < count; ++i) {
        const double middle = begin + (end - begin) * (static_cast<double>(i) + 0.5) / pieces;
        arrivals.push_back(
            {static_cast<int64_t>(middle * ns_per_second), bytes / count + (i < bytes % count ? 1 : 0)});
    }
}

void add_intervals(const Json& json, std::vector<DataArrival>& arrivals) {
    const Json* const intervals = member(json, {"intervals"});
    if (intervals == nullptr || !intervals->is_array()) return;
    constexpr double longest = 1e6;     // seconds
    constexpr double most_data = 1e15;  // bytes
    for (const Json& interval : *intervals) {
        const auto begin = number(interval, {"sum", "start"});
        const auto end = number(interval, {"sum", "end"});
        const auto bytes = number(interval, {"sum", "bytes"});
        if (!begin || !end || !bytes || *begin < 0 || *end < *begin || *end > longest || *bytes < 0 ||
            *bytes > most_data)
            continue;
        add_interval(*begin, *end, static_cast<uint64_t>(*bytes), arrivals);
    }
}

// What came in each interval, at its middle.
std::vector<DataArrival> blast_arrivals(const Json& json) {
    std::vector<DataArrival> arrivals;
    const auto step = number(json, {"interval_seconds"});
    const Json* const intervals = member(json, {"intervals"});
    constexpr double longest = 3600;    // seconds
    constexpr double most_data = 1e15;  // bytes
    constexpr size_t most_intervals = 100'000;
    if (!step || *step <= 0 || *step > longest || intervals == nullptr || !intervals->is_array() ||
        intervals->size() > most_intervals)
        return arrivals;
    double middle = *step / 2;
    for (const Json& interval : *intervals) {
        const double bytes = interval.is_number() ? interval.get<double>() : 0;
        constexpr double ns_per_second = 1e9;
        if (bytes > 0 && bytes <= most_data)
            arrivals.push_back({static_cast<int64_t>(middle * ns_per_second), static_cast<uint64_t>(bytes)});
        middle += *step;
    }
    return arrivals;
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
    constexpr double percent = 100;
    const auto processor = number(json, {"cpu_seconds"});
    const auto seconds = number(json, {"seconds"});
    if (processor && seconds && *seconds > 0)
        measured[Measure::initiator_processor_percent] = percent * *processor / *seconds;
    const auto& mean = measured[Measure::turnaround_mean_ns];
    const auto& sd = measured[Measure::turnaround_sd_ns];
    if (mean && sd && *mean > 0) measured[Measure::turnaround_sd_percent] = percent * *sd / *mean;
    return measured;
}

Result<Measurement> parse_iperf_outcomes(std::span<const std::string> texts) {
    Measurement measured;
    std::vector<DataArrival> arrivals;
    for (const std::string& text : texts) {
        const Json json = parse(text);
        if (const Json* const error = member(json, {"error"}); error != nullptr && error->is_string())
            return Error{"iperf3: " + error->get<std::string>()};
        const auto rate = number(json, {"end", "sum_received", "bits_per_second"});
        if (!rate) return Error{"iperf3 did not tell what it did"};
        constexpr double bits = 8;
        add_up(measured[Measure::bytes_per_second], *rate / bits);
        add_up(measured[Measure::retransmissions], number(json, {"end", "sum_sent", "retransmits"}));
        add_up(measured[Measure::initiator_processor_percent],
               number(json, {"end", "cpu_utilization_percent", "host_total"}));
        add_up(measured[Measure::target_processor_percent],
               number(json, {"end", "cpu_utilization_percent", "remote_total"}));
        add_intervals(json, arrivals);
    }
    if (!measured[Measure::bytes_per_second]) return Error{"iperf3 did not tell what it did"};
    add_rise(arrivals, 0, measured);
    return measured;
}

Result<Measurement> parse_blast_outcome(std::string_view sender, std::string_view receiver,
                                        Operation operation) {
    const Json sent = parse(sender);
    const Json received = parse(receiver);
    const auto bytes = number(received, {"bytes"});
    const auto seconds = number(received, {"seconds"});
    const auto again = number(sent, {"sent_again"});
    const auto rounds = number(sent, {"rounds"});
    const bool whole = bytes && seconds && again && rounds && rounds == number(received, {"rounds"});
    if (!whole || *bytes <= 0 || *seconds <= 0 || !std::isfinite(*bytes / *seconds))
        return Error{"udp_blast did not tell what it did"};
    Measurement measured;
    measured[Measure::bytes_per_second] = *bytes / *seconds;
    measured[Measure::retransmissions] = again;
    constexpr double giga = 1e9;
    measured[Measure::retransmissions_per_gigabyte] = *again / (*bytes / giga);
    const auto share = [&](const Json& of) -> std::optional<double> {
        constexpr double percent = 100;
        const auto used = number(of, {"cpu_seconds"});
        // Of the time that both ends were at it.
        return used ? std::optional(percent * *used / *seconds) : std::nullopt;
    };
    const bool reads = operation == Operation::read;
    measured[Measure::initiator_processor_percent] = share(reads ? received : sent);
    measured[Measure::target_processor_percent] = share(reads ? sent : received);
    add_rise(blast_arrivals(received), 0, measured);
    return measured;
}

}  // namespace sanscope::lab
