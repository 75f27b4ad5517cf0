// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "analyzer/points/points_of_path.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// Each TCP sender is replayed from the capture at its own end, and from the one at the other: how far what the far one tells is
// what the near one does. Both see the same acknowledgements, so they are laid side by side by what those acknowledge: no
// clock is needed.

// What a replay said once a sender had been told that all before `una` had arrived, and until it was told more.
struct ReplayedMoment {
    int64_t time_ns = 0;
    uint32_t una = 0;
    uint32_t cwnd = unknown<uint32_t>;
    CaState state = CaState::open;
};

struct ReplayedSender {
    std::vector<ReplayedMoment> moments;  // una grows
    struct Resent {
        uint32_t seq;
        LossKind kind;
        bool operator==(const Resent&) const = default;
        // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the 0 of a comparison left to the compiler for a pointer
        auto operator<=>(const Resent&) const = default;
    };
    std::vector<Resent> resent;  // sent again, by seq
};

// What of a capture's analysis is compared: the senders by connection of its PointCapture and direction.
class ReplayedSenders {
  public:
    // `store`: the analysis of `point`'s capture, finished, kept as rows_for_senders() says; not needed afterwards.
    ReplayedSenders(const PointCapture& point, const ResultStore& store);
    // nullptr for one that was not replayed.
    const ReplayedSender* of(size_t connection, Way way) const;

  private:
    std::map<size_t, std::array<ReplayedSender, 2>> senders_;
};

ResultStore::Keep rows_for_senders();

struct SenderAgreement {
    uint32_t pair = 0;  // index into PathPoints::pairs
    uint32_t at = 0;    // index into PointPair::connections
    Way way = Way::out;
    bool own_is_b = false;          // the sender is nearer to the pair's second point
    uint64_t acknowledgements = 0;  // after which both had an estimate of the congestion window
    // Of the far one's window, less the near one's, as thousandths of that: the median, and the size that nine of ten do not exceed.
    int64_t cwnd_p50_permille = 0;
    uint64_t cwnd_p90_permille = 0;
    // Of the near one's time, in which both have a congestion state, and in which it is the same.
    int64_t compared_ns = 0;
    int64_t agreed_ns = 0;
    uint64_t resent = 0;        // retransmissions by the near one
    uint64_t resent_far = 0;    // by the far one
    uint64_t resent_both = 0;   // of these, by both, the same sequence number
    uint64_t resent_alike = 0;  // and of the same kind
};

// Of each direction of the pair's connections with data that both replayed. By connection, `out` first.
std::vector<SenderAgreement> compare_senders(const PathPoints& path, uint32_t pair, const ReplayedSenders& a,
                                             const ReplayedSenders& b);

}  // namespace sanscope
