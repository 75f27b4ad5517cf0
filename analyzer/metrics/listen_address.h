// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analyzer/base/result.h"

namespace sanscope {

// Where a server listens: numbers only, since names may lead anywhere.
struct ListenAddress {
    std::string host;  // 127.0.0.1, ::1
    bool is_v6 = false;
    bool is_loopback = true;  // 127.0.0.0/8 or ::1: nobody but this host reaches it
    uint16_t port = 0;        // 0: any that is free

    // 127.0.0.1:9260, [::1]:9260
    std::string text() const;
};

// `text`: ADDRESS:PORT with an IPv6 address in brackets; `localhost` is 127.0.0.1, as is an address left out (`:9260`).
Result<ListenAddress> parse_listen_address(std::string_view text);

// An Error where nobody can listen there: the port is another's, the address no interface's. What it finds may be otherwise a
// moment later.
Result<std::monostate> check_listening(const ListenAddress& address);

}  // namespace sanscope
