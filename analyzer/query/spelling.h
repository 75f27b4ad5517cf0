// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace sanscope {

struct NearWord {
    std::string_view word;
    size_t edits;  // letters by which it differs; at most 1 where it begins with what was written
};

// Those of `candidates` that may have been meant by `word`: which it begins, or which differ from it in few letters. The
// nearest first, equally near ones in their order.
std::vector<NearWord> near_words(std::string_view word, std::span<const std::string_view> candidates);

// The nearest of these; empty where none is near.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace sanscope
