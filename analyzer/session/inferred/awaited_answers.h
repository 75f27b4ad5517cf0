// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/session/inferred/answer_pairings.h"
#include "analyzer/session/inferred/answer_shape.h"
#include "analyzer/session/inferred/inferred_commands.h"

namespace sanscope {

// What one connection's target still has to answer: its commands in flight, and requests that are answered but are no
// SCSI commands (NOP-Out, Text, Logout, task management: RFC 7143 §11.18, §11.10, §11.14, §11.5). In: those requests,
// and the tags of answers seen. Out: both in order of request, each with the bytes that its answer will take.
class AwaitedAnswers {
  public:
    explicit AwaitedAnswers(uint32_t connection) : connection_(connection) {}

    void on_other_request(const Pdu& pdu, const AnswerShape& shape);
    void on_answer(uint32_t itt);
    // Its answer was found unseen.
    void end_other(uint64_t number);
    // Answers to others that were immediate, which CmdSN does not count (RFC 7143 §4.2.2.1).
    uint64_t immediate_answered() const { return immediate_answered_; }

    // Those requested before that packet; `status_with_data`: the last Data-In PDU of a read has its status (§11.7).
    void list(PacketNumber until, bool status_with_data, const AnswerShape& shape,
              InferredCommands& commands);
    // As listed last.
    const std::vector<OpenCommand>& open() const { return open_; }
    static bool is_command(uint64_t number) { return number < first_other; }

    // Who of them was answered is not known; for how many commands that was so.
    size_t give_up_listed(InferredCommands& commands) const;
    size_t give_up_all(InferredCommands& commands);

  private:
    static constexpr size_t max_others = 64;
    static constexpr uint64_t first_other = uint64_t{1} << 63;  // numbers of what is no SCSI command

    struct Other {
        bool immediate;
        uint32_t itt;
        uint32_t answer_bytes;
        PacketNumber packet;
        uint64_t number;
    };

    uint32_t connection_;
    std::vector<Other> others_;
    uint64_t others_seen_ = 0;
    uint64_t immediate_answered_ = 0;
    std::vector<AwaitedCommand> awaited_;
    std::vector<OpenCommand> open_;
};

}  // namespace sanscope
