// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSize>
#include <QString>
#include <functional>

#include "gui/view_engine/view.h"

namespace sanscope {

enum class PictureFormat : uint8_t { png, svg, pdf };

// By the name's ending; nothing for another one.
bool picture_format_of(const QString& path, PictureFormat& format);

// "png", "svg", "pdf"
QString ending_of(PictureFormat format);

// Draws what `draw` does of the widget, at its size, into a file, as export_view().
QString export_picture(const QWidget& widget, const std::function<void(QPainter&)>& draw, const QString& path,
                       PictureFormat format, double scale = 2);

// Draws the view as it is into a file, which is replaced only once the whole picture is written. PNG with `scale` pixels a
// point; SVG and PDF at one. An empty text where it went well, else why not.
QString export_view(View& view, const QString& path, PictureFormat format, double scale = 2);

// Waits until the view is settled, events being processed meanwhile. False where that takes longer than `patience_ms`.
bool wait_until_settled(const View& view, int patience_ms);

}  // namespace sanscope
