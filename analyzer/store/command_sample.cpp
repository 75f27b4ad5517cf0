// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/command_sample.h"

#include <algorithm>

namespace sanscope {

void CommandSample::on_begin(uint64_t number, const CommandRow& row) {
    if (closed_ || first_ns_ == no_time || last_ns_ - first_ns_ < lead_ns) return;
    if (is_full() || last_ns_ - first_ns_ > lead_ns + length_ns) {
        closed_ = true;
        return;
    }
    if (first_ == 0) first_ = number;
    commands_.push_back({.in_flight = &row, .ended = false, .row = {}, .marks = {}});
    ++open_;
}

void CommandSample::on_end(uint64_t number, const CommandRow& row) {
    if (!holds(number)) return;
    Command& command = commands_[index_of(number)];
    if (command.ended) return;
    command.row = row;
    command.in_flight = nullptr;
    command.ended = true;
    --open_;
}

void CommandSample::on_window(const WindowRow& row) {
    if (is_complete()) return;
    SendTrack*& last = last_tracks_[sanscope::index_of(row.sender)];
    if (last == nullptr || last->connection() != row.connection) {
        const std::pair<uint32_t, Side> key{row.connection, row.sender};
        auto track = tracks_.find(key);
        if (track == tracks_.end()) {
            if (tracks_.size() >= most_senders) return;
            track = tracks_.try_emplace(key, row.connection, row.sender, words_).first;
        }
        last = &track->second;
    }
    last->add(row);
    ++steps_;
    if (row.time_ns == no_time) return;
    if (first_ns_ == no_time) first_ns_ = last_ns_ = row.time_ns;
    last_ns_ = std::max(last_ns_, row.time_ns);
    if (steps_ < most_steps && last_ns_ - first_ns_ < lead_ns + length_ns + patience_ns) return;
    closed_ = given_up_ = true;
}

void CommandSample::on_loss(uint64_t number, const LossRow& row) {
    if (given_up_) return;
    if (losses_.empty()) first_loss_ = number;
    losses_.push_back(row);
    if (losses_.size() >= most_losses) closed_ = given_up_ = true;
}

void CommandSample::on_reclassified(uint64_t number, LossKind now) {
    if (losses_.empty() || number < first_loss_ || number - first_loss_ >= losses_.size()) return;
    losses_[static_cast<size_t>(number - first_loss_)].kind = now;
}

}  // namespace sanscope
