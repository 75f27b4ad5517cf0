// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <shared_mutex>
#include <vector>

#include "gui/document/capture_data.h"

namespace sanscope {

// Whose commands: everybody's, those of a session, or of a connection.
struct CommandScope {
    enum class Kind : uint8_t { all, session, connection };
    Kind kind = Kind::all;
    uint32_t number = 0;

    bool holds(const CommandRow& row) const {
        return kind == Kind::all ||
               (kind == Kind::session ? row.session.value() : row.connection.value()) == number;
    }
    bool operator==(const CommandScope&) const = default;
};

enum class CommandClass : uint8_t { read, write, other };
constexpr size_t command_classes = 3;
CommandClass class_of(uint16_t opcode);

// What drawing asks of a command, close together: 32 bytes instead of a row's hundreds.
struct CommandPoint {
    int64_t start_ns = 0;
    int64_t turnaround_ns = no_time;
    float log_turnaround = 0;  // its decimal logarithm, at least 0; where that is known
    uint32_t row = 0;          // 0-based
    CommandClass kind = CommandClass::other;
    bool failed = false;      // completed with another status than GOOD, or ended without an answer
    bool unanswered = false;  // and nothing more is to come
};

// The commands of a scope in order of their requests. Follows a store that grows; a quarter of a microsecond and 48 bytes a
// command. May be looked at by any number of threads, followed by one.
class CommandIndex {
  public:
    explicit CommandIndex(CommandScope scope) : scope_(scope) {}

    // Takes in what came since the last time; once the timeline is finished, all of it anew.
    void follow(const ResultStore& store, const Timeline& timeline);
    void follow(const CaptureData::Reading& reading) { follow(reading.store(), reading.timeline()); }

    const std::vector<CommandPoint>& points() const { return points_; }
    // When those began that count for the queue depth, and when they ended; each in order of time. One that never ended is
    // among the starts alone where it is not known when it was given up.
    const std::vector<int64_t>& starts() const { return starts_; }
    const std::vector<int64_t>& ends() const { return ends_; }

    // The least and greatest `log_turnaround` of all; the first is greater where there is none.
    float least_log() const { return least_log_; }
    float greatest_log() const { return greatest_log_; }

    // The first point at or behind a moment.
    size_t first_at(int64_t time_ns) const;
    // Commands under way: begun at or before the moment, and ending after it. At least so many: those that ended nobody
    // knows when count until the latest that is known of them.
    int64_t depth_at(int64_t time_ns) const;

  private:
    void take(const ResultStore& store, const Timeline& timeline, size_t row);

    CommandScope scope_;
    size_t taken_ = 0;
    bool final_ = false;
    float least_log_ = 1;
    float greatest_log_ = 0;
    std::vector<CommandPoint> points_;
    std::vector<int64_t> starts_;
    std::vector<int64_t> ends_;
};

// An index that one job follows while others look.
struct SharedCommandIndex {
    explicit SharedCommandIndex(CommandScope scope) : index(scope) {}
    void follow(const CaptureData::Reading& reading) {
        const std::unique_lock lock(mutex);
        index.follow(reading);
    }
    std::shared_mutex mutex;
    CommandIndex index;
};

}  // namespace sanscope
