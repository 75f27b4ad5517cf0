// SPDX-License-Identifier: GPL-3.0-or-later

// A congestion control of TCP whose connections between the same two addresses share one window: the kernel calls it
// where it would call Reno, and ensemble.h does the arithmetic.
//
// A socket's own values are touched under the socket's lock, which the kernel holds around each call; an ensemble's under
// its spin lock, in which nothing is called. Only the socket of the call is written to.
//
// Ensembles are removed with their last member. Between its leaving and the removal another may join, which then finds no
// ensemble, or one of another instance, and joins anew with the window that it has.
//
// The structures are those of the kernel with the members that are used here alone (BPF CO-RE).
// clang-format off
#include <linux/types.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_tracing.h>
// clang-format on

#include "captures/fair_tcp/ensemble.h"
#include "captures/fair_tcp/fair_tcp_bpf.h"

char LICENSE[] SEC("license") = "GPL";

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct in6_addr {
    union {
        __u32 u6_addr32[4];
    } in6_u;
};

struct net {
    __u64 net_cookie;
};

typedef struct {
    struct net* net;
} possible_net_t;

struct sock_common {
    __be32 skc_daddr;
    __be32 skc_rcv_saddr;
    __u16 skc_family;
    possible_net_t skc_net;
    struct in6_addr skc_v6_daddr;
    struct in6_addr skc_v6_rcv_saddr;
};

struct sock {
    struct sock_common __sk_common;
};

struct inet_sock {
    struct sock sk;
};

struct inet_connection_sock {
    struct inet_sock icsk_inet;
    __u8 icsk_ca_state : 5;
};

struct tcp_sock {
    struct inet_connection_sock inet_conn;
    __u32 snd_cwnd;
    __u32 snd_cwnd_cnt;
    __u32 snd_cwnd_clamp;
    __u32 snd_ssthresh;
    __u32 prior_cwnd;
    __u32 packets_out;
    __u32 max_packets_out;
    __u32 srtt_us;
    __u32 rttvar_us;
    __u8 is_cwnd_limited : 1;
};

#pragma clang attribute pop

// What is registered with the kernel; its loader finds the kernel's members by these names.
struct tcp_congestion_ops {
    __u32 (*ssthresh)(struct sock* sk);
    void (*cong_avoid)(struct sock* sk, __u32 ack, __u32 acked);
    void (*set_state)(struct sock* sk, __u8 new_state);
    void (*cwnd_event)(struct sock* sk, __u32 event);
    __u32 (*undo_cwnd)(struct sock* sk);
    char name[FAIR_TCP_NAME_BYTES];
    __u32 flags;
    void (*init)(struct sock* sk);
    void (*release)(struct sock* sk);
};

enum { family_ipv6 = 10 };
enum { ca_state_open = 0, ca_state_disorder = 1, ca_state_loss = 4 };
enum { ca_event_tx_start = 0 };
enum { cong_non_restricted = 1 };  // any user may select it for a socket

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, FAIR_TCP_MOST_ENSEMBLES);
    __type(key, struct fair_tcp_key);
    __type(value, struct fair_tcp_ensemble);
} ensembles SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_SK_STORAGE);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, int);
    __type(value, struct fair_tcp_member);
} members SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, FAIR_TCP_COUNTERS);
    __type(key, __u32);
    __type(value, __u64);
} counters SEC(".maps");

static __always_inline void count(__u32 counter) {
    __u64* const value = bpf_map_lookup_elem(&counters, &counter);
    if (value) __sync_fetch_and_add(value, 1);
}

// The verifier follows each way through the arithmetic, with all that it knows of the values on it: more than it may. What is
// read from a map it knows nothing of, so that ways which differ in such values alone are one. Between two steps, all is read
// anew.
#define VERIFY_ANEW() asm volatile("" ::: "memory")

static __always_inline void count_each(__u32 repaired) {
    if (repaired == 0) return;
#pragma unroll
    for (__u32 kind = 0; kind < ENSEMBLE_REPAIR_KINDS; ++kind)
        if (repaired & (1U << kind)) count(FAIR_TCP_REPAIRED + kind);
}

