// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/row_set.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace sanscope {
namespace {

std::vector<uint32_t> rows_of(const RowSet& set) {
    std::vector<uint32_t> rows;
    set.append_rows(rows);
    return rows;
}

TEST(RowSet, is_like_a_set_of_numbers) {
    for (const size_t size : {size_t{1}, size_t{63}, size_t{64}, size_t{65}, size_t{1000}}) {
        std::mt19937 random(static_cast<unsigned>(size));
        RowSet set(size);
        std::set<uint32_t> expected;
        EXPECT_TRUE(set.empty());
        for (size_t i = 0; i < size; ++i) {
            const size_t row = random() % size;
            if (random() % 4 == 0) {
                set.reset(row);
                expected.erase(static_cast<uint32_t>(row));
            } else {
                set.set(row);
                expected.insert(static_cast<uint32_t>(row));
            }
        }
        EXPECT_EQ(set.count(), expected.size());
        EXPECT_EQ(rows_of(set), std::vector<uint32_t>(expected.begin(), expected.end()));
        for (uint32_t row = 0; row < size + 70; ++row) {
            EXPECT_EQ(set.test(row), expected.contains(row)) << row;
            const auto next = expected.lower_bound(row);
            EXPECT_EQ(set.next(row), next == expected.end() ? RowSet::none : *next) << row;
        }
    }
}

TEST(RowSet, all_rows_are_no_more_than_there_are) {
    for (const size_t size : {size_t{0}, size_t{1}, size_t{64}, size_t{100}}) {
        RowSet set(size);
        set.set_all();
        EXPECT_EQ(set.count(), size);
        EXPECT_EQ(set.next(size), RowSet::none);
    }
}

TEST(RowSet, both_and_either) {
    RowSet a(200);
    RowSet b(200);
    for (size_t row = 0; row < 200; row += 2) a.set(row);
    for (size_t row = 0; row < 200; row += 3) b.set(row);
    RowSet both = a;
    both &= b;
    RowSet either = a;
    either |= b;
    for (size_t row = 0; row < 200; ++row) {
        EXPECT_EQ(both.test(row), row % 6 == 0);
        EXPECT_EQ(either.test(row), row % 2 == 0 || row % 3 == 0);
    }
}

TEST(RowSet, appends) {
    RowSet set(10);
    set.set(3);
    std::vector<uint32_t> rows = {7};
    set.append_rows(rows);
    EXPECT_EQ(rows, (std::vector<uint32_t>{7, 3}));
}

}  // namespace
}  // namespace sanscope
