// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "analyzer/tables/table.h"

namespace sanscope {

// Text in a cell's own buffer; what does not fit is left out, and that shown. The cell has it at the end.
class ShortText {
  public:
    explicit ShortText(Cell& cell) : cell_(cell) {}
    ~ShortText() { cell_.set(std::string_view(cell_.buffer, size_)); }
    ShortText(const ShortText&) = delete;
    ShortText& operator=(const ShortText&) = delete;

    bool empty() const { return size_ == 0; }
    ShortText& add(std::string_view text) {
        if (full_) return *this;
        full_ = size_ + text.size() > sizeof cell_.buffer - ellipsis.size();
        if (full_) text = ellipsis;
        std::memcpy(cell_.buffer + size_, text.data(), text.size());
        size_ += text.size();
        return *this;
    }
    ShortText& add(uint64_t number) {
        std::array<char, 20> digits;
        const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
        return add(std::string_view(digits.data(), static_cast<size_t>(end - digits.data())));
    }
    // Between what is listed.
    ShortText& next() { return empty() ? *this : add(", "); }

  private:
    static constexpr std::string_view ellipsis = "…";
    Cell& cell_;
    size_t size_ = 0;
    bool full_ = false;
};

}  // namespace sanscope
