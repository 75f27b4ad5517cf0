// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/theme_palette.h"

#include <gtest/gtest.h>

#include "gui/testing/colour_vision.h"

namespace sanscope {
namespace {

TEST(ThemePalette, TextOfWidgetsCanBeRead) {
    constexpr double least_of_text = 4.5;  // WCAG 2, 1.4.3
    struct Pair {
        QPalette::ColorRole text;
        QPalette::ColorRole behind;
    };
    for (const bool dark : {false, true}) {
        const QPalette palette = theme_palette(dark);
        for (const auto& [text, behind] :
             {Pair{QPalette::WindowText, QPalette::Window}, Pair{QPalette::Text, QPalette::Base},
              Pair{QPalette::Text, QPalette::AlternateBase}, Pair{QPalette::ButtonText, QPalette::Button},
              Pair{QPalette::ToolTipText, QPalette::ToolTipBase},
              Pair{QPalette::HighlightedText, QPalette::Highlight},
              Pair{QPalette::PlaceholderText, QPalette::Base},
              Pair{QPalette::PlaceholderText, QPalette::Window}, Pair{QPalette::Link, QPalette::Base},
              Pair{QPalette::Link, QPalette::Window}}) {
            EXPECT_GE(testing_gui::contrast(palette.color(text), palette.color(behind)), least_of_text)
                << (dark ? "dark: " : "light: ") << text << " on " << behind;
        }
    }
}

}  // namespace
}  // namespace sanscope
