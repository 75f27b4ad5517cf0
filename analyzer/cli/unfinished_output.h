// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <csignal>
#include <cstddef>
#include <string>

namespace sanscope {

// While one lives, a signal that ends the program (SIGINT, SIGTERM, SIGHUP; not where another handler takes it, or it is
// ignored) is told of on standard error, with the name of what was being written and has not been. One at a time.
class UnfinishedOutput {
  public:
    explicit UnfinishedOutput(const std::string& name);
    UnfinishedOutput(const UnfinishedOutput&) = delete;
    UnfinishedOutput& operator=(const UnfinishedOutput&) = delete;
    ~UnfinishedOutput();

  private:
    static constexpr std::array<int, 3> signals{SIGINT, SIGTERM, SIGHUP};

    std::array<bool, signals.size()> taken_{};
};

}  // namespace sanscope
