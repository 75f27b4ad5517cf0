// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/senders/long_choice_box.h"

#include <QAbstractItemModel>
#include <QEvent>
#include <QFontMetrics>
#include <QStyle>
#include <QStyleOptionComboBox>
#include <algorithm>
#include <cmath>

namespace sanscope {

LongChoiceBox::LongChoiceBox(QWidget* parent) : QComboBox(parent) {
    setSizeAdjustPolicy(QComboBox::AdjustToContents);
    connect(model(), &QAbstractItemModel::rowsRemoved, this, &LongChoiceBox::measure_anew);
}

// The room for letters and the height are those of QComboBox.
QSize LongChoiceBox::sizeHint() const {
    const QFontMetrics metrics = fontMetrics();
    for (; measured_ < count(); ++measured_)
        widest_ = std::max(widest_, metrics.boundingRect(itemText(measured_)).width());
    constexpr int letters_when_empty = 7;
    constexpr int least_height = 14;
    const int width = count() == 0 ? letters_when_empty * metrics.horizontalAdvance(u'x') : widest_;
    const int least_width = minimumContentsLength() * metrics.horizontalAdvance(u'X');
    const int height =
        std::max(static_cast<int>(std::ceil(QFontMetricsF(font()).height())), least_height) + 2;
    QStyleOptionComboBox option;
    initStyleOption(&option);
    return style()->sizeFromContents(QStyle::CT_ComboBox, &option, {std::max(width, least_width), height},
                                     this);
}

void LongChoiceBox::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange) measure_anew();
    QComboBox::changeEvent(event);
}

void LongChoiceBox::measure_anew() {
    measured_ = widest_ = 0;
}

}  // namespace sanscope