// Of this call.
static __always_inline void count_repairs(struct fair_tcp_member* member) {
    VERIFY_ANEW();
    const __u32 repaired = member->repaired;
    member->repaired = 0;
    count_each(repaired);
}

static __always_inline __u8 ca_state(struct tcp_sock* tp) {
    struct inet_connection_sock* const connection = &tp->inet_conn;
    return (__u8)BPF_CORE_READ_BITFIELD(connection, icsk_ca_state);
}

// What a socket holds, as it was read.
struct socket_values {
    __u32 cwnd;
    __u32 ssthresh;
    __u32 clamp;
    __u32 packets_out;
    bool cwnd_limited;
};

// Limited by the window: it kept data back, or, in slow start, half of the window was used (RFC 7661 section 4.1).
static __always_inline struct socket_values values_of(struct tcp_sock* tp) {
    struct socket_values values;
    values.cwnd = tp->snd_cwnd;
    values.ssthresh = tp->snd_ssthresh;
    values.clamp = tp->snd_cwnd_clamp;
    values.packets_out = tp->packets_out;
    values.cwnd_limited = BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited) != 0 ||
                          (values.cwnd < values.ssthresh && values.cwnd < 2 * (__u64)tp->max_packets_out);
    return values;
}

static __always_inline void keep_socket(struct fair_tcp_member* member, const struct tcp_sock* tp) {
    member->socket_cwnd = tp->snd_cwnd;
    member->socket_ssthresh = tp->snd_ssthresh;
}

static __always_inline void give(struct tcp_sock* tp, const struct ensemble_member* member) {
    if (tp->snd_cwnd != member->window) tp->snd_cwnd = member->window;
    if (tp->snd_ssthresh != member->ssthresh) tp->snd_ssthresh = member->ssthresh;
}

static __always_inline void set_mapped(__u32* to, __be32 address) {
    to[0] = 0;
    to[1] = 0;
    to[2] = bpf_htonl(0xffff);
    to[3] = address;
}

static __always_inline void set_address(__u32* to, const struct in6_addr* from) {
#pragma unroll
    for (int i = 0; i < 4; ++i) to[i] = from->in6_u.u6_addr32[i];
}

static __always_inline void set_key(struct fair_tcp_key* key, struct tcp_sock* tp) {
    struct sock_common* const common = &tp->inet_conn.icsk_inet.sk.__sk_common;
    struct net* const net = common->skc_net.net;
    key->network_namespace = net ? net->net_cookie : 0;
    if (common->skc_family == family_ipv6 && bpf_core_field_exists(common->skc_v6_daddr)) {
        set_address(key->local_address, &common->skc_v6_rcv_saddr);
        set_address(key->remote_address, &common->skc_v6_daddr);
    } else {
        set_mapped(key->local_address, common->skc_rcv_saddr);
        set_mapped(key->remote_address, common->skc_daddr);
    }
}

static __always_inline struct fair_tcp_member* member_of(struct tcp_sock* tp) {
    struct fair_tcp_member* const member = bpf_sk_storage_get(&members, tp, 0, 0);
    return member && (member->state.flags & ENSEMBLE_JOINED) ? member : 0;
}

// A new ensemble, unless another processor has just made it. The number of the processor tells two of the same
// nanosecond apart.
static __always_inline struct fair_tcp_ensemble* make_ensemble(const struct fair_tcp_key* key, __u64 now) {
    struct fair_tcp_ensemble fresh;
    __builtin_memset(&fresh, 0, sizeof fresh);
    fresh.key = *key;
    fresh.instance = (now << 10) | (bpf_get_smp_processor_id() & 1023);
    fresh.state.window = 1;
    fresh.state.ssthresh = ENSEMBLE_INFINITE_SSTHRESH;
    bpf_map_update_elem(&ensembles, key, &fresh, BPF_NOEXIST);
    return bpf_map_lookup_elem(&ensembles, key);
}

static __always_inline bool is_same(const struct fair_tcp_key* one, const struct fair_tcp_key* other) {
    __u64 differences = one->network_namespace ^ other->network_namespace;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        differences |= one->local_address[i] ^ other->local_address[i];
        differences |= one->remote_address[i] ^ other->remote_address[i];
    }
    return differences == 0;
}

