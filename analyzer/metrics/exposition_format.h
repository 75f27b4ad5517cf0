// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sanscope {

// What a scrape is answered in.
enum class ExpositionFormat : uint8_t {
    text,         // Prometheus' text format 0.0.4
    openmetrics,  // OpenMetrics text 1.0
    protobuf,  // messages of io.prometheus.client.MetricFamily, each behind its length: alone has native histograms
};
constexpr size_t exposition_formats = 3;
constexpr std::array<std::string_view, exposition_formats> exposition_format_names = {"text", "openmetrics",
                                                                                      "protobuf"};

// For the header Content-Type.
std::string_view content_type(ExpositionFormat format);

// The format that `accept`, a header's value (RFC 9110 §12.5.1), has the highest weight for, of equal ones the first named; text
// where there is none, or none that is known. Wildcards mean text. Whatever is malformed is passed over.
ExpositionFormat negotiated_format(std::string_view accept);

// Whether `accept_encoding` (RFC 9110 §12.5.3) names gzip, and does not refuse it.
bool accepts_gzip(std::string_view accept_encoding);

}  // namespace sanscope
