// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/open_file_limit.h"

#include <algorithm>
#include <sys/resource.h>

namespace sanscope {

uint64_t allow_open_files(uint64_t files) {
    // Standard input and the like, a temporary file, a pipe to a helper, what a library opens.
    constexpr uint64_t for_others = 24;
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return files;
    if (limit.rlim_cur < files + for_others) {
        rlimit raised = limit;
        raised.rlim_cur = std::min<rlim_t>(limit.rlim_max, files + for_others);
        if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
    }
    if (limit.rlim_cur >= files + for_others) return files;
    return limit.rlim_cur - std::min<rlim_t>(limit.rlim_cur, for_others);
}

}  // namespace sanscope
