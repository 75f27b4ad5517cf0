// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QThreadPool;

namespace sanscope {

// Where work behind the GUI thread is done, as many pieces at once as there are processors. Not Qt's global pool: the painter
// hands parts of large fills to that one and waits for them, so that a long job in it would keep the window from being painted.
QThreadPool& worker_threads();

// How far a thread stands back from the GUI thread, in steps of niceness.
enum class Nicer : int { job = 5, loader = 10 };

// The calling thread, and those that it starts from now on, let the GUI thread go first. Never takes niceness back.
void give_way(Nicer by);

}  // namespace sanscope
