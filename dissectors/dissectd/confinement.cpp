// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/dissectd/confinement.h"

#include <filesystem>
#include <iterator>
#include <system_error>

#include "dissectors/dissectd/landlock_rules.h"
#include "dissectors/dissectd/system_call_filter.h"

namespace sanscope {
namespace {

int threads_of_this_process() {
    std::error_code error;
    const std::filesystem::directory_iterator threads("/proc/self/task", error);
    return error ? 1 : static_cast<int>(std::distance(begin(threads), end(threads)));
}

}  // namespace

std::vector<std::string> files_of_the_system() {
    return {"/usr/lib",
            "/usr/lib64",
            "/usr/local/lib",
            "/lib",
            "/lib64",
            "/etc/ld.so.cache",
            "/etc/localtime",
            "/usr/share/zoneinfo",
            "/usr/share/locale",
            "/usr/share/i18n",
            "/proc/self",
            "/dev/null",
            "/dev/urandom",
            "/sys/devices/system/cpu"};
}

std::string not_kept_from(int abi, bool system_calls, int threads) {
    std::string words;
    const auto add = [&](const char* what) {
        if (!words.empty()) words += ", ";
        words += what;
    };
    if (abi < 1) {
        add(system_calls ? "reading files" : "reading and writing files");
        words += " (this kernel has no Landlock, or does not allow it here)";
    } else if (threads > 1) {
        add("reading files in threads that Wireshark began at its start");
    }
    constexpr int knows_truncate = 3;
    if (abi >= 1 && abi < knows_truncate && !system_calls) add("truncating files");
    if (!system_calls) {
        add("using the network and other processes");
        words += " (this kernel has no seccomp filters, or does not allow them here)";
    }
    return words;
}

Confinement confine(const std::vector<std::string>& readable) {
    Confinement reached;
    const int threads = threads_of_this_process();
    const int abi = landlock_abi();
    if (restrict_by_landlock(abi, readable)) reached.landlock_abi = abi;
    reached.system_calls = refuse_system_calls();
    reached.not_kept_from = not_kept_from(reached.landlock_abi, reached.system_calls, threads);
    return reached;
}

}  // namespace sanscope
