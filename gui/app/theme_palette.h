// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPalette>

namespace sanscope {

// Colours for the widgets that fit the drawn views: light, or dark.
QPalette theme_palette(bool dark);

}  // namespace sanscope
