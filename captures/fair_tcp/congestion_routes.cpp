// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/fair_tcp/congestion_routes.h"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <memory>
#include <string_view>
#include <sys/socket.h>

#include "analyzer/base/destroy.h"

namespace sanscope {
namespace {

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
    if (text.find('%') != std::string::npos) {
        return Error{
            fmt::format("{} is an address of one link: connections to it take --tcp-congestion", text)};
    }
    return Error{fmt::format("'{}' is no IP address", text)};
}

Error not_allowed() {
    return {"a route needs root, or the capability cap_net_admin"};
}

class Message {
  public:
    static constexpr size_t most_bytes = 16384;

    Message(uint16_t type, uint16_t flags, int family) {
        mnl_nlmsg_put_header(bytes_.data());
        header()->nlmsg_type = type;
        header()->nlmsg_flags = static_cast<uint16_t>(NLM_F_REQUEST | flags);
        mnl_nlmsg_put_extra_header(header(), sizeof(rtmsg));
        route().rtm_family = static_cast<unsigned char>(family);
    }
    nlmsghdr* header() { return reinterpret_cast<nlmsghdr*>(bytes_.data()); }
    rtmsg& route() { return *static_cast<rtmsg*>(mnl_nlmsg_get_payload(header())); }
    void put_table(uint32_t table) {
        constexpr uint32_t most_in_header = 255;
        route().rtm_table =
            table <= most_in_header ? static_cast<unsigned char>(table) : uint8_t{RT_TABLE_UNSPEC};
        mnl_attr_put_u32(header(), RTA_TABLE, table);
    }
    void put_destination(const Address& address) {
        route().rtm_dst_len = address.bits();
        mnl_attr_put(header(), RTA_DST, address.size(), address.bytes.data());
    }