// False where there is no ensemble for it.
static __always_inline bool join(struct tcp_sock* tp, struct fair_tcp_member* member) {
    const __u64 now = bpf_ktime_get_ns();
    set_key(&member->key, tp);
    struct fair_tcp_ensemble* ensemble = bpf_map_lookup_elem(&ensembles, &member->key);
    if (!ensemble) ensemble = make_ensemble(&member->key, now);
    if (!ensemble) {
        count(FAIR_TCP_ALONE);
        return false;
    }
    const __u32 packets_out = tp->packets_out;
    const __u32 clamp = tp->snd_cwnd_clamp;
    keep_socket(member, tp);
    bpf_spin_lock(&ensemble->lock);
    // Removed meanwhile, and another's by now: who joined it would never leave it again.
    if (!is_same(&ensemble->key, &member->key)) {
        bpf_spin_unlock(&ensemble->lock);
        count(FAIR_TCP_ALONE);
        return false;
    }
    member->repaired |= ensemble_repair(&ensemble->state);
    VERIFY_ANEW();
    // Nothing is known of the member yet but what its socket holds.
    member->state.window = 1;
    member->state.ssthresh = ENSEMBLE_INFINITE_SSTHRESH;
    member->state.flags = 0;
    member->repaired |= ensemble_repair_member(&ensemble->state, &member->state, &member->socket_cwnd,
                                               &member->socket_ssthresh);
    VERIFY_ANEW();
    ensemble_join(&ensemble->state, &member->state, member->socket_cwnd, member->socket_ssthresh, now);
    VERIFY_ANEW();
    ensemble_allocate(&ensemble->state, &member->state, 0, clamp);
    VERIFY_ANEW();
    if (packets_out == 0) ensemble_rest(&ensemble->state, &member->state, now);
    member->instance = ensemble->instance;
    bpf_spin_unlock(&ensemble->lock);
    count_repairs(member);
    count(FAIR_TCP_JOINED);
    if (ca_state(tp) <= ca_state_disorder) give(tp, &member->state);
    return true;
}

static __always_inline void leave(struct fair_tcp_member* member) {
    struct fair_tcp_ensemble* const ensemble = bpf_map_lookup_elem(&ensembles, &member->key);
    count(FAIR_TCP_LEFT);
    if (!ensemble) {
        member->state.flags = 0;
        return;
    }
    bool empty = false;
    bpf_spin_lock(&ensemble->lock);
    if (ensemble->instance == member->instance) empty = ensemble_leave(&ensemble->state, &member->state);
    bpf_spin_unlock(&ensemble->lock);
    member->state.flags = 0;
    if (empty) bpf_map_delete_elem(&ensembles, &member->key);
}

// Without an ensemble: Reno, which is what an ensemble of one comes to.
static __always_inline void acked_alone(struct tcp_sock* tp, __u32 acked) {
    const struct socket_values values = values_of(tp);
    struct ensemble state = {};
    struct ensemble_member member = {};
    __u32 cwnd = values.cwnd;
    __u32 ssthresh = values.ssthresh;
    state.window = 1;
    state.ssthresh = ENSEMBLE_INFINITE_SSTHRESH;
    member.window = 1;
    member.ssthresh = ENSEMBLE_INFINITE_SSTHRESH;
    count_each(ensemble_repair_member(&state, &member, &cwnd, &ssthresh));
    ensemble_join(&state, &member, cwnd, ssthresh, 0);
    state.credit = tp->snd_cwnd_cnt;
    ensemble_acked(&state, &member, acked, values.clamp, values.cwnd_limited);
    tp->snd_cwnd_cnt = state.credit;
    give(tp, &member);
}

// Under the ensemble's lock: what was read from it, from the member, and by keep_socket() is within its bounds then.
static __always_inline void repair(struct fair_tcp_ensemble* ensemble, struct fair_tcp_member* member) {
    member->repaired |= ensemble_repair(&ensemble->state);
    VERIFY_ANEW();
    member->repaired |= ensemble_repair_member(&ensemble->state, &member->state, &member->socket_cwnd,
                                               &member->socket_ssthresh);
    VERIFY_ANEW();
}

