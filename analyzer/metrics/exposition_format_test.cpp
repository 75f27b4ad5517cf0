// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/metrics/exposition_format.h"

#include <gtest/gtest.h>
#include <string>

namespace sanscope {
namespace {

constexpr auto text = ExpositionFormat::text;
constexpr auto openmetrics = ExpositionFormat::openmetrics;
constexpr auto protobuf = ExpositionFormat::protobuf;

const std::string protobuf_type =
    "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited";

TEST(ExpositionFormat, what_prometheus_asks_for) {
    // 2.42; the same with --enable-feature=native-histograms; 3.
    EXPECT_EQ(negotiated_format("application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
                                "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"),
              openmetrics);
    EXPECT_EQ(
        negotiated_format(protobuf_type +
                          ",application/openmetrics-text;version=1.0.0;q=0.8,application/openmetrics-text;"
                          "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"),
        protobuf);
    EXPECT_EQ(negotiated_format("application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
                                "application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;"
                                "escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"),
              openmetrics);
}

TEST(ExpositionFormat, others_get_text) {
    for (const char* accept :
         {"", "*/*", "text/*", "text/plain", "text/plain; version=0.0.4", "text/html",
          "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "application/*",
          "application/openmetrics-text;version=2.0.0", "application/vnd.google.protobuf",
          "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily",
          "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=text"})
        EXPECT_EQ(negotiated_format(accept), text) << accept;
}

TEST(ExpositionFormat, versions_of_openmetrics) {
    for (const char* accept : {"application/openmetrics-text", "application/openmetrics-text; version=1.0.0",
                               "application/openmetrics-text;version=0.0.1; charset=utf-8",
                               "APPLICATION/OpenMetrics-Text;\tVersion=\"1.0.0\""})
        EXPECT_EQ(negotiated_format(accept), openmetrics) << accept;
}

TEST(ExpositionFormat, the_highest_weight_decides_and_then_the_order) {
    EXPECT_EQ(negotiated_format("text/plain;q=0.5,application/openmetrics-text;q=0.501"), openmetrics);
    EXPECT_EQ(negotiated_format("text/plain;q=0.9,application/openmetrics-text;q=0.75"), text);
    EXPECT_EQ(negotiated_format("application/openmetrics-text , text/plain"), openmetrics);
    EXPECT_EQ(negotiated_format("text/plain, application/openmetrics-text"), text);
    EXPECT_EQ(negotiated_format("application/openmetrics-text;q=1.000," + protobuf_type + ";q=1"),
              openmetrics);
    EXPECT_EQ(negotiated_format("application/openmetrics-text;q=0," + protobuf_type + ";q=0.001"), protobuf);
    EXPECT_EQ(negotiated_format("application/openmetrics-text;q=0.000"), text);
}

TEST(ExpositionFormat, what_is_malformed_is_passed_over) {
    for (const char* weight : {"", "2", "1.1", "0.1234", "-0", "0,9", ".5", "1e0", "nan", "0.x", "00"})
        EXPECT_EQ(negotiated_format(std::string("application/openmetrics-text;q=") + weight), text) << weight;
    EXPECT_EQ(negotiated_format(",;,;;,=,\"" + std::string(",application/openmetrics-text")), text);
    EXPECT_EQ(negotiated_format(",,;q=1,application/openmetrics-text,;"), openmetrics);
    EXPECT_EQ(negotiated_format("x/y;a=\"\\\",application/openmetrics-text\",text/plain"), text);
    EXPECT_EQ(negotiated_format("x/y;a=\"b\",application/openmetrics-text"), openmetrics);
    EXPECT_EQ(negotiated_format("x/y;a=\"\\"), text);
    EXPECT_EQ(negotiated_format(std::string(8000, ',') + "application/openmetrics-text"), openmetrics);
}

TEST(ExpositionFormat, gzip_where_it_is_named) {
    EXPECT_TRUE(accepts_gzip("gzip"));
    EXPECT_TRUE(accepts_gzip("deflate, GZIP;q=0.5"));
    EXPECT_FALSE(accepts_gzip(""));
    EXPECT_FALSE(accepts_gzip("*"));
    EXPECT_FALSE(accepts_gzip("gzip;q=0"));
    EXPECT_FALSE(accepts_gzip("x-gzippy, br"));
}

}  // namespace
}  // namespace sanscope
