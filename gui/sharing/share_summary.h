// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include "gui/sharing/share_copy.h"

namespace sanscope {

// What is in a copy, and what is not: a sentence each. `connections`: TCP connections of the capture.
QStringList share_summary(const ShareRequest& request, const SharedCopy& copy, uint64_t connections);

}  // namespace sanscope
