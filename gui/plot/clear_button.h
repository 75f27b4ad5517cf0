// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QLineEdit;

namespace sanscope {

// Gives a line the button of Qt that empties it, with the name for screen readers that Qt leaves out.
void add_clear_button(QLineEdit& line);

}  // namespace sanscope
