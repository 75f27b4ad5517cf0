// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sends UDP packets from an interface, each with its number, at a steady rate or as fast as it can: load for recorders.
// Frames go past the stack (AF_PACKET), many in a system call. Ends with "SENT packets in SECONDS s".
#include <CLI/CLI.hpp>
#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace sanscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t headers = 14 + 20 + 8;
constexpr size_t number_at = headers;
constexpr size_t batch = 64;

void put16(std::vector<uint8_t>& frame, size_t at, size_t value) {
    frame[at] = static_cast<uint8_t>(value >> 8);
    frame[at + 1] = static_cast<uint8_t>(value);
}

std::vector<uint8_t> make_frame(size_t length, uint16_t port) {
    std::vector<uint8_t> frame(length, 0x5a);
    const std::array<uint8_t, 14> ethernet = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0};
    std::copy(ethernet.begin(), ethernet.end(), frame.begin());
    const std::array<uint8_t, 20> ip = {0x45, 0, 0, 0, 0, 0, 0, 0, 64, 17, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2};
    std::copy(ip.begin(), ip.end(), frame.begin() + 14);
    put16(frame, 16, length - 14);
    uint32_t sum = 0;
    for (size_t at = 14; at < 34; at += 2) sum += static_cast<uint32_t>(frame[at] << 8 | frame[at + 1]);
    while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
    put16(frame, 24, ~sum);
    put16(frame, 34, 40000);
    put16(frame, 36, port);
    put16(frame, 38, length - 34);
    put16(frame, 40, 0);
    return frame;
}

int run(int argc, char** argv) {
    CLI::App app("Sends numbered UDP packets from an interface.", "packet_sender");
    std::string interface;
    uint64_t packets = 1000;
    size_t length = 64;
    double rate = 0;
    uint16_t port = 9;
    app.add_option("INTERFACE", interface)->required();
    app.add_option("--packets", packets)->capture_default_str();
    app.add_option("--length", length, "Of a frame, bytes")
        ->check(CLI::Range(size_t{60}, size_t{65000}))
        ->capture_default_str();
    app.add_option("--rate", rate, "Packets a second; 0: as fast as it goes")->capture_default_str();
    app.add_option("--port", port, "They are sent to")->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    const int descriptor = ::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    sockaddr_ll to{};
    to.sll_family = AF_PACKET;
    to.sll_ifindex = static_cast<int>(::if_nametoindex(interface.c_str()));
    if (descriptor < 0 || ::bind(descriptor, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
        fmt::print(stderr, "packet_sender: {}: {}\n", interface, std::strerror(errno));
        return 1;
    }

    // A queue between here and the interface would only cost time.
    const int bypass = 1;
    ::setsockopt(descriptor, SOL_PACKET, PACKET_QDISC_BYPASS, &bypass, sizeof bypass);

    std::vector<std::vector<uint8_t>> frames(batch, make_frame(length, port));
    std::array<iovec, batch> pieces{};
    std::array<mmsghdr, batch> messages{};
    for (size_t i = 0; i < batch; ++i) {
        pieces[i] = {frames[i].data(), frames[i].size()};
        messages[i].msg_hdr.msg_iov = &pieces[i];
        messages[i].msg_hdr.msg_iovlen = 1;
    }
    const Clock::time_point began = Clock::now();
    uint64_t sent = 0;
    while (sent < packets) {
        if (rate > 0) {
            const auto due = began + std::chrono::duration_cast<Clock::duration>(
                                         std::chrono::duration<double>(static_cast<double>(sent) / rate));
            if (due > Clock::now() + std::chrono::microseconds(200)) std::this_thread::sleep_until(due);
        }
        // No more than a millisecond's worth at once, or the rate is none.
        uint64_t now = std::min<uint64_t>(batch, packets - sent);
        if (rate > 0)
            now = std::min<uint64_t>(now, std::max<uint64_t>(1, static_cast<uint64_t>(rate / 1000)));
        for (size_t i = 0; i < now; ++i) {
            const uint64_t number = sent + i;
            std::memcpy(frames[i].data() + number_at, &number, sizeof number);
        }
        const int accepted = ::sendmmsg(descriptor, messages.data(), static_cast<unsigned>(now), 0);
        if (accepted > 0) {
            sent += static_cast<uint64_t>(accepted);
        } else if (errno != ENOBUFS && errno != EINTR && errno != EAGAIN) {
            fmt::print(stderr, "packet_sender: {}: {}\n", interface, std::strerror(errno));
            return 1;
        }
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
    fmt::print("{} packets in {:.6f} s\n", sent, seconds);
    ::close(descriptor);
    return 0;
}

}  // namespace
}  // namespace sanscope

int main(int argc, char** argv) {
    try {
        return sanscope::run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "packet_sender: %s\n", error.what());
        return 1;
    }
}
