// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>

namespace sanscope {

// std::ranges::partition_point over the numbers from `begin` up to `end`: the first for which `is_before` does not hold,
// where it holds for none behind such a one; `end` if there is none. For what is found by an index, in a ring or in
// chunks, and has no iterators of its own. (Over std::views::iota clang 14 cannot compile it with libstdc++ 12.)
template <std::unsigned_integral Index, class Predicate>
constexpr Index partition_index(Index begin, Index end, Predicate is_before) {
    while (begin < end) {
        const Index middle = begin + (end - begin) / 2;
        if (is_before(middle)) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

}  // namespace sanscope
