// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <utility>
#include <vector>

#include "analyzer/store/chunked_rows.h"
#include "analyzer/store/command_marks.h"
#include "analyzer/store/send_track.h"
#include "analyzer/store/word_pool.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// Of a capture that goes on, a stretch with all that time budgets rest on: what each sender sent meanwhile, and the commands
// that were begun in it, until they have ended. It keeps no more than a few megabytes, however busy the traffic. The first
// senders' steps are taken down for a while before commands are, so that what held a sender back is known by then.
//
// One thread at a time.
class CommandSample {
  public:
    static constexpr size_t most_commands = 4096;
    static constexpr size_t most_steps = size_t{1} << 18;
    static constexpr size_t most_losses = 65536;
    static constexpr size_t most_senders = 1024;         // those behind them have no steps
    static constexpr int64_t lead_ns = 20'000'000;       // of the capture's time, before the first command
    static constexpr int64_t length_ns = 1'000'000'000;  // commands begin for so long at most
    static constexpr int64_t patience_ns =
        10'000'000'000;  // those that take longer are left out, and counted

    void on_begin(uint64_t number, const CommandRow& row);
    void on_end(uint64_t number, const CommandRow& row);
    void on_window(const WindowRow& row);
    void on_loss(uint64_t number, const LossRow& row);
    void on_reclassified(uint64_t number, LossKind now);
    // nullptr where the command is not one of them.
    CommandMarks* marks(uint64_t number) {
        return holds(number) ? &commands_[index_of(number)].marks : nullptr;
    }
    // Of one of them.
    ConnectionNumber connection_of(uint64_t number) const {
        const Command& command = commands_[index_of(number)];
        return command.in_flight == nullptr ? command.row.connection : command.in_flight->connection;
    }
    void add_permission_wait(CommandMarks& marks, const PermissionWaitRow& wait) {
        if (waits_.size() >= most_steps) return;
        waits_.append(wait);
        marks.last_wait = static_cast<uint32_t>(waits_.size());
    }

    // No more commands are taken from now on.
    void close() { closed_ = true; }
    bool is_closed() const { return closed_; }
    // Nothing is missing any more, or what is missing will not be waited for.
    bool is_complete() const { return closed_ && (open_ == 0 || given_up_); }

    struct Command {
        const CommandRow* in_flight = nullptr;  // nullptr once it has ended
        bool ended = false;
        CommandRow row;  // once it has ended
        CommandMarks marks;
    };
    const std::vector<Command>& commands() const { return commands_; }
    // Those that took too long.
    size_t left_out() const { return open_; }
    const ChunkedRows<PermissionWaitRow>& permission_waits() const { return waits_; }
    const std::map<std::pair<uint32_t, Side>, SendTrack>& tracks() const { return tracks_; }
    const std::vector<LossRow>& losses() const { return losses_; }

  private:
    bool holds(uint64_t number) const {
        return first_ != 0 && number >= first_ && number - first_ < commands_.size();
    }
    size_t index_of(uint64_t number) const { return static_cast<size_t>(number - first_); }
    bool is_full() const {
        return commands_.size() >= most_commands || steps_ >= most_steps / 2 ||
               losses_.size() >= most_losses / 2;
    }

    uint64_t first_ = 0;  // its number; 0: there is none yet
    std::vector<Command> commands_;
    size_t open_ = 0;
    bool closed_ = false;
    bool given_up_ = false;
    ChunkedRows<PermissionWaitRow> waits_;
    WordPool words_;
    std::map<std::pair<uint32_t, Side>, SendTrack> tracks_;
    std::array<SendTrack*, 2> last_tracks_{};  // of each side, that of its step before
    size_t steps_ = 0;
    int64_t first_ns_ = no_time;
    int64_t last_ns_ = no_time;
    std::vector<LossRow> losses_;
    uint64_t first_loss_ = 0;  // its number
};

}  // namespace sanscope
