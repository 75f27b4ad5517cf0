// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "analyzer/base/result.h"

namespace sanscope {

// A copy of a compiled BPF program whose congestion control, called "fair" in it, is called `name`, of 1 to 15 bytes: older
// libbpf has no way to change what is registered between opening and loading.
Result<std::vector<unsigned char>> named_object(std::span<const unsigned char> object, std::string_view name);

}  // namespace sanscope
