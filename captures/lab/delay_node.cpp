// SPDX-License-Identifier: GPL-3.0-or-later
//
// A link between two network interfaces, made of this process: every frame that arrives at one leaves at the
// other, delayed, limited, lost or reordered as asked. It stands between two hosts in a network namespace of
// its own, and needs root. Segmentation, checksum and VLAN offloads must be off at the hosts' interfaces:
// frames pass as they are.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <fmt/format.h>
#include <functional>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <queue>
#include <span>
#include <string>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "captures/lab/link_model.h"

#include "analyzer/base/byte_order.h"

namespace sanscope::lab {
namespace {

constexpr size_t largest_frame = 9216;
constexpr size_t most_frames_on_the_way = 65'536;

volatile std::sig_atomic_t stop_requested = 0;

int64_t clock_ns(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// What the log says of a frame, and where its ECN field is. Only what TCP over IPv4 or IPv6 needs.
struct FrameSummary {
    size_t network_offset = 0;  // 0 where the frame is neither IPv4 nor IPv6
    bool ipv6 = false;
    bool ecn_capable = false;
    bool tcp = false;
    uint16_t source_port = 0;
    uint16_t destination_port = 0;
    uint32_t sequence = 0;
    uint32_t payload_bytes = 0;
};

FrameSummary summarize(std::span<const uint8_t> frame) {
    FrameSummary summary;
    size_t offset = 14;
    if (frame.size() < offset) return summary;
    uint16_t type = load_be16(frame.data() + 12);
    if (type == 0x8100 && frame.size() >= 18) {
        type = load_be16(frame.data() + 16);
        offset = 18;
    }
    size_t tcp_offset = 0;
    size_t end = 0;
    if (type == 0x0800 && frame.size() >= offset + 20) {
        summary.ecn_capable = (frame[offset + 1] & 3) != 0;
        end = offset + load_be16(frame.data() + offset + 2);
        if (frame[offset + 9] == IPPROTO_TCP) tcp_offset = offset + size_t{4} * (frame[offset] & 15);
    } else if (type == 0x86dd && frame.size() >= offset + 40) {
        summary.ipv6 = true;
        summary.ecn_capable = ((frame[offset + 1] >> 4) & 3) != 0;
        end = offset + 40 + load_be16(frame.data() + offset + 4);
        if (frame[offset + 6] == IPPROTO_TCP) tcp_offset = offset + 40;
    } else {
        return summary;
    }
    summary.network_offset = offset;
    if (tcp_offset == 0 || frame.size() < tcp_offset + 20) return summary;
    const size_t header = size_t{4} * (frame[tcp_offset + 12] >> 4);
    summary.tcp = true;
    summary.source_port = load_be16(frame.data() + tcp_offset);
    summary.destination_port = load_be16(frame.data() + tcp_offset + 2);
    summary.sequence = load_be32(frame.data() + tcp_offset + 4);
    summary.payload_bytes = end > tcp_offset + header ? static_cast<uint32_t>(end - tcp_offset - header) : 0;
    return summary;
}

// Sets the ECN field to Congestion Experienced (RFC 3168, 5), with IPv4's header checksum.
void mark_congestion(std::span<uint8_t> frame, const FrameSummary& summary) {
    uint8_t* ip = frame.data() + summary.network_offset;
    if (summary.ipv6) {
        ip[1] |= 0x30;
        return;
    }
    ip[1] |= 3;
    ip[10] = ip[11] = 0;
    uint32_t sum = 0;
    for (size_t i = 0; i < size_t{4} * (ip[0] & 15); i += 2) sum += load_be16(ip + i);
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    ip[10] = static_cast<uint8_t>(~sum >> 8);
    ip[11] = static_cast<uint8_t>(~sum);
}

const char* name_of(Fate fate) {
    switch (fate) {
        case Fate::forwarded:
            return "forwarded";
        case Fate::marked:
            return "marked";
        case Fate::reordered:
            return "reordered";
        case Fate::duplicated:
            return "duplicated";
        case Fate::lost:
            return "lost";
        case Fate::lost_in_burst:
            return "lost_in_burst";
        case Fate::queue_full:
            return "queue_full";
        case Fate::too_large:
            return "too_large";
    }
    return "";
}

// A raw socket on one interface, both to receive what others send there and to send.
class Port {
  public:
    explicit Port(const std::string& interface) {
        fd_ = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (fd_ < 0) fail(interface, "socket");
        const int one = 1;
        const int buffer_bytes = 32 << 20;
        if (setsockopt(fd_, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof one) != 0) {
            fail(interface, "PACKET_IGNORE_OUTGOING");
        }
        setsockopt(fd_, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof one);
        setsockopt(fd_, SOL_SOCKET, SO_RCVBUFFORCE, &buffer_bytes, sizeof buffer_bytes);
        setsockopt(fd_, SOL_SOCKET, SO_SNDBUFFORCE, &buffer_bytes, sizeof buffer_bytes);
        sockaddr_ll address{};
        address.sll_family = AF_PACKET;
        address.sll_protocol = htons(ETH_P_ALL);
        address.sll_ifindex = static_cast<int>(if_nametoindex(interface.c_str()));
        if (address.sll_ifindex == 0) fail(interface, "no such interface");
        if (bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
            fail(interface, "bind");
        packet_mreq promiscuous{};
        promiscuous.mr_ifindex = address.sll_ifindex;
        promiscuous.mr_type = PACKET_MR_PROMISC;
        setsockopt(fd_, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promiscuous, sizeof promiscuous);
    }
    Port(const Port&) = delete;
    Port& operator=(const Port&) = delete;
    ~Port() { close(fd_); }

    int descriptor() const { return fd_; }
    // The frame's size, or 0 when none waits.
    size_t receive(std::span<uint8_t> into) const {
        const ssize_t n = recv(fd_, into.data(), into.size(), MSG_TRUNC);
        return n > 0 ? static_cast<size_t>(n) : 0;
    }
    bool send(std::span<const uint8_t> frame) const {
        return ::send(fd_, frame.data(), frame.size(), 0) == static_cast<ssize_t>(frame.size());
    }
    // Frames the kernel dropped because this process was too slow; reading resets the kernel's count.
    unsigned overruns() const {
        tpacket_stats statistics{};
        socklen_t size = sizeof statistics;
        getsockopt(fd_, SOL_PACKET, PACKET_STATISTICS, &statistics, &size);
        return statistics.tp_drops;
    }

  private:
    [[noreturn]] static void fail(const std::string& interface, const char* what) {
        fmt::print(stderr, "delay_node: {}: {}{}{}\n", interface, what, errno != 0 ? ": " : "",
                   errno != 0 ? std::strerror(errno) : "");
        std::exit(1);
    }
    int fd_ = -1;
};

struct WaitingFrame {
    int64_t deliver_at_ns;
    uint64_t number;  // of arrival: keeps the order among frames due at the same moment
    bool a_to_b;
    std::vector<uint8_t> bytes;
    bool operator>(const WaitingFrame& other) const {
        return std::pair(deliver_at_ns, number) > std::pair(other.deliver_at_ns, other.number);
    }
};

struct Counts {
    uint64_t received = 0;
    uint64_t sent = 0;
    uint64_t send_failures = 0;
    uint64_t overruns = 0;
    uint64_t stalled = 0;
    std::array<uint64_t, 8> by_fate{};
};

class DelayNode {
  public:
    DelayNode(const std::string& a, const std::string& b, const LinkSettings& a_to_b,
              const LinkSettings& b_to_a, uint64_t seed, std::FILE* log)
        : a_(a), b_(b), a_to_b_(a_to_b, seed), b_to_a_(b_to_a, seed + 1), log_(log) {
        if (log_ != nullptr) {
            fmt::print(
                log_,
                "time_ns,direction,fate,frame_bytes,source_port,destination_port,sequence,payload_bytes\n");
        }
    }

    void run() {
        while (stop_requested == 0) {
            wait();
            take_all(a_, true);
            take_all(b_, false);
            deliver_due();
        }
        counts_.overruns = a_.overruns() + b_.overruns();
    }

    const Counts& counts() const { return counts_; }

  private:
    void wait() {
        timespec timeout{0, 100'000'000};
        if (!waiting_.empty()) {
            const int64_t left =
                std::max<int64_t>(0, waiting_.top().deliver_at_ns - clock_ns(CLOCK_MONOTONIC));
            timeout.tv_sec = left / 1'000'000'000;
            timeout.tv_nsec = left % 1'000'000'000;
        }
        std::array<pollfd, 2> descriptors{{{a_.descriptor(), POLLIN, 0}, {b_.descriptor(), POLLIN, 0}}};
        ppoll(descriptors.data(), descriptors.size(), &timeout, nullptr);
    }

    void take_all(const Port& from, bool a_to_b) {
        std::array<uint8_t, largest_frame> buffer{};
        // Bounded, so that a flood from one side does not hold back what is due.
        for (int taken = 0; taken < 256; ++taken) {
            const size_t size = from.receive(buffer);
            if (size == 0) return;
            ++counts_.received;
            if (size > buffer.size()) continue;
            take({buffer.data(), size}, a_to_b);
        }
    }

    void take(std::span<uint8_t> frame, bool a_to_b) {
        const FrameSummary summary = summarize(frame);
        Verdict verdict = (a_to_b ? a_to_b_ : b_to_a_)
                              .offer(clock_ns(CLOCK_MONOTONIC), static_cast<uint32_t>(frame.size()),
                                     summary.ecn_capable, summary.tcp && summary.payload_bytes == 0);
        if (waiting_.size() >= most_frames_on_the_way) verdict.fate = Fate::queue_full;
        ++counts_.by_fate[static_cast<size_t>(verdict.fate)];
        if (verdict.stalled && verdict.delivered()) ++counts_.stalled;
        if (verdict.fate != Fate::forwarded) log(verdict.fate, frame, summary, a_to_b);
        if (verdict.fate == Fate::marked) mark_congestion(frame, summary);
        if (!verdict.delivered()) return;
        for (int copies = verdict.fate == Fate::duplicated ? 2 : 1; copies > 0; --copies) {
            waiting_.push({verdict.deliver_at_ns, ++number_, a_to_b, {frame.begin(), frame.end()}});
        }
    }

    void deliver_due() {
        const int64_t now = clock_ns(CLOCK_MONOTONIC);
        while (!waiting_.empty() && waiting_.top().deliver_at_ns <= now) {
            const WaitingFrame& frame = waiting_.top();
            if ((frame.a_to_b ? b_ : a_).send(frame.bytes)) {
                ++counts_.sent;
            } else {
                ++counts_.send_failures;
            }
            waiting_.pop();
        }
    }

    void log(Fate fate, std::span<const uint8_t> frame, const FrameSummary& summary, bool a_to_b) {
        if (log_ == nullptr) return;
        fmt::print(log_, "{},{},{},{}", clock_ns(CLOCK_REALTIME), a_to_b ? "a_to_b" : "b_to_a", name_of(fate),
                   frame.size());
        if (summary.tcp) {
            fmt::print(log_, ",{},{},{},{}\n", summary.source_port, summary.destination_port,
                       summary.sequence, summary.payload_bytes);
        } else {
            fmt::print(log_, ",,,,\n");
        }
    }

    Port a_;
    Port b_;
    LinkModel a_to_b_;
    LinkModel b_to_a_;
    std::FILE* log_;
    std::priority_queue<WaitingFrame, std::vector<WaitingFrame>, std::greater<>> waiting_;
    uint64_t number_ = 0;
    Counts counts_;
};

// Each setting as an option for both directions, and for one alone with `--ab-` or `--ba-` before its name,
// which wins.
void add_link_options(CLI::App& app, LinkSettings& a_to_b, LinkSettings& b_to_a) {
    const auto add = [&](const char* name, const char* description, auto apply) {
        const auto option = [&](const char* prefix, const std::string& text, auto targets) {
            app.add_option_function<double>(
                prefix + std::string(name),
                [apply, targets](const double& value) {
                    for (LinkSettings* link : targets) apply(*link, value);
                },
                text);
        };
        option("--", description, std::vector{&a_to_b, &b_to_a});
        option("--ab-", "the same, from A to B alone", std::vector{&a_to_b});
        option("--ba-", "the same, from B to A alone", std::vector{&b_to_a});
    };
    const auto ns = [](double units, double each) { return static_cast<int64_t>(units * each); };
    add("delay-us", "propagation delay", [=](LinkSettings& l, double v) { l.delay_ns = ns(v, 1e3); });
    add("jitter-us", "added to it, uniform from 0 to this; order is kept",
        [=](LinkSettings& l, double v) { l.jitter_ns = ns(v, 1e3); });
    add("rate-mbit", "bottleneck rate, 10^6 bit/s of frames without FCS",
        [](LinkSettings& l, double v) { l.rate_bits_per_second = static_cast<uint64_t>(v * 1e6); });
    add("queue", "frames the bottleneck's queue holds; more are dropped",
        [](LinkSettings& l, double v) { l.queue_packets = static_cast<uint32_t>(v); });
    add("ecn-mark-at", "mark ECN-capable packets that find so many frames in the queue",
        [](LinkSettings& l, double v) { l.ecn_mark_at_packets = static_cast<uint32_t>(v); });
    add("loss", "probability that a packet is lost", [](LinkSettings& l, double v) { l.loss = v; });
    add("burst-start", "probability that a burst of loss starts",
        [](LinkSettings& l, double v) { l.burst_start = v; });
    add("burst-end", "probability that a running burst of loss ends",
        [](LinkSettings& l, double v) { l.burst_end = v; });
    add("duplicate", "probability that a packet arrives twice",
        [](LinkSettings& l, double v) { l.duplicate = v; });
    add("reorder", "probability that a packet is held back",
        [](LinkSettings& l, double v) { l.reorder = v; });
    add("reorder-us", "how long a packet is held back (1000)",
        [=](LinkSettings& l, double v) { l.reorder_by_ns = ns(v, 1e3); });
    add("stall-at-ms", "since the first packet: delivery stops",
        [=](LinkSettings& l, double v) { l.stall_at_ns = ns(v, 1e6); });
    add("stall-ms", "for so long", [=](LinkSettings& l, double v) { l.stall_for_ns = ns(v, 1e6); });
    add("outage-at-ms", "since the first packet: whatever comes is lost",
        [=](LinkSettings& l, double v) { l.outage_at_ns = ns(v, 1e6); });
    add("outage-ms", "for so long", [=](LinkSettings& l, double v) { l.outage_for_ns = ns(v, 1e6); });
    add("lose-ack-at-ms", "since the first packet: the next bare acknowledgement is lost",
        [=](LinkSettings& l, double v) { l.lose_ack_at_ns = ns(v, 1e6); });
    add("mtu", "larger IP packets are dropped without a word",
        [](LinkSettings& l, double v) { l.mtu = static_cast<uint32_t>(v); });
    add("change-at-ms", "since the first packet: delay and rate become the changed ones",
        [=](LinkSettings& l, double v) { l.change_at_ns = ns(v, 1e6); });
    add("changed-delay-us", "propagation delay from then on; packets keep their order",
        [=](LinkSettings& l, double v) { l.changed_delay_ns = ns(v, 1e3); });
    add("changed-rate-mbit", "bottleneck rate from then on",
        [](LinkSettings& l, double v) { l.changed_rate_bits_per_second = static_cast<uint64_t>(v * 1e6); });
}

int run(int argc, char** argv) {
    CLI::App app{
        "A link between interfaces A and B that delays, limits, loses and reorders packets. Runs until "
        "SIGINT or "
        "SIGTERM, then prints its counts as one JSON object."};
    std::string a;
    std::string b;
    std::string log_path;
    uint64_t seed = 1;
    LinkSettings a_to_b;
    LinkSettings b_to_a;
    app.add_option("A", a, "one interface")->required();
    app.add_option("B", b, "the other")->required();
    app.add_option("--seed", seed, "of the random choices");
    app.add_option("--log", log_path, "CSV of every packet that was not simply forwarded");
    add_link_options(app, a_to_b, b_to_a);
    CLI11_PARSE(app, argc, argv);

    std::FILE* log = nullptr;
    if (!log_path.empty() && (log = std::fopen(log_path.c_str(), "w")) == nullptr) {
        fmt::print(stderr, "delay_node: {}: {}\n", log_path, std::strerror(errno));
        return 1;
    }
    const auto request_stop = [](int) { stop_requested = 1; };
    std::signal(SIGINT, request_stop);
    std::signal(SIGTERM, request_stop);
    prctl(PR_SET_TIMERSLACK, 1UL);

    DelayNode node(a, b, a_to_b, b_to_a, seed, log);
    fmt::print(stderr, "ready\n");
    node.run();
    if (log != nullptr) std::fclose(log);

    const Counts& counts = node.counts();
    fmt::print("{{\"received\": {}, \"sent\": {}, \"send_failures\": {}, \"overruns\": {}, \"stalled\": {}",
               counts.received, counts.sent, counts.send_failures, counts.overruns, counts.stalled);
    for (size_t fate = 0; fate < counts.by_fate.size(); ++fate) {
        fmt::print(", \"{}\": {}", name_of(static_cast<Fate>(fate)), counts.by_fate[fate]);
    }
    fmt::print("}}\n");
    return 0;
}

}  // namespace
}  // namespace sanscope::lab

int main(int argc, char** argv) {
    try {
        return sanscope::lab::run(argc, argv);
    } catch (const std::exception& error) {
        std::fputs(error.what(), stderr);
        return 1;
    }
}
