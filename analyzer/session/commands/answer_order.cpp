// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/commands/answer_order.h"

namespace sanscope {

void AnswerOrder::on_request(Serial32 cmd_sn, TransferKind kind, uint32_t connection, PacketNumber packet) {
    if (entries_.empty()) entries_.resize(remembered);
    entries_[cmd_sn.value % remembered] = {packet, 0, 0, cmd_sn, connection, kind, true};
}

void AnswerOrder::on_answer(Serial32 cmd_sn, uint32_t connection, PacketNumber packet) {
    Entry* const entry = find(cmd_sn, connection);
    if (entry == nullptr || entry->answer_rank != 0) return;
    entry->answer_packet = packet;
    entry->answer_rank = ++answers_;
    // That the next but one did not overtake it says half as much of the next one.
    double weight = 1;
    for (uint32_t apart = 1; apart <= close; ++apart, weight *= odds_of_staying_behind) {
        compare(find(Serial32(cmd_sn.value - apart), connection), entry, weight);
        compare(entry, find(cmd_sn + apart, connection), weight);
    }
}

AnswerOrder::Entry* AnswerOrder::find(Serial32 cmd_sn, uint32_t connection) {
    if (entries_.empty()) return nullptr;
    Entry& entry = entries_[cmd_sn.value % remembered];
    return entry.used && entry.cmd_sn == cmd_sn && entry.connection == connection ? &entry : nullptr;
}

void AnswerOrder::compare(const Entry* older, const Entry* newer, double weight) {
    if (older == nullptr || newer == nullptr || older->answer_rank == 0 || newer->answer_rank == 0) return;
    const bool together = newer->request_packet < older->answer_packet;
    if (!together) return;
    Pairs& pairs = pairs_[static_cast<size_t>(older->kind)][static_cast<size_t>(newer->kind)];
    if (older->answer_rank < newer->answer_rank) {
        pairs.in_order += weight;
    } else {
        pairs.overtaken += 1;
    }
}

}  // namespace sanscope
