// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/theme_palette.h"

#include "gui/plot/theme.h"

namespace sanscope {

QPalette theme_palette(bool dark) {
    const Theme& theme = dark ? Theme::dark_one() : Theme::light();
    const QColor window = dark ? QColor(0x26, 0x2a, 0x30) : QColor(0xf0, 0xf2, 0xf4);
    const QColor button = dark ? QColor(0x32, 0x37, 0x3f) : QColor(0xe8, 0xeb, 0xee);
    const QColor highlight = dark ? QColor(0x2f, 0x6f, 0xa8) : QColor(0x1f, 0x6f, 0xb2);
    QPalette palette(button, window);
    palette.setColor(QPalette::Base, theme.background);
    palette.setColor(QPalette::AlternateBase, theme.alternate_background);
    for (const auto role :
         {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText}) {
        palette.setColor(role, theme.text);
        palette.setColor(QPalette::Disabled, role, theme.faint_text);
    }
    palette.setColor(QPalette::ToolTipBase, dark ? QColor(0x3a, 0x40, 0x49) : QColor(0xff, 0xff, 0xe8));
    palette.setColor(QPalette::PlaceholderText, theme.faint_text);
    palette.setColor(QPalette::Highlight, highlight);
    palette.setColor(QPalette::HighlightedText, Qt::white);
    palette.setColor(QPalette::Link, dark ? theme.initiator : highlight);
    return palette;
}

}  // namespace sanscope
