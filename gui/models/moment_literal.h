// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>

namespace sanscope {

// A moment in quotes, in full, as the filter language reads it. Years that ISO 8601 has no four digits for as a number.
QString moment_literal(int64_t time_ns);

}  // namespace sanscope
