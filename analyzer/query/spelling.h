// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>

namespace sanscope {

// The one of `candidates` that was probably meant by `word`: which it begins, or which differs from it in few letters.
// Empty where none is near.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace sanscope
