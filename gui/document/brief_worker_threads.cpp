// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/brief_worker_threads.h"

#include <QThreadPool>

namespace sanscope {

QThreadPool& brief_worker_threads() {
    static QThreadPool pool;
    return pool;
}

}  // namespace sanscope
