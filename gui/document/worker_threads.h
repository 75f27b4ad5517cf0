// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QThreadPool;

namespace sanscope {

// Where work behind the GUI thread is done, as many pieces at once as there are processors. Not Qt's global pool: the painter
// hands parts of large fills to that one and waits for them, so that a long job in it would keep the window from being painted.
QThreadPool& worker_threads();

// How much lower than the GUI thread's the priority of a thread is, in steps of the nice value (setpriority(2)).
enum class NiceIncrement : int { job = 5, loader = 10 };

// Lowers the priority of the calling thread, and of those that it starts from now on. Without rights it cannot be raised again.
void lower_priority(NiceIncrement by);

}  // namespace sanscope
