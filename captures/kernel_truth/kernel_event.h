// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One event as it comes from the kernel, by whichever way. The BPF program, which is C, writes it into its ring as it
// is.

#ifdef __cplusplus
#include <cstdint>

namespace sanscope {
#else
#include <linux/types.h>
typedef __u8 uint8_t;
typedef __u16 uint16_t;
typedef __u32 uint32_t;
typedef __u64 uint64_t;
#endif

enum kernel_event_kind {
    KERNEL_EVENT_WINDOW = 1,      // tcp_probe, or an answer of INET_DIAG
    KERNEL_EVENT_TRANSITION = 2,  // tcp_cong_state_set: ca_state is the state entered
    KERNEL_EVENT_CLOSED = 3,      // tcp_destroy_sock: of the figures none, of the socket `sock` alone
};

// Which figures of an event stand for something.
enum kernel_event_known {
    KERNEL_EVENT_KNOWS_SEQUENCE = 1,  // snd_una, snd_nxt
    KERNEL_EVENT_KNOWS_SND_WND = 2,
    KERNEL_EVENT_KNOWS_RCV_WND = 4,
    KERNEL_EVENT_KNOWS_CA_STATE = 8,
};

enum {
    KERNEL_EVENT_NAME_BYTES = 16,                 // TCP_CA_NAME_MAX
    KERNEL_EVENT_INFINITE_SSTHRESH = 0x7fffffff,  // TCP_INFINITE_SSTHRESH
};

struct kernel_event {
    uint64_t monotonic_ns;  // CLOCK_MONOTONIC: never stepped, so that events can be put in order by it
    uint64_t tai_ns;        // CLOCK_TAI, which is stepped together with CLOCK_REALTIME; 0 where not known
    uint64_t sock;          // the kernel's pointer; a cookie where that is all there is
    uint64_t cookie;        // a number no other socket ever has; 0 where not known
    uint32_t snd_una;       // sequence numbers as on the wire
    uint32_t snd_nxt;
    uint32_t snd_cwnd;  // segments
    uint32_t ssthresh;  // segments, as tcp_current_ssthresh() has it
    uint32_t snd_wnd;   // bytes
    uint32_t srtt_us;   // microseconds, not eighths of them
    uint32_t rcv_wnd;   // bytes
    uint32_t mss;       // bytes; 0 where not known
    uint16_t local_port;
    uint16_t remote_port;
    uint8_t kind;
    uint8_t known;
    uint8_t ca_state;
    uint8_t address_bytes;      // 4 or 16
    uint8_t local_address[16];  // network order
    uint8_t remote_address[16];
    char congestion_control[KERNEL_EVENT_NAME_BYTES];  // ends with a zero; empty where not known
};

#ifdef __cplusplus
static_assert(sizeof(kernel_event) == 120);
}  // namespace sanscope
#endif
