// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/base/serial32.h"

namespace sanscope {

// What a target's stream must have held where its headers were cut off by the snap length, reasoned from the commands
// in flight: a read whose data are due sends Data-In PDUs as long as this target's always are, then its status. A row
// of such PDUs that fills the unseen bytes exactly, and agrees with the header seen behind them, explains them.
//
// Among equal commands the order is a guess: the one requested first is taken to be answered first.

// A command in flight when the unseen bytes began.
struct AwaitedCommand {
    uint32_t itt = 0;  // reserved_tag: not known
    uint64_t request_packet = 0;
    uint32_t data_passed = 0;    // bytes of read data seen
    uint32_t data_expected = 0;  // bytes of read data in all; 0 for a command that reads nothing
    uint64_t command = 0;        // its number, for whoever asks
};

// How this target is known to answer.
struct AnswerHabits {
    uint32_t longest_data_in = 0;     // data segment length; 0: none seen
    uint32_t declared_limit = 0;      // the initiator's MaxRecvDataSegmentLength; 0: unknown
    uint64_t statuses_with_data = 0;  // Data-In PDUs with the S bit
    uint64_t statuses_apart = 0;      // SCSI Responses to reads
    uint32_t header_length = 48;      // with header digest, if any
    uint32_t data_digest_length = 0;
};

// The header behind the unseen bytes, as far as it was captured.
struct SeenNext {
    bool has_itt = false;
    bool is_data_in = false;
    bool is_response = false;
    uint32_t itt = 0;
    bool has_buffer_offset = false;
    uint32_t buffer_offset = 0;
    bool statuses_known = false;  // how many statuses went by unseen, by StatSN
    uint32_t statuses = 0;
};

struct UnseenAnswer {
    enum class Kind : uint8_t { data_in, data_in_with_status, response };
    Kind kind = Kind::data_in;
    uint32_t itt = 0;
    uint32_t buffer_offset = 0;
    uint32_t data_length = 0;
    uint32_t begin = 0;  // of the PDU in the unseen bytes
    uint32_t end = 0;
    uint64_t command = 0;
};

// The answers that fill `length` unseen bytes; none if no row of them does, or it is not found in `effort` steps.
// `awaited` in order of request.
std::vector<UnseenAnswer> explain_unseen_answers(uint32_t length, std::span<const AwaitedCommand> awaited,
                                                 const AnswerHabits& habits, const SeenNext& next,
                                                 uint32_t effort);

}  // namespace sanscope
