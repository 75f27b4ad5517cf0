// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/kernel_truth/perf_decoder.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <string>
#include <sys/socket.h>

#include "analyzer/base/byte_order.h"

namespace sanscope {
namespace {

using Field = TracepointFormat::Field;

// In struct sockaddr_in and sockaddr_in6.
constexpr size_t v4_in_sockaddr = 4;
constexpr size_t v6_in_sockaddr = 8;
constexpr uint32_t sockaddr_bytes = 28;

// Finds fields by name and size, and what holds them all.
class FieldFinder {
  public:
    FieldFinder(const TracepointFormat& format, const char* tracepoint)
        : format_(format), tracepoint_(tracepoint) {}

    Field required(const char* name, uint32_t size) {
        const Field field = optional(name, size);
        if (!field.is_there() && !missing_) {
            missing_ = Error{fmt::format("the tracepoint {} has no {} of {} bytes", tracepoint_, name, size)};
        }
        return field;
    }
    Field optional(const char* name, uint32_t size) {
        const Field field = format_.field(name);
        if (field.size != size) return {};
        bytes_ = std::max(bytes_, field.offset + field.size);
        return field;
    }
    uint32_t bytes() const { return bytes_; }
    const std::optional<Error>& missing() const { return missing_; }

  private:
    const TracepointFormat& format_;
    const char* tracepoint_;
    uint32_t bytes_ = sizeof(uint16_t);  // the tracepoint's number
    std::optional<Error> missing_;
};

template <class Number>
Number load(const uint8_t* raw, Field field) {
    return load_native<Number>(raw + field.offset);
}

// A struct sockaddr; false where it is neither IPv4 nor IPv6. Its length goes into `bytes`.
bool copy_sockaddr(const uint8_t* sockaddr, uint8_t (&to)[16], uint8_t& bytes) {
    switch (load_native<uint16_t>(sockaddr)) {
        case AF_INET:
            std::memcpy(to, sockaddr + v4_in_sockaddr, 4);
            bytes = 4;
            return true;
        case AF_INET6:
            std::memcpy(to, sockaddr + v6_in_sockaddr, 16);
            bytes = 16;
            return true;
        default:
            return false;
    }
}

}  // namespace

Result<PerfDecoder> PerfDecoder::create(const TracepointFormat& tcp_probe) {
    FieldFinder find(tcp_probe, "tcp_probe");
    Probe probe{
        .id = tcp_probe.id(),
        .bytes = 0,
        .sock = find.optional("skaddr", 8),
        .local = find.required("saddr", sockaddr_bytes),
        .remote = find.required("daddr", sockaddr_bytes),
        .local_port = find.required("sport", 2),
        .remote_port = find.required("dport", 2),
        .snd_una = find.required("snd_una", 4),
        .snd_nxt = find.required("snd_nxt", 4),
        .cwnd = find.required("snd_cwnd", 4),
        .ssthresh = find.required("ssthresh", 4),
        .snd_wnd = find.required("snd_wnd", 4),
        .srtt = find.required("srtt", 4),
        .rcv_wnd = find.required("rcv_wnd", 4),
        .cookie = find.optional("sock_cookie", 8),
    };
    if (find.missing()) return *find.missing();
    if (!probe.sock.is_there() && !probe.cookie.is_there()) {
        return Error{"the tracepoint tcp_probe does not say which socket it is about"};
    }
    probe.bytes = find.bytes();
    return PerfDecoder(probe);
}

std::optional<Error> PerfDecoder::add_cong_state_set(const TracepointFormat& format) {
    // Without the kernel's pointer in both there is nothing to join them by.
    if (!probe_.sock.is_there()) return Error{"the tracepoint tcp_probe does not tell the socket's pointer"};
    FieldFinder find(format, "tcp_cong_state_set");
    StateSet fields{
        .id = format.id(),
        .bytes = 0,
        .sock = find.required("skaddr", 8),
        .family = find.required("family", 2),
        .local_v4 = find.required("saddr", 4),
        .remote_v4 = find.required("daddr", 4),
        .local_v6 = find.required("saddr_v6", 16),
        .remote_v6 = find.required("daddr_v6", 16),
        .local_port = find.required("sport", 2),
        .remote_port = find.required("dport", 2),
        .state = find.required("cong_state", 1),
    };
    if (find.missing()) return find.missing();
    fields.bytes = find.bytes();
    state_set_ = fields;
    return std::nullopt;
}

std::optional<Error> PerfDecoder::add_destroy_sock(const TracepointFormat& format) {
    if (!probe_.sock.is_there()) return Error{"the tracepoint tcp_probe does not tell the socket's pointer"};
    FieldFinder find(format, "tcp_destroy_sock");
    Destroy fields{.id = format.id(), .bytes = 0, .sock = find.required("skaddr", 8)};
    if (find.missing()) return find.missing();
    fields.bytes = find.bytes();
    destroy_ = fields;
    return std::nullopt;
}

kernel_event PerfDecoder::probe_event(const uint8_t* raw) const {
    kernel_event event{};
    event.cookie = probe_.cookie.is_there() ? load<uint64_t>(raw, probe_.cookie) : 0;
    event.sock = probe_.sock.is_there() ? load<uint64_t>(raw, probe_.sock) : event.cookie;
    event.snd_una = load<uint32_t>(raw, probe_.snd_una);
    event.snd_nxt = load<uint32_t>(raw, probe_.snd_nxt);
    event.snd_cwnd = load<uint32_t>(raw, probe_.cwnd);
    event.ssthresh = load<uint32_t>(raw, probe_.ssthresh);
    event.snd_wnd = load<uint32_t>(raw, probe_.snd_wnd);
    event.srtt_us = load<uint32_t>(raw, probe_.srtt);
    event.rcv_wnd = load<uint32_t>(raw, probe_.rcv_wnd);
    event.local_port = load<uint16_t>(raw, probe_.local_port);
    event.remote_port = load<uint16_t>(raw, probe_.remote_port);
    event.kind = KERNEL_EVENT_WINDOW;
    event.known = KERNEL_EVENT_KNOWS_SEQUENCE | KERNEL_EVENT_KNOWS_SND_WND | KERNEL_EVENT_KNOWS_RCV_WND;
    uint8_t local_bytes = 0;
    const bool told = copy_sockaddr(raw + probe_.local.offset, event.local_address, local_bytes) &&
                      copy_sockaddr(raw + probe_.remote.offset, event.remote_address, event.address_bytes) &&
                      local_bytes == event.address_bytes;
    // An address that is none is left out like one that is not known yet.
    if (!told) event.remote_port = 0;
    return event;
}

kernel_event PerfDecoder::state_set_event(const uint8_t* raw) const {
    kernel_event event{};
    event.sock = load<uint64_t>(raw, state_set_->sock);
    event.local_port = load<uint16_t>(raw, state_set_->local_port);
    event.remote_port = load<uint16_t>(raw, state_set_->remote_port);
    event.kind = KERNEL_EVENT_TRANSITION;
    event.known = KERNEL_EVENT_KNOWS_CA_STATE;
    event.ca_state = load<uint8_t>(raw, state_set_->state);
    if (load<uint16_t>(raw, state_set_->family) == AF_INET6) {
        event.address_bytes = 16;
        std::memcpy(event.local_address, raw + state_set_->local_v6.offset, 16);
        std::memcpy(event.remote_address, raw + state_set_->remote_v6.offset, 16);
    } else {
        event.address_bytes = 4;
        std::memcpy(event.local_address, raw + state_set_->local_v4.offset, 4);
        std::memcpy(event.remote_address, raw + state_set_->remote_v4.offset, 4);
    }
    return event;
}

void PerfDecoder::decode_sample(std::span<const uint8_t> body, TruthAssembler& assembler) const {
    constexpr size_t before_raw = sizeof(uint64_t) + sizeof(uint32_t);
    if (body.size() < before_raw) return;
    const auto time_ns = load_native<uint64_t>(body.data());
    const auto raw_bytes = load_native<uint32_t>(body.data() + sizeof(uint64_t));
    const std::span<const uint8_t> raw = body.subspan(before_raw);
    if (raw_bytes > raw.size() || raw_bytes < sizeof(uint16_t)) return;

    const auto id = load_native<uint16_t>(raw.data());
    kernel_event event{};
    if (id == probe_.id && raw_bytes >= probe_.bytes) {
        event = probe_event(raw.data());
    } else if (state_set_ && id == state_set_->id && raw_bytes >= state_set_->bytes) {
        event = state_set_event(raw.data());
    } else if (destroy_ && id == destroy_->id && raw_bytes >= destroy_->bytes) {
        event.sock = load<uint64_t>(raw.data(), destroy_->sock);
        event.kind = KERNEL_EVENT_CLOSED;
    } else {
        return;
    }
    event.monotonic_ns = time_ns;
    assembler.add(event);
}

bool PerfDecoder::decode(std::span<const uint8_t> record, TruthAssembler& assembler) const {
    if (record.size() < sizeof(perf_event_header)) return false;
    if (load_native<uint32_t>(record.data()) != PERF_RECORD_SAMPLE) return false;
    decode_sample(record.subspan(sizeof(perf_event_header)), assembler);
    return true;
}

}  // namespace sanscope
