// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <utility>
#include <vector>

namespace sanscope {

template <class Value>
struct MinMax {
    Value min{};
    Value max{};
    bool any = false;

    void add(Value value) {
        min = any ? std::min(min, value) : value;
        max = any ? std::max(max, value) : value;
        any = true;
    }
    void add(const MinMax& other) {
        if (!other.any) return;
        add(other.min);
        add(other.max);
    }
};

// The least and greatest of any run of values, told without visiting each: level n holds that of every 16^(n+1) of them.
// The values themselves stay where they are, and are asked for by number; those equal to `skipped` count for nothing.
// Memory: 2/15 of the values'. Grows at its end; one thread at a time.
template <class Value>
class LodPyramid {
  public:
    static constexpr size_t fan_out = 16;

    // The blocks lie in `memory`, which must outlive them.
    explicit LodPyramid(Value skipped, std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : skipped_(skipped), levels_(empty_levels(memory, std::make_index_sequence<max_levels>())) {}

    void push(Value value) {
        Level& blocks = levels_[0];
        if (size_ / fan_out == blocks.size()) blocks.emplace_back();
        if (value != skipped_) blocks.back().add({value, value});
        if (++size_ % fan_out == 0) [[unlikely]]
            add_full_block();
    }

    // Value `index` was `skipped` when it was pushed, and is this now.
    void raise(size_t index, Value value) {
        for (auto& blocks : levels_) {
            index /= fan_out;
            if (index >= blocks.size()) return;
            blocks[index].add({value, value});
        }
    }

    // Forgets all but the first `size` values, which `value_at(i)` gives.
    template <class ValueAt>
    void truncate(size_t size, ValueAt value_at) {
        size_ = size;
        size_t below = size;
        for (size_t level = 0; level < max_levels; ++level) {
            auto& blocks = levels_[level];
            const size_t needed = (below + fan_out - 1) / fan_out;
            if (blocks.size() > needed) blocks.resize(needed);
            if (!blocks.empty()) {
                Extent& last = blocks.back();
                last = {};
                const size_t begin = (blocks.size() - 1) * fan_out;
                for (size_t i = begin; i < std::min(below, begin + fan_out); ++i) {
                    if (level > 0) {
                        last.add(levels_[level - 1][i]);
                    } else if (const Value value = value_at(i); value != skipped_) {
                        last.add({value, value});
                    }
                }
            }
            below = blocks.size();
        }
    }

    size_t size() const { return size_; }

    // Of the values [first, last), last <= size(); `value_at(i)` gives value i. Looks at 32 values or blocks a level at most.
    template <class ValueAt>
    MinMax<Value> query(size_t first, size_t last, ValueAt value_at) const {
        MinMax<Value> found;
        const auto take_values = [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i) {
                const Value value = value_at(i);
                if (value != skipped_) found.add(value);
            }
        };
        const size_t first_block = (first + fan_out - 1) / fan_out;
        const size_t last_block = last / fan_out;
        if (first_block >= last_block) {
            take_values(first, last);
            return found;
        }
        take_values(first, first_block * fan_out);
        take_values(last_block * fan_out, last);
        query_blocks(0, first_block, last_block, found);
        return found;
    }

    size_t memory_bytes() const {
        size_t bytes = 0;
        for (const auto& level : levels_) bytes += level.capacity() * sizeof(Extent);
        return bytes;
    }

  private:
    static constexpr size_t max_levels = 8;  // 16^8 values
    // Of no value: its least is greater than its greatest.
    struct Extent {
        Value min = std::numeric_limits<Value>::max();
        Value max = std::numeric_limits<Value>::lowest();

        void add(const Extent& other) {
            min = std::min(min, other.min);
            max = std::max(max, other.max);
        }
    };
    using Level = std::pmr::vector<Extent>;
    using Levels = std::array<Level, max_levels>;

    template <size_t... level>
    static Levels empty_levels(std::pmr::memory_resource* memory, std::index_sequence<level...>) {
        return {((void)level, Level(memory))...};
    }

    // A level takes in a block of the one below when that is full: only such are asked for.
    void add_full_block() {
        size_t blocks = size_;
        for (size_t level = 0; level + 1 < max_levels; ++level) {
            if (blocks % fan_out != 0) return;
            blocks /= fan_out;
            Level& above = levels_[level + 1];
            if ((blocks - 1) / fan_out == above.size()) above.emplace_back();
            above.back().add(levels_[level][blocks - 1]);
        }
    }

    void query_blocks(size_t level, size_t first, size_t last, MinMax<Value>& found) const {
        const size_t first_above = (first + fan_out - 1) / fan_out;
        const size_t last_above = last / fan_out;
        const auto take = [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i) {
                const Extent& extent = levels_[level][i];
                if (extent.min <= extent.max) found.add({extent.min, extent.max, true});
            }
        };
        if (level + 1 == max_levels || first_above >= last_above || levels_[level + 1].empty()) {
            take(first, last);
            return;
        }
        take(first, first_above * fan_out);
        take(last_above * fan_out, last);
        query_blocks(level + 1, first_above, last_above, found);
    }

    Value skipped_;
    size_t size_ = 0;
    Levels levels_;
};

// Sums of any run of values, likewise: a running total before every 16th.
class RunningTotals {
  public:
    static constexpr size_t stride = 16;

    // The totals lie in `memory`, which must outlive them.
    explicit RunningTotals(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : totals_(memory) {}

    void push(uint64_t value) {
        if (size_ % stride == 0) totals_.push_back(total_);
        total_ += value;
        ++size_;
    }
    // Forgets all but the first `size` values, which `value_at(i)` gives.
    template <class ValueAt>
    void truncate(size_t size, ValueAt value_at) {
        if (size == size_) return;
        total_ = before(size, value_at);
        totals_.resize((size + stride - 1) / stride);
        size_ = size;
    }

    size_t size() const { return size_; }
    uint64_t total() const { return total_; }

    // Of the values [first, last), last <= size().
    template <class ValueAt>
    uint64_t query(size_t first, size_t last, ValueAt value_at) const {
        return first >= last ? 0 : before(last, value_at) - before(first, value_at);
    }
    size_t memory_bytes() const { return totals_.capacity() * sizeof(uint64_t); }

  private:
    template <class ValueAt>
    uint64_t before(size_t index, ValueAt value_at) const {
        if (index == size_) return total_;
        uint64_t sum = totals_[index / stride];
        for (size_t i = index / stride * stride; i < index; ++i) sum += value_at(i);
        return sum;
    }

    std::pmr::vector<uint64_t> totals_;
    uint64_t total_ = 0;
    size_t size_ = 0;
};

}  // namespace sanscope
