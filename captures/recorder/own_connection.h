// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sanscope {

// The connection that a stream of packets travels on must not be among the packets: each would bring about another.

struct OwnConnection {
    std::string expression;  // its packets, in libpcap's language
    std::string ends;        // for people
};

// From SSH_CONNECTION, as sshd sets it: client's address and port, server's address and port. Nothing where it is not
// that.
std::optional<OwnConnection> own_connection(std::string_view ssh_connection);

// A filter for what matches `filter` but not `left_out`, either of which may be empty.
std::string filter_without(const std::string& filter, const std::string& left_out);

}  // namespace sanscope
