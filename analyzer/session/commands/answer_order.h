// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyzer/base/serial32.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// What the order of answers depends on: data from the medium, data to it, neither.
enum class TransferKind : uint8_t { none, in, out };
constexpr size_t transfer_kinds = 3;

// How well a target keeps to the order of request, learnt from answers whose headers were captured: of two commands
// that were under way together, close to each other by CmdSN, how often the later one was answered first.
class AnswerOrder {
  public:
    static constexpr uint32_t remembered = 256;  // commands, the latest by CmdSN
    static constexpr uint32_t close = 4;
    // Odds that a command which one later than it has overtaken is overtaken by the next one as well.
    static constexpr double odds_of_staying_behind = 0.5;

    void on_request(Serial32 cmd_sn, TransferKind kind, uint32_t connection, PacketNumber packet);
    // The first PDU of an answer, in the order of the target's stream.
    void on_answer(Serial32 cmd_sn, uint32_t connection, PacketNumber packet);

    // Odds that a command is answered before the one requested right before it. Without evidence, even.
    double odds_of_overtaking(TransferKind older, TransferKind newer) const {
        const Pairs& pairs = pairs_[static_cast<size_t>(older)][static_cast<size_t>(newer)];
        return (pairs.overtaken + 0.5) / (pairs.in_order + 0.5);
    }

  private:
    struct Entry {
        PacketNumber request_packet = 0;
        PacketNumber answer_packet = 0;  // 0: not seen
        uint64_t answer_rank = 0;
        Serial32 cmd_sn;
        uint32_t connection = 0;
        TransferKind kind = TransferKind::none;
        bool used = false;
    };
    struct Pairs {
        double in_order = 0;
        double overtaken = 0;
    };
    Entry* find(Serial32 cmd_sn, uint32_t connection);
    void compare(const Entry* older, const Entry* newer, double weight);

    std::vector<Entry> entries_;  // by CmdSN modulo `remembered`
    uint64_t answers_ = 0;
    std::array<std::array<Pairs, transfer_kinds>, transfer_kinds> pairs_{};
};

}  // namespace sanscope
