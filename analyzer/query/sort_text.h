// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "analyzer/tables/table.h"

namespace sanscope {

// What text is sorted by where it is not sorted by its bytes. Inside the library only.

// Whether a column's cells are addresses with ports, as its description shows: "…, IP:PORT or [IPv6]:PORT".
bool holds_endpoints(const ColumnInfo& column);

// 0x and up to 16 digits; false for anything else.
bool read_hexadecimal(std::string_view text, uint64_t& number);

// Makes of a cell's text what compares byte by byte as the cells are to be ordered. Of IP:PORT and [IPv6]:PORT that is the
// address and the port in network order, IPv4 first; text that is neither stays, and comes behind both.
class SortText {
  public:
    explicit SortText(bool endpoints) : endpoints_(endpoints) {}

    // Points into `text` or into this.
    std::string_view of(std::string_view text) { return endpoints_ ? of_endpoint(text) : text; }

  private:
    std::string_view of_endpoint(std::string_view text);

    bool endpoints_;
    std::array<char, 19> buffer_;
};

}  // namespace sanscope