// Takes the lock of the member's ensemble, and brings both up to `now`: what the kernel has changed in the socket is in
// the ensemble then. False, and no lock, where the ensemble has been removed: the member is none any more.
static __always_inline bool enter(struct fair_tcp_ensemble* ensemble, struct fair_tcp_member* member,
                                  __u64 now) {
    bpf_spin_lock(&ensemble->lock);
    if (ensemble->instance != member->instance) {
        bpf_spin_unlock(&ensemble->lock);
        member->state.flags = 0;
        return false;
    }
    repair(ensemble, member);
    if (member->state.flags & ENSEMBLE_RESTING)
        ensemble_resume(&ensemble->state, &member->state, member->socket_cwnd, member->socket_ssthresh, now);
    else
        ensemble_take_changes(&ensemble->state, &member->state, member->socket_cwnd, member->socket_ssthresh);
    VERIFY_ANEW();
    return true;
}

SEC("struct_ops/fair_init")
void BPF_PROG(fair_init, struct sock* sk) {
    struct tcp_sock* const tp = (struct tcp_sock*)sk;
    struct fair_tcp_member* const member = bpf_sk_storage_get(&members, tp, 0, BPF_SK_STORAGE_GET_F_CREATE);
    if (!member) {
        count(FAIR_TCP_ALONE);
        return;
    }
    if (member->state.flags & ENSEMBLE_JOINED) leave(member);
    join(tp, member);
}

// Also of sockets that never joined: those that listened, or never came to be connected.
SEC("struct_ops/fair_release")
void BPF_PROG(fair_release, struct sock* sk) {
    struct fair_tcp_member* const member = member_of((struct tcp_sock*)sk);
    if (member) leave(member);
}

// An ACK of the member's. False where its ensemble has been removed.
static __always_inline bool acked_together(struct tcp_sock* tp, struct fair_tcp_member* member, __u32 acked) {
    struct fair_tcp_ensemble* const ensemble = bpf_map_lookup_elem(&ensembles, &member->key);
    const __u64 now = bpf_ktime_get_ns();
    const __u32 srtt_us = tp->srtt_us >> 3;
    const __u32 rttvar_us = tp->rttvar_us >> 2;
    const struct socket_values values = values_of(tp);
    keep_socket(member, tp);
    if (!ensemble) {
        member->state.flags = 0;
        return false;
    }
    if (!enter(ensemble, member, now)) return false;
    ensemble_keep_rtt(&ensemble->state, srtt_us, rttvar_us);
    VERIFY_ANEW();
    ensemble_pass_time(&ensemble->state, now);
    VERIFY_ANEW();
    ensemble_acked(&ensemble->state, &member->state, acked, values.clamp, values.cwnd_limited);
    VERIFY_ANEW();
    if (values.packets_out == 0) ensemble_rest(&ensemble->state, &member->state, now);
    bpf_spin_unlock(&ensemble->lock);
    count_repairs(member);
    give(tp, &member->state);
    return true;
}

SEC("struct_ops/fair_cong_avoid")
void BPF_PROG(fair_cong_avoid, struct sock* sk, __u32 ack, __u32 acked) {
    struct tcp_sock* const tp = (struct tcp_sock*)sk;
    struct fair_tcp_member* const member = bpf_sk_storage_get(&members, tp, 0, 0);
    if (member && !(member->state.flags & ENSEMBLE_JOINED)) {
        if (join(tp, member))
            count(FAIR_TCP_REJOINED);
        else
            acked_alone(tp, acked);
        return;
    }
    if (!member || !acked_together(tp, member, acked)) acked_alone(tp, acked);
}

SEC("struct_ops/fair_ssthresh")
__u32 BPF_PROG(fair_ssthresh, struct sock* sk) {
    struct tcp_sock* const tp = (struct tcp_sock*)sk;
    const struct socket_values values = values_of(tp);
    const __u32 half = values.cwnd / 2 < ENSEMBLE_LEAST_SSTHRESH ? ENSEMBLE_LEAST_SSTHRESH : values.cwnd / 2;
    count(FAIR_TCP_LOSSES);
    struct fair_tcp_member* const member = member_of(tp);
    if (!member) return half;
    struct fair_tcp_ensemble* const ensemble = bpf_map_lookup_elem(&ensembles, &member->key);
    const __u64 now = bpf_ktime_get_ns();
    keep_socket(member, tp);
    if (!ensemble || !enter(ensemble, member, now)) return half;
    const __u32 ssthresh = ensemble_lost(&ensemble->state, &member->state);
    bpf_spin_unlock(&ensemble->lock);
    count_repairs(member);
    return ssthresh;
}

