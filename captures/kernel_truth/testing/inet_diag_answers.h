// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <arpa/inet.h>
#include <cstdint>
#include <cstring>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace sanscope::testing_answers {

constexpr uint32_t sequence = 7;

template <class T>
void append(std::vector<uint8_t>& bytes, const T& value) {
    const auto* const from = reinterpret_cast<const uint8_t*>(&value);
    bytes.insert(bytes.end(), from, from + sizeof value);
}

inline void append_attribute(std::vector<uint8_t>& bytes, uint16_t type, const void* value, size_t length) {
    append(bytes, nlattr{static_cast<uint16_t>(sizeof(nlattr) + length), type});
    const auto* const from = static_cast<const uint8_t*>(value);
    bytes.insert(bytes.end(), from, from + length);
    while (bytes.size() % 4 != 0) bytes.push_back(0);
}

inline std::vector<uint8_t> message(uint16_t type, const std::vector<uint8_t>& body,
                                    uint32_t of_sequence = sequence) {
    std::vector<uint8_t> bytes;
    append(bytes, nlmsghdr{static_cast<uint32_t>(sizeof(nlmsghdr) + body.size()), type, NLM_F_MULTI,
                           of_sequence, 0});
    bytes.insert(bytes.end(), body.begin(), body.end());
    while (bytes.size() % 4 != 0) bytes.push_back(0);
    return bytes;
}

// The socket 192.0.2.1:40000 of the peer 192.0.2.2:3260 with cookie 0x200000001, with so much of struct tcp_info and,
// as newer kernels have it, what it advertises behind it.
inline std::vector<uint8_t> socket_answer(const tcp_info& info, size_t info_bytes, uint32_t rcv_wnd = 0) {
    std::vector<uint8_t> body;
    inet_diag_msg socket{};
    socket.idiag_family = AF_INET;
    socket.idiag_state = 1;
    socket.id.idiag_sport = htons(40'000);
    socket.id.idiag_dport = htons(3260);
    socket.id.idiag_src[0] = inet_addr("192.0.2.1");
    socket.id.idiag_dst[0] = inet_addr("192.0.2.2");
    socket.id.idiag_cookie[0] = 1;
    socket.id.idiag_cookie[1] = 2;
    append(body, socket);
    std::vector<uint8_t> told(offsetof(tcp_info, tcpi_snd_wnd) + 2 * sizeof(uint32_t));
    std::memcpy(told.data(), &info, std::min(told.size(), sizeof info));
    std::memcpy(told.data() + offsetof(tcp_info, tcpi_snd_wnd) + sizeof(uint32_t), &rcv_wnd, sizeof rcv_wnd);
    append_attribute(body, INET_DIAG_CONG, "cubic", 6);
    append_attribute(body, INET_DIAG_INFO, told.data(), std::min(info_bytes, told.size()));
    return message(SOCK_DIAG_BY_FAMILY, body);
}

}  // namespace sanscope::testing_answers
