// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace sanscope {

// The calling thread asks the scheduler for the shortest turns, so that it runs soon after something woke it, also
// where others compute on its processor. It gets no more of the processor for that, and needs no right
// (sched_setattr(2); Linux 6.12 and later heed it, earlier ones do not).
void ask_for_short_slices();

}  // namespace sanscope
