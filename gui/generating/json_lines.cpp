// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/generating/json_lines.h"

#include <QJsonDocument>
#include <algorithm>
#include <cmath>

namespace sanscope {

void JsonLines::add(const QByteArray& bytes, const Take& take) {
    qsizetype at = 0;
    while (at < bytes.size()) {
        const qsizetype end = bytes.indexOf('\n', at);
        const qsizetype until = end < 0 ? bytes.size() : end;
        if (begun_.size() + until - at > longest) {
            too_long_ = true;
            begun_.clear();
        }
        if (!too_long_) begun_.append(bytes.constData() + at, until - at);
        if (end < 0) return;
        finish(take);
        at = end + 1;
    }
}

void JsonLines::finish(const Take& take) {
    const QByteArray text = std::exchange(begun_, {});
    if (std::exchange(too_long_, false)) {
        ++passed_over_;
    } else if (!text.trimmed().isEmpty()) {
        line(text, take);
    }
}

void JsonLines::line(const QByteArray& text, const Take& take) {
    const QJsonDocument document = QJsonDocument::fromJson(text);
    if (document.isObject()) return take(document.object());
    ++passed_over_;
}

QString shown_text(QString text) {
    constexpr qsizetype longest_shown = 2000;
    if (text.size() > longest_shown) text = text.left(longest_shown) + QChar(0x2026);
    std::ranges::replace_if(
        text,
        [](QChar c) {
            // Whatever has no place in a line, or turns the direction of what follows.
            return c.category() == QChar::Other_Control || c.category() == QChar::Other_Format ||
                   c.category() == QChar::Separator_Line || c.category() == QChar::Separator_Paragraph;
        },
        QChar(u' '));
    return text;
}

QString text_of(const QJsonObject& object, const char* name) {
    return shown_text(object.value(QLatin1String(name)).toString());
}

double number_of(const QJsonObject& object, const char* name) {
    const double value = object.value(QLatin1String(name)).toDouble(-1);
    return std::isfinite(value) && value >= 0 ? value : -1;
}

uint64_t count_of(const QJsonObject& object, const char* name) {
    constexpr double most = 9e18;
    const double value = number_of(object, name);
    return value > 0 ? static_cast<uint64_t>(std::min(value, most)) : 0;
}

}  // namespace sanscope
