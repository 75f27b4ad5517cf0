// SPDX-License-Identifier: GPL-3.0-or-later

// Runs in the kernel at the tracepoints tcp_probe, tcp_cong_state_set and tcp_destroy_sock, and writes what the socket
// holds into a ring. Each exists twice: with arguments whose types the kernel knows (tp_btf), whose members are read as
// they are; and as raw tracepoint, where each member is copied by a helper.
//
// The structures are those of the kernel with the members that are read here alone: the loader finds out where the running
// kernel has them (BPF CO-RE).
// The headers of libbpf need the kernel's types before them.
// clang-format off
#include <linux/types.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_tracing.h>
// clang-format on

#include "captures/kernel_truth/kernel_event.h"
#include "captures/kernel_truth/kernel_truth_bpf.h"

// The verifier lets no other read the kernel's memory; the loader takes this word for any version of the licence.
char LICENSE[] SEC("license") = "GPL";

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct in6_addr {
    union {
        __u32 u6_addr32[4];
    } in6_u;
};

struct ns_common {
    __u32 inum;
};

struct net {
    struct ns_common ns;
};

typedef struct {
    struct net* net;
} possible_net_t;

typedef struct {
    __s64 counter;
} atomic64_t;

struct sock_common {
    __be32 skc_daddr;
    __be32 skc_rcv_saddr;
    __be16 skc_dport;
    __u16 skc_family;
    possible_net_t skc_net;
    struct in6_addr skc_v6_daddr;
    struct in6_addr skc_v6_rcv_saddr;
    atomic64_t skc_cookie;
};

struct sock {
    struct sock_common __sk_common;
};

struct inet_sock {
    struct sock sk;
    __be16 inet_sport;
};

struct tcp_congestion_ops {
    char name[KERNEL_EVENT_NAME_BYTES];
};

struct inet_connection_sock {
    struct inet_sock icsk_inet;
    const struct tcp_congestion_ops* icsk_ca_ops;
    __u8 icsk_ca_state : 5;
};

struct tcp_sock {
    struct inet_connection_sock inet_conn;
    __u32 snd_una;
    __u32 snd_nxt;
    __u32 snd_cwnd;
    __u32 snd_ssthresh;
    __u32 snd_wnd;
    __u32 srtt_us;
    __u32 rcv_wnd;
    __u32 mss_cache;
};

enum bpf_func_id___with_tai { BPF_FUNC_ktime_get_tai_ns___with_tai = 208 };

#pragma clang attribute pop

enum { family_ipv4 = 2, family_ipv6 = 10, ca_state_cwr = 2, ca_state_recovery = 3 };

// Set before loading: the loader makes constants of them, and leaves out the code they rule out.
const volatile struct kernel_truth_settings settings = {};

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 1 << 23);
} events SEC(".maps");

// Events for which the ring had no room.
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, __u64);
} lost SEC(".maps");

// `direct`: the kernel knows the type of what `object` points to. A constant wherever it is used.
#define MEMBER(direct, object, member) ((direct) ? (object)->member : BPF_CORE_READ(object, member))

static __always_inline bool is_wanted(const struct tcp_sock* tcp, bool direct) {
    if (settings.network_namespace != 0) {
        // Older kernels know no type of what is behind a pointer.
        const struct net* net = MEMBER(direct, tcp, inet_conn.icsk_inet.sk.__sk_common.skc_net.net);
        if (BPF_CORE_READ(net, ns.inum) != settings.network_namespace) return false;
    }
    if (settings.port_count == 0) return true;
    const __u16 local = MEMBER(direct, tcp, inet_conn.icsk_inet.inet_sport);
    const __u16 remote = MEMBER(direct, tcp, inet_conn.icsk_inet.sk.__sk_common.skc_dport);
#pragma unroll
    for (__u32 i = 0; i < KERNEL_TRUTH_MOST_PORTS; ++i) {
        if (i >= settings.port_count) return false;
        if (local == settings.ports_be[i] || remote == settings.ports_be[i]) return true;
    }
    return false;
}

