// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QLabel;
class QWidget;

namespace sanscope {

// A label, owned by `parent`, for text that comes from captures and file names: what looks like markup in it is shown as it is.
QLabel* plain_label(QWidget* parent);

}  // namespace sanscope
