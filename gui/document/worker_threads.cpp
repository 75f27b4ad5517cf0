// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/worker_threads.h"

#include <QThreadPool>
#include <sys/resource.h>

namespace sanscope {

QThreadPool& worker_threads() {
    static QThreadPool pool;
    return pool;
}

void give_way(Nicer by) {
    // On Linux a thread has a niceness of its own.
    setpriority(PRIO_PROCESS, 0, static_cast<int>(by));
}

}  // namespace sanscope
