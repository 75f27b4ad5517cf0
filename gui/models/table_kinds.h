// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <span>
#include <string_view>

#include "gui/document/selection.h"

#include "analyzer/query/linked_rows.h"

namespace sanscope {

// A table that can be looked at or filtered over, and all that shows one from another in the window: a new table is one more
// row of table_kinds().
struct TableKind {
    std::string_view name;       // in files and filters
    const char* title;           // as its view and filter are called; translated_title() for people
    const char* noun = "row";    // what one of its rows is called
    const char* nouns = "rows";  // and several
    std::span<const std::string_view> columns =
        {};                      // shown unless chosen otherwise, in that order; empty: all
    std::string_view view = {};  // the name of its view; empty: it has none

    // What a row of it is to all views; `none`: the packet it names.
    Selection::Kind selection = Selection::Kind::none;
    std::string_view selection_name = {};  // as in --select NAME:NUMBER
    const char* selection_title = "";      // with its number for %1

    Selected filtered;                     // what a filter over it selects from
    RowSet LinkedRows::*linked = nullptr;  // its rows that belong to those; nullptr: those at packets that do
    bool at_packets = false;  // each row is an event at a packet, and belongs to what the packet belongs to
    std::string_view sorted_by = {};  // the column its rows are sorted by at first; empty: as they are
    bool ordered_by_time = true;      // new rows come at the end

    QString translated_title() const;
    QString noun_for(uint64_t count) const;  // 0: of the table as a whole
};

// All of them, in the order of menus, and in which a filter is tried on them.
std::span<const TableKind> table_kinds();
// nullptr for what is none.
const TableKind* find_table_kind(std::string_view name);
const TableKind* find_table_kind(Selection::Kind selection);
const TableKind* find_selectable(std::string_view selection_name);

// "Command 1,234"; empty for no selection.
QString selection_text(const Selection& selection);

}  // namespace sanscope
