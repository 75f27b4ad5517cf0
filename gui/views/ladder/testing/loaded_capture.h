// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "gui/document/capture_data.h"

namespace sanscope::test {

// A bundled capture, read to its end.
inline std::shared_ptr<CaptureData> loaded_capture(const std::string& name) {
    auto opened = CaptureData::open(std::string(SANSCOPE_SAMPLES "/") + name);
    if (!opened) return nullptr;
    const std::atomic<bool> stop = false;
    (*opened)->load(stop, [] {});
    return *opened;
}

}  // namespace sanscope::test
