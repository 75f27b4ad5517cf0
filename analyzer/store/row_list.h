// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/store/row_iterator.h"
#include "analyzer/store/word_pool.h"

namespace sanscope {

// A list of row numbers, or others that are mostly near the one before. Each 128 are packed as differences from the least of
// them, in as many bits as the greatest takes; the last ones wait as they are. One thread at a time.
class RowList {
  public:
    static constexpr size_t block_rows = 128;

    // What is packed lies in `words`, which must outlive this, and stays taken until that ends.
    explicit RowList(WordPool& words) : words_(&words) {}
    RowList(const RowList&) = delete;
    RowList& operator=(const RowList&) = delete;

    void push_back(uint32_t row) {
        if (waiting_.size() == block_rows) [[unlikely]]
            pack_waiting();
        waiting_.push_back(row);
    }
    // Forgets all but the first `size` (<= size()).
    void truncate(size_t size);
    // `index` < size(), as for all that follow.
    void set(size_t index, uint32_t row);

    size_t size() const { return blocks_.size() * block_rows + waiting_.size(); }
    bool empty() const { return waiting_.empty(); }
    uint32_t operator[](size_t index) const {
        const size_t block = index / block_rows;
        if (block == blocks_.size()) return waiting_[index % block_rows];
        return blocks_[block].row(index % block_rows);
    }
    // False only where none of the rows of the block that `index` is in, which begins at a multiple of block_rows, is `row`.
    bool may_be_beside(size_t index, uint32_t row) const {
        const size_t block = index / block_rows;
        return block == blocks_.size() || blocks_[block].may_have(row);
    }
    uint32_t front() const { return (*this)[0]; }
    uint32_t back() const { return waiting_.back(); }

    using value_type = uint32_t;
    using const_iterator = RowIterator<const RowList, uint32_t>;
    const_iterator begin() const { return {this, 0}; }
    const_iterator end() const { return {this, size()}; }

  private:
    struct Block {
        uint64_t* words;
        uint32_t least;
        uint8_t width;  // bits

        uint32_t row(size_t at) const {
            return least + static_cast<uint32_t>(bits_at(words, at * width, width));
        }
        bool may_have(uint32_t row) const { return row >= least && uint64_t{row - least} >> width == 0; }
    };

    void pack_waiting();
    void unpack(const Block& block, std::vector<uint32_t>& rows) const;
    Block pack(const std::vector<uint32_t>& rows);
    void give_back(const Block& block);

    WordPool* words_;
    std::vector<Block> blocks_;      // of block_rows each
    std::vector<uint32_t> waiting_;  // empty only where there are no rows
};

}  // namespace sanscope
