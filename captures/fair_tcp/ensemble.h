// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The Ensemble Control Block of Fair-TCP (Kancharla, Narayan, Gopinath: "Performance Evaluation of Multiple TCP
// connections in iSCSI", section 2.2, figure 2): connections between one pair of hosts share one congestion window and one
// slow start threshold. Plain C, the same for the BPF program, which calls it under the ensemble's lock, and for
// user space, which tests it: no library, no loop, no floating point; every division is by at least 1, and every sum is
// of 64 bits and brought back into its bounds.
//
// Windows and thresholds are in segments. Names of the paper: ecb_snd_cwnd is `window`, ecb_snd_ssthresh `ssthresh`,
// ecb_ref_cnt `counted`, conn_snd_cwnd a member's `window`.
//
// Table 1 (allocation) is taken as it is: a connection gets ecb/ref. What the division leaves over goes to members one
// segment each, so that the members' windows come to the ensemble's.
//
// Table 2 (updates) is printed as `ecb += new - old/ref`, where each update would add nearly a whole window and the
// ensemble diverges. Meant is `ecb += new - ecb/ref`: a connection's new window takes the place of the share it had. That
// is what is done here, with the window that the connection was last given as its share.
//
// Where it departs, since the paper says nothing or its kernel (2.4, 2.6.5) was another:
// - With an infinite threshold the table would keep the others in slow start after a loss. The first loss ends slow start
//   for all.
// - Only the connection that an ACK is for may be written to: others get their share at their next ACK.
// - A connection that joins, comes back from idleness, or had a retransmission timeout has no ACKs that would pace a whole
//   share: it grows to its share by slow start ("limited"). A timeout takes only its own share from the ensemble.
// - A connection without data in flight for one or two intervals (ensemble_interval_ns()) is not counted: its share is
//   the others'. When it sends again it is counted again. Who comes while nobody is counted brings its own window.
// - The window stays as it is when a connection leaves: what it describes is the path.
// - A loss that turns out to be none (undo) gives back what was cut, less what the ensemble has grown since.
// - The round trip (rows 1 and 2 of both tables) is kept and shown, but the kernel lets no BPF program write a
//   connection's: here it sets the interval of idleness only.
//
// With one connection all of it comes to Reno (RFC 5681 as Linux has it), to the segment.

#ifdef __cplusplus
#include <cstdint>

