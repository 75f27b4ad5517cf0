// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <variant>

#include "analyzer/base/result.h"

namespace sanscope {

// What a connection's TCP is asked for; what is not set is the system's.
struct TcpSettings {
    std::string congestion_control = {};  // TCP_CONGESTION
    int receive_buffer = 0;               // bytes, SO_RCVBUF: its size is then fixed
    int send_buffer = 0;                  // bytes, SO_SNDBUF: bounds what is sent and not acknowledged
    int maximum_segment_size = 0;         // bytes, TCP_MAXSEG
    int window_clamp = 0;                 // bytes, TCP_WINDOW_CLAMP: the receive window advertised at most
};

// On a socket that is neither connected nor listens yet; connections that come to one that listens have them, too. An
// error where one is refused, or where the system lets a buffer be smaller only (net.core.rmem_max, wmem_max; with
// CAP_NET_ADMIN these do not bound it).
Result<std::monostate> set_tcp_settings(int socket, const TcpSettings& settings);

}  // namespace sanscope
