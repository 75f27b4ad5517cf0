// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/arrow/arrow_stream.h"

namespace sanscope {

// One bit a value, the first one lowest, as Arrow has validity and booleans.
class Bits {
  public:
    // Of values that are 0 or 1.
    void assign(std::span<const uint8_t> values);
    std::span<const char> bytes() const { return bytes_; }

  private:
    std::vector<char> bytes_;
};

// Which values of a batch are there.
class Validity {
  public:
    void assign(std::span<const uint8_t> known);
    size_t null_count() const { return null_count_; }
    std::span<const char> bytes() const;  // empty where none is null

  private:
    size_t null_count_ = 0;
    Bits bits_;
};

// Text of varying length as Arrow's Utf8: offsets and bytes. What is no UTF-8 becomes U+FFFD.
class Utf8Values {
  public:
    Utf8Values() { clear(); }
    void clear();
    void append(std::string_view text);
    size_t size() const { return offsets_.size() - 1; }
    ArrowArray array() const;  // without nulls, good until the next change

    std::span<const char> offsets() const;
    std::span<const char> text() const { return bytes_; }

  private:
    std::vector<int32_t> offsets_;
    std::string bytes_;
};

// The words of a dictionary column over all batches; a word keeps its index.
class Dictionary {
  public:
    int32_t index_of(std::string_view word);
    // Those that have an index, in order of it.
    const Utf8Values& words() const { return words_; }

  private:
    struct Hash {
        using is_transparent = void;
        size_t operator()(std::string_view word) const { return std::hash<std::string_view>()(word); }
    };
    Utf8Values words_;
    std::unordered_map<std::string, int32_t, Hash, std::equal_to<>> indices_;
    // Rows beside one another mostly have the same word.
    std::string last_;
    int32_t last_index_ = -1;
};

}  // namespace sanscope
