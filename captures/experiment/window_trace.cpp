// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/window_trace.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <utility>

namespace sanscope::lab {
namespace {

constexpr double ns_per_second = 1e9;
constexpr std::string_view header = "seconds,connection,window_bytes";

// Takes the number up to the next comma, or the end, off the text.
template <class Number>
bool take_number(std::string_view& text, Number& number) {
    const std::string_view field = text.substr(0, text.find(','));
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
    text.remove_prefix(std::min(field.size() + 1, text.size()));
    return error == std::errc() && end == field.data() + field.size();
}

bool parse_sample(std::string_view line, WindowChange& sample) {
    constexpr double longest = 1e6;  // seconds
    double seconds = 0;
    if (!take_number(line, seconds) || !take_number(line, sample.connection) ||
        !take_number(line, sample.bytes))
        return false;
    if (!line.empty() || !(seconds >= 0 && seconds <= longest) || !std::isfinite(sample.bytes)) return false;
    sample.time_ns = std::llround(seconds * ns_per_second);
    return true;
}

}  // namespace

std::vector<WindowChange> sample_windows(std::vector<WindowChange> changes, int64_t from_ns, int64_t end_ns,
                                         int64_t step_ns) {
    std::ranges::stable_sort(changes, {}, &WindowChange::time_ns);
    std::map<uint32_t, std::vector<WindowChange>> by_connection;
    for (const WindowChange& change : changes) by_connection[change.connection].push_back(change);
    std::vector<WindowChange> samples;
    uint32_t number = 0;
    for (const auto& [connection, its] : by_connection) {
        ++number;
        auto next = its.begin();
        for (int64_t at = from_ns; at <= end_ns; at += step_ns) {
            while (next != its.end() && next->time_ns <= at) ++next;
            if (next != its.begin()) samples.push_back({at - from_ns, number, std::prev(next)->bytes});
        }
    }
    return samples;
}

std::string window_trace_csv(const std::vector<WindowChange>& samples) {
    std::string text = fmt::format("{}\n", header);
    for (const WindowChange& sample : samples) {
        text += fmt::format("{},{},{}\n", static_cast<double>(sample.time_ns) / ns_per_second,
                            sample.connection, sample.bytes);
    }
    return text;
}

Result<std::vector<WindowChange>> parse_window_trace(std::string_view text) {
    std::vector<WindowChange> samples;
    for (size_t number = 1; !text.empty(); ++number) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        WindowChange sample{};
        if (number == 1) {
            if (line != header) return Error{"its first line is not that of windows"};
        } else if (parse_sample(line, sample)) {
            samples.push_back(sample);
        } else {
            return Error{fmt::format("line {} is no window", number)};
        }
    }
    return samples;
}

ChartPanel window_panel(std::string title, const std::vector<WindowChange>& samples) {
    constexpr double kibi = 1024;
    ChartPanel panel{.title = std::move(title),
                     .x_heading = "time, s",
                     .y_heading = "congestion window, KiB",
                     .lines = {}};
    for (const WindowChange& sample : samples) {
        const std::string label = fmt::format("connection {}", sample.connection);
        if (panel.lines.empty() || panel.lines.back().label != label)
            panel.lines.push_back({.label = label, .points = {}, .markers = false});
        const double window = sample.bytes / kibi;
        panel.lines.back().points.push_back(
            {static_cast<double>(sample.time_ns) / ns_per_second, window, window, window});
    }
    return panel;
}

}  // namespace sanscope::lab
