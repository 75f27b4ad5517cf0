// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/fair_tcp/congestion_routes.h"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <memory>
#include <string_view>
#include <sys/socket.h>

namespace sanscope {
namespace {

struct CloseSocket {
    void operator()(mnl_socket* socket) const { mnl_socket_close(socket); }
};

struct Address {
    int family = AF_INET;
    std::array<uint8_t, 16> bytes{};
    size_t size() const { return family == AF_INET ? 4 : 16; }
    uint8_t bits() const { return static_cast<uint8_t>(8 * size()); }
};

std::string text_of(int family, const void* bytes) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(family, bytes, text.data(), text.size());
    return text.data();
}

Result<Address> address_of(const std::string& text) {
    Address address;
    if (::inet_pton(AF_INET, text.c_str(), address.bytes.data()) == 1) return address;
    address.family = AF_INET6;
    if (::inet_pton(AF_INET6, text.c_str(), address.bytes.data()) == 1) return address;
    return Error{fmt::format("'{}' is no IP address", text)};
}

class Message {
  public:
    Message(uint16_t type, uint16_t flags, int family) {
        mnl_nlmsg_put_header(bytes_.data());
        header()->nlmsg_type = type;
        header()->nlmsg_flags = static_cast<uint16_t>(NLM_F_REQUEST | flags);
        mnl_nlmsg_put_extra_header(header(), sizeof(rtmsg));
        route().rtm_family = static_cast<unsigned char>(family);
    }
    nlmsghdr* header() { return reinterpret_cast<nlmsghdr*>(bytes_.data()); }
    rtmsg& route() { return *static_cast<rtmsg*>(mnl_nlmsg_get_payload(header())); }
    void put_destination(const Address& address) {
        route().rtm_dst_len = address.bits();
        mnl_attr_put(header(), RTA_DST, address.size(), address.bytes.data());
    }

  private:
    alignas(nlmsghdr) std::array<char, 4096> bytes_{};
};

using Answer = std::function<void(const nlmsghdr&)>;

int pass_on(const nlmsghdr* header, void* answer) {
    (*static_cast<const Answer*>(answer))(*header);
    return MNL_CB_OK;
}

// Sends it, and gives what comes back to `answer`; where it fails, the error's number.
int ask(Message& message, const Answer& answer) {
    const std::unique_ptr<mnl_socket, CloseSocket> socket(mnl_socket_open(NETLINK_ROUTE));
    if (!socket || mnl_socket_bind(socket.get(), 0, MNL_SOCKET_AUTOPID) < 0) return errno;
    constexpr uint32_t sequence = 1;
    message.header()->nlmsg_seq = sequence;
    if (mnl_socket_sendto(socket.get(), message.header(), message.header()->nlmsg_len) < 0) return errno;
    std::array<char, 32768> received{};
    const unsigned port = mnl_socket_get_portid(socket.get());
    while (true) {
        const ssize_t length = mnl_socket_recvfrom(socket.get(), received.data(), received.size());
        if (length < 0) return errno;
        const int done = mnl_cb_run(received.data(), static_cast<size_t>(length), sequence, port, pass_on,
                                    const_cast<Answer*>(&answer));
        if (done == MNL_CB_ERROR) return errno;
        if (done == MNL_CB_STOP) return 0;
        // One answer, without NLM_F_MULTI, is all there is.
        if ((message.header()->nlmsg_flags & (NLM_F_DUMP | NLM_F_ACK)) == 0) return 0;
    }
}

// Each of those between two ends; libmnl's own loops are C.
template <class Do>
void for_each_attribute(const void* begin, const void* end, const Do& act) {
    const auto* attribute = static_cast<const nlattr*>(begin);
    const auto left = [&] {
        return static_cast<int>(static_cast<const char*>(end) - reinterpret_cast<const char*>(attribute));
    };
    for (; mnl_attr_ok(attribute, left()); attribute = mnl_attr_next(attribute)) act(*attribute);
}

template <class Do>
void for_each_metric(const nlattr& metrics, const Do& act) {
    const auto* const begin = static_cast<const char*>(mnl_attr_get_payload(&metrics));
    for_each_attribute(begin, begin + mnl_attr_get_payload_len(&metrics), act);
}

const nlattr* attribute_of(const nlmsghdr& header, uint16_t type) {
    const nlattr* found = nullptr;
    for_each_attribute(mnl_nlmsg_get_payload_offset(&header, sizeof(rtmsg)),
                       mnl_nlmsg_get_payload_tail(&header), [&](const nlattr& attribute) {
                           if (mnl_attr_get_type(&attribute) == type) found = &attribute;
                       });
    return found;
}

std::string congestion_control_of(const nlmsghdr& header) {
    std::string name;
    if (const nlattr* const metrics = attribute_of(header, RTA_METRICS)) {
        for_each_metric(*metrics, [&](const nlattr& metric) {
            if (mnl_attr_get_type(&metric) != RTAX_CC_ALGO) return;
            const std::string_view value(static_cast<const char*>(mnl_attr_get_payload(&metric)),
                                         mnl_attr_get_payload_len(&metric));
            name = value.substr(0, value.find('\0'));
        });
    }
    return name;
}

void copy(const nlattr& attribute, nlmsghdr* to) {
    mnl_attr_put(to, mnl_attr_get_type(&attribute), mnl_attr_get_payload_len(&attribute),
                 mnl_attr_get_payload(&attribute));
}

// Those of the route before, but for the path MTU, which the kernel finds out anew.
void put_metrics(const nlattr* before, const std::string& congestion_control, nlmsghdr* to) {
    nlattr* const metrics = mnl_attr_nest_start(to, RTA_METRICS);
    if (before != nullptr) {
        for_each_metric(*before, [&](const nlattr& metric) {
            const uint16_t type = mnl_attr_get_type(&metric);
            if (type != RTAX_CC_ALGO && type != RTAX_MTU) copy(metric, to);
        });
    }
    mnl_attr_put_strz(to, RTAX_CC_ALGO, congestion_control.c_str());
    mnl_attr_nest_end(to, metrics);
}

struct Found {
    Message request;
    unsigned char type = RTN_UNSPEC;
};

// The request for a route like the one by which packets go there.
Result<Found> route_like_the_one_to(const Address& address, const std::string& text,
                                    const std::string& congestion_control) {
    Message question(RTM_GETROUTE, 0, address.family);
    question.put_destination(address);
    Found found{Message(RTM_NEWROUTE, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL, address.family)};
    const int error = ask(question, [&](const nlmsghdr& header) {
        if (header.nlmsg_type != RTM_NEWROUTE) return;
        const auto* const before = static_cast<const rtmsg*>(mnl_nlmsg_get_payload(&header));
        found.type = before->rtm_type;
        rtmsg& route = found.request.route();
        route.rtm_table = RT_TABLE_MAIN;
        route.rtm_protocol = congestion_route_protocol;
        route.rtm_type = RTN_UNICAST;
        const bool has_gateway = attribute_of(header, RTA_GATEWAY) || attribute_of(header, RTA_VIA);
        route.rtm_scope = has_gateway || address.family == AF_INET6 ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK;
        found.request.put_destination(address);
        for (const uint16_t type : {RTA_OIF, RTA_GATEWAY, RTA_VIA, RTA_PREFSRC}) {
            if (const nlattr* const attribute = attribute_of(header, type))
                copy(*attribute, found.request.header());
        }
        put_metrics(attribute_of(header, RTA_METRICS), congestion_control, found.request.header());
    });
    if (error != 0) return Error{fmt::format("no route to {}: {}", text, std::strerror(error))};
    return found;
}

struct CongestionRoute {
    Address address;
    std::string text;
};

Result<std::vector<CongestionRoute>> list(const std::string& congestion_control) {
    std::vector<CongestionRoute> routes;
    for (const int family : {AF_INET, AF_INET6}) {
        Message question(RTM_GETROUTE, NLM_F_DUMP, family);
        const int error = ask(question, [&](const nlmsghdr& header) {
            const auto* const route = static_cast<const rtmsg*>(mnl_nlmsg_get_payload(&header));
            const nlattr* const destination = attribute_of(header, RTA_DST);
            Address address{.family = family};
            if (header.nlmsg_type != RTM_NEWROUTE || destination == nullptr ||
                route->rtm_protocol != congestion_route_protocol || route->rtm_dst_len != address.bits() ||
                mnl_attr_get_payload_len(destination) != address.size() ||
                congestion_control_of(header) != congestion_control)
                return;
            std::memcpy(address.bytes.data(), mnl_attr_get_payload(destination), address.size());
            routes.push_back({address, text_of(family, address.bytes.data())});
        });
        if (error != 0 && error != EAFNOSUPPORT)
            return Error{fmt::format("the routes cannot be read: {}", std::strerror(error))};
    }
    return routes;
}

}  // namespace

