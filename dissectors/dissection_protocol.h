// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sanscope {

// Sent in the Hello: messages of another number would be misread.
constexpr uint32_t dissection_protocol = 2;

}  // namespace sanscope
