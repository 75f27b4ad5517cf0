// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

namespace sanscope {

// Puts `bytes` into a file that takes its place once it is whole (ReplacementFile): what was there before stays until then. Empty
// where that was done, else why not, without the file's name.
QString write_file(const QString& path, const QByteArray& bytes);

}  // namespace sanscope
