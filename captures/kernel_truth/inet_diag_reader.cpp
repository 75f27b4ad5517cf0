// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <linux/netlink.h>
#include <memory>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "captures/kernel_truth/clock_offsets.h"
#include "captures/kernel_truth/file_handles.h"
#include "captures/kernel_truth/inet_diag.h"
#include "captures/kernel_truth/open_readers.h"

namespace sanscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds least_interval{1};

// The kernel answers in datagrams of 32 KiB at most.
constexpr size_t answer_bytes = 64u << 10;

// It answers at once; a question without answer must not stop the recording.
constexpr timeval patience{1, 0};

bool is_same(const kernel_event& a, const kernel_event& b) {
    return a.snd_cwnd == b.snd_cwnd && a.ssthresh == b.ssthresh && a.snd_wnd == b.snd_wnd &&
           a.srtt_us == b.srtt_us && a.rcv_wnd == b.rcv_wnd && a.ca_state == b.ca_state && a.mss == b.mss;
}

class InetDiagReader : public EventReader {
  public:
    explicit InetDiagReader(const KernelTruthOptions& options)
        : ports_(options.ports),
          interval_(std::max(options.sample_interval, least_interval)),
          buffer_(answer_bytes) {}

    std::optional<Error> open();

    v1::KernelTruth::Method method() const override { return v1::KernelTruth::METHOD_INET_DIAG; }
    bool reports_transitions() const override { return false; }
    void wait(std::chrono::milliseconds timeout) override;
    std::optional<Error> read(TruthAssembler& assembler) override;
    void stop() override { stopped_ = true; }

  private:
    struct Known {
        kernel_event last;
        uint64_t seen_in_round;
    };

    void ask_when_due();
    std::optional<Error> ask();
    std::optional<Error> ask_for(uint8_t family);
    void take(kernel_event event, uint64_t at_ns);
    void forget_closed();
    bool is_wanted(const kernel_event& event) const;

    std::vector<uint16_t> ports_;
    std::chrono::milliseconds interval_;
    Descriptor socket_;
    std::vector<uint8_t> buffer_;
    uint32_t sequence_ = 0;
    uint64_t round_ = 0;
    Clock::time_point due_{};
    std::unordered_map<uint64_t, Known> known_;  // by cookie
    std::vector<kernel_event> events_;           // not read yet
    std::optional<Error> failed_;
    bool stopped_ = false;
};

std::optional<Error> InetDiagReader::open() {
    socket_ = Descriptor(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
    if (!socket_) return Error{std::strerror(errno)};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return ask();
}

bool InetDiagReader::is_wanted(const kernel_event& event) const {
    return ports_.empty() || std::ranges::any_of(ports_, [&](uint16_t port) {
               return event.local_port == port || event.remote_port == port;
           });
}

// A socket of which nothing changed since it was last asked for is not reported again.
void InetDiagReader::take(kernel_event event, uint64_t at_ns) {
    if (!is_wanted(event)) return;
    event.monotonic_ns = at_ns;
    const auto [found, is_new] = known_.try_emplace(event.cookie, Known{event, round_});
    found->second.seen_in_round = round_;
    if (!is_new && is_same(found->second.last, event)) return;
    found->second.last = event;
    events_.push_back(event);
}

std::optional<Error> InetDiagReader::ask_for(uint8_t family) {
    const auto request = inet_diag_request(family, ++sequence_);
    // The first part of the answer is made while the question is sent, each further one when it is received.
    uint64_t before_ns = ClockOffsets::monotonic_now_ns();
    if (::send(socket_.get(), request.data(), request.size(), 0) < 0) {
        return Error{fmt::format("INET_DIAG cannot be asked: {}", std::strerror(errno))};
    }
    while (true) {
        const ssize_t bytes = ::recv(socket_.get(), buffer_.data(), buffer_.size(), 0);
        if (bytes < 0 && errno == EINTR) continue;
        if (bytes < 0) return Error{fmt::format("INET_DIAG does not answer: {}", std::strerror(errno))};
        const uint64_t after_ns = ClockOffsets::monotonic_now_ns();
        const uint64_t at_ns = before_ns + (after_ns - before_ns) / 2;
        before_ns = after_ns;
        const std::span<const uint8_t> answer(buffer_.data(), static_cast<size_t>(bytes));
        auto result =
            parse_inet_diag(answer, sequence_, [&](const kernel_event& event) { take(event, at_ns); });
        if (result.is_last) return std::move(result.error);
    }
}

// Sockets that were not there any more; their end is reported after all else about them.
void InetDiagReader::forget_closed() {
    const uint64_t now_ns = ClockOffsets::monotonic_now_ns();
    std::erase_if(known_, [&](const auto& entry) {
        if (entry.second.seen_in_round == round_) return false;
        kernel_event closed{};
        closed.monotonic_ns = now_ns;
        closed.sock = entry.first;
        closed.kind = KERNEL_EVENT_CLOSED;
        events_.push_back(closed);
        return true;
    });
}

std::optional<Error> InetDiagReader::ask() {
    ++round_;
    for (const uint8_t family : {uint8_t{AF_INET}, uint8_t{AF_INET6}}) {
        if (auto failed = ask_for(family)) return failed;
    }
    forget_closed();
    return std::nullopt;
}

void InetDiagReader::ask_when_due() {
    const Clock::time_point now = Clock::now();
    if (stopped_ || now < due_) return;
    due_ = now + interval_;
    if (auto failed = ask()) failed_ = std::move(failed);
}

void InetDiagReader::wait(std::chrono::milliseconds timeout) {
    const Clock::time_point end = Clock::now() + timeout;
    while (true) {
        ask_when_due();
        if (due_ >= end || stopped_ || failed_) break;
        std::this_thread::sleep_until(due_);
    }
    if (!stopped_) std::this_thread::sleep_until(end);
}

std::optional<Error> InetDiagReader::read(TruthAssembler& assembler) {
    ask_when_due();
    for (const kernel_event& event : events_) assembler.add(event);
    events_.clear();
    return std::exchange(failed_, std::nullopt);
}

// The inode of the network namespace of the calling thread; 0 where it cannot be known.
uint64_t own_network_namespace() {
    struct stat status {};
    return ::stat("/proc/thread-self/ns/net", &status) == 0 ? status.st_ino : 0;
}

}  // namespace

Result<std::unique_ptr<EventReader>> open_inet_diag_reader(const KernelTruthOptions& options) {
    if (options.network_namespace != 0 && options.network_namespace != own_network_namespace()) {
        return Error{"it tells of the caller's own network namespace alone"};
    }
    auto reader = std::make_unique<InetDiagReader>(options);
    if (auto failed = reader->open()) return *failed;
    return std::unique_ptr<EventReader>(std::move(reader));
}

}  // namespace sanscope
