// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace sanscope {

// Messages of the threads of a load, in sentences, for whoever reports. Not for each command.
class LoadMessages {
  public:
    void add(std::string message) {
        const std::lock_guard lock(mutex_);
        if (messages_.size() < most_) messages_.push_back(std::move(message));
    }
    std::vector<std::string> take() {
        const std::lock_guard lock(mutex_);
        return std::exchange(messages_, {});
    }

  private:
    static constexpr size_t most_ = 1000;
    std::mutex mutex_;
    std::vector<std::string> messages_;
};

}  // namespace sanscope
