// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/metrics/protobuf_exposition.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "io/prometheus/client/metrics.pb.h"

#include "analyzer/metrics/exposition.h"
#include "analyzer/proto/message_pipe.h"

namespace sanscope {
namespace {

namespace proto = io::prometheus::client;
using testing::ElementsAre;

std::map<std::string, proto::MetricFamily> read(const MetricsSnapshot& snapshot) {
    const std::string bytes = protobuf_exposition(metric_families(snapshot, "1.2.3", {}), snapshot);
    MessageDecoder decoder;
    decoder.add({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
    std::map<std::string, proto::MetricFamily> families;
    proto::MetricFamily family;
    while (decoder.next(family) == MessageDecoder::Outcome::message)
        EXPECT_TRUE(families.emplace(family.name(), family).second) << family.name();
    EXPECT_EQ(decoder.left(), 0u);
    return families;
}

proto::Histogram turnarounds(const MetricsSnapshot& snapshot) {
    const auto families = read(snapshot);
    const auto family = families.find(std::string(turnaround_family));
    if (family == families.end() || family->second.metric_size() == 0) return {};
    return family->second.metric(0).histogram();
}

// By upper bound in nanoseconds, as Prometheus unfolds spans and deltas.
std::map<int64_t, int64_t> buckets_of(const proto::Histogram& histogram) {
    std::map<int64_t, int64_t> buckets;
    int index = 0;
    int64_t count = 0;
    int delta = 0;
    for (const proto::BucketSpan& span : histogram.positive_span()) {
        index += span.offset();
        for (uint32_t i = 0; i < span.length(); ++i, ++index) {
            count += histogram.positive_delta(delta++);
            const double bound = std::exp2(static_cast<double>(index) / std::exp2(histogram.schema()));
            if (count != 0) buckets[std::llround(bound * 1e9)] = count;
        }
    }
    EXPECT_EQ(delta, histogram.positive_delta_size());
    return buckets;
}

void observe(CommandFigures& figures, int64_t turnaround_ns) {
    LiveCounts counts;
    CommandRow row;
    row.connection = 1;
    row.request_ns = 1'000;
    row.response_ns = row.request_ns + turnaround_ns;
    row.response_packet = 1;
    counts.on_end(row);
    figures.add(counts.units().front());
}

TEST(ProtobufExposition, counters_and_gauges_are_those_of_the_text) {
    MetricsSnapshot snapshot;
    snapshot.packets = 42;
    snapshot.analysed_until = 1.5;
    snapshot.in_flight[{"iqn.\"i\"", "iqn.t"}] = 3;
    const auto families = read(snapshot);
    EXPECT_EQ(families.size(), metric_families(snapshot, "1.2.3", {}).size());
    const proto::MetricFamily& packets = families.at("sanscope_analysed_packets_total");
    EXPECT_EQ(packets.type(), proto::COUNTER);
    EXPECT_EQ(packets.metric(0).counter().value(), 42);
    EXPECT_FALSE(packets.help().empty());
    const proto::MetricFamily& until = families.at("sanscope_analysed_until_timestamp_seconds");
    EXPECT_EQ(until.type(), proto::GAUGE);
    EXPECT_EQ(until.metric(0).gauge().value(), 1.5);
    const proto::Metric& in_flight = families.at("sanscope_commands_in_flight").metric(0);
    EXPECT_EQ(in_flight.label(0).name(), "initiator_name");
    EXPECT_EQ(in_flight.label(0).value(), "iqn.\"i\"");
}

TEST(ProtobufExposition, a_histogram_is_classic_and_native) {
    MetricsSnapshot snapshot;
    CommandFigures& figures = snapshot.commands[{}];
    for (const int64_t turnaround_ns : {500, 1'000'000'000, 1'000'000'000, 1'000'000'001, 1'400'000'000})
        observe(figures, turnaround_ns);
    const proto::Histogram histogram = turnarounds(snapshot);
    EXPECT_EQ(histogram.sample_count(), 5u);
    EXPECT_DOUBLE_EQ(histogram.sample_sum(), 4.400000501);
    ASSERT_EQ(histogram.bucket_size(), static_cast<int>(turnaround_bounds_ns.size()));
    EXPECT_EQ(histogram.bucket(0).cumulative_count(), 1u);
    EXPECT_EQ(histogram.bucket(0).upper_bound(), 1e-5);
    EXPECT_EQ(histogram.bucket(15).cumulative_count(), 3u);
    EXPECT_EQ(histogram.bucket(15).upper_bound(), 1);
    EXPECT_EQ(histogram.schema(), 3);
    EXPECT_EQ(histogram.zero_threshold(), std::exp2(-20));
    EXPECT_EQ(histogram.zero_count(), 1u);
    // Indices 0, 1 and 4: 1 s, 1.09 s, 1.41 s; two empty ones between are written out.
    ASSERT_EQ(histogram.positive_span_size(), 1);
    EXPECT_EQ(histogram.positive_span(0).offset(), 0);
    EXPECT_EQ(histogram.positive_span(0).length(), 5u);
    EXPECT_THAT(histogram.positive_delta(), ElementsAre(2, -1, -1, 0, 1));
}

TEST(ProtobufExposition, a_longer_gap_begins_another_span) {
    MetricsSnapshot snapshot;
    CommandFigures& figures = snapshot.commands[{}];
    observe(figures, 1'000'000'000);  // index 0
    observe(figures, 1'542'000'000);  // index 5
    observe(figures, 1'542'000'000);
    const proto::Histogram histogram = turnarounds(snapshot);
    ASSERT_EQ(histogram.positive_span_size(), 2);
    EXPECT_EQ(histogram.positive_span(1).offset(), 4);
    EXPECT_EQ(histogram.positive_span(1).length(), 1u);
    EXPECT_THAT(histogram.positive_delta(), ElementsAre(1, 1));
}

TEST(ProtobufExposition, every_bucket_comes_back_with_its_bound) {
    MetricsSnapshot snapshot;
    CommandFigures& figures = snapshot.commands[{}];
    std::map<int64_t, int64_t> expected;
    uint64_t timed = 1;
    observe(figures, 100);
    for (size_t place = 1; place < exponential_buckets::places; place += 1 + place % 7) {
        const bool last = place + 1 == exponential_buckets::places;
        const int64_t turnaround_ns = last ? 5'000'000'000'000 : exponential_buckets::upper_bounds_ns[place];
        for (size_t times = 0; times <= place % 3; ++times, ++timed) observe(figures, turnaround_ns);
        const double bound = std::exp2(exponential_buckets::index_of(place) / 8.0);
        expected[std::llround(bound * 1e9)] = static_cast<int64_t>(place % 3 + 1);
    }
    const proto::Histogram histogram = turnarounds(snapshot);
    EXPECT_EQ(buckets_of(histogram), expected);
    EXPECT_EQ(histogram.sample_count(), timed);
}

TEST(ProtobufExposition, each_set_of_labels_has_its_own_buckets) {
    MetricsSnapshot snapshot;
    CommandLabels labels;
    for (int lun = 0; lun < 5; ++lun) {
        labels.unit.lun = std::to_string(lun);
        for (int times = 0; times <= lun; ++times) observe(snapshot.commands[labels], 1'000'000'000);
    }
    const auto families = read(snapshot);
    const proto::MetricFamily& family = families.at(std::string(turnaround_family));
    ASSERT_EQ(family.metric_size(), 5);
    for (const proto::Metric& metric : family.metric()) {
        ASSERT_EQ(metric.label(0).name(), "lun");
        EXPECT_THAT(metric.histogram().positive_delta(), ElementsAre(std::stoi(metric.label(0).value()) + 1));
    }
}

TEST(ProtobufExposition, a_histogram_without_observations_is_native_all_the_same) {
    MetricsSnapshot snapshot;
    snapshot.commands[{}].commands = 1;
    const proto::Histogram histogram = turnarounds(snapshot);
    EXPECT_EQ(histogram.sample_count(), 0u);
    EXPECT_GT(histogram.zero_threshold(), 0);
    EXPECT_EQ(histogram.positive_span_size(), 0);
}

}  // namespace
}  // namespace sanscope
