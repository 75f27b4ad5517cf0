// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever stands behind --metrics: it is refused, or means the same when it is read again as it is written.
#include <arpa/inet.h>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "analyzer/metrics/listen_address.h"

using namespace sanscope;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto address = parse_listen_address({reinterpret_cast<const char*>(data), size});
    if (!address) return 0;
    in6_addr number;
    if (inet_pton(address->is_v6 ? AF_INET6 : AF_INET, address->host.c_str(), &number) != 1) std::abort();
    if (address->is_loopback && !address->is_v6 && *reinterpret_cast<const uint8_t*>(&number) != 127)
        std::abort();
    if (address->is_loopback && address->is_v6 && !IN6_IS_ADDR_LOOPBACK(&number)) std::abort();
    const auto again = parse_listen_address(address->text());
    if (!again || again->host != address->host || again->port != address->port ||
        again->is_v6 != address->is_v6 || again->is_loopback != address->is_loopback)
        std::abort();
    return 0;
}
