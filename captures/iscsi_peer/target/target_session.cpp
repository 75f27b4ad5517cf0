// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/target/target_session.h"

#include <algorithm>
#include <utility>

#include "captures/iscsi_peer/target/target_connection.h"

namespace sanscope {

TargetAccount& TargetAccount::operator+=(const TargetAccount& other) {
    sessions += other.sessions;
    connections += other.connections;
    commands += other.commands;
    bytes_read += other.bytes_read;
    bytes_written += other.bytes_written;
    return *this;
}

static_assert(TargetSession::most_tasks == most_command_window);

TargetSession::TargetSession(std::string initiator_name, uint64_t isid, uint16_t tsih, uint32_t cmd_sn,
                             bool discovery, uint32_t command_window, uint64_t& held)
    : initiator_name_(std::move(initiator_name)),
      isid_(isid),
      tsih_(tsih),
      discovery_(discovery),
      command_window_(std::clamp(command_window, 1u, most_tasks)),
      exp_cmd_sn_(cmd_sn),
      all_held_(held),
      by_cmd_sn_(most_tasks, no_task),
      by_itt_(itt_chains, no_task),
      next_by_itt_(most_tasks + most_immediate_tasks, no_task) {}

TargetSession::~TargetSession() {
    let_go(held_);
}

bool TargetSession::expects(uint32_t cmd_sn) const {
    return cmd_sn - exp_cmd_sn_ < command_window_ - counted_ && by_cmd_sn_[cmd_sn % most_tasks] == no_task;
}

uint16_t TargetSession::begin_task(TargetConnection* connection, uint32_t itt, uint32_t cmd_sn,
                                   bool immediate) {
    if (immediate && immediate_ == most_immediate_tasks) return no_task;
    if (free_.empty()) {
        if (tasks_.size() == most_tasks + most_immediate_tasks) return no_task;
        free_.push_back(static_cast<uint16_t>(tasks_.size()));
        tasks_.emplace_back();
        // What is usual costs little; of the others not each session may have all.
        constexpr size_t usual = 128;
        if (tasks_.size() > usual) hold(sizeof(TargetTask));
    }
    const uint16_t slot = free_.back();
    free_.pop_back();
    TargetTask& task = tasks_[slot];
    task.state = TargetTask::State::waits;
    task.immediate = immediate;
    task.is_command = false;
    task.its_turn = immediate;
    task.arriving = false;
    task.within_unsolicited = task.crc_failed = task.never_answered = task.miscompares = false;
    task.loses_data = false;
    task.wrong_header_digest = task.wrong_data_digest = task.overflow = false;
    task.connection = connection;
    task.itt = itt;
    task.cmd_sn = cmd_sn;
    task.expected = task.transfer = task.done = task.residual = task.data_sn = 0;
    task.solicited_from = task.solicited_to = task.r2ts = task.r2ts_served = 0;
    next_by_itt_[slot] = std::exchange(by_itt_[itt_chain(itt)], slot);
    if (immediate) {
        ++immediate_;
    } else {
        by_cmd_sn_[cmd_sn % most_tasks] = slot;
    }
    return slot;
}

uint16_t TargetSession::next_in_order() {
    uint16_t& place = by_cmd_sn_[exp_cmd_sn_ % most_tasks];
    if (place == no_task || tasks_[place].arriving) return no_task;
    const uint16_t slot = std::exchange(place, no_task);
    ++exp_cmd_sn_;
    ++counted_;
    tasks_[slot].its_turn = true;
    tasks_[slot].in_window = true;
    return slot;
}

bool TargetSession::keep(uint16_t slot, std::vector<uint8_t> bytes) {
    if (waiting_bytes_ + bytes.size() > most_waiting_bytes) return false;
    waiting_bytes_ += bytes.size();
    tasks_[slot].bytes = std::move(bytes);
    tasks_[slot].waiting = true;
    count(slot);
    return true;
}

void TargetSession::count(uint16_t slot) {
    tasks_[slot].counted = true;
    hold(tasks_[slot].bytes.size());
}

std::vector<uint8_t> TargetSession::take(uint16_t slot) {
    TargetTask& task = tasks_[slot];
    if (std::exchange(task.waiting, false)) waiting_bytes_ -= task.bytes.size();
    if (std::exchange(task.counted, false)) let_go(task.bytes.size());
    return std::exchange(task.bytes, {});
}

// Small ones keep their room for the next one.
void TargetSession::forget_bytes(uint16_t slot) {
    constexpr size_t small = 4096;
    if (tasks_[slot].counted || tasks_[slot].bytes.capacity() > small) take(slot);
    tasks_[slot].bytes.clear();
}

void TargetSession::leave_window(uint16_t slot) {
    TargetTask& task = tasks_[slot];
    if (!task.immediate && std::exchange(task.in_window, false)) --counted_;
}

void TargetSession::end_task(uint16_t slot) {
    TargetTask& task = tasks_[slot];
    if (task.immediate) {
        --immediate_;
    } else if (task.its_turn) {
        leave_window(slot);
    } else {
        by_cmd_sn_[task.cmd_sn % most_tasks] = no_task;
    }
    uint16_t* link = &by_itt_[itt_chain(task.itt)];
    while (*link != slot) link = &next_by_itt_[*link];
    *link = next_by_itt_[slot];
    task.state = TargetTask::State::free;
    task.connection = nullptr;
    forget_bytes(slot);
    ++task.generation;
    free_.push_back(slot);
}

void TargetSession::abort_task(uint16_t slot) {
    TargetTask& task = tasks_[slot];
    if (task.its_turn) {
        end_task(slot);
        return;
    }
    task.connection = nullptr;
    task.is_command = false;
    task.arriving = false;
    forget_bytes(slot);
    ++task.generation;
}

template <class Fits>
uint16_t TargetSession::find_by_itt(uint32_t itt, Fits fits) const {
    uint16_t slot = by_itt_[itt_chain(itt)];
    while (slot != no_task && (tasks_[slot].itt != itt || !fits(tasks_[slot]))) slot = next_by_itt_[slot];
    return slot;
}

uint16_t TargetSession::find_command(const TargetConnection& connection, uint32_t itt) const {
    return find_by_itt(
        itt, [&](const TargetTask& task) { return task.is_command && task.connection == &connection; });
}

bool TargetSession::in_use(uint32_t itt) const {
    return find_by_itt(itt, [](const TargetTask& task) { return task.connection != nullptr; }) != no_task;
}

SessionTable::SessionTable(const TargetSettings& target_settings, const ScsiDevice& scsi_device,
                           MemoryBacking& memory, UnitOccupation& unit_occupation, uint16_t first_tsih,
                           uint16_t tsih_step)
    : settings(target_settings),
      device(scsi_device),
      backing(memory),
      occupation(unit_occupation),
      next_tsih_(first_tsih),
      tsih_step_(tsih_step) {}

TargetSession& SessionTable::add(const std::string& initiator_name, uint64_t isid, uint32_t cmd_sn,
                                 bool discovery) {
    const auto taken = [&](uint16_t tsih) {
        return tsih == 0 || std::ranges::any_of(sessions_, [&](const auto& s) { return s->tsih() == tsih; });
    };
    while (taken(next_tsih_)) next_tsih_ = static_cast<uint16_t>(next_tsih_ + tsih_step_);
    const uint16_t tsih = next_tsih_;
    next_tsih_ = static_cast<uint16_t>(next_tsih_ + tsih_step_);
    ++account.sessions;
    return *sessions_.emplace_back(std::make_unique<TargetSession>(initiator_name, isid, tsih, cmd_sn,
                                                                   discovery, settings.command_window, held));
}

TargetSession* SessionTable::find(uint64_t isid, uint16_t tsih) {
    const auto found = std::ranges::find_if(
        sessions_, [&](const auto& session) { return session->tsih() == tsih && session->isid() == isid; });
    return found == sessions_.end() ? nullptr : found->get();
}

uint32_t SessionTable::commands_under_way(uint64_t lun_field) const {
    uint32_t commands = 0;
    for (const auto& session : sessions_) {
        std::as_const(*session).for_each_task([&](const TargetTask& task) {
            if (task.is_command && task.lun_field == lun_field) ++commands;
        });
    }
    return commands;
}

size_t SessionTable::leaving() const {
    return static_cast<size_t>(
        std::ranges::count_if(sessions_, [](const auto& session) { return session->gives_way; }));
}

bool SessionTable::make_room() {
    constexpr std::chrono::seconds least_patience{1};
    TargetSession* longest = nullptr;
    auto since = now - least_patience;
    for (const auto& session : sessions_) {
        if (session->gives_way) continue;
        for (const TargetConnection* const connection : session->connections) {
            if (!connection->stuck_since() || *connection->stuck_since() > since) continue;
            since = *connection->stuck_since();
            longest = session.get();
        }
    }
    if (longest == nullptr) return false;
    longest->gives_way = true;
    for (TargetConnection* const connection : longest->connections) connection->give_way();
    return true;
}

void SessionTable::remove(TargetSession& session) {
    std::erase_if(sessions_, [&](const auto& one) { return one.get() == &session; });
}

}  // namespace sanscope