#define ENSEMBLE_U32(value) static_cast<uint32_t>(value)
#define ENSEMBLE_U64(value) static_cast<uint64_t>(value)
namespace sanscope {
#else
#include <linux/types.h>
typedef __u8 uint8_t;
typedef __u16 uint16_t;
typedef __u32 uint32_t;
typedef __u64 uint64_t;
#define ENSEMBLE_U32(value) ((uint32_t)(value))
#define ENSEMBLE_U64(value) ((uint64_t)(value))
#endif

#define ENSEMBLE_INLINE static inline __attribute__((always_inline))

#define ENSEMBLE_INFINITE_SSTHRESH 0x7fffffffU  // TCP_INFINITE_SSTHRESH
#define ENSEMBLE_MOST_SEGMENTS (1U << 24)       // of one connection's window or threshold
#define ENSEMBLE_MOST_WINDOW (1U << 30)         // of all
#define ENSEMBLE_MOST_MEMBERS (1U << 20)
#define ENSEMBLE_LEAST_SSTHRESH 2U  // of one connection (RFC 5681 section 3.1)
#define ENSEMBLE_MOST_RTT_US 120000000U

// What ensemble_member.flags holds.
#define ENSEMBLE_JOINED 1U
#define ENSEMBLE_RESTING 2U  // has no data in flight
#define ENSEMBLE_LIMITED 4U  // grows to its share by slow start
#define ENSEMBLE_ALL_FLAGS 7U

// What was found out of its bounds, and brought back into them.
#define ENSEMBLE_REPAIRED_COUNTS 1U
#define ENSEMBLE_REPAIRED_WINDOW 2U
#define ENSEMBLE_REPAIRED_SSTHRESH 4U
#define ENSEMBLE_REPAIRED_MEMBER 8U
#define ENSEMBLE_REPAIRED_SOCKET_CWND 16U
#define ENSEMBLE_REPAIRED_SOCKET_SSTHRESH 32U
#define ENSEMBLE_REPAIR_KINDS 6

// Members that have been resting since one interval; they are still counted.
struct ensemble_resting {
    uint64_t granted;  // the sum of their windows
    uint32_t count;
    uint32_t unused;
};

struct ensemble {
    uint64_t
        granted;  // the sum of the windows of those counted; above `window` until all had an ACK after a cut
    uint64_t interval_began_ns;
    struct ensemble_resting
        resting[2];      // since this interval and the one before, by the interval's lowest bit
    uint32_t interval;   // its number
    uint32_t window;     // segments of all; at least 1 each of those counted
    uint32_t ssthresh;   // segments of all, or ENSEMBLE_INFINITE_SSTHRESH
    uint32_t credit;     // segments acknowledged in congestion avoidance, towards the next increase
    uint32_t members;    // connections that joined and have not left
    uint32_t counted;    // those among which the window is divided
    uint32_t srtt_us;    // smoothed round trip, as the latest ACK had it; 0: not known
    uint32_t rttvar_us;  // its variation
};

// A connection of an ensemble.
struct ensemble_member {
    uint32_t window;       // segments: what it was last given
    uint32_t ssthresh;     // likewise
    uint32_t cut;          // what its last loss took from the ensemble; 0: nothing to undo
    uint32_t after_cut;    // the ensemble's window then
    uint32_t rests_since;  // the interval's number, where ENSEMBLE_RESTING
    uint32_t flags;
};

ENSEMBLE_INLINE uint64_t ensemble_bounded(uint64_t value, uint64_t least, uint64_t most) {
    if (value < least) return least;
    return value > most ? most : value;
}

ENSEMBLE_INLINE uint64_t ensemble_less(uint64_t from, uint64_t taken) {
    return from > taken ? from - taken : 0;
}

// The `ref_cnt` to divide by.
ENSEMBLE_INLINE uint32_t ensemble_divisor(const struct ensemble* ensemble) {
    return ensemble->counted == 0 ? 1 : ensemble->counted;
}

// Table 1, row 3, without what the division leaves over.
ENSEMBLE_INLINE uint32_t ensemble_share(const struct ensemble* ensemble) {
    return ENSEMBLE_U32(
        ensemble_bounded(ensemble->window / ensemble_divisor(ensemble), 1, ENSEMBLE_MOST_SEGMENTS));
}

// Table 1, row 4.
ENSEMBLE_INLINE uint32_t ensemble_ssthresh_share(const struct ensemble* ensemble) {
    if (ensemble->ssthresh >= ENSEMBLE_INFINITE_SSTHRESH) return ENSEMBLE_INFINITE_SSTHRESH;
    return ENSEMBLE_U32(ensemble_bounded(ensemble->ssthresh / ensemble_divisor(ensemble),
                                         ENSEMBLE_LEAST_SSTHRESH, ENSEMBLE_MOST_SEGMENTS));
}

ENSEMBLE_INLINE void ensemble_set_window(struct ensemble* ensemble, uint64_t window) {
    ensemble->window =
        ENSEMBLE_U32(ensemble_bounded(window, ensemble_divisor(ensemble), ENSEMBLE_MOST_WINDOW));
}

// Of a finite one.
ENSEMBLE_INLINE void ensemble_set_ssthresh(struct ensemble* ensemble, uint64_t ssthresh) {
    const uint64_t least = ENSEMBLE_U64(ENSEMBLE_LEAST_SSTHRESH) * ensemble_divisor(ensemble);
    ensemble->ssthresh = ENSEMBLE_U32(ensemble_bounded(ssthresh, least, ENSEMBLE_MOST_WINDOW));
}

ENSEMBLE_INLINE void ensemble_set_any_ssthresh(struct ensemble* ensemble, uint64_t ssthresh) {
    if (ssthresh >= ENSEMBLE_INFINITE_SSTHRESH) {
        ensemble->ssthresh = ENSEMBLE_INFINITE_SSTHRESH;
    } else {
        ensemble_set_ssthresh(ensemble, ssthresh);
    }
}

// Table 2 as it is meant: `now` takes the place of `share` in `total`.
ENSEMBLE_INLINE uint64_t ensemble_updated(uint64_t total, uint32_t share, uint32_t now) {
    return ensemble_less(total + now, share);
}

// Whether the member is one of those among which the window is divided.
ENSEMBLE_INLINE int ensemble_counts(const struct ensemble* ensemble, const struct ensemble_member* member) {
    if ((member->flags & ENSEMBLE_JOINED) == 0) return 0;
    return (member->flags & ENSEMBLE_RESTING) == 0 || ensemble->interval - member->rests_since <= 1;
}

// Of a member that is counted and not resting.
ENSEMBLE_INLINE void ensemble_grant(struct ensemble* ensemble, struct ensemble_member* member,
                                    uint32_t window) {
    ensemble->granted = ensemble_less(ensemble->granted, member->window) + window;
    member->window = window;
}

// A connection without data in flight for longer than one to two of these is idle: as long as a retransmission timer takes
// at least (200 ms in Linux), or some round trips.
ENSEMBLE_INLINE uint64_t ensemble_interval_ns(const struct ensemble* ensemble) {
    return ensemble_bounded(ENSEMBLE_U64(ensemble->srtt_us) * 4 * 1000, 200000000ULL, 3000000000ULL);
}

// Those that have been resting since before the interval before this one are counted no longer.
ENSEMBLE_INLINE void ensemble_end_interval(struct ensemble* ensemble) {
    struct ensemble_resting* const older =
        (ensemble->interval & 1U) == 0 ? &ensemble->resting[1] : &ensemble->resting[0];
    ensemble->counted = ENSEMBLE_U32(ensemble_less(ensemble->counted, older->count));
    ensemble->granted = ensemble_less(ensemble->granted, older->granted);
    older->count = 0;
    older->granted = 0;
    ++ensemble->interval;
}

// Ends the intervals that are over at `now_ns`, of a clock that does not go back.
ENSEMBLE_INLINE void ensemble_pass_time(struct ensemble* ensemble, uint64_t now_ns) {
    const uint64_t length = ensemble_interval_ns(ensemble);
    // It would not end before that moment.
    if (ensemble->interval_began_ns > now_ns) ensemble->interval_began_ns = now_ns;
    const uint64_t passed = ensemble_less(now_ns, ensemble->interval_began_ns);
    if (passed < length) return;
    ensemble_end_interval(ensemble);
    if (passed < 2 * length) {
        ensemble->interval_began_ns += length;
        return;
    }
    // Nobody is resting and counted after two of them, however many more there were.
    ensemble_end_interval(ensemble);
    ensemble->interval_began_ns = now_ns;
}

// Table 2, rows 1 and 2. Microseconds; 0: not known.
ENSEMBLE_INLINE void ensemble_keep_rtt(struct ensemble* ensemble, uint32_t srtt_us, uint32_t rttvar_us) {
    if (srtt_us == 0 || srtt_us > ENSEMBLE_MOST_RTT_US) return;
    ensemble->srtt_us = srtt_us;
    ensemble->rttvar_us = rttvar_us > ENSEMBLE_MOST_RTT_US ? ENSEMBLE_MOST_RTT_US : rttvar_us;
}

// Brings what cannot be back into its bounds; which, as ENSEMBLE_REPAIRED_… .
ENSEMBLE_INLINE uint32_t ensemble_repair(struct ensemble* ensemble) {
    uint32_t repaired = 0;
    if (ensemble->members > ENSEMBLE_MOST_MEMBERS) {
        ensemble->members = ENSEMBLE_MOST_MEMBERS;
        repaired |= ENSEMBLE_REPAIRED_COUNTS;
    }
    if (ensemble->counted > ensemble->members) {
        ensemble->counted = ensemble->members;
        repaired |= ENSEMBLE_REPAIRED_COUNTS;
    }
    if (ensemble->window < ensemble_divisor(ensemble) || ensemble->window > ENSEMBLE_MOST_WINDOW) {
        ensemble_set_window(ensemble, ensemble->granted);
        repaired |= ENSEMBLE_REPAIRED_WINDOW;
    }
    const uint64_t most_granted = ENSEMBLE_U64(ensemble->counted) * ENSEMBLE_MOST_SEGMENTS;
    if (ensemble->granted > most_granted) {
        ensemble->granted = ensemble_bounded(ensemble->window, 0, most_granted);
        repaired |= ENSEMBLE_REPAIRED_COUNTS;
    }
    if (ENSEMBLE_U64(ensemble->resting[0].count) + ensemble->resting[1].count > ensemble->counted ||
        ensemble->resting[0].granted > most_granted || ensemble->resting[1].granted > most_granted ||
        ensemble->resting[0].granted + ensemble->resting[1].granted > ensemble->granted) {
        __builtin_memset(ensemble->resting, 0, sizeof ensemble->resting);
        repaired |= ENSEMBLE_REPAIRED_COUNTS;
    }
    if (ensemble->ssthresh < ENSEMBLE_LEAST_SSTHRESH ||
        (ensemble->ssthresh > ENSEMBLE_MOST_WINDOW && ensemble->ssthresh != ENSEMBLE_INFINITE_SSTHRESH)) {
        ensemble_set_ssthresh(ensemble, ensemble->window);
        repaired |= ENSEMBLE_REPAIRED_SSTHRESH;
    }
    return repaired;
}

// Likewise, with what the connection's socket holds, `cwnd` and `ssthresh`, which the kernel may have changed since the
// member was last given its share.
ENSEMBLE_INLINE uint32_t ensemble_repair_member(const struct ensemble* ensemble,
                                                struct ensemble_member* member, uint32_t* cwnd,
                                                uint32_t* ssthresh) {
    uint32_t repaired = 0;
    if (member->window < 1 || member->window > ENSEMBLE_MOST_SEGMENTS) {
        member->window = ensemble_share(ensemble);
        repaired |= ENSEMBLE_REPAIRED_MEMBER;
    }
    if (member->ssthresh < 1 ||
        (member->ssthresh > ENSEMBLE_MOST_SEGMENTS && member->ssthresh != ENSEMBLE_INFINITE_SSTHRESH)) {
        member->ssthresh = ensemble_ssthresh_share(ensemble);
        repaired |= ENSEMBLE_REPAIRED_MEMBER;
    }
    if ((member->flags & ~ENSEMBLE_ALL_FLAGS) != 0) {
        member->flags &= ENSEMBLE_ALL_FLAGS;
        repaired |= ENSEMBLE_REPAIRED_MEMBER;
    }
    if (member->cut > ENSEMBLE_MOST_SEGMENTS) {
        member->cut = 0;
        repaired |= ENSEMBLE_REPAIRED_MEMBER;
    }
    if (*cwnd < 1 || *cwnd > ENSEMBLE_MOST_SEGMENTS) {
        *cwnd = member->window;
        repaired |= ENSEMBLE_REPAIRED_SOCKET_CWND;
    }
    if (*ssthresh < 1 || (*ssthresh > ENSEMBLE_MOST_SEGMENTS && *ssthresh != ENSEMBLE_INFINITE_SSTHRESH)) {
        *ssthresh = member->ssthresh;
        repaired |= ENSEMBLE_REPAIRED_SOCKET_SSTHRESH;
    }
    return repaired;
}

// Table 2, rows 3 and 4, for what the kernel has done to the connection itself: restarted after idleness, validated its
// window (RFC 7661), undone a cut of the threshold. Of a member that is counted and not resting.
ENSEMBLE_INLINE void ensemble_take_changes(struct ensemble* ensemble, struct ensemble_member* member,
                                           uint32_t cwnd, uint32_t ssthresh) {
    if (cwnd != member->window) {
        if (cwnd < member->window) member->flags |= ENSEMBLE_LIMITED;
        ensemble_set_window(ensemble, ensemble_updated(ensemble->window, member->window, cwnd));
        ensemble_grant(ensemble, member, cwnd);
    }
    if (ssthresh != member->ssthresh) {
        if (ssthresh >= ENSEMBLE_INFINITE_SSTHRESH) {
            ensemble->ssthresh = ENSEMBLE_INFINITE_SSTHRESH;
        } else if (ensemble->ssthresh >= ENSEMBLE_INFINITE_SSTHRESH) {
            ensemble_set_ssthresh(ensemble, ENSEMBLE_U64(ssthresh) * ensemble_divisor(ensemble));
        } else {
            ensemble_set_ssthresh(ensemble, ensemble_updated(ensemble->ssthresh, member->ssthresh, ssthresh));
        }
        member->ssthresh = ssthresh;
    }
}

// Table 1: gives the member its share, or what it may have of it now that `acked` more segments of its own arrived;
// `clamp` at most. Of a member that is counted and not resting. Its window and threshold are then what its socket is to
// have.
ENSEMBLE_INLINE void ensemble_allocate(struct ensemble* ensemble, struct ensemble_member* member,
                                       uint32_t acked, uint32_t clamp) {
    uint32_t share = ensemble_share(ensemble);
    const uint64_t others = ensemble_less(ensemble->granted, member->window);
    const int leaves_over = ensemble->window % ensemble_divisor(ensemble) != 0;
    if (leaves_over && share < ENSEMBLE_MOST_SEGMENTS && others + share + 1 <= ensemble->window) ++share;
    if ((member->flags & ENSEMBLE_LIMITED) != 0) {
        const uint64_t reached = ENSEMBLE_U64(member->window) + acked;
        if (reached < share) {
            share = ENSEMBLE_U32(reached);
        } else {
            member->flags &= ~ENSEMBLE_LIMITED;
        }
    }
    if (clamp >= 1 && share > clamp) share = clamp;
    ensemble_grant(ensemble, member, share);
    member->ssthresh = ensemble_ssthresh_share(ensemble);
}

// A connection joins, with the window and threshold it has.
ENSEMBLE_INLINE void ensemble_join(struct ensemble* ensemble, struct ensemble_member* member, uint32_t cwnd,
                                   uint32_t ssthresh, uint64_t now_ns) {
    ensemble_pass_time(ensemble, now_ns);
    if (ensemble->members == 0) {
        ensemble_set_any_ssthresh(ensemble, ssthresh);
        ensemble->interval_began_ns = now_ns;
    }
    const int alone = ensemble->counted == 0;
    ++ensemble->members;
    ++ensemble->counted;
    if (alone) {
        ensemble->granted = 0;
        ensemble->credit = 0;
        ensemble_set_window(ensemble, cwnd);
    } else {
        ensemble_set_window(ensemble, ensemble->window);
    }
    ensemble->granted += cwnd;
    member->window = cwnd;
    member->ssthresh = ssthresh;
    member->cut = 0;
    member->after_cut = 0;
    member->rests_since = 0;
    member->flags = alone ? ENSEMBLE_JOINED : ENSEMBLE_JOINED | ENSEMBLE_LIMITED;
}

// The member's place among those that rest since the same interval.
ENSEMBLE_INLINE struct ensemble_resting* ensemble_resting_with(struct ensemble* ensemble,
                                                               const struct ensemble_member* member) {
    return (member->rests_since & 1U) == 0 ? &ensemble->resting[0] : &ensemble->resting[1];
}

ENSEMBLE_INLINE void ensemble_stop_resting(struct ensemble* ensemble, struct ensemble_member* member) {
    struct ensemble_resting* const place = ensemble_resting_with(ensemble, member);
    place->count = ENSEMBLE_U32(ensemble_less(place->count, 1));
    place->granted = ensemble_less(place->granted, member->window);
    member->flags &= ~ENSEMBLE_RESTING;
}

// A connection leaves. Whether nobody is left.
ENSEMBLE_INLINE int ensemble_leave(struct ensemble* ensemble, struct ensemble_member* member) {
    if ((member->flags & ENSEMBLE_JOINED) == 0) return ensemble->members == 0;
    if (ensemble_counts(ensemble, member)) {
        if ((member->flags & ENSEMBLE_RESTING) != 0) ensemble_stop_resting(ensemble, member);
        ensemble->counted = ENSEMBLE_U32(ensemble_less(ensemble->counted, 1));
        ensemble->granted = ensemble_less(ensemble->granted, member->window);
    }
    ensemble->members = ENSEMBLE_U32(ensemble_less(ensemble->members, 1));
    member->flags = 0;
    return ensemble->members == 0;
}

// Everything the member sent has been acknowledged.
ENSEMBLE_INLINE void ensemble_rest(struct ensemble* ensemble, struct ensemble_member* member,
                                   uint64_t now_ns) {
    ensemble_pass_time(ensemble, now_ns);
    if ((member->flags & (ENSEMBLE_JOINED | ENSEMBLE_RESTING)) != ENSEMBLE_JOINED) return;
    member->flags |= ENSEMBLE_RESTING;
    member->rests_since = ensemble->interval;
    struct ensemble_resting* const place = ensemble_resting_with(ensemble, member);
    ++place->count;
    place->granted += member->window;
}

// The member sends, or something of it is acknowledged; its socket has this window and threshold.
ENSEMBLE_INLINE void ensemble_resume(struct ensemble* ensemble, struct ensemble_member* member, uint32_t cwnd,
                                     uint32_t ssthresh, uint64_t now_ns) {
    ensemble_pass_time(ensemble, now_ns);
    if ((member->flags & ENSEMBLE_RESTING) == 0) return;
    if (ensemble_counts(ensemble, member)) {
        ensemble_stop_resting(ensemble, member);
        ensemble_take_changes(ensemble, member, cwnd, ssthresh);
        return;
    }
    member->flags &= ~ENSEMBLE_RESTING;
    const int alone = ensemble->counted == 0;
    ++ensemble->counted;
    if (alone) {
        ensemble->granted = 0;
        ensemble_set_window(ensemble, cwnd);
        ensemble_set_any_ssthresh(ensemble, ssthresh);
        member->ssthresh = ssthresh;
    } else {
        ensemble_set_window(ensemble, ensemble->window);
        member->flags |= ENSEMBLE_LIMITED;
        member->ssthresh = ensemble_ssthresh_share(ensemble);
    }
    ensemble->granted += cwnd;
    member->window = cwnd;
}

// RFC 5681 for the ensemble: slow start adds what was acknowledged; congestion avoidance adds a segment for each share of
// them, which is a segment a round trip for each connection.
ENSEMBLE_INLINE void ensemble_increase(struct ensemble* ensemble, uint32_t acked, uint32_t clamp) {
    uint64_t window = ensemble->window;
    uint64_t left = acked > ENSEMBLE_MOST_SEGMENTS ? ENSEMBLE_MOST_SEGMENTS : acked;
    if (window < ensemble->ssthresh) {
        const uint64_t room = ensemble->ssthresh - window;
        const uint64_t step = left < room ? left : room;
        window += step;
        left -= step;
    }
    if (left > 0) {
        const uint64_t share = ensemble_bounded(window / ensemble_divisor(ensemble), 1, window);
        if (ensemble->credit >= share) {  // gathered when the share was larger
            ensemble->credit = 0;
            ++window;
        }
        const uint64_t credit = ensemble->credit + left;
        window += credit / share;
        ensemble->credit = ENSEMBLE_U32(credit % share);
    }
    const uint64_t most = clamp < 1 ? ENSEMBLE_MOST_WINDOW : ENSEMBLE_U64(clamp) * ensemble_divisor(ensemble);
    if (window > most) window = most > ensemble->window ? most : ensemble->window;
    ensemble_set_window(ensemble, window);
}

// An ACK of `acked` new segments of a member that is counted and not resting, outside of recovery. `cwnd_limited`: whether
// the window is what keeps the connection from sending more.
ENSEMBLE_INLINE void ensemble_acked(struct ensemble* ensemble, struct ensemble_member* member, uint32_t acked,
                                    uint32_t clamp, int cwnd_limited) {
    if (cwnd_limited) ensemble_increase(ensemble, acked, clamp);
    ensemble_allocate(ensemble, member, acked, clamp);
}

// A loss of a member that is counted and not resting, found by duplicate ACKs or a timeout, or signalled by ECN: its
// share becomes half of it. The threshold for its socket, to which the kernel brings its window down.
ENSEMBLE_INLINE uint32_t ensemble_lost(struct ensemble* ensemble, struct ensemble_member* member) {
    const uint32_t had = member->window;
    const uint32_t half = had / 2 < ENSEMBLE_LEAST_SSTHRESH ? ENSEMBLE_LEAST_SSTHRESH : had / 2;
    const uint32_t cut = had > half ? had - half : 0;
    const uint32_t ssthresh_share = ensemble_ssthresh_share(ensemble);
    ensemble_set_window(ensemble, ensemble_less(ensemble->window, cut));
    if (ensemble->ssthresh >= ENSEMBLE_INFINITE_SSTHRESH) {
        ensemble_set_ssthresh(ensemble, ensemble->window);
    } else {
        ensemble_set_ssthresh(ensemble, ensemble_updated(ensemble->ssthresh, ssthresh_share, half));
    }
    ensemble->credit = 0;

    uint32_t target = (member->flags & ENSEMBLE_LIMITED) != 0 ? half : ensemble_share(ensemble);
    if (target > had) target = had;
    ensemble_grant(ensemble, member, target);
    member->cut = cut;
    member->after_cut = ensemble->window;
    member->ssthresh = target < ENSEMBLE_LEAST_SSTHRESH ? ENSEMBLE_LEAST_SSTHRESH : target;
    return member->ssthresh;
}

// A retransmission timeout, after ensemble_lost(): the kernel has the member begin anew with `cwnd`.
ENSEMBLE_INLINE void ensemble_timed_out(struct ensemble* ensemble, struct ensemble_member* member,
                                        uint32_t cwnd) {
    const uint32_t taken = member->window > cwnd ? member->window - cwnd : 0;
    ensemble_take_changes(ensemble, member, cwnd, member->ssthresh);
    member->flags |= ENSEMBLE_LIMITED;
    ensemble->credit = 0;
    member->cut =
        ENSEMBLE_U32(ensemble_bounded(ENSEMBLE_U64(member->cut) + taken, 0, ENSEMBLE_MOST_SEGMENTS));
    member->after_cut = ensemble->window;
}

// The member's last loss was none. The window that its socket is to have.
ENSEMBLE_INLINE uint32_t ensemble_undo(struct ensemble* ensemble, struct ensemble_member* member,
                                       uint32_t cwnd) {
    const uint64_t grown = ensemble_less(ensemble->window, member->after_cut);
    ensemble_set_window(ensemble, ensemble->window + ensemble_less(member->cut, grown));
    member->cut = 0;
    member->flags &= ~ENSEMBLE_LIMITED;
    const uint32_t share = ensemble_share(ensemble);
    ensemble_grant(ensemble, member, share > cwnd ? share : cwnd);
    return member->window;
}

#ifdef __cplusplus
}  // namespace sanscope
#endif
