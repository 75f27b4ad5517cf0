// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/growing_series.h"

#include <utility>

namespace sanscope {

Result<std::monostate> GrowingSeries::add(const std::string& path, std::shared_ptr<FileGrowth> growth) {
    Result<OpenInput> input = open_input(path);
    if (!input) return input.error();
    {
        const std::lock_guard lock(mutex_);
        files_.push_back(
            std::make_unique<GrowingFileSource>(std::move(input->descriptor), std::move(growth)));
    }
    changed_.notify_all();
    return std::monostate{};
}

void GrowingSeries::finish() {
    {
        const std::lock_guard lock(mutex_);
        finished_ = true;
    }
    changed_.notify_all();
}

size_t GrowingSeries::read(std::span<uint8_t> into) {
    for (;;) {
        GrowingFileSource* file = nullptr;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return finished_ || !files_.empty(); });
            if (files_.empty()) return 0;
            file = files_.front().get();
        }
        // Only this thread takes files away.
        if (const size_t read = file->read(into); read > 0) {
            read_.fetch_add(read, std::memory_order_relaxed);
            return read;
        }
        if (!file->fault().empty()) {
            fault_ = file->fault();
            return 0;
        }
        const std::lock_guard lock(mutex_);
        files_.pop_front();
    }
}

}  // namespace sanscope
