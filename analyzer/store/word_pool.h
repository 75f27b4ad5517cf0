// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

namespace sanscope {

// Room for what is packed in a few words each, taken from large pieces that never move. The word behind what was taken may be read: it
// is another one's, or nobody's. One thread at a time.
class WordPool {
  public:
    static constexpr size_t most_words = 256;

    // The pieces lie in `memory`, which must outlive this.
    explicit WordPool(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : memory_(memory) {}
    ~WordPool() {
        for (uint64_t* const piece : pieces_)
            memory_->deallocate(piece, piece_words * sizeof(uint64_t), alignof(uint64_t));
    }
    WordPool(const WordPool&) = delete;
    WordPool& operator=(const WordPool&) = delete;

    // 0 < `words` <= most_words. Good as long as this.
    uint64_t* take(size_t words) {
        assert(words > 0 && words <= most_words);
        if (words < free_.size() && !free_[words].empty()) [[unlikely]] {
            uint64_t* const again = free_[words].back();
            free_[words].pop_back();
            return again;
        }
        if (left_ < words) add_piece();
        uint64_t* const taken = next_;
        next_ += words;
        left_ -= words;
        return taken;
    }
    // What was taken as so many words is given to others that ask for as many.
    void give_back(uint64_t* taken, size_t words) {
        if (free_.size() <= words) free_.resize(words + 1);
        free_[words].push_back(taken);
    }

    size_t memory_bytes() const { return pieces_.size() * piece_words * sizeof(uint64_t); }

  private:
    static constexpr size_t piece_words = size_t{256} * 1024 / sizeof(uint64_t);

    void add_piece() {
        pieces_.push_back(nullptr);
        pieces_.back() =
            static_cast<uint64_t*>(memory_->allocate(piece_words * sizeof(uint64_t), alignof(uint64_t)));
        next_ = pieces_.back();
        next_[piece_words - 1] = 0;
        left_ = piece_words - 1;
    }

    std::pmr::memory_resource* memory_;
    std::vector<uint64_t*> pieces_;
    uint64_t* next_ = nullptr;  // what is left of the last piece
    size_t left_ = 0;
    std::vector<std::vector<uint64_t*>> free_;  // by their words
};

// Of whole numbers in few bits each, one behind another, the one of `width` bits that begins at `bit`. Reads the word behind it.
[[gnu::always_inline]] inline uint64_t bits_at(const uint64_t* words, size_t bit, unsigned width) {
    if (width == 0) return 0;
    const uint64_t* const at = words + bit / 64;
    const unsigned shift = bit % 64;
    return (at[0] >> shift | at[1] << 1 << (63 - shift)) & (UINT64_MAX >> (64 - width));
}

// Writes numbers so, one behind another.
class BitWriter {
  public:
    explicit BitWriter(uint64_t* words) : at_(words) {}

    // `value` has no more bits than `width`, which is at most 64.
    void add(uint64_t value, unsigned width) {
        if (width == 0) return;
        word_ |= value << used_;
        if (used_ + width < 64) {
            used_ += width;
            return;
        }
        *at_++ = word_;
        const unsigned written = 64 - used_;
        word_ = written < 64 ? value >> written : 0;
        used_ = width - written;
    }
    // The last word, unless it was full.
    void finish() {
        if (used_ > 0) *at_ = word_;
    }

  private:
    uint64_t* at_;
    uint64_t word_ = 0;
    unsigned used_ = 0;
};

}  // namespace sanscope
