// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/tables/table.h"

namespace sanscope {

// A name or header as it is compared: small letters, one "_" for the blanks, commas and other signs between two words; dots and
// colons belong to words. "Request time" and REQUEST_TIME are request_time, tcp.window stays what it is.
std::string plain_column_name(std::string_view text);

// What filters may call the columns of a table: by their names and by their headers (column_header.h), whatever the case, with
// "_" or a blank between the words.
class ColumnNames {
  public:
    // `columns`, and their strings, must stay while this does.
    explicit ColumnNames(std::span<const ColumnInfo> columns);

    // The numbers of the columns that a word is a name of: none, one, or several where nobody can tell which is meant. A name as
    // the table has it, letter by letter, is always that one's.
    std::vector<size_t> find(std::string_view word) const;

    struct Suggestion {
        std::string_view name;  // as long as this, or the columns
        size_t edits;           // letters by which it differs
    };
    // What may have been meant by a word that is no name: the nearest first, at most three, one for a column.
    std::vector<Suggestion> near(std::string_view word) const;

  private:
    struct Names {
        std::string_view name;
        std::string plain_name;
        std::string plain_header;
    };
    std::vector<Names> columns_;
};

}  // namespace sanscope
