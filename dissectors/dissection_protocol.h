// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sanscope {

// Told in the Hello: of messages that one of another number would take wrongly.
constexpr uint32_t dissection_protocol = 2;

}  // namespace sanscope
