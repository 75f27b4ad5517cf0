// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProxyStyle>

namespace sanscope {

// Qt's Fusion, with room beside the texts of tables: a column of numbers ends where one of words may begin.
class ThemeStyle : public QProxyStyle {
    Q_OBJECT

  public:
    ThemeStyle();

    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
    QRect subElementRect(SubElement element, const QStyleOption* option,
                         const QWidget* widget) const override;
    QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                           const QWidget* widget) const override;
};

}  // namespace sanscope
