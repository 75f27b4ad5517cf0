// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/inferred/awaited_answers.h"

#include <algorithm>
#include <limits>

namespace sanscope {

void AwaitedAnswers::on_other_request(const Pdu& pdu, const AnswerShape& shape) {
    const Bhs bhs = pdu.bhs();
    if (bhs.itt() == reserved_tag) return;
    const bool echoes = bhs.opcode() == Opcode::nop_out;
    if (others_.size() >= max_others) others_.erase(others_.begin());
    others_.push_back({bhs.immediate(), bhs.itt(), shape.pdu_bytes(echoes ? bhs.data_segment_length() : 0),
                       pdu.last.packet, first_other + ++others_seen_});
}

void AwaitedAnswers::on_answer(uint32_t itt) {
    if (others_.empty()) return;
    std::erase_if(others_, [&](const Other& other) {
        const bool answered = other.itt == itt;
        if (answered && other.immediate) ++immediate_answered_;
        return answered;
    });
}

void AwaitedAnswers::end_other(uint64_t number) {
    std::erase_if(others_, [&](const Other& other) { return other.number == number; });
}

void AwaitedAnswers::list(PacketNumber until, bool status_with_data, const AnswerShape& shape,
                          InferredCommands& commands) {
    commands.in_flight().list_awaited(connection_, until, AnswerPairings::max_open, awaited_);
    open_.clear();
    const ResponseProfile& profile = commands.tracker().profile();
    const uint32_t limit = shape.data_in_limit(profile);
    for (const AwaitedCommand& command : awaited_) {
        OpenCommand& open = open_.emplace_back();
        open.number = command.command;
        open.request_packet = command.request_packet;
        open.kind = command.kind;
        open.cmd_sn = command.cmd_sn;
        open.answer_bytes = shape.header_length;
        if (command.data_expected == 0) continue;
        open.answer_bytes = shape.data_in_bytes(0, command.data_expected, profile) +
                            (status_with_data ? 0 : shape.header_length);
        open.first_data = std::min(command.data_expected, limit);
        open.pdu_bytes = shape.pdu_bytes(limit);
    }
    for (const Other& other : others_) {
        if (other.packet >= until) continue;
        OpenCommand open;
        open.number = other.number;
        open.request_packet = other.packet;
        open.answer_bytes = other.answer_bytes;
        const auto place = std::ranges::upper_bound(open_, other.packet, {}, &OpenCommand::request_packet);
        open_.insert(place, open);
    }
}

size_t AwaitedAnswers::give_up_listed(InferredCommands& commands) const {
    size_t given_up = 0;
    for (const OpenCommand& open : open_) {
        if (!is_command(open.number)) continue;
        commands.give_up(open.number);
        ++given_up;
    }
    return given_up;
}

size_t AwaitedAnswers::give_up_all(InferredCommands& commands) {
    constexpr PacketNumber never = std::numeric_limits<PacketNumber>::max();
    commands.in_flight().list_awaited(connection_, never, AnswerPairings::max_open, awaited_);
    for (const AwaitedCommand& command : awaited_) commands.give_up(command.command);
    return awaited_.size();
}

}  // namespace sanscope
