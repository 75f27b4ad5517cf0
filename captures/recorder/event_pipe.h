// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sanscope/v1/recording.pb.h"

namespace sanscope {

// Events on their way out through a pipe, which may be full: nothing here waits.
class EventPipe {
  public:
    // The descriptor is set not to block.
    explicit EventPipe(int descriptor);

    // Behind what is still waiting. Progress is left out where something is: there will be newer.
    void send(const v1::RecordingEvent& event);
    // Writes as much as goes.
    void flush();
    bool waiting() const { return begin_ < bytes_.size(); }
    size_t waiting_bytes() const { return bytes_.size() - begin_; }
    // Nobody reads any more.
    bool reader_gone() const { return reader_gone_; }
    int descriptor() const { return descriptor_; }

    // What is left is written with patience, but not with more than this.
    void finish(int milliseconds);

  private:
    int descriptor_;
    std::vector<uint8_t> bytes_;
    size_t begin_ = 0;  // what is before was written
    bool reader_gone_ = false;
};

}  // namespace sanscope
