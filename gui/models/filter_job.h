// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <atomic>
#include <memory>
#include <string>

#include "gui/document/capture_data.h"
#include "gui/document/filter_result.h"
#include "gui/document/latest_job.h"

#include "analyzer/query/row_filter.h"

namespace sanscope {

// How far a filter has come, in rows or packets. Any thread.
struct FilterProgress {
    std::atomic<uint64_t> done = 0;
    std::atomic<uint64_t> total = 0;
};

struct FilterOutcome {
    std::shared_ptr<const FilterResult> result;  // nullptr: stopped, or an error
    QString error;
    QStringList notes;  // what the user should know of a result: packets left out, …
    std::string table;  // whose rows were asked
    uint64_t passed = 0;
    uint64_t total = 0;
};

// What runs a filter over a capture that is loaded, on a worker thread (and one more of its own), and finds out what its rows
// are in all other tables.
FilterOutcome run_column_filter(const CaptureData& data, std::string_view table, const RowFilter& filter,
                                const std::string& expression, FilterProgress& progress,
                                const StopFlag& stop);
// The capture is read again from its file; `program` is sanscope-dissectd, empty where it is to be found.
FilterOutcome run_display_filter(const CaptureData& data, const std::string& expression,
                                 const std::string& program, FilterProgress& progress, const StopFlag& stop);

}  // namespace sanscope
