// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/literal.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <span>
#include <string>

namespace sanscope {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

struct Unit {
    std::string_view name;
    uint64_t size;
};

constexpr uint64_t microsecond = 1000;
constexpr uint64_t millisecond = 1000 * microsecond;
constexpr uint64_t second = 1000 * millisecond;
constexpr Unit durations[] = {
    {"ns", 1},
    {"us", microsecond},
    {"\u00b5s", microsecond},  // the micro sign
    {"\u03bcs", microsecond},  // the Greek letter
    {"ms", millisecond},
    {"s", second},
    {"min", 60 * second},
    {"h", 3600 * second},
};
constexpr Unit sizes[] = {
    {"B", 1},
    {"kB", 1'000},
    {"KB", 1'000},
    {"MB", 1'000'000},
    {"GB", 1'000'000'000},
    {"TB", 1'000'000'000'000},
    {"KiB", uint64_t{1} << 10},
    {"MiB", uint64_t{1} << 20},
    {"GiB", uint64_t{1} << 30},
    {"TiB", uint64_t{1} << 40},
};

std::span<const Unit> units_of(Meaning meaning) {
    if (meaning == Meaning::duration) return durations;
    if (meaning == Meaning::bytes) return sizes;
    return {};
}

bool is_unit(std::span<const Unit> units, std::string_view name) {
    return std::any_of(units.begin(), units.end(), [&](const Unit& unit) { return unit.name == name; });
}

Error wrong_unit(std::string_view word, std::string_view number, std::string_view unit, Meaning meaning) {
    if (meaning == Meaning::hexadecimal)
        return Error{fmt::format("{} is no number; hexadecimal ones begin with 0x", word)};
    if (meaning == Meaning::moment) {
        return Error{fmt::format(
            "{} is no moment; write \"2026-11-21 11:08:21.5\", or nanoseconds since the epoch", word)};
    }
    if (meaning == Meaning::bytes) {
        constexpr std::string_view prefixes = "kKMGT";
        if (unit.size() == 1 && prefixes.find(unit) != std::string_view::npos) {
            const char prefix = unit == "k" ? 'K' : unit[0];
            return Error{fmt::format("{} could be {}{}iB or {}{}B: write which", word, number, prefix, number,
                                     unit == "K" ? 'k' : unit[0])};
        }
        return Error{
            fmt::format("{} is no unit of sizes; those are B, kB, MB, GB, TB, KiB, MiB, GiB, TiB", unit)};
    }
    if (meaning == Meaning::duration) {
        return Error{fmt::format("{} is no unit of durations; those are ns, us, ms, s, min, h", unit)};
    }
    if (is_unit(durations, unit) || is_unit(sizes, unit)) {
        return Error{fmt::format("{} stands beside a column without unit: write the number alone", word)};
    }
    return Error{fmt::format("{} is no number", word)};
}

Error beyond(std::string_view word) {
    return Error{fmt::format("{} is more than 64 bits hold", word)};
}

constexpr WideInteger greatest = std::numeric_limits<uint64_t>::max();
constexpr WideInteger least = std::numeric_limits<int64_t>::min();

Result<WideInteger> parse_hexadecimal(std::string_view word, std::string_view digits, bool negative) {
    WideInteger value = 0;
    for (const char c : digits) {
        unsigned digit = 0;
        if (is_digit(c)) {
            digit = static_cast<unsigned>(c - '0');
        } else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) {
            digit = static_cast<unsigned>((c | 0x20) - 'a' + 10);
        } else {
            return Error{fmt::format("{} is no hexadecimal number", word)};
        }
        value = value * 16 + digit;
        if (value > greatest) return beyond(word);
    }
    if (digits.empty()) return Error{fmt::format("{} lacks its digits", word)};
    if (negative) value = -value;
    if (value < least) return beyond(word);
    return value;
}

// Reads up to `most` digits off the front of `text`, at least one.
std::optional<uint32_t> take_digits(std::string_view& text, size_t most) {
    uint32_t value = 0;
    size_t count = 0;
    while (count < most && count < text.size() && is_digit(text[count])) {
        value = value * 10 + static_cast<uint32_t>(text[count++] - '0');
    }
    if (count == 0) return std::nullopt;
    text.remove_prefix(count);
    return value;
}

bool take(std::string_view& text, char c) {
    if (text.empty() || text.front() != c) return false;
    text.remove_prefix(1);
    return true;
}

// Exactly `count` digits.
std::optional<uint32_t> take_exactly(std::string_view& text, size_t count) {
    const size_t before = text.size();
    const auto value = take_digits(text, count);
    if (!value || before - text.size() != count) return std::nullopt;
    return value;
}

struct TimeOfDay {
    uint32_t hours = 0;
    uint32_t minutes = 0;
    uint32_t seconds = 0;
    uint32_t nanoseconds = 0;
};

// Hours and minutes as in 11:08, of a time or an offset.
bool take_hours_and_minutes(std::string_view& text, TimeOfDay& time) {
    const auto hours = take_exactly(text, 2);
    if (!hours || *hours > 23 || !take(text, ':')) return false;
    const auto minutes = take_exactly(text, 2);
    if (!minutes || *minutes > 59) return false;
    time.hours = *hours;
    time.minutes = *minutes;
    return true;
}

bool take_time(std::string_view& text, TimeOfDay& time) {
    if (!take_hours_and_minutes(text, time)) return false;
    if (!take(text, ':')) return true;
    const auto seconds = take_exactly(text, 2);
    if (!seconds || *seconds > 59) return false;
    time.seconds = *seconds;
    if (!take(text, '.')) return true;
    const size_t before = text.size();
    const auto fraction = take_digits(text, 9);
    if (!fraction) return false;
    time.nanoseconds = *fraction;
    for (size_t digits = before - text.size(); digits < 9; digits++) time.nanoseconds *= 10;
    return true;
}

bool take_zone(std::string_view& text, int64_t& offset_seconds) {
    if (text.starts_with(' ')) text.remove_prefix(1);
    if (text == "Z" || text == "UTC") {
        text = {};
        return true;
    }
    if (text.empty()) return true;
    const bool east = text.front() == '+';
    if (!east && text.front() != '-') return false;
    text.remove_prefix(1);
    TimeOfDay offset;
    if (!take_hours_and_minutes(text, offset)) return false;
    offset_seconds = (int64_t{offset.hours} * 60 + offset.minutes) * 60 * (east ? 1 : -1);
    return true;
}

}  // namespace

bool looks_like_number(std::string_view word) {
    if (word.starts_with('-')) word.remove_prefix(1);
    if (word.starts_with('.')) word.remove_prefix(1);
    return !word.empty() && is_digit(word.front());
}

Result<WideInteger> parse_number(std::string_view word, Meaning meaning) {
    std::string_view rest = word;
    const bool negative = take(rest, '-');
    if (rest.starts_with("0x") || rest.starts_with("0X"))
        return parse_hexadecimal(word, rest.substr(2), negative);

    WideInteger number = 0;  // all digits, with those behind the point
    WideInteger divisor = 1;
    const size_t whole = static_cast<size_t>(
        std::find_if(rest.begin(), rest.end(), [](char c) { return !is_digit(c); }) - rest.begin());
    size_t end = whole;
    if (end + 1 < rest.size() && rest[end] == '.' && is_digit(rest[end + 1])) {
        end++;
        while (end < rest.size() && is_digit(rest[end])) end++;
    }
    const std::string_view digits = rest.substr(0, end);
    const std::string_view unit = rest.substr(end);
    if (digits.empty()) return Error{fmt::format("{} is no number", word)};
    if (whole > 1 && digits[0] == '0') {
        return Error{
            fmt::format("{} begins with a zero: write the number without, or 0x… in hexadecimal", word)};
    }
    constexpr size_t most_fraction_digits = 15;
    if (end > whole && end - whole - 1 > most_fraction_digits)
        return Error{fmt::format("{} has too many digits", word)};
    for (size_t i = 0; i < digits.size(); i++) {
        if (digits[i] == '.') continue;
        number = number * 10 + (digits[i] - '0');
        if (i > whole) divisor *= 10;
        if (i < whole && number > greatest) return beyond(word);
    }

    const std::span<const Unit> units = units_of(meaning);
    uint64_t size = 1;
    if (!unit.empty()) {
        const auto found = std::find_if(units.begin(), units.end(),
                                        [&](const Unit& candidate) { return candidate.name == unit; });
        if (found == units.end()) return wrong_unit(word, digits, unit, meaning);
        size = found->size;
    }
    // Below 2^64 · 10^15 and 2^42: the quotients that remain are multiplied, not the whole.
    const WideInteger scaled = number / divisor * size;
    const WideInteger part = number % divisor * size;
    if (part % divisor != 0) {
        if (meaning == Meaning::duration)
            return Error{fmt::format("{} is no whole number of nanoseconds", word)};
        if (meaning == Meaning::bytes) return Error{fmt::format("{} is no whole number of bytes", word)};
        return Error{fmt::format("{} is no whole number", word)};
    }
    const WideInteger value = scaled + part / divisor;
    if (value > greatest || (negative && -value < least)) return beyond(word);
    return negative ? -value : value;
}

Result<int64_t> parse_moment(std::string_view text) {
    const Error wrong{fmt::format("\"{}\" is no moment like \"2026-11-21 11:08:21.5\"", text)};
    std::string_view rest = text;
    const auto year = take_exactly(rest, 4);
    if (!year || !take(rest, '-')) return wrong;
    const auto month = take_exactly(rest, 2);
    if (!month || !take(rest, '-')) return wrong;
    const auto day = take_exactly(rest, 2);
    if (!day) return wrong;
    const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(*year)),
                                           std::chrono::month(*month), std::chrono::day(*day));
    if (!date.ok()) return Error{fmt::format("there is no day {}", text.substr(0, 10))};
    TimeOfDay time;
    int64_t offset_seconds = 0;
    if (!rest.empty() && (take(rest, 'T') || take(rest, ' ')) && !take_time(rest, time)) return wrong;
    if (!take_zone(rest, offset_seconds) || !rest.empty()) return wrong;

    const WideInteger days = std::chrono::sys_days(date).time_since_epoch().count();
    const WideInteger seconds =
        ((days * 24 + time.hours) * 60 + time.minutes) * 60 + time.seconds - offset_seconds;
    const WideInteger nanoseconds = seconds * static_cast<int64_t>(second) + time.nanoseconds;
    if (nanoseconds < std::numeric_limits<int64_t>::min() ||
        nanoseconds > std::numeric_limits<int64_t>::max()) {
        return Error{
            fmt::format("{} is beyond the years 1677 to 2262 that nanoseconds in 64 bits reach", text)};
    }
    return static_cast<int64_t>(nanoseconds);
}

}  // namespace sanscope
