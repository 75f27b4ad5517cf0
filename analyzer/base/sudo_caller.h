// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <sys/types.h>

namespace sanscope {

// Whoever called sudo, by what sudo tells in SUDO_UID and SUDO_GID: an environment that root may have set otherwise.
struct SudoCaller {
    std::optional<uid_t> user;  // each empty where that is not told, or is no number
    std::optional<gid_t> group;
};
SudoCaller sudo_caller();

}  // namespace sanscope
