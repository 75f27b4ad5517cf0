// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/plain_text.h"

#include <QTextDocument>

namespace sanscope {
namespace {

// Laying out a tooltip takes time and room by its length, whoever wrote it.
constexpr qsizetype longest = 4000;

}  // namespace

QString plain_text(const QString& text) {
    const QString shown = text.size() > longest ? text.left(longest) + QChar(0x2026) : text;
    if (!Qt::mightBeRichText(shown)) return shown;
    return QStringLiteral("<p style=\"white-space:pre-wrap\">%1</p>").arg(shown.toHtmlEscaped());
}

}  // namespace sanscope
