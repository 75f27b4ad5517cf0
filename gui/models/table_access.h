// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "gui/document/capture_data.h"
#include "gui/models/table_kinds.h"

#include "analyzer/tables/table.h"

namespace sanscope {

// A table that may still grow and change while it is looked at.
class TableAccess {
  public:
    virtual ~TableAccess() = default;
    virtual std::string_view name() const = 0;
    virtual std::span<const ColumnInfo> columns() const = 0;
    // Calls `visit` with the table, which stands still meanwhile. Any thread but the GUI's, which it may keep waiting.
    virtual void read(const std::function<void(const Table&)>& visit) const = 0;
    // The table once nothing in it changes any more, for any thread; nullptr before.
    virtual const Table* final_table() const = 0;
};

// What is known of the table before there are rows. `name` is one of table_kinds().
std::span<const ColumnInfo> columns_of_table(std::string_view name);
// The table as it is now; good as long as the data, and as still as they are.
std::unique_ptr<Table> make_table(const CaptureData::Reading& reading, std::string_view name);
std::shared_ptr<const TableAccess> access_table(std::shared_ptr<const CaptureData> data,
                                                std::string_view name);

}  // namespace sanscope
