// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sanscope::test {

constexpr int64_t ms = 1'000'000;

}  // namespace sanscope::test
