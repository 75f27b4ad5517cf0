// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/theme_style.h"

#include <QStyleFactory>
#include <QTableView>

#include "gui/plot/text_scale.h"

namespace sanscope {
namespace {

// On top of Fusion's, on each side.
int header_margin() {
    return beside_text(4);
}
int cell_margin() {
    return beside_text(3);
}

}  // namespace

ThemeStyle::ThemeStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

int ThemeStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    const int pixels = QProxyStyle::pixelMetric(metric, option, widget);
    const bool of_cells =
        metric == PM_FocusFrameHMargin && qobject_cast<const QTableView*>(widget) != nullptr;
    return of_cells ? pixels + cell_margin() : pixels;
}

QRect ThemeStyle::subElementRect(SubElement element, const QStyleOption* option,
                                 const QWidget* widget) const {
    const QRect rect = QProxyStyle::subElementRect(element, option, widget);
    return element == SE_HeaderLabel ? rect.adjusted(header_margin(), 0, -header_margin(), 0) : rect;
}

QSize ThemeStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                                   const QWidget* widget) const {
    QSize whole = QProxyStyle::sizeFromContents(type, option, size, widget);
    if (type == CT_HeaderSection) whole.rwidth() += 2 * header_margin();
    return whole;
}

}  // namespace sanscope