Result<std::monostate> add_congestion_route(const std::string& address,
                                            const std::string& congestion_control) {
    const auto to = address_of(address);
    if (!to) return to.error();
    auto found = route_like_the_one_to(*to, address, congestion_control);
    if (!found) return found.error();
    if (found->type != RTN_UNICAST) {
        return Error{
            fmt::format("{} is not another host's address: connections to it take --tcp-congestion {}",
                        address, congestion_control)};
    }
    const int error = ask(found->request, [](const nlmsghdr&) {});
    if (error == 0) return std::monostate{};
    if (error == EEXIST) {
        return Error{fmt::format("there is a route to {} alone already: give it congctl {} (ip-route(8))",
                                 address, congestion_control)};
    }
    if (error == EPERM) return Error{"a route needs root, or the capability cap_net_admin"};
    return Error{fmt::format("a route to {}: {}", address, std::strerror(error))};
}

Result<std::vector<std::string>> congestion_routes(const std::string& congestion_control) {
    const auto routes = list(congestion_control);
    if (!routes) return routes.error();
    std::vector<std::string> addresses;
    for (const CongestionRoute& route : *routes) addresses.push_back(route.text);
    return addresses;
}

Result<std::vector<std::string>> remove_congestion_routes(const std::string& congestion_control) {
    const auto routes = list(congestion_control);
    if (!routes) return routes.error();
    std::vector<std::string> addresses;
    for (const CongestionRoute& route : *routes) {
        Message request(RTM_DELROUTE, NLM_F_ACK, route.address.family);
        request.route().rtm_table = RT_TABLE_MAIN;
        request.route().rtm_protocol = congestion_route_protocol;
        request.route().rtm_scope = RT_SCOPE_NOWHERE;
        request.put_destination(route.address);
        if (const int error = ask(request, [](const nlmsghdr&) {}); error != 0 && error != ESRCH)
            return Error{fmt::format("the route to {} stays: {}", route.text, std::strerror(error))};
        addresses.push_back(route.text);
    }
    return addresses;
}

}  // namespace sanscope
