// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>
#include <span>

#include "gui/document/capture_data.h"
#include "gui/document/latest_job.h"

#include "analyzer/report/findings.h"

namespace sanscope {

// The rows of a table that findings count, as a filter that selects these and no others.
struct FindingRows {
    QString table;
    QString filter;
    uint64_t count = 0;
    bool operator==(const FindingRows&) const = default;
};

// Nothing where no filter says exactly that, or not all are about rows of one table. Visits the table's rows.
std::optional<FindingRows> find_rows_of(const CaptureData::Reading& reading,
                                        std::span<const Finding* const> findings, const StopFlag& stop);

// "Show all 42 in Losses".
QString words_for(const FindingRows& rows);

}  // namespace sanscope
