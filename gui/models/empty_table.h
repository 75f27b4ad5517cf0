// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "gui/document/capture_data.h"
#include "gui/models/table_kinds.h"

namespace sanscope {

// Why a table of a capture that is complete has no rows at all, whatever the filter, and where it can be had, what would give
// it some; one sentence or two, for people.
QString why_empty(const TableKind& table, const CaptureData::Reading& reading);

}  // namespace sanscope
