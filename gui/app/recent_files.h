// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

namespace sanscope {

// The captures opened last, newest first, remembered for this user.
constexpr qsizetype most_recent_files = 12;
QStringList recent_files();
void add_recent_file(const QString& path);
void clear_recent_files();

}  // namespace sanscope
