// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "analyzer/base/log_histogram.h"

namespace sanscope {

enum class LoadKind : uint8_t { read, write };
constexpr size_t load_kinds = 2;

// Why a command that was sent was not done.
enum class LoadFailure : uint8_t {
    check_condition,
    busy,
    task_set_full,
    reservation_conflict,
    other_status,    // any further status but GOOD (SAM-5 §5.3.1)
    short_transfer,  // GOOD, but less data came or went than was asked for
    wrong_data,      // GOOD, but what was read is not what was written
    digest_error,    // a data digest did not match
    target_failure,  // the SCSI Response says that the command did not complete at the target (RFC 7143 §11.4.3)
    rejected,        // a Reject PDU came (RFC 7143 §11.17)
    aborted,         // by a task management function
    timed_out,       // no answer in the time that was given
    connection_lost,  // its connection ended before the answer came
    never_answered,   // still without an answer when the load ended
};
constexpr size_t load_failures = 14;

// "BUSY", "lost with a connection": behind a number.
std::string_view load_failure_name(LoadFailure failure);
// "task_set_full": in JSON and CSV.
std::string_view load_failure_key(LoadFailure failure);

// What became of the commands of one thread's load, or of all together. Each command counts as sent once, and then once
// as done or as failed; what is neither is in flight. Sizes are bytes, moments and durations nanoseconds.
class LoadAccount {
  public:
    void on_sent(LoadKind kind) { ++counts(kind).sent; }

    // GOOD came, and all of the data. `turnaround_ns`: from sending it to its status; `delay_ns`: how long after it was
    // due it was sent (0 without a rate).
    void on_done(LoadKind kind, uint64_t bytes, int64_t turnaround_ns, int64_t delay_ns = 0) {
        OfKind& account = counts(kind);
        ++account.done;
        account.bytes += bytes;
        account.turnaround.add(turnaround_ns);
        since_due_.add(turnaround_ns + delay_ns);
    }
    void on_failed(LoadKind kind, LoadFailure why) {
        ++counts(kind).failed;
        ++failures_[static_cast<size_t>(why)];
    }
    // All commands that are in flight fail so: those of a thread whose load has ended.
    void fail_in_flight(LoadFailure why);
    void on_connection_lost() { ++connections_lost_; }
    void on_reconnected() { ++reconnected_; }

    // How long the load ran, and the processor time it took meanwhile, user's and system's.
    void set_elapsed(int64_t elapsed_ns, int64_t cpu_ns) {
        elapsed_ns_ = elapsed_ns;
        cpu_ns_ = cpu_ns;
    }

    // Another thread's, at the same time.
    void add(const LoadAccount& other);
    // What came after `before`, an earlier copy of this.
    LoadAccount since(const LoadAccount& before) const;

    struct OfKind {
        uint64_t sent = 0;
        uint64_t done = 0;
        uint64_t failed = 0;
        uint64_t bytes = 0;  // of those done
        LogHistogram turnaround;
    };
    const OfKind& of(LoadKind kind) const { return kinds_[static_cast<size_t>(kind)]; }

    uint64_t sent() const { return sum(&OfKind::sent); }
    uint64_t done() const { return sum(&OfKind::done); }
    uint64_t failed() const { return sum(&OfKind::failed); }
    uint64_t bytes() const { return sum(&OfKind::bytes); }
    // Of a difference without meaning: what was sent before may have been done in it.
    uint64_t in_flight() const { return sent() - done() - failed(); }
    uint64_t failed(LoadFailure why) const { return failures_[static_cast<size_t>(why)]; }
    LogHistogram turnaround() const;
    // From when each was due to its status: what whoever waits for them sees. The same as turnaround() without a rate.
    const LogHistogram& since_due() const { return since_due_; }
    uint64_t connections_lost() const { return connections_lost_; }
    uint64_t reconnected() const { return reconnected_; }

    double seconds() const { return static_cast<double>(elapsed_ns_) * 1e-9; }
    double cpu_seconds() const { return static_cast<double>(cpu_ns_) * 1e-9; }
    double bytes_per_second() const { return per_second(bytes()); }
    double commands_per_second() const { return per_second(done()); }
    // Processor seconds for 10^9 bytes; 0 where none were moved.
    double cpu_seconds_per_gigabyte() const;

  private:
    OfKind& counts(LoadKind kind) { return kinds_[static_cast<size_t>(kind)]; }
    uint64_t sum(uint64_t OfKind::*count) const { return kinds_[0].*count + kinds_[1].*count; }
    double per_second(uint64_t count) const {
        return elapsed_ns_ > 0 ? static_cast<double>(count) / seconds() : 0;
    }

    std::array<OfKind, load_kinds> kinds_{};
    std::array<uint64_t, load_failures> failures_{};
    LogHistogram since_due_;
    uint64_t connections_lost_ = 0;
    uint64_t reconnected_ = 0;
    int64_t elapsed_ns_ = 0;
    int64_t cpu_ns_ = 0;
};

}  // namespace sanscope
