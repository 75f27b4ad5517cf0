// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/growing_file.h"

#include <algorithm>
#include <chrono>
#include <sys/stat.h>

namespace sanscope {
namespace {

uint64_t size_of(int descriptor) {
    struct stat status {};
    return fstat(descriptor, &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

}  // namespace

void FileGrowth::grown_to(uint64_t bytes) {
    {
        const std::lock_guard lock(mutex_);
        announced_ = std::max(announced_.value_or(0), bytes);
    }
    changed_.notify_all();
}

void FileGrowth::end() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    changed_.notify_all();
}

bool FileGrowth::ended() const {
    const std::lock_guard lock(mutex_);
    return ended_;
}

uint64_t FileGrowth::wait_beyond(int descriptor, uint64_t position) {
    constexpr std::chrono::milliseconds between_looks{50};
    std::unique_lock lock(mutex_);
    for (;;) {
        // Asked before the file is looked at, so that what was written before the end is seen.
        const bool last_look = ended_;
        const uint64_t until = announced_ ? *announced_ : size_of(descriptor);
        if (until > position) return until;
        if (last_look) return position;
        if (announced_) {
            changed_.wait(lock);
        } else {
            changed_.wait_for(lock, between_looks);
        }
    }
}

size_t GrowingFileSource::read(std::span<uint8_t> into) {
    const uint64_t position = stored_bytes_read();
    const uint64_t until = growth_->wait_beyond(descriptor_.get(), position);
    const auto length = static_cast<size_t>(std::min<uint64_t>(into.size(), until - position));
    if (length == 0) return 0;
    const size_t read = read_at(descriptor_.get(), into.first(length), position, fault_);
    read_.fetch_add(read, std::memory_order_relaxed);
    return read;
}

}  // namespace sanscope
