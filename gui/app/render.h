// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>
#include <optional>

#include "gui/app/view_export.h"

namespace sanscope {

// Moments as `--from` and `--to` take them: seconds since the capture began ("1.25", "1.25s", "340ms", "12us"), or a UTC
// time ("2026-11-21T10:33:56.5").
struct AskedTime {
    bool absolute = false;
    int64_t ns = 0;  // since the capture began, or the epoch
};
std::optional<AskedTime> parse_time(const QString& text);

// "1600x900", between 64 and 16384 each.
std::optional<QSize> parse_size(const QString& text);

struct RenderOptions {
    QString file;
    QString folder;      // made where it is not there
    QStringList points;  // files that are points of one path, instead of `file`; empty: that alone
    QStringList views;   // names; empty: all
    QSize size{1600, 900};
    std::optional<AskedTime> from;
    std::optional<AskedTime> to;
    PictureFormat format = PictureFormat::png;
    bool dark = false;
    QString select;  // "command:12", "packet:4711"; empty: nothing
    QString at;      // as StartPlace has them
    QString finding;
    double scale = 1;
};

// Draws views of a capture into FOLDER/NAME.png and prints each file's name to standard output. An exit status as `sanscope`'s:
// 0; 1 nothing could be read, or a file could not be written; 2 usage; 3 the capture is damaged.
int render(const RenderOptions& options);

}  // namespace sanscope
