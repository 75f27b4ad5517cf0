// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>

#include "analyzer/ingest/capture_builder.h"

namespace sanscope::test {

// What a reader keeps besides changes neither the packets nor the damage of files that are cut off or changed at random, and
// does not depend on the pieces in which it comes. `read(bytes, keep, piece)`: something with `packets` and `damage`, and with
// `kept`, which it was read for.
template <class Read, class Kept>
void expect_keeping_changes_nothing_else(const Bytes& whole, int rounds, Read read, Kept kept) {
    for (size_t length = 24; length <= whole.size(); length++) {
        const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
        const auto with = read(cut, true, 13);
        const auto without = read(cut, false, 4096);
        ASSERT_EQ(with.packets, without.packets) << length;
        ASSERT_EQ(with.damage.size(), without.damage.size()) << length;
        if (!with.damage.empty()) {
            ASSERT_EQ(with.damage[0].at_byte, without.damage[0].at_byte) << length;
        }
    }
    std::mt19937 random(7);
    for (int round = 0; round < rounds; round++) {
        Bytes changed = whole;
        for (int i = 0; i < 3; i++)
            changed[24 + random() % (changed.size() - 24)] = static_cast<uint8_t>(random());
        const auto with = read(changed, true, 1 + random() % 100);
        const auto without = read(changed, false, 100'000);
        ASSERT_EQ(with.packets, without.packets) << round;
        ASSERT_EQ(with.damage.size(), without.damage.size()) << round;
        ASSERT_EQ(with.*kept, read(changed, true, 100'000).*kept) << round;
    }
}

}  // namespace sanscope::test