// Also called for a socket before it joins.
SEC("struct_ops/fair_set_state")
void BPF_PROG(fair_set_state, struct sock* sk, const __u8 new_state) {
    struct tcp_sock* const tp = (struct tcp_sock*)sk;
    if (new_state != ca_state_loss) return;
    count(FAIR_TCP_TIMEOUTS);
    struct fair_tcp_member* const member = member_of(tp);
    if (!member) return;
    struct fair_tcp_ensemble* const ensemble = bpf_map_lookup_elem(&ensembles, &member->key);
    if (!ensemble) return;
    keep_socket(member, tp);
    bpf_spin_lock(&ensemble->lock);
    if (ensemble->instance == member->instance && !(member->state.flags & ENSEMBLE_RESTING)) {
        repair(ensemble, member);
        ensemble_timed_out(&ensemble->state, &member->state, member->socket_cwnd);
    }
    bpf_spin_unlock(&ensemble->lock);
    count_repairs(member);
}

// The first data after nothing was in flight.
SEC("struct_ops/fair_cwnd_event")
void BPF_PROG(fair_cwnd_event, struct sock* sk, const __u32 event) {
    struct tcp_sock* const tp = (struct tcp_sock*)sk;
    if (event != ca_event_tx_start) return;
    struct fair_tcp_member* const member = member_of(tp);
    if (!member || !(member->state.flags & ENSEMBLE_RESTING)) return;
    struct fair_tcp_ensemble* const ensemble = bpf_map_lookup_elem(&ensembles, &member->key);
    const __u64 now = bpf_ktime_get_ns();
    const __u32 clamp = tp->snd_cwnd_clamp;
    keep_socket(member, tp);
    if (!ensemble || !enter(ensemble, member, now)) return;
    ensemble_allocate(&ensemble->state, &member->state, 0, clamp);
    bpf_spin_unlock(&ensemble->lock);
    count_repairs(member);
    count(FAIR_TCP_RESUMED);
    if (ca_state(tp) <= ca_state_disorder) give(tp, &member->state);
}

SEC("struct_ops/fair_undo_cwnd")
__u32 BPF_PROG(fair_undo_cwnd, struct sock* sk) {
    struct tcp_sock* const tp = (struct tcp_sock*)sk;
    const __u32 now = tp->snd_cwnd;
    const __u32 before = tp->prior_cwnd;
    const __u32 larger = now > before || before > ENSEMBLE_MOST_SEGMENTS ? now : before;
    count(FAIR_TCP_UNDONE);
    struct fair_tcp_member* const member = member_of(tp);
    if (!member) return larger;
    struct fair_tcp_ensemble* const ensemble = bpf_map_lookup_elem(&ensembles, &member->key);
    if (!ensemble) return larger;
    __u32 window = larger;
    keep_socket(member, tp);
    bpf_spin_lock(&ensemble->lock);
    if (ensemble->instance == member->instance && !(member->state.flags & ENSEMBLE_RESTING)) {
        repair(ensemble, member);
        window = ensemble_undo(&ensemble->state, &member->state, member->socket_cwnd);
    }
    bpf_spin_unlock(&ensemble->lock);
    count_repairs(member);
    return window;
}

SEC(".struct_ops")
struct tcp_congestion_ops fair = {
    .ssthresh = (void*)fair_ssthresh,
    .cong_avoid = (void*)fair_cong_avoid,
    .set_state = (void*)fair_set_state,
    .cwnd_event = (void*)fair_cwnd_event,
    .undo_cwnd = (void*)fair_undo_cwnd,
    .name = "fair",
    .flags = cong_non_restricted,
    .init = (void*)fair_init,
    .release = (void*)fair_release,
};
