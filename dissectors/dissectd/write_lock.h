// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace sanscope {

// From here on the process can neither create, change nor remove files, by Linux's Landlock; what it has open it keeps. What
// dissectors make of hostile packets then stays in the process. False where the kernel does not know how.
bool deny_writing();

}  // namespace sanscope
