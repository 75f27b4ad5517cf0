// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace sanscope {

// Keeps what dissectors make of hostile packets in the process: from here on it can only compute, write to what it has
// open, and read the files named here. Not: other files, creating, changing or truncating any, running programs,
// sockets, other processes. By two means, so that one stands where the kernel lacks the other: Landlock by rules,
// seccomp by system calls.
struct Confinement {
    int landlock_abi = 0;       // of this kernel; 0: it has none, or nobody may use it
    bool system_calls = false;  // that lead outside are refused
    // What the kernel could not be asked to enforce, as the end of "It is not kept from …"; empty: it is kept from all.
    std::string not_kept_from;
};

// `readable`: files and folders, with all below them; those that do not exist are passed over. For good, and for
// whatever thread begins after it.
Confinement confine(const std::vector<std::string>& readable);

// The words of Confinement::not_kept_from for what holds. `threads`: of the process, when it was confined.
std::string not_kept_from(int landlock_abi, bool system_calls, int threads);

// What any program needs to go on: libraries that are loaded late, character sets, time zones, its own /proc.
std::vector<std::string> files_of_the_system();

}  // namespace sanscope
