// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace sanscope {

// By how much the application's letters are higher than those that sizes in pixels are meant for, which stand beside or around
// text; never below 1. Any thread.
double text_scale();
// Such a size, device-independent pixels, for the letters there are.
int beside_text(int pixels);
// Takes the application's font, as it is now, for what holds from here on. Called by itself the first time; otherwise before
// there are views.
void measure_text();

}  // namespace sanscope
