// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/chunked_rows.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>

namespace sanscope {
namespace {

using Numbers = ChunkedRows<uint64_t>;
constexpr size_t several_chunks = 3 * Numbers::rows_per_chunk + 17;

Numbers counted(size_t size) {
    Numbers rows;
    for (size_t i = 0; i < size; i++) rows.append(i);
    return rows;
}

TEST(ChunkedRows, nothing_appended_is_empty) {
    const Numbers rows;
    EXPECT_TRUE(rows.empty());
    EXPECT_EQ(rows.size(), 0u);
    EXPECT_TRUE(rows.begin() == rows.end());
    EXPECT_EQ(rows.memory_bytes(), 0u);
}

TEST(ChunkedRows, rows_are_found_by_index_across_chunks) {
    const Numbers rows = counted(several_chunks);
    ASSERT_EQ(rows.size(), several_chunks);
    for (size_t i = 0; i < several_chunks; i++) ASSERT_EQ(rows[i], i);
}

TEST(ChunkedRows, size_is_right_on_both_sides_of_a_chunks_end) {
    for (const size_t size :
         {Numbers::rows_per_chunk - 1, Numbers::rows_per_chunk, Numbers::rows_per_chunk + 1}) {
        EXPECT_EQ(counted(size).size(), size);
    }
}

TEST(ChunkedRows, rows_never_move) {
    ChunkedRows<std::array<uint64_t, 8>> rows;
    const auto* first = &rows.append({1});
    const auto* second = &rows.append({2});
    for (size_t i = 0; i < 5 * rows.rows_per_chunk; i++) rows.append({});
    EXPECT_EQ(first, &rows[0]);
    EXPECT_EQ(second, &rows[1]);
    const auto moved = std::move(rows);
    EXPECT_EQ(first, &moved[0]);
}

TEST(ChunkedRows, rows_can_be_changed_by_index_and_by_the_reference_append_gives) {
    Numbers rows = counted(several_chunks);
    rows[Numbers::rows_per_chunk] = 99;
    EXPECT_EQ(rows[Numbers::rows_per_chunk], 99u);
    rows.append(1) = 77;
    EXPECT_EQ(rows[several_chunks], 77u);
}

TEST(ChunkedRows, iteration_visits_every_row_in_order) {
    const Numbers rows = counted(several_chunks);
    uint64_t expected = 0;
    for (const uint64_t row : rows) ASSERT_EQ(row, expected++);
    EXPECT_EQ(expected, several_chunks);
    static_assert(std::forward_iterator<Numbers::iterator> && std::forward_iterator<Numbers::const_iterator>);
}

TEST(ChunkedRows, memory_grows_by_whole_chunks) {
    Numbers rows = counted(1);
    const size_t one_chunk = rows.memory_bytes();
    EXPECT_EQ(one_chunk, Numbers::rows_per_chunk * sizeof(uint64_t));
    while (rows.size() < Numbers::rows_per_chunk) rows.append(0);
    EXPECT_EQ(rows.memory_bytes(), one_chunk);
    rows.append(0);
    EXPECT_EQ(rows.memory_bytes(), 2 * one_chunk);
}

TEST(ChunkedRows, rows_may_own_memory) {
    ChunkedRows<std::string> rows;
    for (int i = 0; i < 20'000; i++) rows.append(std::string(40, 'x'));
    EXPECT_EQ(std::ranges::count(rows, std::string(40, 'x')), 20'000);
}

}  // namespace
}  // namespace sanscope
