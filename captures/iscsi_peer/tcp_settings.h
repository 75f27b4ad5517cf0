// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "analyzer/base/result.h"

namespace sanscope {

// What Linux takes as TCP_MAXSEG.
constexpr int least_maximum_segment_size = 88;
constexpr int most_maximum_segment_size = 32767;
// Bytes of a buffer or a clamp, from 1 on: the kernel doubles what it is asked for.
constexpr int most_socket_buffer = std::numeric_limits<int>::max() / 2;

// What a connection's TCP is asked for; what is not set is the system's.
struct TcpSettings {
    std::string congestion_control = {};  // TCP_CONGESTION
    int receive_buffer = 0;               // bytes, SO_RCVBUF: its size is then fixed
    int send_buffer = 0;                  // bytes, SO_SNDBUF: bounds what is sent and not acknowledged
    int maximum_segment_size = 0;         // bytes, TCP_MAXSEG
    // Bytes, TCP_WINDOW_CLAMP: the receive window advertised at most. Without a receive buffer, that is fixed at as much:
    // the kernel would raise the clamp together with the buffer.
    int window_clamp = 0;

    bool any() const {
        return !congestion_control.empty() || receive_buffer != 0 || send_buffer != 0 ||
               maximum_segment_size != 0 || window_clamp != 0;
    }
};

// On a socket that is neither connected nor listens yet; connections that come to one that listens have them, too. An
// error where one is refused, or where the system lets a buffer be smaller only (net.core.rmem_max, wmem_max; with
// CAP_NET_ADMIN these do not bound it).
Result<std::monostate> set_tcp_settings(int socket, const TcpSettings& settings);

// Once it is connected: sets again what establishing the connection has replaced, as a route's congestion control (congctl,
// ip-route(8)) does. What the kernel has other than it was asked for nevertheless, a sentence each.
std::vector<std::string> settle_tcp_settings(int socket, const TcpSettings& settings);

// Adds those of another connection: each sentence once, and not without end.
void merge_tcp_differences(std::vector<std::string>& all, std::vector<std::string> others);

// Before each read: the kernel sets a clamp anew whenever it finds out how much of the receive buffer data take, as with the
// first full segment.
void renew_window_clamp(int socket, const TcpSettings& settings);

}  // namespace sanscope
