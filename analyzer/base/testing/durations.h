// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sanscope::test {

// In nanoseconds.
constexpr int64_t us = 1'000;
constexpr int64_t ms = 1'000'000;
constexpr int64_t second = 1'000'000'000;

}  // namespace sanscope::test
