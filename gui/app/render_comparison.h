// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/app/render.h"

namespace sanscope {

// Draws the comparison of `options.file` with `after` into FOLDER/compare.png and prints the file's name; of the options, those
// of time, views and selection are of no use. An exit status as render()'s.
int render_comparison(const RenderOptions& options, const QString& after);

}  // namespace sanscope
