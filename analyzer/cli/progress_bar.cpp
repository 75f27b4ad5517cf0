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
    if (source_ == nullptr || !due(now)) return;
    const double seconds = std::chrono::duration<double>(now - begun_).count();
    const auto read = static_cast<double>(source_->bytes_read());
    fmt::print(stderr, "\r\x1b[K{}{} read, {}/s, {}", bar(source_->bytes_read(), source_->bytes_total()),
               human_bytes(read), human_bytes(read / seconds), counted(packets, "packet"));
}

void ProgressBar::update(uint64_t packets, uint64_t of, std::string_view what) {
    if (!due(Clock::now())) return;
    fmt::print(stderr, "\r\x1b[K{}{} of {} {}", bar(packets, of), human_count(packets), counted(of, "packet"),
               what);
}

bool ProgressBar::due(Clock::time_point now) {
    if (now < next_) return false;
    next_ = now + std::chrono::milliseconds(100);
    drawn_ = true;
    return true;
}

// Nothing where the whole is not known.
std::string ProgressBar::bar(uint64_t done, uint64_t of) {
    if (of == 0) return {};
    constexpr size_t width = 30;
    const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(of));
    const auto filled = static_cast<size_t>(part * width);
    return fmt::format("[{}{}] {:3.0f} %  ", std::string(filled, '#'), std::string(width - filled, '.'),
                       part * 100);
}

void ProgressBar::clear() {
    if (drawn_) fmt::print(stderr, "\r\x1b[K");
    drawn_ = false;
}

}  // namespace sanscope
