// SPDX-License-Identifier: GPL-3.0-or-later
//
// A load over UDP between two hosts: a transfer at a fixed rate that repairs what was lost (blast_transfer.h), or a flood
// that nobody takes and that yields to nothing. Prints what was done as one JSON object.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "captures/lab/blast_transfer.h"

#include "analyzer/base/byte_order.h"
#include "analyzer/base/file_descriptor.h"
#include "analyzer/base/write_all.h"

namespace sanscope::lab {
namespace {

volatile std::sig_atomic_t stop_requested = 0;

[[noreturn]] void fail(const std::string& what) {
    throw std::runtime_error(errno != 0 ? fmt::format("{}: {}", what, std::strerror(errno)) : what);
}

[[noreturn]] void refuse(const std::string& what) {
    errno = 0;
    fail(what);
}

int64_t now_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void sleep_until(int64_t moment_ns) {
    const timespec moment{moment_ns / 1'000'000'000, moment_ns % 1'000'000'000};
    ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nullptr);
}

double processor_seconds() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

sockaddr_in address_of(const std::string& host, uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    if (::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1)
        refuse(fmt::format("{} is no IPv4 address", host));
    return address;
}

const sockaddr* as_generic(const sockaddr_in& address) {
    return reinterpret_cast<const sockaddr*>(&address);
}

FileDescriptor open_socket(int type) {
    FileDescriptor opened(::socket(AF_INET, type | SOCK_CLOEXEC, 0));
    if (opened.get() < 0) fail("socket");
    return opened;
}

void set_buffer(const FileDescriptor& of, int privileged, int ordinary) {
    constexpr int bytes = 32 << 20;
    if (::setsockopt(of.get(), SOL_SOCKET, privileged, &bytes, sizeof bytes) != 0)
        ::setsockopt(of.get(), SOL_SOCKET, ordinary, &bytes, sizeof bytes);
}

void send_control(const FileDescriptor& to, std::span<const uint8_t> bytes) {
    if (!write_all(to.get(), bytes)) fail("the other end");
}

void send_number(const FileDescriptor& to, uint32_t number) {
    std::array<uint8_t, 4> bytes{};
    store_be32(bytes.data(), number);
    send_control(to, bytes);
}

void receive_control(const FileDescriptor& from, std::span<uint8_t> bytes) {
    while (!bytes.empty()) {
        const ssize_t got = ::read(from.get(), bytes.data(), bytes.size());
        if (got < 0 && errno == EINTR && stop_requested == 0) continue;
        if (got < 0) fail("the other end");
        if (got == 0) refuse("the other end closed the connection early");
        bytes = bytes.subspan(static_cast<size_t>(got));
    }
}

uint32_t receive_number(const FileDescriptor& from) {
    std::array<uint8_t, 4> bytes{};
    receive_control(from, bytes);
    return load_be32(bytes.data());
}

// Ahead of its time by this much at most: a sleep for each datagram would take more of the processor than sending it.
constexpr int64_t most_ahead_ns = 200'000;

struct SendOptions {
    std::string address;
    uint16_t port = 0;
    double rate_mbit = 100;
    double seconds = 1;
    uint32_t payload_bytes = 1472;
};

class Receiver {
  public:
    Receiver(const std::string& host, uint16_t port) {
        const sockaddr_in address = address_of(host, port);
        const int one = 1;
        ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
        set_buffer(datagrams_, SO_RCVBUFFORCE, SO_RCVBUF);
        if (::bind(datagrams_.get(), as_generic(address), sizeof address) != 0 ||
            ::bind(listener_.get(), as_generic(address), sizeof address) != 0 ||
            ::listen(listener_.get(), 1) != 0)
            fail(fmt::format("{}:{}", host, port));
    }

