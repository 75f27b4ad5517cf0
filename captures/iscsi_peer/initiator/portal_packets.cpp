// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/initiator/portal_packets.h"

#include <cstring>
#include <fmt/core.h>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "analyzer/base/file_descriptor.h"

namespace sanscope {
namespace {

// Without the zone of a link-local address, which packets do not carry.
std::string bare_host(const SocketAddress& address) {
    const std::string text = host_text(address);
    return text.substr(0, text.find('%'));
}

uint16_t port_of(const SocketAddress& address) {
    if (address.storage.ss_family == AF_INET6)
        return ntohs(reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_port);
    return ntohs(reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_port);
}

}  // namespace

std::string interface_towards(const SocketAddress& address) {
    const FileDescriptor socket(::socket(address.storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_storage own{};
    socklen_t length = sizeof own;
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.length) != 0 ||
        ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &length) != 0) {
        return "any";
    }
    const std::string source = host_text({.storage = own, .length = length});
    // This host reaches its own addresses through the loopback interface, whichever they belong to.
    const bool to_itself = source == host_text(address);
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) return "any";
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owned(list, ::freeifaddrs);
    for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
        if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != own.ss_family) continue;
        if (to_itself) {
            if ((one->ifa_flags & IFF_LOOPBACK) != 0) return one->ifa_name;
            continue;
        }
        SocketAddress its;
        its.length = own.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
        std::memcpy(&its.storage, one->ifa_addr, its.length);
        if (host_text(its) == source) return one->ifa_name;
    }
    return "any";
}

std::string capture_filter(const std::vector<SocketAddress>& addresses) {
    std::string filter;
    for (const SocketAddress& address : addresses) {
        filter += fmt::format("{}(host {} and tcp port {})", filter.empty() ? "" : " or ", bare_host(address),
                              port_of(address));
    }
    return filter;
}

}  // namespace sanscope
