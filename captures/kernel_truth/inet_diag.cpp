// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/kernel_truth/inet_diag.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <type_traits>

namespace sanscope {
namespace {

// The kernel's numbers of states (include/net/tcp_states.h), of those in which a socket has another end and a window.
constexpr uint32_t states_of_interest = 1u << 1      // ESTABLISHED
                                        | 1u << 4    // FIN_WAIT1
                                        | 1u << 5    // FIN_WAIT2
                                        | 1u << 8    // CLOSE_WAIT
                                        | 1u << 9    // LAST_ACK
                                        | 1u << 11;  // CLOSING

// struct tcp_info grows at its end: what this kernel's answer is long enough for is there. Behind the last member that
// every header of Linux 5.4 and later knows comes what the receiver advertises (Linux 6.2).
constexpr size_t snd_wnd_at = offsetof(tcp_info, tcpi_snd_wnd);
constexpr size_t rcv_wnd_at = snd_wnd_at + sizeof(uint32_t);

constexpr uint8_t cwr = 2;
constexpr uint8_t recovery = 3;

struct Request {
    nlmsghdr header;
    inet_diag_req_v2 question;
};
static_assert(sizeof(Request) == inet_diag_request_bytes);

template <class T>
T load(std::span<const uint8_t> bytes) {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
    return value;
}

constexpr size_t aligned(size_t bytes) {
    return (bytes + 3) & ~size_t{3};
}

// Figures of INET_DIAG_INFO. The threshold as tcp_current_ssthresh() has it, which tcp_probe shows.
void set_figures(kernel_event& event, std::span<const uint8_t> bytes) {
    const auto info = load<tcp_info>(bytes);
    event.snd_cwnd = info.tcpi_snd_cwnd;
    event.ca_state = info.tcpi_ca_state;
    const bool keeps = event.ca_state == cwr || event.ca_state == recovery;
    const uint32_t three_quarters = (event.snd_cwnd >> 1) + (event.snd_cwnd >> 2);
    event.ssthresh = keeps ? info.tcpi_snd_ssthresh : std::max(info.tcpi_snd_ssthresh, three_quarters);
    event.srtt_us = info.tcpi_rtt;
    event.mss = info.tcpi_snd_mss;
    event.known = KERNEL_EVENT_KNOWS_CA_STATE;
    if (bytes.size() >= snd_wnd_at + sizeof(uint32_t)) {
        event.snd_wnd = load<uint32_t>(bytes.subspan(snd_wnd_at));
        event.known |= KERNEL_EVENT_KNOWS_SND_WND;
    }
    if (bytes.size() >= rcv_wnd_at + sizeof(uint32_t)) {
        event.rcv_wnd = load<uint32_t>(bytes.subspan(rcv_wnd_at));
        event.known |= KERNEL_EVENT_KNOWS_RCV_WND;
    }
}

// The answer about one socket. Nothing where it shows no figures: those of a socket that is being closed may be gone.
std::optional<kernel_event> parse_socket(std::span<const uint8_t> body) {
    if (body.size() < sizeof(inet_diag_msg)) return std::nullopt;
    const auto socket = load<inet_diag_msg>(body);
    if (socket.idiag_family != AF_INET && socket.idiag_family != AF_INET6) return std::nullopt;
    kernel_event event{};
    event.cookie = uint64_t{socket.id.idiag_cookie[1]} << 32 | socket.id.idiag_cookie[0];
    event.sock = event.cookie;
    event.kind = KERNEL_EVENT_WINDOW;
    event.local_port = ntohs(socket.id.idiag_sport);
    event.remote_port = ntohs(socket.id.idiag_dport);
    event.address_bytes = socket.idiag_family == AF_INET ? 4 : 16;
    std::memcpy(event.local_address, socket.id.idiag_src, event.address_bytes);
    std::memcpy(event.remote_address, socket.id.idiag_dst, event.address_bytes);

    bool has_figures = false;
    std::span<const uint8_t> rest = body.subspan(std::min(aligned(sizeof(inet_diag_msg)), body.size()));
    while (rest.size() >= sizeof(nlattr)) {
        const auto attribute = load<nlattr>(rest);
        if (attribute.nla_len < sizeof(nlattr) || attribute.nla_len > rest.size()) break;
        const std::span<const uint8_t> value =
            rest.subspan(sizeof(nlattr), attribute.nla_len - sizeof(nlattr));
        const int type = attribute.nla_type & NLA_TYPE_MASK;
        if (type == INET_DIAG_INFO && value.size() >= snd_wnd_at) {
            set_figures(event, value);
            has_figures = true;
        } else if (type == INET_DIAG_CONG) {
            // A name ends with a zero, and one that does not is cut: the array's last byte stays zero.
            const size_t length = std::min(value.size(), sizeof event.congestion_control - 1);
            std::memcpy(event.congestion_control, value.data(), length);
        }
        rest = rest.subspan(std::min(aligned(attribute.nla_len), rest.size()));
    }
    if (!has_figures) return std::nullopt;
    return event;
}

}  // namespace

std::array<uint8_t, inet_diag_request_bytes> inet_diag_request(uint8_t family, uint32_t sequence) {
    Request request{};
    request.header.nlmsg_len = sizeof request;
    request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    request.header.nlmsg_seq = sequence;
    request.question.sdiag_family = family;
    request.question.sdiag_protocol = IPPROTO_TCP;
    request.question.idiag_ext = 1u << (INET_DIAG_INFO - 1) | 1u << (INET_DIAG_CONG - 1);
    request.question.idiag_states = states_of_interest;
    std::array<uint8_t, inet_diag_request_bytes> bytes;
    std::memcpy(bytes.data(), &request, sizeof request);
    return bytes;
}

InetDiagAnswer parse_inet_diag(std::span<const uint8_t> datagram, uint32_t sequence,
                               const std::function<void(const kernel_event&)>& found) {
    while (datagram.size() >= sizeof(nlmsghdr)) {
        const auto header = load<nlmsghdr>(datagram);
        if (header.nlmsg_len < sizeof(nlmsghdr) || header.nlmsg_len > datagram.size()) {
            return {true, Error{"an answer of INET_DIAG is cut off"}};
        }
        const std::span<const uint8_t> body =
            datagram.subspan(sizeof(nlmsghdr), header.nlmsg_len - sizeof(nlmsghdr));
        datagram = datagram.subspan(std::min(aligned(header.nlmsg_len), datagram.size()));
        if (header.nlmsg_seq != sequence) continue;
        if (header.nlmsg_type == NLMSG_DONE) return {true, std::nullopt};
        if (header.nlmsg_type == NLMSG_ERROR) {
            constexpr int least_error = -4095;  // errors are reported below zero, and there are no more
            const int told = body.size() >= sizeof(int) ? load<int>(body) : -EPROTO;
            const int error = told >= least_error && told < 0 ? -told : EPROTO;
            return {true, Error{fmt::format("INET_DIAG refuses to answer: {}", std::strerror(error))}};
        }
        if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY) continue;
        if (const auto event = parse_socket(body)) found(*event);
    }
    return {};
}

}  // namespace sanscope
