// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/row_list.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sanscope {
namespace {

constexpr size_t words_of(unsigned width) {
    return RowList::block_rows * width / 64;
}

}  // namespace

void RowList::pack_waiting() {
    blocks_.push_back(pack(waiting_));
    waiting_.clear();
}

void RowList::truncate(size_t size) {
    if (size >= this->size()) return;
    const size_t whole = size == 0 ? 0 : (size - 1) / block_rows;
    if (whole < blocks_.size()) {
        unpack(blocks_[whole], waiting_);
        for (size_t block = whole; block < blocks_.size(); ++block) give_back(blocks_[block]);
        blocks_.resize(whole);
    }
    waiting_.resize(size - whole * block_rows);
}

void RowList::set(size_t index, uint32_t row) {
    const size_t at = index % block_rows;
    if (index / block_rows == blocks_.size()) {
        waiting_[at] = row;
        return;
    }
    Block& block = blocks_[index / block_rows];
    if (block.row(at) == row) return;
    std::vector<uint32_t> rows;
    unpack(block, rows);
    rows[at] = row;
    give_back(block);
    block = pack(rows);
}

void RowList::unpack(const Block& block, std::vector<uint32_t>& rows) const {
    rows.resize(block_rows);
    for (size_t i = 0; i < block_rows; ++i) rows[i] = block.row(i);
}

RowList::Block RowList::pack(const std::vector<uint32_t>& rows) {
    const auto [least, greatest] = std::ranges::minmax(rows);
    const auto width = static_cast<unsigned>(std::bit_width(greatest - least));
    Block block{nullptr, least, static_cast<uint8_t>(width)};
    if (width == 0) return block;
    block.words = words_->take(words_of(width));
    BitWriter writer(block.words);
    for (const uint32_t row : rows) writer.add(row - least, width);
    return block;
}

void RowList::give_back(const Block& block) {
    if (block.width > 0) words_->give_back(block.words, words_of(block.width));
}

}  // namespace sanscope
