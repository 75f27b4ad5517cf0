// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the BPF program and its loader agree on: what is in its maps.

#include <linux/bpf.h>

#include "captures/fair_tcp/ensemble.h"

#ifdef __cplusplus
namespace sanscope {
#endif

#define FAIR_TCP_NAME_BYTES 16  // TCP_CA_NAME_MAX, with the zero behind it
#define FAIR_TCP_MOST_ENSEMBLES 4096

// Which connections are an ensemble: those of one network namespace with the same two addresses. An IPv4 address is mapped
// into IPv6 (RFC 4291 section 2.5.5.2), so that it does not matter of which kind a socket is.
struct fair_tcp_key {
    uint64_t network_namespace;  // its cookie
    uint32_t local_address[4];   // network order
    uint32_t remote_address[4];
};

// A value of the map `ensembles`.
struct fair_tcp_ensemble {
    struct ensemble state;
    uint64_t instance;  // no other ensemble ever has it
    struct fair_tcp_key
        key;  // its own: memory of one that is removed may become another's while it is looked at
    struct bpf_spin_lock lock;  // held for whatever is done to the rest
    uint32_t unused;
};

// What a socket is in its ensemble; touched under the socket's lock alone.
struct fair_tcp_member {
    struct ensemble_member state;
    uint64_t instance;  // of the ensemble that it joined
    struct fair_tcp_key key;
    uint32_t socket_cwnd;  // what its socket held when the program was last called, repaired
    uint32_t socket_ssthresh;
    uint32_t repaired;  // of that call, as ENSEMBLE_REPAIRED_…
    uint32_t unused;
};

// The keys of the map `counters`, whose values are of 64 bits and count since the start.
enum fair_tcp_counter {
    FAIR_TCP_JOINED,
    FAIR_TCP_LEFT,
    FAIR_TCP_REJOINED,  // found its ensemble removed
    FAIR_TCP_ALONE,     // had to do without an ensemble: no memory, or FAIR_TCP_MOST_ENSEMBLES
    FAIR_TCP_LOSSES,
    FAIR_TCP_TIMEOUTS,
    FAIR_TCP_UNDONE,
    FAIR_TCP_RESUMED,   // sent again after nothing was in flight
    FAIR_TCP_REPAIRED,  // the first of ENSEMBLE_REPAIR_KINDS, in the order of their bits
    FAIR_TCP_COUNTERS = FAIR_TCP_REPAIRED + 6,
};

#ifdef __cplusplus
static_assert(FAIR_TCP_COUNTERS == FAIR_TCP_REPAIRED + ENSEMBLE_REPAIR_KINDS);
static_assert(sizeof(fair_tcp_key) == 40);
static_assert(sizeof(fair_tcp_ensemble) == 136);
static_assert(sizeof(fair_tcp_member) == 88);
}  // namespace sanscope
#endif
