// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <memory>
#include <span>
#include <string_view>

#include "gui/document/view_state.h"
#include "gui/models/host_names.h"

#include "analyzer/query/column_meaning.h"
#include "analyzer/tables/table.h"

namespace sanscope {

// What times are shown relative to, and how.
struct TimeReference {
    int64_t first_ns = 0;
    TimeFormat format = TimeFormat::relative;
    bool operator==(const TimeReference&) const = default;
};

// How a column of a table is shown to people; its name and its exact values are those of the contract.
class ColumnFormat {
  public:
    explicit ColumnFormat(const ColumnInfo& column);

    // For a header: "Turnaround". `tooltip` has the description, and the name under which filters know it.
    const QString& title() const { return title_; }
    QString tooltip() const;
    bool right_aligned() const { return right_aligned_; }
    // What one looks for in it are its greatest values: durations, sizes and counts, not numbers of things or places.
    bool largest_first() const;
    bool shows_moments() const { return meaning_ == Meaning::moment; }
    bool has_addresses() const { return has_addresses_; }
    // What stands in place of addresses, where the column has any; nullptr: nothing.
    void set_host_names(std::shared_ptr<const HostNames> names) { host_names_ = std::move(names); }
    // Room that most of its values need.
    int characters(TimeFormat format) const;

    // "1.24 ms", "64 KiB", "✓"; empty where unknown.
    QString text(const Cell& cell, const TimeReference& time) const;
    // The same while the capture goes on: what has no answer is under way.
    QString text_so_far(const Cell& cell, const TimeReference& time) const;
    // All of it: "1,240,512 ns"; for a tooltip.
    QString exact(const Cell& cell, const TimeReference& time) const;
    // A value as it can stand in a filter beside the column; empty where unknown.
    QString literal(const Cell& cell) const;

  private:
    QString words(std::string_view text) const;

    const ColumnInfo* column_;
    Meaning meaning_;
    QString title_;
    bool right_aligned_;
    bool has_addresses_;
    std::shared_ptr<const HostNames> host_names_;
};

// "1,234".
QString grouped(uint64_t number);

}  // namespace sanscope
