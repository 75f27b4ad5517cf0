// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/metrics/protobuf_exposition.h"

#include <cstdint>

#include "io/prometheus/client/metrics.pb.h"

#include "analyzer/metrics/exposition.h"
#include "analyzer/proto/message_pipe.h"

namespace sanscope {
namespace {

namespace proto = io::prometheus::client;
using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

proto::MetricType type_of(MetricType type) {
    switch (type) {
        case MetricType::Counter:
            return proto::COUNTER;
        case MetricType::Histogram:
            return proto::HISTOGRAM;
        default:
            return proto::GAUGE;
    }
}

void set_classic(proto::Histogram& to, const ClientMetric::Histogram& from) {
    to.set_sample_count(from.sample_count);
    to.set_sample_sum(from.sample_sum);
    for (const ClientMetric::Bucket& bucket : from.bucket) {
        proto::Bucket& one = *to.add_bucket();
        one.set_cumulative_count(bucket.cumulative_count);
        one.set_upper_bound(bucket.upper_bound);
    }
}

// Up to so many empty buckets cost less as such than a span that leaves them out.
constexpr int most_empty = 2;

void set_native(proto::Histogram& to, const CommandFigures& figures) {
    to.set_schema(exponential_buckets::schema);
    to.set_zero_threshold(exponential_buckets::zero_threshold_seconds);
    to.set_zero_count(figures.exponential[0]);
    int64_t before = 0;
    int next = 0;  // index behind the last bucket written
    const auto add = [&](int64_t count) {
        to.add_positive_delta(count - before);
        before = count;
        auto& span = *to.mutable_positive_span(to.positive_span_size() - 1);
        span.set_length(span.length() + 1);
        ++next;
    };
    for (size_t place = 1; place < exponential_buckets::places; ++place) {
        const auto count = static_cast<int64_t>(figures.exponential[place]);
        if (count == 0) continue;
        const int index = exponential_buckets::index_of(place);
        if (to.positive_span_size() == 0 || index - next > most_empty) {
            to.add_positive_span()->set_offset(index - next);
            next = index;
        }
        while (next < index) add(0);
        add(count);
    }
}

void set_metric(proto::Metric& to, const ClientMetric& from, MetricType type) {
    for (const ClientMetric::Label& label : from.label) {
        proto::LabelPair& one = *to.add_label();
        one.set_name(label.name);
        one.set_value(label.value);
    }
    switch (type) {
        case MetricType::Counter:
            to.mutable_counter()->set_value(from.counter.value);
            break;
        case MetricType::Histogram:
            set_classic(*to.mutable_histogram(), from.histogram);
            break;
        default:
            to.mutable_gauge()->set_value(from.gauge.value);
            break;
    }
}

}  // namespace

std::string protobuf_exposition(const std::vector<MetricFamily>& families, const MetricsSnapshot& snapshot) {
    std::string out;
    std::vector<uint8_t> bytes;
    for (const MetricFamily& family : families) {
        proto::MetricFamily message;
        message.set_name(family.name);
        message.set_help(family.help);
        message.set_type(type_of(family.type));
        for (const ClientMetric& metric : family.metric)
            set_metric(*message.add_metric(), metric, family.type);
        if (family.name == turnaround_family) {
            // One metric for each of the snapshot's sets of labels, in their order.
            int at = 0;
            for (const auto& [labels, figures] : snapshot.commands)
                set_native(*message.mutable_metric(at++)->mutable_histogram(), figures);
        }
        bytes.clear();
        append_message(message, bytes);
        out.append(bytes.begin(), bytes.end());
    }
    return out;
}

}  // namespace sanscope
