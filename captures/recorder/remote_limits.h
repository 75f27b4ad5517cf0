// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "sanscope/v1/recording.pb.h"

namespace sanscope {

// Holds a host that records for this one to what it was asked for: its recorder keeps to limits and rotation by itself,
// but what writes here may be in other hands.
class RemoteLimits {
  public:
    explicit RemoteLimits(v1::RecordingRequest request) : request_(std::move(request)) {}

    struct Received {
        std::chrono::duration<double> time{0};  // since the host said that it has started
        uint64_t packets = 0;
        uint64_t bytes = 0;
        uint32_t files = 0;
        uint64_t file_packets = 0;  // of the file that is open
        uint64_t file_bytes = 0;
    };
    // The end of a sentence about the host: "goes on for longer than it was asked to"; nothing where it keeps to all.
    std::optional<std::string> broken_by(const Received& received) const;

  private:
    v1::RecordingRequest request_;
};

}  // namespace sanscope
