// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "captures/iscsi_peer/tcp_settings.h"

namespace CLI {
class App;
}

namespace sanscope {

// The options of every subcommand that is an end of TCP connections.
class TcpArguments {
  public:
    void add_to(CLI::App& command);
    // Of what those options have checked.
    TcpSettings settings() const;

  private:
    TcpSettings settings_;
    uint64_t receive_buffer_ = 0;
    uint64_t send_buffer_ = 0;
    uint64_t window_clamp_ = 0;
};

}  // namespace sanscope
