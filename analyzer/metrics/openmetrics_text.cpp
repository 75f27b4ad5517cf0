// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/metrics/openmetrics_text.h"

#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <string_view>
#include <utility>

namespace sanscope {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

std::string escaped(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        if (c == '\\' || c == '"') out += '\\';
        if (c == '\n') {
            out += "\\n";
        } else {
            out += c;
        }
    }
    return out;
}

std::string number(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
    return fmt::format("{}", value);
}

// Of a bucket: numbers have a point or an exponent ("Canonical Numbers").
std::string bound(double value) {
    const std::string text = number(value);
    return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
}

struct Family {
    std::string_view name;
    std::string_view type;
    std::string_view suffix;  // of its samples
};

Family described(const MetricFamily& family) {
    const std::string_view name = family.name;
    const auto without = [&](std::string_view end) { return name.substr(0, name.size() - end.size()); };
    switch (family.type) {
        case MetricType::Counter:
            return {name.ends_with("_total") ? without("_total") : name, "counter", "_total"};
        case MetricType::Histogram:
            return {name, "histogram", ""};
        case MetricType::Gauge:
            if (name.ends_with("_info")) return {without("_info"), "info", "_info"};
            return {name, "gauge", ""};
        default:
            return {name, "unknown", ""};
    }
}

std::string_view unit_of(std::string_view name) {
    for (const std::string_view unit : {"seconds", "bytes"}) {
        if (name.size() > unit.size() && name.ends_with(unit) && name[name.size() - unit.size() - 1] == '_')
            return unit;
    }
    return {};
}

class Writer {
  public:
    void describe(const Family& family, std::string_view help) {
        fmt::format_to(end(), "# TYPE {} {}\n", family.name, family.type);
        if (const std::string_view unit = unit_of(family.name); !unit.empty())
            fmt::format_to(end(), "# UNIT {} {}\n", family.name, unit);
        fmt::format_to(end(), "# HELP {} {}\n", family.name, escaped(help));
    }
    void sample(std::string_view name, std::string_view suffix, const Labels& labels, std::string_view value,
                std::string_view le = {}) {
        fmt::format_to(end(), "{}{}", name, suffix);
        char before = '{';
        for (const ClientMetric::Label& label : labels) {
            fmt::format_to(end(), "{}{}=\"{}\"", before, label.name, escaped(label.value));
            before = ',';
        }
        if (!le.empty()) {
            fmt::format_to(end(), "{}le=\"{}\"", before, le);
            before = ',';
        }
        fmt::format_to(end(), "{} {}\n", before == ',' ? "}" : "", value);
    }
    std::string take() {
        text_ += "# EOF\n";
        return std::move(text_);
    }

  private:
    std::back_insert_iterator<std::string> end() { return std::back_inserter(text_); }

    std::string text_;
};

void write_histogram(Writer& writer, std::string_view name, const ClientMetric& metric) {
    const ClientMetric::Histogram& histogram = metric.histogram;
    const std::string count = fmt::to_string(histogram.sample_count);
    for (const ClientMetric::Bucket& bucket : histogram.bucket) {
        writer.sample(name, "_bucket", metric.label, fmt::to_string(bucket.cumulative_count),
                      bound(bucket.upper_bound));
    }
    if (histogram.bucket.empty() || !std::isinf(histogram.bucket.back().upper_bound))
        writer.sample(name, "_bucket", metric.label, count, "+Inf");
    writer.sample(name, "_count", metric.label, count);
    writer.sample(name, "_sum", metric.label, number(histogram.sample_sum));
}

}  // namespace

std::string openmetrics_text(const std::vector<MetricFamily>& families) {
    Writer writer;
    for (const MetricFamily& family : families) {
        const Family about = described(family);
        writer.describe(about, family.help);
        for (const ClientMetric& metric : family.metric) {
            if (family.type == MetricType::Histogram) {
                write_histogram(writer, about.name, metric);
                continue;
            }
            const double value =
                family.type == MetricType::Counter ? metric.counter.value : metric.gauge.value;
            writer.sample(about.name, about.suffix, metric.label, number(value));
        }
    }
    return writer.take();
}

}  // namespace sanscope
