// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever a client accepts: a format is chosen only where its type is named, and neither spaces nor a type that is not known
// change that when they stand before.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "analyzer/metrics/exposition_format.h"

using namespace sanscope;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string accept(reinterpret_cast<const char*>(data), size);
    std::string lower = accept;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto names = [&](const char* word) { return lower.find(word) != std::string::npos; };
    const ExpositionFormat format = negotiated_format(accept);
    if (format == ExpositionFormat::openmetrics && !names("application/openmetrics-text")) std::abort();
    if (format == ExpositionFormat::protobuf &&
        (!names("application/vnd.google.protobuf") || !names("delimited")))
        std::abort();
    if (negotiated_format(" \t" + accept) != format) std::abort();
    if (negotiated_format("x/y," + accept) != format) std::abort();
    if (accepts_gzip(accept) && !names("gzip")) std::abort();
    return 0;
}
