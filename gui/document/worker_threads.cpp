// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/worker_threads.h"

#include <QThreadPool>
#include <sys/resource.h>
#include <unistd.h>

namespace sanscope {

QThreadPool& worker_threads() {
    static QThreadPool pool;
    return pool;
}

void lower_priority(NiceIncrement by) {
    // On Linux a thread has a nice value of its own; that of the GUI thread is asked for by the number of the process.
    const int of_gui_thread = getpriority(PRIO_PROCESS, static_cast<id_t>(getpid()));
    setpriority(PRIO_PROCESS, 0, of_gui_thread + static_cast<int>(by));
}

}  // namespace sanscope
