// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <vector>

namespace sanscope {

// Memory for the chunks of tables, out of large regions for which the kernel is asked for huge pages: taking it page by page
// costs as much as filling it. Regions grow, so that a small capture takes little, and go back to the system in the end. One
// thread at a time.
class HugePageMemory {
  public:
    static constexpr size_t most_piece = size_t{1} << 20;

    HugePageMemory() = default;
    HugePageMemory(const HugePageMemory&) = delete;
    HugePageMemory& operator=(const HugePageMemory&) = delete;
    ~HugePageMemory();

    // At most most_piece; aligned for any type. nullptr where the system gives none.
    void* take(size_t bytes);
    // False if it is none of these.
    bool give_back(void* piece, size_t bytes);

  private:
    struct Region {
        std::byte* begin;
        size_t size;
    };
    bool add_region(size_t least);

    std::vector<Region> regions_;
    size_t next_size_ = first_region;
    std::byte* next_ = nullptr;  // what is left of the last region
    size_t left_ = 0;
    std::multimap<size_t, void*> given_back_;

    static constexpr size_t huge_page = size_t{2} << 20;
    static constexpr size_t first_region = huge_page;
    static constexpr size_t largest_region = size_t{32} << 20;
};

}  // namespace sanscope
