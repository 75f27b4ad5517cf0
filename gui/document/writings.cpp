// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/writings.h"

#include <utility>

namespace sanscope {

void Writings::begin(const QString& path) {
    paths_.append(path);
}

void Writings::end(const QString& path, bool written) {
    if (!paths_.removeOne(path)) return;
    all_written_ = all_written_ && written;
    if (paths_.isEmpty()) Q_EMIT ended(std::exchange(all_written_, true));
}

}  // namespace sanscope