static __always_inline struct kernel_event* reserve(void) {
    struct kernel_event* event = bpf_ringbuf_reserve(&events, sizeof *event, 0);
    if (event) return event;
    const __u32 first = 0;
    __u64* count = bpf_map_lookup_elem(&lost, &first);
    if (count) __sync_fetch_and_add(count, 1);
    return 0;
}

// Waking the reader costs more than all the rest: it comes by itself, and is only called where much waits.
static __always_inline void submit(struct kernel_event* event) {
    const bool much = bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA) >= settings.wakeup_bytes;
    bpf_ringbuf_submit(event, much ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
}

static __always_inline void set_address(uint8_t* to, const struct in6_addr* from, bool direct) {
    __u32* words = (__u32*)to;
#pragma unroll
    for (int i = 0; i < 4; ++i) words[i] = MEMBER(direct, from, in6_u.u6_addr32[i]);
}

// All but figures and kind.
static __always_inline void identify(struct kernel_event* event, const struct sock* sock,
                                     const struct tcp_sock* tcp, bool direct) {
    event->monotonic_ns = bpf_ktime_get_ns();
    event->tai_ns = 0;
    if (bpf_core_enum_value_exists(enum bpf_func_id___with_tai, BPF_FUNC_ktime_get_tai_ns___with_tai)) {
        event->tai_ns = bpf_ktime_get_tai_ns();
    }
    event->sock = (__u64)sock;
    event->cookie = MEMBER(direct, sock, __sk_common.skc_cookie.counter);
    if (event->cookie == 0 && direct && settings.makes_cookies)
        event->cookie = bpf_get_socket_cookie((void*)sock);

    event->local_port = bpf_ntohs(MEMBER(direct, tcp, inet_conn.icsk_inet.inet_sport));
    event->remote_port = bpf_ntohs(MEMBER(direct, sock, __sk_common.skc_dport));
    __builtin_memset(event->local_address, 0, sizeof event->local_address);
    __builtin_memset(event->remote_address, 0, sizeof event->remote_address);
    const __u16 family = MEMBER(direct, sock, __sk_common.skc_family);
    if (family == family_ipv6 && bpf_core_field_exists(sock->__sk_common.skc_v6_daddr)) {
        event->address_bytes = 16;
        set_address(event->local_address, &sock->__sk_common.skc_v6_rcv_saddr, direct);
        set_address(event->remote_address, &sock->__sk_common.skc_v6_daddr, direct);
    } else {
        event->address_bytes = 4;
        *(__u32*)event->local_address = MEMBER(direct, sock, __sk_common.skc_rcv_saddr);
        *(__u32*)event->remote_address = MEMBER(direct, sock, __sk_common.skc_daddr);
    }
}

// What the tracepoint's own record calls ssthresh: tcp_current_ssthresh().
static __always_inline __u32 current_ssthresh(__u32 ssthresh, __u32 cwnd, __u8 ca_state) {
    if (ca_state == ca_state_cwr || ca_state == ca_state_recovery) return ssthresh;
    const __u32 three_quarters = (cwnd >> 1) + (cwnd >> 2);
    return ssthresh > three_quarters ? ssthresh : three_quarters;
}

