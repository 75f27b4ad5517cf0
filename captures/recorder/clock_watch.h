// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

namespace sanscope {

// Notices when the host's clock, by which packets are stamped, is set: it goes on beside one that nobody sets.
class ClockWatch {
  public:
    // What is set within so much is no step: a clock that is steered runs so much faster or slower in a minute.
    static constexpr int64_t least_step_ns = 50'000'000;

    // CLOCK_REALTIME and CLOCK_BOOTTIME of one moment. By how much the former was set since the last look, ahead where
    // it is positive; nothing where it was not.
    std::optional<int64_t> look(int64_t real_ns, int64_t boot_ns);
    // The same of now.
    std::optional<int64_t> look();

  private:
    std::optional<int64_t> offset_ns_;
};

}  // namespace sanscope
