// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/metrics/openmetrics_text.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "analyzer/metrics/exposition.h"

namespace sanscope {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using testing::HasSubstr;
using testing::Not;

MetricFamily family(std::string name, MetricType type, std::vector<ClientMetric::Label> labels,
                    double value) {
    ClientMetric metric;
    metric.label = std::move(labels);
    metric.counter.value = metric.gauge.value = value;
    return {std::move(name), "What it is.", type, {metric}};
}

TEST(OpenmetricsText, nothing_is_an_end) {
    EXPECT_EQ(openmetrics_text({}), "# EOF\n");
}

TEST(OpenmetricsText, a_family_of_counters_is_named_without_total) {
    EXPECT_EQ(openmetrics_text({family("a_bytes_total", MetricType::Counter, {{"x", "1"}, {"y", "2"}}, 42)}),
              "# TYPE a_bytes counter\n# UNIT a_bytes bytes\n# HELP a_bytes What it is.\n"
              "a_bytes_total{x=\"1\",y=\"2\"} 42\n# EOF\n");
}

TEST(OpenmetricsText, gauges_and_what_is_always_1) {
    EXPECT_EQ(openmetrics_text({family("a_timestamp_seconds", MetricType::Gauge, {}, 1.5e-7)}),
              "# TYPE a_timestamp_seconds gauge\n# UNIT a_timestamp_seconds seconds\n"
              "# HELP a_timestamp_seconds What it is.\na_timestamp_seconds 1.5e-07\n# EOF\n");
    EXPECT_EQ(openmetrics_text({family("a_build_info", MetricType::Gauge, {{"version", "1"}}, 1)}),
              "# TYPE a_build info\n# HELP a_build What it is.\na_build_info{version=\"1\"} 1\n# EOF\n");
}

TEST(OpenmetricsText, a_unit_is_a_whole_word_behind_a_name) {
    for (const char* name : {"seconds", "megabytes", "a_kilobytes", "a_bytes_used"})
        EXPECT_THAT(openmetrics_text({family(name, MetricType::Gauge, {}, 1)}), Not(HasSubstr("# UNIT")))
            << name;
}

TEST(OpenmetricsText, a_histogram_has_bounds_with_a_point) {
    MetricFamily histogram{"t_seconds", "Of it.", MetricType::Histogram, {}};
    ClientMetric metric;
    metric.label = {{"lun", "0"}};
    metric.histogram.bucket = {{1, 1e-5}, {2, 0.5}, {2, 1}, {3, 50}};
    metric.histogram.sample_count = 4;
    metric.histogram.sample_sum = 60.25;
    histogram.metric = {metric};
    EXPECT_EQ(openmetrics_text({histogram}),
              "# TYPE t_seconds histogram\n# UNIT t_seconds seconds\n# HELP t_seconds Of it.\n"
              "t_seconds_bucket{lun=\"0\",le=\"1e-05\"} 1\nt_seconds_bucket{lun=\"0\",le=\"0.5\"} 2\n"
              "t_seconds_bucket{lun=\"0\",le=\"1.0\"} 2\nt_seconds_bucket{lun=\"0\",le=\"50.0\"} 3\n"
              "t_seconds_bucket{lun=\"0\",le=\"+Inf\"} 4\nt_seconds_count{lun=\"0\"} 4\n"
              "t_seconds_sum{lun=\"0\"} 60.25\n# EOF\n");
    histogram.metric.front().label.clear();
    EXPECT_THAT(openmetrics_text({histogram}), HasSubstr("t_seconds_bucket{le=\"1e-05\"} 1\n"));
    EXPECT_THAT(openmetrics_text({histogram}), HasSubstr("t_seconds_count 4\n"));
}

TEST(OpenmetricsText, texts_cannot_break_out) {
    MetricFamily one = family("a", MetricType::Gauge, {{"x", "\"} 1\nevil_total \\"}}, 1);
    one.help = "a \\ and \"b\"\n# EOF";
    EXPECT_EQ(openmetrics_text({one}),
              "# TYPE a gauge\n# HELP a a \\\\ and \\\"b\\\"\\n# EOF\n"
              "a{x=\"\\\"} 1\\nevil_total \\\\\"} 1\n# EOF\n");
}

TEST(OpenmetricsText, numbers_as_the_specification_writes_them) {
    const double infinity = std::numeric_limits<double>::infinity();
    const auto value = [](double number) {
        const std::string text = openmetrics_text({family("a", MetricType::Gauge, {}, number)});
        return text.substr(text.find("\na ") + 3);
    };
    EXPECT_EQ(value(infinity), "+Inf\n# EOF\n");
    EXPECT_EQ(value(-infinity), "-Inf\n# EOF\n");
    EXPECT_EQ(value(std::numeric_limits<double>::quiet_NaN()), "NaN\n# EOF\n");
    EXPECT_EQ(value(-1.25), "-1.25\n# EOF\n");
}

TEST(OpenmetricsText, no_two_families_of_a_snapshot_have_one_name) {
    MetricsSnapshot snapshot;
    snapshot.commands[{}].commands = 1;
    snapshot.times[{}].commands = 1;
    snapshot.losses[{}];
    snapshot.in_flight[{"a", "b"}] = 1;
    snapshot.findings[{"a", "b"}] = 1;
    snapshot.analysed_until = 1;
    snapshot.recording.interfaces.emplace_back();
    const std::string text = openmetrics_text(metric_families(snapshot, "1", {}));
    std::vector<std::string> names;
    for (size_t at = 0; (at = text.find("# TYPE ", at)) != std::string::npos; ++at)
        names.push_back(text.substr(at + 7, text.find(' ', at + 7) - at - 7));
    EXPECT_EQ(names.size(), metric_families(snapshot, "1", {}).size());
    std::ranges::sort(names);
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

}  // namespace
}  // namespace sanscope
