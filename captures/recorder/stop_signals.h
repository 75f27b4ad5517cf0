// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/base/file_descriptor.h"

namespace sanscope {

// Those that ask for an end (SIGINT, SIGTERM, SIGHUP), as a descriptor to poll; they do nothing else from then on. One
// that is ignored already, as by nohup, stays so. Before any thread is started.
FileDescriptor take_stop_signals();

// Whether one came; takes it off the descriptor.
bool stop_signal_came(const FileDescriptor& signals);

}  // namespace sanscope
