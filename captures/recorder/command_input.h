// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "sanscope/v1/recording.pb.h"

#include "analyzer/proto/message_pipe.h"

namespace sanscope {

// A recorder's commands as they come on its standard input.
class CommandInput {
  public:
    enum class Outcome : uint8_t {
        command,
        none_yet,
        ended,  // the input, or the sense of what comes
    };

    // Reads once, and waits for that where nothing is there.
    Outcome next(v1::RecorderCommand& command);

  private:
    static constexpr size_t longest = size_t{1} << 20;
    MessageDecoder decoder_;
};

}  // namespace sanscope
