// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/metrics/exposition_format.h"

#include <optional>

namespace sanscope {
namespace {

constexpr int whole_weight = 1000;

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view spaces = " \t";
    const size_t begin = text.find_first_not_of(spaces);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(spaces) - begin + 1);
}

// What is before the next `separator` outside of quotes, which is taken off `text` with it.
std::string_view take_until(std::string_view& text, char separator) {
    bool quoted = false;
    size_t end = 0;
    for (; end < text.size() && (quoted || text[end] != separator); ++end) {
        if (text[end] == '"') quoted = !quoted;
        if (quoted && text[end] == '\\') ++end;
    }
    const std::string_view taken = text.substr(0, end);
    text.remove_prefix(end < text.size() ? end + 1 : text.size());
    return trimmed(taken);
}

bool equal_but_for_case(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
        if (lower(a[i]) != lower(b[i])) return false;
    }
    return true;
}

// In thousandths: 0 to 1 with three digits at most behind the point (RFC 9110 §12.4.2).
std::optional<int> weight_of(std::string_view text) {
    constexpr size_t longest = 5;
    if (text.empty() || text.size() > longest || (text[0] != '0' && text[0] != '1')) return std::nullopt;
    if (text.size() > 1 && text[1] != '.') return std::nullopt;
    int weight = (text[0] - '0') * whole_weight;
    int digit = whole_weight / 10;
    for (size_t i = 2; i < text.size(); ++i, digit /= 10) {
        if (text[i] < '0' || text[i] > '9') return std::nullopt;
        weight += (text[i] - '0') * digit;
    }
    if (weight > whole_weight) return std::nullopt;
    return weight;
}

// One element of a header's list. Empty where it was not given.
struct Preference {
    std::string_view name;
    std::string_view version;
    std::string_view proto;
    std::string_view encoding;
    std::optional<int> weight = whole_weight;
};

Preference take_preference(std::string_view& list) {
    std::string_view rest = take_until(list, ',');
    Preference preference;
    preference.name = take_until(rest, ';');
    while (!rest.empty()) {
        std::string_view value = take_until(rest, ';');
        const std::string_view name = take_until(value, '=');
        value = trimmed(value);
        if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
            value = value.substr(1, value.size() - 2);
        if (equal_but_for_case(name, "version")) preference.version = value;
        if (equal_but_for_case(name, "proto")) preference.proto = value;
        if (equal_but_for_case(name, "encoding")) preference.encoding = value;
        if (equal_but_for_case(name, "q")) preference.weight = weight_of(value);
    }
    return preference;
}

std::optional<ExpositionFormat> format_of(const Preference& range) {
    const auto is = [&](std::string_view name) { return equal_but_for_case(range.name, name); };
    const auto has_version = [&](auto... versions) {
        return range.version.empty() || ((range.version == versions) || ...);
    };
    if (is("application/openmetrics-text") && has_version("1.0.0", "0.0.1"))
        return ExpositionFormat::openmetrics;
    if (is("application/vnd.google.protobuf") && range.proto == "io.prometheus.client.MetricFamily" &&
        range.encoding == "delimited")
        return ExpositionFormat::protobuf;
    if ((is("text/plain") && has_version("0.0.4")) || is("text/*") || is("*/*"))
        return ExpositionFormat::text;
    return std::nullopt;
}

}  // namespace

std::string_view content_type(ExpositionFormat format) {
    switch (format) {
        case ExpositionFormat::openmetrics:
            return "application/openmetrics-text; version=1.0.0; charset=utf-8";
        case ExpositionFormat::protobuf:
            return "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; "
                   "encoding=delimited";
        case ExpositionFormat::text:
            break;
    }
    return "text/plain; version=0.0.4; charset=utf-8";
}

ExpositionFormat negotiated_format(std::string_view accept) {
    ExpositionFormat best = ExpositionFormat::text;
    int best_weight = 0;
    while (!accept.empty()) {
        const Preference range = take_preference(accept);
        const auto format = format_of(range);
        if (!format || range.weight.value_or(0) <= best_weight) continue;
        best = *format;
        best_weight = *range.weight;
    }
    return best;
}

bool accepts_gzip(std::string_view accept_encoding) {
    while (!accept_encoding.empty()) {
        const Preference coding = take_preference(accept_encoding);
        if (equal_but_for_case(coding.name, "gzip")) return coding.weight.value_or(0) > 0;
    }
    return false;
}

}  // namespace sanscope
