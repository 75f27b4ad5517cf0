// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

namespace sanscope {

// Writes all of the bytes, signals or not; false with errno set where that fails.
bool write_all(int descriptor, std::span<const uint8_t> bytes);

}  // namespace sanscope
