// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/metrics/sample_pace.h"

#include <ctime>

namespace sanscope {

SamplePace::Moment SamplePace::Moment::now() {
    timespec process{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &process);
    return {std::chrono::steady_clock::now().time_since_epoch(),
            std::chrono::seconds(process.tv_sec) + Nanoseconds(process.tv_nsec)};
}

}  // namespace sanscope
