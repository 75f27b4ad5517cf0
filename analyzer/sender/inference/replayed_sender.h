// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/sender/candidates/window_candidates.h"
#include "analyzer/sender/kernel/linux_sender.h"

namespace sanscope {

// The kernel that is replayed, with all candidates for its congestion control beside each other.
using ReplayedSender = LinuxSender<WindowCandidates>;

}  // namespace sanscope
