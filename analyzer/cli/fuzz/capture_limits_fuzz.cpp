// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever stands behind -a and -b: it is refused, or all limits are above 0.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "analyzer/cli/capture_limits.h"

using namespace sanscope;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    std::vector<std::string> conditions[2];
    std::string text;
    bool rotate = false;
    for (size_t i = 0; i < size; ++i) {
        if (data[i] != '\n') {
            text.push_back(static_cast<char>(data[i]));
            continue;
        }
        conditions[rotate ? 1 : 0].push_back(text);
        rotate = !rotate;
        text.clear();
    }
    v1::RecordingRequest request;
    if (!set_limits(conditions[0], conditions[1], request)) return 0;
    const auto& limits = request.stop_after();
    const auto& rotation = request.rotation();
    if ((limits.has_bytes() && limits.bytes() == 0) || (rotation.has_bytes() && rotation.bytes() == 0) ||
        (limits.has_packets() && limits.packets() == 0) ||
        (rotation.has_packets() && rotation.packets() == 0) ||
        (limits.has_seconds() && !(limits.seconds() > 0)) ||
        (rotation.has_seconds() && !(rotation.seconds() > 0)))
        std::abort();
    return 0;
}
