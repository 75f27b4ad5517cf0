// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/human_units.h"

#include <array>
#include <cmath>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/core.h>
#include <string_view>

namespace sanscope {
namespace {

// Three digits: 1.23, 12.3, 123.
std::string three_digits(double value) {
    if (value < 9.995) return fmt::format("{:.2f}", value);
    if (value < 99.95) return fmt::format("{:.1f}", value);
    return fmt::format("{:.0f}", value);
}

}  // namespace

std::string human_bytes(double bytes) {
    constexpr std::array<std::string_view, 6> units = {"B", "kB", "MB", "GB", "TB", "PB"};
    if (!(bytes >= 999.5)) return fmt::format("{:.0f} B", bytes);
    size_t unit = 0;
    while (bytes >= 999.5 && unit + 1 < units.size()) {
        bytes /= 1000;
        ++unit;
    }
    return fmt::format("{} {}", three_digits(bytes), units[unit]);
}

std::string human_binary_bytes(uint64_t bytes) {
    constexpr std::array<std::string_view, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    auto value = static_cast<double>(bytes);
    while (value >= 1024 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    if (value == std::floor(value)) return fmt::format("{:.0f} {}", value, units[unit]);
    return fmt::format("{} {}", three_digits(value), units[unit]);
}

std::string human_count(uint64_t count) {
    if (count < 10'000) return fmt::format("{}", count);
    constexpr std::array<std::string_view, 4> units = {"k", "M", "G", "T"};
    double value = static_cast<double>(count) / 1000;
    size_t unit = 0;
    while (value >= 999.5 && unit + 1 < units.size()) {
        value /= 1000;
        ++unit;
    }
    return fmt::format("{} {}", three_digits(value), units[unit]);
}

std::string counted(uint64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", human_count(count), noun, count == 1 ? "" : "s");
}

std::string counted_exactly(uint64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string human_duration(int64_t duration_ns) {
    if (duration_ns < 0) return "-" + human_duration(-duration_ns);
    const auto ns = static_cast<double>(duration_ns);
    if (ns < 999.5) return fmt::format("{} ns", duration_ns);
    if (ns < 999.5e3) return three_digits(ns / 1e3) + " µs";
    if (ns < 999.5e6) return three_digits(ns / 1e6) + " ms";
    if (ns < 120e9) return three_digits(ns / 1e9) + " s";
    const int64_t seconds = duration_ns / 1'000'000'000;
    if (seconds < 7200) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
    return fmt::format("{} h {} min", seconds / 3600, seconds / 60 % 60);
}

std::string human_percent(double share) {
    const double value = share * 100;
    if (value <= 0) return "0 %";
    if (value < 0.05) return "< 0.1 %";
    if (value < 9.95 || (value > 99 && value < 99.95)) return fmt::format("{:.1f} %", value);
    return fmt::format("{:.0f} %", value);
}

std::string human_size_class(unsigned size) {
    if (size == 0) return "-";
    if (size == 1) return "1 B";
    return "<= " + human_binary_bytes(uint64_t{1} << (size - 1));
}

std::string utc_time(int64_t time_ns) {
    constexpr int64_t second = 1'000'000'000;
    int64_t seconds = time_ns / second;
    int64_t rest = time_ns % second;
    if (rest < 0) {
        rest += second;
        --seconds;
    }
    const auto moment = static_cast<std::time_t>(seconds);
    std::tm parts{};
    if (gmtime_r(&moment, &parts) == nullptr) return "(no time)";
    return fmt::format("{:%Y-%m-%d %H:%M:%S}.{:06} UTC", parts, rest / 1000);
}

}  // namespace sanscope
