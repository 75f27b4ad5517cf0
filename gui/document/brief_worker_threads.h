// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QThreadPool;

namespace sanscope {

// For work behind the GUI thread that takes a few milliseconds and that much waits for: it never stands behind that of
// worker_threads(), of which a piece may take a hundred.
QThreadPool& brief_worker_threads();

}  // namespace sanscope
