// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/commands/commands_in_flight.h"

#include "analyzer/iscsi/bhs.h"

namespace sanscope {
namespace {

// The packet that completes the first answer of an orphan; 0: none did.
PacketNumber first_answer(const CommandRow& row) {
    return row.first_data_packet != 0 ? row.first_data_packet : row.response_packet;
}

}  // namespace

uint32_t CommandsInFlight::begin(std::optional<uint32_t> itt, uint32_t connection) {
    if (in_flight_ >= max_in_flight) {
        while (!holds(order_.front())) order_.pop_front();
        end(order_.front().slot, Outcome::unanswered);
    }
    if (itt) bound_same_tag(*itt);
    if (free_slots_.empty()) {
        free_slots_.push_back(static_cast<uint32_t>(slots_.size()));
        slots_.emplace_back();
    }
    const uint32_t slot = free_slots_.back();
    free_slots_.pop_back();
    CommandInFlight& command = slots_[slot];
    command = CommandInFlight{};
    command.used = true;
    command.row = &store_->begin_command(command.number);
    command.row->itt = reserved_tag;
    command.row->connection = connection;
    command.row->session = session_;
    command.connection = connection;
    order_.push_back({command.number, slot});
    awaited_.push_back(order_.back());
    if (itt) {
        link_tag(slot, *itt);
    } else {
        command.nameless = true;
        nameless_.push_back({command.number, slot});
    }
    ++in_flight_;
    if (order_.size() > 2 * in_flight_ + 64) forget_ended();
    return slot;
}

uint32_t CommandsInFlight::slot_of(uint64_t command) const {
    const auto entry =
        std::lower_bound(order_.begin(), order_.end(), command,
                         [](const Place& one, uint64_t number) { return one.number < number; });
    return entry != order_.end() && entry->number == command && holds(*entry) ? entry->slot : none;
}

// Those with one tag stand newest first.
void CommandsInFlight::link_tag(uint32_t slot, uint32_t itt) {
    CommandInFlight& command = slots_[slot];
    command.row->itt = itt;
    uint32_t newer = none;
    command.older = tags_.find(itt);
    while (command.older != none && slots_[command.older].number > command.number) {
        newer = command.older;
        command.older = slots_[newer].older;
    }
    if (newer == none) {
        tags_.set(itt, slot);
    } else {
        slots_[newer].older = slot;
    }
}

void CommandsInFlight::name(uint32_t slot, uint32_t itt) {
    slots_[slot].nameless = false;
    bound_same_tag(itt);
    link_tag(slot, itt);
}

// The oldest of too many commands with one tag is given up.
void CommandsInFlight::bound_same_tag(uint32_t itt) {
    uint32_t oldest = tags_.find(itt);
    if (oldest == none) return;
    size_t count = 1;
    for (; slots_[oldest].older != none; ++count) oldest = slots_[oldest].older;
    if (count >= max_same_tag) end(oldest, Outcome::unanswered);
}

// The orphan that this request belongs to. A tag is used again only after its command was answered, so of the orphans
// with the tag those before the right one came from a target that had not received this request yet, and those behind
// it belong to requests behind this one. Where the snap length hides what the target had received, the order of the packets
// tells the same: this request may be known late, behind a hole in its stream.
uint32_t CommandsInFlight::orphan_of(uint32_t itt, Serial32 cmd_sn, bool immediate,
                                     PacketNumber packet) const {
    uint32_t found = none;
    for (uint32_t slot = tags_.find(itt); slot != none; slot = slots_[slot].older) {
        const CommandInFlight& command = slots_[slot];
        if (!command.orphan) break;
        const bool received = command.exp_cmd_sn_known ? has_received(command.exp_cmd_sn, cmd_sn, immediate)
                                                       : packet < first_answer(*command.row);
        if (!received) break;
        found = slot;
    }
    return found;
}

// What is awaited no more is left out of the list for the next time: where many answers are unseen, of thousands of
// commands in flight a handful are.
void CommandsInFlight::list_awaited(uint32_t connection, PacketNumber until, size_t most,
                                    std::vector<AwaitedCommand>& out) {
    out.clear();
    auto kept = awaited_.begin();
    auto next = awaited_.begin();
    for (; next != awaited_.end(); ++next) {
        if (!is_awaited(*next)) continue;
        const CommandInFlight& command = slots_[next->slot];
        if (command.connection == connection && command.row->request_packet < until) {
            if (out.size() >= most) break;
            out.push_back({next->number, command.row->request_packet, kind_of(command.direction),
                           command.data_in_expected, counted_by(command)});
        }
        *kept++ = *next;
    }
    awaited_.erase(kept, next);
    if (!std::ranges::is_sorted(out, {}, &AwaitedCommand::request_packet))
        std::ranges::stable_sort(out, {}, &AwaitedCommand::request_packet);
}

void CommandsInFlight::await_again(uint32_t slot) {
    const Place entry{slots_[slot].number, slot};
    const auto place = std::ranges::lower_bound(awaited_, entry.number, {}, &Place::number);
    if (place == awaited_.end() || place->number != entry.number) awaited_.insert(place, entry);
}

void CommandsInFlight::end(uint32_t slot, Outcome outcome) {
    if (slots_[slot].superseded || slots_[slot].nameless) return end_one(slot, outcome);
    unlink_tag(slot);
    uint32_t older = slots_[slot].older;
    end_one(slot, outcome);
    while (older != none) {
        const uint32_t next = slots_[older].older;
        CommandInFlight& command = slots_[older];
        if (waiting_ > 0 && !command.orphan) {
            command.superseded = true;
            command.older = none;
        } else {
            end_one(older, Outcome::unanswered);
        }
        older = next;
    }
}

void CommandsInFlight::end_one(uint32_t slot, Outcome outcome) {
    CommandInFlight& command = slots_[slot];
    if (outcome == Outcome::unanswered) outcome = command.ended_early;
    if (!command.orphan) {
        const bool may_be_answered =
            command.given_up || command.nameless ||
            (outcome == Outcome::unanswered &&
             (command.superseded || waiting_ > 0 || command.row->request_packet < unpaired_until_));
        command.row->outcome = command.inferred  ? Outcome::completed
                               : may_be_answered ? Outcome::unknown
                                                 : outcome;
    }
    const bool both = command.direction == DataDirection::bidirectional;
    store_->end_command(command.number, *command.row, both || command.direction == DataDirection::in,
                        both || command.direction == DataDirection::out);
    command.used = false;
    free_slots_.push_back(slot);
    --in_flight_;
}

// It and the older ones are found by their tag no more.
void CommandsInFlight::unlink_tag(uint32_t slot) {
    const uint32_t itt = slots_[slot].row->itt;
    uint32_t newer = tags_.find(itt);
    if (newer == slot) {
        tags_.erase(itt);
        return;
    }
    while (slots_[newer].older != slot) newer = slots_[newer].older;
    slots_[newer].older = none;
}

void CommandsInFlight::forget_ended() {
    const auto has_ended = [&](const Place& entry) { return !holds(entry); };
    std::erase_if(order_, has_ended);
    std::erase_if(awaited_, [&](const Place& entry) { return !is_awaited(entry); });
    std::erase_if(nameless_,
                  [&](const Place& entry) { return has_ended(entry) || !slots_[entry.slot].nameless; });
    std::erase_if(unclaimed_,
                  [&](const Place& entry) { return has_ended(entry) || !slots_[entry.slot].orphan; });
}

}  // namespace sanscope
