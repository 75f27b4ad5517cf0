// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "gui/document/filter_result.h"
#include "gui/plot/state_band.h"
#include "gui/senders/sender_curves.h"

namespace sanscope {

// Losses that stand too close to each other to be distinguished, or a single one.
struct LossMark {
    int64_t time_ns = 0;  // of the first
    int64_t last_ns = 0;
    uint64_t row = 0;                      // 1-based, of the gravest
    LossKind kind = LossKind::keep_alive;  // the gravest
    uint32_t count = 0;
    std::array<uint32_t, loss_kinds> kinds{};
    bool passes = true;  // the filter lets one of them through
};

struct TransitionMark {
    int64_t time_ns = 0;
    PacketNumber packet = 0;
    const char* cause = "";  // static storage
    CaState from = CaState::open;
    CaState to = CaState::open;
};

// What is drawn of one sender; bytes.
struct SenderPicture {
    SenderId sender;
    bool is_target = false;
    std::string unjudged;  // why what its TCP did cannot be told; empty: it can
    SenderCurves curves;
    StateBand ca;
    StateBand kernel_ca;         // as that kernel said, likewise
    bool has_kernel_ca = false;  // it told any, in sight or not
    StateBand limit;
    std::vector<TransitionMark> transitions;  // empty where there are too many to be distinguished
    std::vector<LossMark> losses;
};

struct WindowsPicture {
    PreparedRange prepared;
    std::vector<SenderPicture> senders;
    // Of more than one sender, their sums; of what is not known nothing is added.
    struct Sum {
        SenderCurves curves;
        bool sampled = false;  // the value at each column's end stands for all of it
    } sum;
};

// Senders summed at most; of a session with more connections the first ones.
constexpr size_t most_senders = 32;
// Rows in a prepared range times senders, up to which sums are exact.
constexpr size_t most_summed_steps = 1'000'000;

// The senders of that side of a session's connections, or of all_sessions.
std::vector<SenderId> senders_of_session(const CaptureData::Reading& reading, uint32_t session,
                                         bool is_target);

// Any thread; `indexes` is this one's alone meanwhile. Takes time by what is in sight in pixels, once the senders' indexes
// are made.
WindowsPicture prepare_windows(const CaptureData::Reading& reading, const std::vector<SenderId>& senders,
                               const PreparedRange& prepared, const FilterResult* filter,
                               WindowIndexes& indexes);

// A kind's place among others, the gravest last.
int gravity(LossKind kind);
std::vector<LossMark> prepare_losses(const CaptureData::Reading& reading, const SenderTrack& track,
                                     const PreparedRange& prepared, const FilterResult* filter);

}  // namespace sanscope
