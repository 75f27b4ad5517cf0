// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/kernel_truth/truth_assembler.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string_view>

namespace sanscope {
namespace {

constexpr std::array<uint8_t, 12> v4_mapped_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

std::string_view as_text(std::span<const uint8_t> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// 4 or 16 bytes, an IPv4-mapped address as IPv4.
std::span<const uint8_t> address(const uint8_t (&bytes)[16], uint8_t length) {
    const std::span<const uint8_t> all(bytes);
    if (length == 4) return all.first(4);
    if (std::ranges::equal(all.first(12), v4_mapped_prefix)) return all.last(4);
    return all;
}

bool is_connected(const kernel_event& event) {
    const auto remote = address(event.remote_address, event.address_bytes);
    return event.remote_port != 0 && std::ranges::any_of(remote, [](uint8_t byte) { return byte != 0; });
}

bool is_same_socket(const kernel_event& a, const kernel_event& b) {
    if (a.cookie != 0 && b.cookie != 0 && a.cookie != b.cookie) return false;
    return a.local_port == b.local_port && a.remote_port == b.remote_port &&
           std::ranges::equal(address(a.local_address, a.address_bytes),
                              address(b.local_address, b.address_bytes)) &&
           std::ranges::equal(address(a.remote_address, a.address_bytes),
                              address(b.remote_address, b.address_bytes));
}

std::string_view congestion_control(const kernel_event& event) {
    return {event.congestion_control, strnlen(event.congestion_control, sizeof event.congestion_control)};
}

// Whether the event knows of something that was told otherwise, or not at all.
bool says_more(const kernel_event& event, const kernel_event& told) {
    const bool other_control =
        event.congestion_control[0] != 0 && congestion_control(event) != congestion_control(told);
    return other_control || (event.mss != 0 && event.mss != told.mss);
}

}  // namespace

TruthAssembler::Socket& TruthAssembler::socket_of(const kernel_event& event) {
    if (const auto found = sockets_.find(event.sock); found != sockets_.end()) {
        Socket& known = found->second;
        if (is_same_socket(known.last_reported, event)) {
            if (event.cookie != 0) known.last_reported.cookie = event.cookie;
            return known;
        }
        known = {event, ++last_number_, 0};
        return known;
    }
    if (sockets_.size() >= max_sockets) sockets_.clear();
    return sockets_.emplace(event.sock, Socket{event, ++last_number_, 0}).first->second;
}

void TruthAssembler::report_if_new(Socket& socket, const kernel_event& event, v1::KernelTruth& truth) const {
    if (socket.reported_in_file == file_ && !says_more(event, socket.last_reported)) return;
    kernel_event& told = socket.last_reported;
    if (event.mss != 0) told.mss = event.mss;
    if (event.congestion_control[0] != 0) {
        std::ranges::copy(event.congestion_control, told.congestion_control);
    }
    socket.reported_in_file = file_;

    v1::KernelSocket& message = *truth.add_sockets();
    message.set_socket(socket.number);
    message.set_local_address(as_text(address(told.local_address, told.address_bytes)).data(),
                              address(told.local_address, told.address_bytes).size());
    message.set_remote_address(as_text(address(told.remote_address, told.address_bytes)).data(),
                               address(told.remote_address, told.address_bytes).size());
    message.set_local_port(told.local_port);
    message.set_remote_port(told.remote_port);
    const std::string_view control = congestion_control(told);
    message.set_congestion_control(control.data(), control.size());
    message.set_mss(told.mss);
}

// An event's two clocks were read one after the other: of events of two processors at nearly the same time, the one
// that is first by the one clock may be second by the other.
int64_t TruthAssembler::time_of(const kernel_event& event, const ClockOffsets& clocks) {
    constexpr int64_t between_readings_ns = 1'000'000;
    const int64_t time_ns = clocks.real_ns(event.monotonic_ns, event.tai_ns);
    const bool just_before = time_ns < last_time_ns_ && time_ns >= last_time_ns_ - between_readings_ns;
    if (!just_before) last_time_ns_ = time_ns;
    return last_time_ns_;
}

void TruthAssembler::take_one(const kernel_event& event, const ClockOffsets& clocks, v1::KernelTruth& truth) {
    if (event.kind == KERNEL_EVENT_CLOSED) {
        sockets_.erase(event.sock);
        return;
    }
    if (!is_connected(event)) return;
    Socket& socket = socket_of(event);
    report_if_new(socket, event, truth);
    if (event.kind == KERNEL_EVENT_TRANSITION) {
        v1::KernelTransition& transition = *truth.add_transitions();
        transition.set_socket(socket.number);
        transition.set_time_ns(time_of(event, clocks));
        transition.set_state(event.ca_state);
        return;
    }
    v1::KernelWindow& window = *truth.add_windows();
    window.set_socket(socket.number);
    window.set_time_ns(time_of(event, clocks));
    if ((event.known & KERNEL_EVENT_KNOWS_SEQUENCE) != 0) {
        window.set_snd_una(event.snd_una);
        window.set_snd_nxt(event.snd_nxt);
    }
    window.set_cwnd(event.snd_cwnd);
    if (event.ssthresh < KERNEL_EVENT_INFINITE_SSTHRESH) window.set_ssthresh(event.ssthresh);
    if ((event.known & KERNEL_EVENT_KNOWS_SND_WND) != 0) window.set_snd_wnd(event.snd_wnd);
    window.set_srtt_us(event.srtt_us);
    if ((event.known & KERNEL_EVENT_KNOWS_RCV_WND) != 0) window.set_rcv_wnd(event.rcv_wnd);
    if ((event.known & KERNEL_EVENT_KNOWS_CA_STATE) != 0) window.set_ca_state(event.ca_state);
}

bool TruthAssembler::take(uint64_t until_ns, size_t most, const ClockOffsets& clocks,
                          v1::KernelTruth& truth) {
    truth.Clear();
    truth.set_method(method_);
    truth.set_events_lost(lost_);
    lost_ = 0;

    // Sorting must keep events of equal time as they came; they mostly come in order.
    if (!std::ranges::is_sorted(pending_, {}, &kernel_event::monotonic_ns)) {
        std::ranges::stable_sort(pending_, {}, &kernel_event::monotonic_ns);
    }
    const auto end_of_time = std::ranges::upper_bound(pending_, until_ns, {}, &kernel_event::monotonic_ns);
    const auto due = static_cast<size_t>(end_of_time - pending_.begin());
    const size_t count = std::min(most, due);
    for (const kernel_event& event : std::span(pending_).first(count)) take_one(event, clocks, truth);
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(count));
    return count < due;
}

}  // namespace sanscope