    void run() {
        fmt::print(stderr, "listening\n");
        control_ = FileDescriptor(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (control_.get() < 0) fail("accept");
        AnnouncementBytes bytes{};
        receive_control(control_, bytes);
        const auto announcement = decode_announcement(bytes);
        if (!announcement) refuse("the other end announced no transfer");
        announcement_ = *announcement;
        began_ns_ = last_ns_ = now_ns();
        buffer_.resize(most_blast_payload);
        BlastTally tally(announcement_.datagrams);
        do {
            wait_for_end_of_round(tally);
            ++rounds_;
            send_number(control_, tally.missing());
            if (tally.missing() > 0) send_control(control_, tally.missing_bits());
        } while (tally.missing() > 0);
        tell();
    }

  private:
    void wait_for_end_of_round(BlastTally& tally) {
        while (true) {
            std::array<pollfd, 2> descriptors{{{datagrams_.get(), POLLIN, 0}, {control_.get(), POLLIN, 0}}};
            if (::poll(descriptors.data(), descriptors.size(), -1) < 0) {
                if (errno == EINTR && stop_requested == 0) continue;
                fail("poll");
            }
            const bool ended = (descriptors[1].revents & (POLLIN | POLLHUP | POLLERR)) != 0;
            // What of the round has arrived is in the socket when its end is.
            take_all(tally);
            if (!ended) continue;
            receive_number(control_);
            return;
        }
    }

    void take_all(BlastTally& tally) {
        while (true) {
            const ssize_t got = ::recv(datagrams_.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
            if (got < 0) return;
            const auto sequence =
                read_blast_header({buffer_.data(), static_cast<size_t>(got)}, announcement_);
            if (!sequence) continue;
            if (!tally.take(*sequence)) {
                ++duplicates_;
                continue;
            }
            last_ns_ = now_ns();
            constexpr size_t most_intervals = 100'000;
            const auto interval = static_cast<size_t>((last_ns_ - began_ns_) / interval_ns);
            if (interval >= most_intervals) continue;
            if (intervals_.size() <= interval) intervals_.resize(interval + 1);
            intervals_[interval] += announcement_.payload_bytes;
        }
    }

    void tell() const {
        const uint64_t bytes = uint64_t{announcement_.datagrams} * announcement_.payload_bytes;
        fmt::print(
            "{{\"bytes\":{},\"seconds\":{},\"rounds\":{},\"duplicates\":{},\"cpu_seconds\":{},"
            "\"interval_seconds\":{},\"intervals\":[{}]}}\n",
            bytes, static_cast<double>(last_ns_ - began_ns_) / 1e9, rounds_, duplicates_, processor_seconds(),
            static_cast<double>(interval_ns) / 1e9, fmt::join(intervals_, ","));
    }

    static constexpr int64_t interval_ns = 100'000'000;

    FileDescriptor listener_ = open_socket(SOCK_STREAM);
    FileDescriptor datagrams_ = open_socket(SOCK_DGRAM);
    FileDescriptor control_;
    BlastAnnouncement announcement_;
    std::vector<uint8_t> buffer_;
    std::vector<uint64_t> intervals_;  // bytes that arrived first in each
    int64_t began_ns_ = 0;
    int64_t last_ns_ = 0;
    uint64_t rounds_ = 0;
    uint64_t duplicates_ = 0;
};

void send_blast(const SendOptions& options) {
    const sockaddr_in address = address_of(options.address, options.port);
    const FileDescriptor control = open_socket(SOCK_STREAM);
    const FileDescriptor datagrams = open_socket(SOCK_DGRAM);
    const int one = 1;
    ::setsockopt(control.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (::connect(control.get(), as_generic(address), sizeof address) != 0 ||
        ::connect(datagrams.get(), as_generic(address), sizeof address) != 0)
        fail(fmt::format("{}:{}", options.address, options.port));
    std::random_device random;
    const BlastAnnouncement announcement{
        .transfer = uint64_t{random()} << 32 | random(),
        .datagrams = blast_datagrams(options.rate_mbit, options.seconds, options.payload_bytes),
        .payload_bytes = options.payload_bytes};
    send_control(control, encode(announcement));
    std::vector<uint8_t> datagram(options.payload_bytes, 0x5a);
    std::vector<uint32_t> round(announcement.datagrams);
    for (uint32_t i = 0; i < announcement.datagrams; ++i) round[i] = i;
    const int64_t began_ns = now_ns();
    uint64_t sent = 0;
    uint64_t rounds = 0;
    while (!round.empty()) {
        const int64_t round_began_ns = now_ns();
        for (size_t i = 0; i < round.size(); ++i) {
            if (stop_requested != 0) refuse("interrupted");
            const int64_t due_ns = round_began_ns + blast_due_ns(i, options.rate_mbit, options.payload_bytes);
            if (due_ns - now_ns() > most_ahead_ns) sleep_until(due_ns);
            write_blast_header(datagram, announcement.transfer, round[i]);
            // One that the kernel refuses is one that was lost.
            if (::send(datagrams.get(), datagram.data(), datagram.size(), 0) < 0 && errno != ENOBUFS &&
                errno != ECONNREFUSED && errno != EINTR)
                fail("send");
        }
        sent += round.size();
        ++rounds;
        send_number(control, static_cast<uint32_t>(round.size()));
        const uint32_t missing = receive_number(control);
        std::vector<uint8_t> bits(missing == 0 ? 0 : missing_bits_bytes(announcement.datagrams));
        receive_control(control, bits);
        if (missing == 0) break;
        auto again = missing_datagrams(bits, announcement.datagrams, missing);
        if (!again) refuse("the other end tells what cannot be missing");
        round = std::move(*again);
    }
    fmt::print("{{\"datagrams\":{},\"sent_again\":{},\"rounds\":{},\"seconds\":{},\"cpu_seconds\":{}}}\n",
               announcement.datagrams, sent - announcement.datagrams, rounds,
               static_cast<double>(now_ns() - began_ns) / 1e9, processor_seconds());
}

void flood(const SendOptions& options) {
    const sockaddr_in address = address_of(options.address, options.port);
    // Not connected: that nobody listens there is no error.
    const FileDescriptor datagrams = open_socket(SOCK_DGRAM);
    const std::vector<uint8_t> datagram(options.payload_bytes, 0x5a);
    uint64_t sent = 0;
    uint64_t refused = 0;
    const int64_t began_ns = now_ns();
    for (uint64_t i = 0; stop_requested == 0; ++i) {
        const int64_t due_ns = began_ns + blast_due_ns(i, options.rate_mbit, options.payload_bytes);
        if (due_ns - now_ns() > most_ahead_ns) sleep_until(due_ns);
        if (::sendto(datagrams.get(), datagram.data(), datagram.size(), MSG_DONTWAIT, as_generic(address),
                     sizeof address) >= 0) {
            ++sent;
        } else if (errno == EAGAIN || errno == ENOBUFS || errno == EINTR) {
            ++refused;
        } else {
            fail("send");
        }
        if (i == 0) fmt::print(stderr, "sending\n");
    }
    fmt::print("{{\"datagrams\":{},\"refused\":{},\"seconds\":{},\"cpu_seconds\":{}}}\n", sent, refused,
               static_cast<double>(now_ns() - began_ns) / 1e9, processor_seconds());
}

int run(int argc, char** argv) {
    CLI::App app{"A load over UDP between two hosts"};
    app.require_subcommand(1);
    std::string listen;
    uint16_t port = 5600;
    SendOptions options;
    CLI::App* const receive = app.add_subcommand("receive", "Take one transfer, and tell what arrived when");
    receive->add_option("ADDRESS", listen, "IPv4 address to listen at")->required();
    receive->add_option("--port", port, "of TCP and of UDP");
    const auto add_sending = [&](CLI::App* command) {
        command->add_option("ADDRESS", options.address, "IPv4 address of the receiver")->required();
        command->add_option("--port", port, "of the receiver");
        command->add_option("--rate-mbit", options.rate_mbit, "10^6 bit/s of frames without FCS")
            ->check(CLI::Range(0.001, 1e6));
        command->add_option("--payload", options.payload_bytes, "bytes of each datagram")
            ->check(CLI::Range(blast_header_bytes, most_blast_payload));
    };
    CLI::App* const send = app.add_subcommand("send", "Send what fills --seconds at the rate, and repair it");
    add_sending(send);
    send->add_option("--seconds", options.seconds, "that all of it once takes")
        ->check(CLI::Range(0.001, 36'000.0));
    CLI::App* const flooding =
        app.add_subcommand("flood", "Send until SIGINT or SIGTERM, whatever becomes of it");
    add_sending(flooding);
    CLI11_PARSE(app, argc, argv);
    options.port = port;

    struct sigaction action {};
    action.sa_handler = [](int) { stop_requested = 1; };
    for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    ::prctl(PR_SET_TIMERSLACK, 1UL);
    if (receive->parsed()) {
        Receiver(listen, port).run();
    } else if (send->parsed()) {
        send_blast(options);
    } else {
        flood(options);
    }
    return 0;
}

}  // namespace
}  // namespace sanscope::lab

int main(int argc, char** argv) {
    try {
        return sanscope::lab::run(argc, argv);
    } catch (const std::exception& error) {
        std::fputs(fmt::format("udp_blast: {}\n", error.what()).c_str(), stderr);
        return 1;
    }
}
