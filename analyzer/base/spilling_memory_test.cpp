// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/spilling_memory.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace sanscope {
namespace {

constexpr size_t megabyte = size_t{1} << 20;

size_t resident_bytes() {
    size_t all = 0;
    size_t resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

using Numbers = std::pmr::vector<uint64_t>;

void fill(Numbers& numbers, size_t count) {
    for (size_t i = 0; i < count; ++i) numbers.push_back(i * i);
}

bool holds(const Numbers& numbers) {
    for (size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] != i * i) return false;
    }
    return true;
}

TEST(SpillingMemory, WhatIsSetAsideLeavesTheProcessAndComesBackAsItWas) {
    SpillingMemory memory(0);
    std::vector<Numbers> all;
    for (int i = 0; i < 64; ++i) {
        all.emplace_back(&memory).reserve(megabyte / sizeof(uint64_t));
        fill(all.back(), megabyte / sizeof(uint64_t));
    }
    ASSERT_EQ(memory.bytes_in_file(), 64 * megabyte);
    const size_t before = resident_bytes();
    memory.set_aside();
    EXPECT_LT(resident_bytes() + 60 * megabyte, before);
    EXPECT_TRUE(std::ranges::all_of(all, holds));
}

TEST(SpillingMemory, NoMoreIsKeptThanIsAskedFor) {
    SpillingMemory memory(0);
    Numbers numbers(&memory);
    fill(numbers, 8 * megabyte);
    const size_t before = resident_bytes();
    memory.keep_within(1024 * megabyte);
    EXPECT_GT(resident_bytes() + 8 * megabyte, before);
    memory.keep_within(32 * megabyte);
    EXPECT_LT(resident_bytes() + 48 * megabyte, before);
    EXPECT_TRUE(holds(numbers));
}

TEST(SpillingMemory, TheFirstPiecesAndSmallOnesAreNotInTheFile) {
    SpillingMemory memory(2 * megabyte);
    Numbers first(2 * megabyte / sizeof(uint64_t), &memory);
    Numbers small(100, &memory);
    EXPECT_EQ(memory.bytes_in_file(), 0u);
    Numbers second(megabyte / sizeof(uint64_t), &memory);
    EXPECT_EQ(memory.bytes_in_file(), megabyte);
    first = Numbers(&memory);
    first.shrink_to_fit();
    const Numbers third(megabyte / sizeof(uint64_t), &memory);
    EXPECT_EQ(memory.bytes_in_file(), megabyte) << "there is room again for it in memory";
}

// Touched page by page, each would take a fault of its own.
TEST(SpillingMemory, OfManyPiecesInMemoryThePagesAreThereAtOnce) {
    constexpr size_t piece_bytes = size_t{256} * 1024;
    constexpr size_t pieces = 64;
    const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    void* const probe = ::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const bool can_be = ::madvise(probe, page, MADV_POPULATE_WRITE) == 0;
    ::munmap(probe, page);
    if (!can_be) GTEST_SKIP() << "a kernel before Linux 5.14";
    SpillingMemory memory(2 * pieces * piece_bytes);
    std::vector<void*> taken;
    for (size_t i = 0; i < pieces; ++i) taken.push_back(memory.allocate(piece_bytes));
    unsigned char resident = 0;
    const auto middle = (reinterpret_cast<uintptr_t>(taken.back()) + piece_bytes / 2) / page * page;
    ASSERT_EQ(::mincore(reinterpret_cast<void*>(middle), page, &resident), 0);
    for (void* const piece : taken) memory.deallocate(piece, piece_bytes);
    EXPECT_EQ(resident & 1, 1);
}

TEST(SpillingMemory, WhatIsGivenBackIsGivenOutAgain) {
    SpillingMemory memory(0);
    for (int i = 0; i < 1000; ++i) Numbers(&memory).reserve(megabyte / sizeof(uint64_t));
    EXPECT_EQ(memory.bytes_in_file(), megabyte);
    Numbers growing(&memory);
    fill(growing, megabyte);
    EXPECT_TRUE(holds(growing));
    EXPECT_LT(memory.bytes_in_file(), 32 * megabyte);
}

TEST(SpillingMemory, APieceMayBeLargerThanAnExtent) {
    SpillingMemory memory(0);
    constexpr size_t bytes = 200 * megabyte;
    void* const huge = memory.allocate(bytes);
    EXPECT_EQ(memory.bytes_in_file(), bytes);
    std::memset(huge, 7, bytes);
    memory.set_aside();
    const auto* const first = static_cast<const char*>(huge);
    EXPECT_TRUE(std::all_of(first, first + bytes, [](char byte) { return byte == 7; }));
    memory.deallocate(huge, bytes);
}

TEST(SpillingMemory, WithoutAFileThereIsStillMemory) {
    ::setenv("TMPDIR", "/nonexistent", 1);
    SpillingMemory memory(0);
    Numbers numbers(&memory);
    fill(numbers, megabyte);
    ::unsetenv("TMPDIR");
    EXPECT_EQ(memory.bytes_in_file(), 0u);
    memory.set_aside();
    EXPECT_TRUE(holds(numbers));
}

TEST(SpillingMemory, ThreadsTakeAndLookWhileOthersSetAside) {
    SpillingMemory memory(0);
    std::atomic<bool> done = false;
    std::thread aside([&] {
        while (!done) memory.set_aside();
    });
    std::vector<std::thread> takers;
    std::atomic<int> right = 0;
    for (int i = 0; i < 3; ++i) {
        takers.emplace_back([&] {
            Numbers numbers(&memory);
            fill(numbers, megabyte);
            right += holds(numbers) ? 1 : 0;
        });
    }
    for (std::thread& taker : takers) taker.join();
    done = true;
    aside.join();
    EXPECT_EQ(right, 3);
}

}  // namespace
}  // namespace sanscope
