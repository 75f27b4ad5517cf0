// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/commands/task_table.h"

#include <gtest/gtest.h>
#include <random>
#include <unordered_map>

namespace sanscope {
namespace {

TEST(TaskTable, KnowsNothingAtFirst) {
    TaskTable table;
    EXPECT_EQ(table.find(0), TaskTable::none);
    EXPECT_EQ(table.find(0xffffffff), TaskTable::none);
    table.erase(5);
    EXPECT_EQ(table.size(), 0u);
}

TEST(TaskTable, ReplacesWhatStoodUnderATag) {
    TaskTable table;
    table.set(0xffffffff, 1);
    table.set(0xffffffff, 2);
    EXPECT_EQ(table.find(0xffffffff), 2u);
    EXPECT_EQ(table.size(), 1u);
}

// Tags as initiators count them, and any.
TEST(TaskTable, AgreesWithAMapUnderRandomOperations) {
    std::mt19937 random(7);
    for (const uint32_t stride : {1u, 2u, 16u, 128u, 0x10000u, 0x01000000u, 0x9e3779b1u}) {
        TaskTable table;
        std::unordered_map<uint32_t, uint32_t> map;
        for (int i = 0; i < 30'000; ++i) {
            const uint32_t tag = static_cast<uint32_t>(random() % 300) * stride;
            switch (random() % 3) {
                case 0:
                    table.set(tag, static_cast<uint32_t>(i));
                    map[tag] = static_cast<uint32_t>(i);
                    break;
                case 1:
                    table.erase(tag);
                    map.erase(tag);
                    break;
                default: {
                    const auto found = map.find(tag);
                    ASSERT_EQ(table.find(tag), found == map.end() ? TaskTable::none : found->second);
                }
            }
            ASSERT_EQ(table.size(), map.size());
        }
        for (const auto& [tag, slot] : map) ASSERT_EQ(table.find(tag), slot);
    }
}

}  // namespace
}  // namespace sanscope