  private:
    alignas(nlmsghdr) std::array<char, most_bytes> bytes_{};
};

using Answer = std::function<void(const nlmsghdr&)>;

int pass_on(const nlmsghdr* header, void* answer) {
    (*static_cast<const Answer*>(answer))(*header);
    return MNL_CB_OK;
}

// Sends it, and gives what comes back to `answer`; where it fails, the error's number.
int ask(Message& message, const Answer& answer) {
    const std::unique_ptr<mnl_socket, Destroy<mnl_socket_close>> socket(mnl_socket_open(NETLINK_ROUTE));
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

// Those of the route before.
void put_metrics(const nlattr* before, const std::string& congestion_control, nlmsghdr* to) {
    nlattr* const metrics = mnl_attr_nest_start(to, RTA_METRICS);
    if (before != nullptr) {
        for_each_metric(*before, [&](const nlattr& metric) {
            if (mnl_attr_get_type(&metric) != RTAX_CC_ALGO) copy(metric, to);
        });
    }
    mnl_attr_put_strz(to, RTAX_CC_ALGO, congestion_control.c_str());
    mnl_attr_nest_end(to, metrics);
}

uint32_t table_of(const nlmsghdr& header) {
    if (const nlattr* const table = attribute_of(header, RTA_TABLE)) return mnl_attr_get_u32(table);
    return static_cast<const rtmsg*>(mnl_nlmsg_get_payload(&header))->rtm_table;
}

// The next hops of a route that has several; what of their flags is the kernel's own finding is no part of a request.
void copy_next_hops(const nlattr& attribute, nlmsghdr* to) {
    auto* const copied = static_cast<nlattr*>(mnl_nlmsg_get_payload_tail(to));
    copy(attribute, to);
    auto* at = static_cast<char*>(mnl_attr_get_payload(copied));
    char* const end = at + mnl_attr_get_payload_len(copied);
    while (end - at >= static_cast<std::ptrdiff_t>(sizeof(rtnexthop))) {
        auto& hop = *reinterpret_cast<rtnexthop*>(at);
        hop.rtnh_flags &= RTNH_F_ONLINK;
        if (hop.rtnh_len < sizeof(rtnexthop)) return;
        at += RTNH_ALIGN(hop.rtnh_len);
    }
}

// A route of a routing table.
struct Entry {
    Message like;  // the request for one like it, to the address alone
    unsigned char type = RTN_UNSPEC;
    unsigned char protocol = RTPROT_UNSPEC;
    unsigned char bits = 0;  // of its prefix
    uint32_t table = RT_TABLE_UNSPEC;
    std::string congestion_control = {};
};

// By which packets to that address go, as it stands in its table: with all its next hops, and in whichever table the rules
// have it looked up.
Result<Entry> entry_to(const Address& address, const std::string& text,
                       const std::string& congestion_control) {
    Message question(RTM_GETROUTE, 0, address.family);
    question.put_destination(address);
    question.route().rtm_flags = RTM_F_FIB_MATCH | RTM_F_LOOKUP_TABLE;
    Entry entry{Message(RTM_NEWROUTE, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL, address.family)};
    bool fits = true;
    const int error = ask(question, [&](const nlmsghdr& header) {
        if (header.nlmsg_type != RTM_NEWROUTE) return;
        const auto* const found = static_cast<const rtmsg*>(mnl_nlmsg_get_payload(&header));
        entry.type = found->rtm_type;
        entry.protocol = found->rtm_protocol;
        entry.bits = found->rtm_dst_len;
        entry.table = table_of(header);
        entry.congestion_control = congestion_control_of(header);
        fits = header.nlmsg_len < Message::most_bytes / 2;
        if (!fits) return;
        rtmsg& route = entry.like.route();
        route.rtm_protocol = congestion_route_protocol;
        route.rtm_type = RTN_UNICAST;
        route.rtm_scope = found->rtm_scope;
        route.rtm_flags = found->rtm_flags & RTNH_F_ONLINK;
        nlmsghdr* const like = entry.like.header();
        entry.like.put_table(entry.table);
        entry.like.put_destination(address);
        if (const nlattr* const source = attribute_of(header, RTA_PREFSRC)) copy(*source, like);
        if (const nlattr* const hop = attribute_of(header, RTA_NH_ID)) {
            copy(*hop, like);
        } else if (const nlattr* const hops = attribute_of(header, RTA_MULTIPATH)) {
            copy_next_hops(*hops, like);
        } else {
            for (const uint16_t type : {RTA_OIF, RTA_GATEWAY, RTA_VIA, RTA_ENCAP_TYPE, RTA_ENCAP}) {
                if (const nlattr* const attribute = attribute_of(header, type)) copy(*attribute, like);
            }
        }
        put_metrics(attribute_of(header, RTA_METRICS), congestion_control, like);
    });
    if (error != 0) return Error{fmt::format("no route to {}: {}", text, std::strerror(error))};
    if (!fits) return Error{fmt::format("the route to {} has too many next hops", text)};
    return entry;
}

// Of the connections that will go there.
std::string congestion_control_towards(const Address& address) {
    Message question(RTM_GETROUTE, 0, address.family);
    question.put_destination(address);
    std::string name;
    ask(question, [&](const nlmsghdr& header) {
        if (header.nlmsg_type == RTM_NEWROUTE) name = congestion_control_of(header);
    });
    return name;
}

struct CongestionRoute {
    Address address;
    std::string text;
    uint32_t table = RT_TABLE_MAIN;
    std::string congestion_control;  // empty: it is none of the kernel's any more
};

int list_of_family(int family, std::vector<CongestionRoute>& routes) {
    Message question(RTM_GETROUTE, NLM_F_DUMP, family);
    return ask(question, [&](const nlmsghdr& header) {
        if (header.nlmsg_type != RTM_NEWROUTE) return;
        const auto* const route = static_cast<const rtmsg*>(mnl_nlmsg_get_payload(&header));
        const nlattr* const destination = attribute_of(header, RTA_DST);
        Address address{.family = family};
        if (destination == nullptr || route->rtm_protocol != congestion_route_protocol ||
            route->rtm_dst_len != address.bits() || mnl_attr_get_payload_len(destination) != address.size())
            return;
        std::memcpy(address.bytes.data(), mnl_attr_get_payload(destination), address.size());
        routes.push_back({address, text_of(family, address.bytes.data()), table_of(header),
                          congestion_control_of(header)});
    });
}

// All, of whatever congestion control.
Result<std::vector<CongestionRoute>> list() {
    constexpr int most_attempts = 10;
    std::vector<CongestionRoute> routes;
    for (const int family : {AF_INET, AF_INET6}) {
        const size_t before = routes.size();
        int error = EINTR;  // so it is while others change the table
        for (int attempt = 0; error == EINTR && attempt < most_attempts; ++attempt) {
            routes.resize(before);
            error = list_of_family(family, routes);
        }
        if (error != 0 && error != EAFNOSUPPORT)
            return Error{fmt::format("the routes cannot be read: {}", std::strerror(error))};
    }
    return routes;
}

Result<std::monostate> remove(const CongestionRoute& route) {
    Message request(RTM_DELROUTE, NLM_F_ACK, route.address.family);
    request.route().rtm_protocol = congestion_route_protocol;
    request.route().rtm_scope = RT_SCOPE_NOWHERE;
    request.put_table(route.table);
    request.put_destination(route.address);
    const int error = ask(request, [](const nlmsghdr&) {});
    if (error == 0 || error == ESRCH) return std::monostate{};
    if (error == EPERM) return not_allowed();
    return Error{fmt::format("the route to {} stays: {}", route.text, std::strerror(error))};
}

template <class Which>
Result<std::vector<std::string>> remove_those(const Which& which) {
    const auto routes = list();
    if (!routes) return routes.error();
    std::vector<std::string> addresses;
    for (const CongestionRoute& route : *routes) {
        if (!which(route)) continue;
        if (const auto removed = remove(route); !removed) return removed.error();
        addresses.push_back(route.text);
    }
    return addresses;
}

}  // namespace

Result<Selected> add_congestion_route(const std::string& address, const std::string& congestion_control) {
    const auto to = address_of(address);
    if (!to) return to.error();
    auto found = entry_to(*to, address, congestion_control);
    if (!found) return found.error();
    if (found->protocol == congestion_route_protocol && found->bits == to->bits()) {
        if (found->congestion_control == congestion_control) return Selected::before;
        if (!found->congestion_control.empty()) {
            return Error{fmt::format("{} is selected for {} already: stop that first",
                                     found->congestion_control, address)};
        }
        // Left behind by one that is not in the kernel any more.
        const CongestionRoute left{*to, address, found->table, {}};
        if (const auto removed = remove(left); !removed) return removed.error();
        found = entry_to(*to, address, congestion_control);
        if (!found) return found.error();
    }
    if (found->type != RTN_UNICAST) {
        return Error{
            fmt::format("{} is not another host's address: connections to it take --tcp-congestion {}",
                        address, congestion_control)};
    }
    const int error = ask(found->like, [](const nlmsghdr&) {});
    if (error == EEXIST) {
        return Error{fmt::format("there is a route to {} alone already: give it congctl {} (ip-route(8))",
                                 address, congestion_control)};
    }
    if (error == EPERM) return not_allowed();
    if (error != 0) return Error{fmt::format("a route to {}: {}", address, std::strerror(error))};
    if (congestion_control_towards(*to) == congestion_control) return Selected::now;
    const CongestionRoute useless{*to, address, found->table, {}};
    if (const auto removed = remove(useless); !removed) return removed.error();
    return Error{
        fmt::format("a route to {} has no effect here: the rules lead elsewhere (ip rule)", address)};
}

Result<std::vector<std::string>> congestion_routes(const std::string& congestion_control) {
    const auto routes = list();
    if (!routes) return routes.error();
    std::vector<std::string> addresses;
    for (const CongestionRoute& route : *routes)
        if (route.congestion_control == congestion_control) addresses.push_back(route.text);
    return addresses;
}

Result<std::vector<std::string>> remove_congestion_routes(const std::string& congestion_control) {
    return remove_those([&](const CongestionRoute& route) {
        return route.congestion_control == congestion_control || route.congestion_control.empty();
    });
}

Result<std::vector<std::string>> remove_congestion_route(const std::string& address,
                                                         const std::string& congestion_control) {
    return remove_those([&](const CongestionRoute& route) {
        return route.text == address && route.congestion_control == congestion_control;
    });
}

}  // namespace sanscope
