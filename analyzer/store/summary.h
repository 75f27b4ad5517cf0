// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/base/log_histogram.h"
#include "analyzer/vocabulary/command_ending.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// What the report says of the commands, gathered as they end: bounded memory, however many there are.
class Summary {
  public:
    static constexpr size_t max_listed = 20;   // commands listed one by one, of each kind
    static constexpr size_t max_groups = 512;  // of (command, size class)
    static constexpr size_t max_sessions = 65536;

    // Commands of one name and transfer size: class n holds 2^(n-1) < bytes <= 2^n; 0 holds no bytes, or
    // unknown.
    struct Group {
        uint64_t count = 0;
        uint64_t bytes = 0;       // that the completed ones read or wrote, as far as is known
        uint64_t not_good = 0;    // answered otherwise than with GOOD
        LogHistogram turnaround;  // of the completed ones
        uint64_t untimed = 0;     // that were, or may have been, answered nobody knows when
        // Whether these figures are those of all, however long those took that nobody knows. They often are the slowest:
        // headers are hidden where queues are deep. `others`: of unknown times besides, that may be of this group.
        bool percentile_is_known(double fraction, uint64_t others = 0) const {
            return turnaround.percentile_holds(fraction, untimed + others);
        }
        bool moments_are_known(uint64_t others = 0) const {
            return turnaround.moments_hold(untimed + others);
        }
    };
    // The name of the group of commands that only what came behind them shows.
    static constexpr std::string_view request_not_seen = "(request not seen)";
    using GroupKey = std::pair<std::string_view, unsigned>;

    struct SessionLoad {
        uint64_t commands = 0;
        uint64_t bytes_read = 0;
        uint64_t bytes_written = 0;
        bool all_bytes_known = true;  // false: of a command nobody knows how many it moved, or whether it did
        uint32_t max_depth = 0;
        uint64_t hidden = 0;    // commands that CmdSN counts besides
        bool may_hide = false;  // there may be more, which nobody can count
        uint64_t unpaired = 0;  // statuses that came, nobody knows of which commands
        int64_t first_ns = no_time;
        int64_t last_ns = no_time;
        // Commands in flight, on average over the time from the first request to the last moment.
        double mean_depth() const;
        uint32_t depth_now() const { return depth; }
        // Once all commands have ended: whether nearly all requests were seen and nearly all answers counted, so that the
        // depths hold. A mean that is more than the most, but for what an answer was counted late, says that they do not.
        // By Little's law, no less is the mean than the known turnarounds alone come to.
        bool depths_are_known() const {
            return !depths_in_doubt && !may_hide && hidden * 100 <= commands && depth * 20 <= max_depth &&
                   mean_depth() < max_depth + 1 && depth_times_ns >= 0.95 * turnarounds_ns;
        }

      private:
        friend class Summary;
        void move_to(int64_t time_ns);
        void peak();
        bool depths_in_doubt = false;
        uint32_t depth = 0;
        // Of max_depth: up to when all answers had been counted, and since.
        uint32_t settled_max = 0;
        uint32_t peak_since = 0;
        double depth_times_ns = 0;
        double turnarounds_ns = 0;  // of those known
    };

    struct Listed {
        uint64_t command;
        CommandRow row;
    };

    void on_request(const CommandRow& row);
    // The status of a command whose request was reported has come; its row may wait for more before it ends.
    void on_answer(const CommandRow& row);
    // It was rejected, or its task terminated; on_end() tells so by its outcome, unless it turned out to go on.
    void on_ended_early(const CommandRow& row, int64_t time_ns);
    void on_going_on(const CommandRow& row);
    // So many statuses came unseen between the two moments, the later of which is now.
    void on_counted(uint32_t session, uint32_t unseen, int64_t from_ns, int64_t to_ns);
    void on_unpaired(uint32_t session, uint32_t statuses);
    // unknown<uint32_t>: there may be some.
    void on_hidden_requests(uint32_t session, uint32_t count);
    void on_end(uint64_t number, const CommandRow& row, bool is_read, bool is_write);

    // Once all commands have ended. Of a session whose depths nobody can tell.
    void leave_out_depths(uint32_t session);
    // Times shorter than that are not known: of groups half of whose times are, no time is. Whether there are such.
    bool leave_out_times_below(int64_t least_ns);

    const std::map<GroupKey, Group>& groups() const { return groups_; }
    uint64_t untimed() const { return untimed_; }                           // of all groups
    const std::vector<SessionLoad>& sessions() const { return sessions_; }  // by session number - 1
    uint64_t commands() const { return commands_; }
    uint64_t outcomes(Outcome outcome) const { return outcomes_[static_cast<size_t>(outcome)]; }
    // Of commands that were answered otherwise than with GOOD, with their number.
    const std::map<CommandEnding, uint64_t>& errors() const { return errors_; }
    const std::vector<Listed>& slowest() const { return slowest_; }        // slowest first
    const std::vector<Listed>& unanswered() const { return unanswered_; }  // and aborted; the first ones
    const std::vector<Listed>& not_good() const { return not_good_; }      // the first ones

  private:
    std::map<GroupKey, Group> groups_;
    std::vector<SessionLoad> sessions_;
    std::map<CommandEnding, uint64_t> errors_;
    std::vector<Listed> slowest_;
    std::vector<Listed> unanswered_;
    std::vector<Listed> not_good_;
    std::array<uint64_t, sanscope::outcomes> outcomes_{};
    uint64_t commands_ = 0;
    uint64_t untimed_ = 0;
    int64_t slow_enough_ns_ = -1;  // a turnaround at most this does not make it into slowest_
    // The group of the command before: mostly the next one's too.
    GroupKey last_key_{};
    Group* last_group_ = nullptr;
};

}  // namespace sanscope
