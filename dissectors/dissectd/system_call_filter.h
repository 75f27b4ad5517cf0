// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace sanscope {

// From here on all threads of this process get EPERM for the system calls that lead out of it: sockets, programs and
// other processes, files' names, owners and permissions, whatever changes the system, and io_uring, which would go past
// the filter. Its own threads, memory and open files it keeps. False where the kernel or the processor is not one this
// is known for.
bool refuse_system_calls();

}  // namespace sanscope