static __always_inline void set_figures(struct kernel_event* event, const struct tcp_sock* tcp, bool direct) {
    const struct inet_connection_sock* connection = &tcp->inet_conn;
    const __u8 ca_state = direct ? (__u8)BPF_CORE_READ_BITFIELD(connection, icsk_ca_state)
                                 : (__u8)BPF_CORE_READ_BITFIELD_PROBED(connection, icsk_ca_state);
    event->snd_una = MEMBER(direct, tcp, snd_una);
    event->snd_nxt = MEMBER(direct, tcp, snd_nxt);
    event->snd_cwnd = MEMBER(direct, tcp, snd_cwnd);
    event->ssthresh = current_ssthresh(MEMBER(direct, tcp, snd_ssthresh), event->snd_cwnd, ca_state);
    event->snd_wnd = MEMBER(direct, tcp, snd_wnd);
    event->srtt_us = MEMBER(direct, tcp, srtt_us) >> 3;
    event->rcv_wnd = MEMBER(direct, tcp, rcv_wnd);
    event->mss = MEMBER(direct, tcp, mss_cache);
    event->ca_state = ca_state;
    event->known = KERNEL_EVENT_KNOWS_SEQUENCE | KERNEL_EVENT_KNOWS_SND_WND | KERNEL_EVENT_KNOWS_RCV_WND |
                   KERNEL_EVENT_KNOWS_CA_STATE;
    const struct tcp_congestion_ops* control = MEMBER(direct, tcp, inet_conn.icsk_ca_ops);
    if (bpf_core_read(event->congestion_control, sizeof event->congestion_control, &control->name) != 0) {
        event->congestion_control[0] = 0;
    }
}

static __always_inline int window(const struct sock* sock, const struct tcp_sock* tcp, bool direct) {
    if (!is_wanted(tcp, direct)) return 0;
    struct kernel_event* event = reserve();
    if (!event) return 0;
    identify(event, sock, tcp, direct);
    set_figures(event, tcp, direct);
    event->kind = KERNEL_EVENT_WINDOW;
    submit(event);
    return 0;
}

static __always_inline int transition(const struct sock* sock, const struct tcp_sock* tcp, __u8 state,
                                      bool direct) {
    if (!is_wanted(tcp, direct)) return 0;
    struct kernel_event* event = reserve();
    if (!event) return 0;
    identify(event, sock, tcp, direct);
    set_figures(event, tcp, direct);
    event->kind = KERNEL_EVENT_TRANSITION;
    event->ca_state = state;
    submit(event);
    return 0;
}

static __always_inline int closed(const struct sock* sock, const struct tcp_sock* tcp, bool direct) {
    if (!is_wanted(tcp, direct)) return 0;
    struct kernel_event* event = reserve();
    if (!event) return 0;
    __builtin_memset(event, 0, sizeof *event);
    event->monotonic_ns = bpf_ktime_get_ns();
    event->sock = (__u64)sock;
    event->kind = KERNEL_EVENT_CLOSED;
    submit(event);
    return 0;
}

SEC("tp_btf/tcp_probe")
int BPF_PROG(typed_tcp_probe, struct sock* sock) {
    const struct tcp_sock* tcp = sock ? bpf_skc_to_tcp_sock(sock) : 0;
    return tcp ? window(sock, tcp, true) : 0;
}

SEC("tp_btf/tcp_cong_state_set")
int BPF_PROG(typed_tcp_cong_state_set, struct sock* sock, const __u8 state) {
    const struct tcp_sock* tcp = sock ? bpf_skc_to_tcp_sock(sock) : 0;
    return tcp ? transition(sock, tcp, state, true) : 0;
}

SEC("tp_btf/tcp_destroy_sock")
int BPF_PROG(typed_tcp_destroy_sock, struct sock* sock) {
    const struct tcp_sock* tcp = sock ? bpf_skc_to_tcp_sock(sock) : 0;
    return tcp ? closed(sock, tcp, true) : 0;
}

SEC("raw_tp/tcp_probe")
int BPF_PROG(raw_tcp_probe, struct sock* sock) {
    return window(sock, (const struct tcp_sock*)sock, false);
}

SEC("raw_tp/tcp_cong_state_set")
int BPF_PROG(raw_tcp_cong_state_set, struct sock* sock, const __u8 state) {
    return transition(sock, (const struct tcp_sock*)sock, state, false);
}

SEC("raw_tp/tcp_destroy_sock")
int BPF_PROG(raw_tcp_destroy_sock, struct sock* sock) {
    return closed(sock, (const struct tcp_sock*)sock, false);
}
