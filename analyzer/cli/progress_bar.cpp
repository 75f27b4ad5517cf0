// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/progress_bar.h"

#include <algorithm>
#include <cstdio>
#include <fmt/core.h>
#include <string>
#include <unistd.h>

#include "analyzer/report/human_units.h"

namespace sanscope {

bool ProgressBar::wanted() {
    return isatty(STDERR_FILENO) == 1;
}

void ProgressBar::update(uint64_t packets) {
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(100);
    drawn_ = true;

    const double seconds = std::chrono::duration<double>(now - begun_).count();
    const uint64_t read = source_.bytes_read();
    const uint64_t total = source_.bytes_total();
    std::string line = "\r\x1b[K";
    if (total > 0) {
        constexpr size_t width = 30;
        const double done = std::min(1.0, static_cast<double>(read) / static_cast<double>(total));
        const auto filled = static_cast<size_t>(done * width);
        line += fmt::format("[{}{}] {:3.0f} %  ", std::string(filled, '#'), std::string(width - filled, '.'),
                            done * 100);
    }
    line += fmt::format("{} read, {}/s, {} packets", human_bytes(static_cast<double>(read)),
                        human_bytes(static_cast<double>(read) / seconds), human_count(packets));
    fmt::print(stderr, "{}", line);
}

void ProgressBar::clear() {
    if (drawn_) fmt::print(stderr, "\r\x1b[K");
    drawn_ = false;
}

}  // namespace sanscope
