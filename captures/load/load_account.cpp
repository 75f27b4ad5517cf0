// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/load/load_account.h"

#include <algorithm>

namespace sanscope {
namespace {

struct Names {
    std::string_view name;
    std::string_view key;
};

// In the order of LoadFailure.
constexpr std::array<Names, load_failures> names = {{
    {"CHECK CONDITION", "check_condition"},
    {"BUSY", "busy"},
    {"TASK SET FULL", "task_set_full"},
    {"RESERVATION CONFLICT", "reservation_conflict"},
    {"other status", "other_status"},
    {"short transfer", "short_transfer"},
    {"wrong data", "wrong_data"},
    {"digest error", "digest_error"},
    {"failed at the target", "target_failure"},
    {"rejected", "rejected"},
    {"aborted", "aborted"},
    {"timed out", "timed_out"},
    {"lost with a connection", "connection_lost"},
    {"never answered", "never_answered"},
}};

constexpr uint64_t difference(uint64_t now, uint64_t before) {
    return now - std::min(now, before);
}

}  // namespace

std::string_view load_failure_name(LoadFailure failure) {
    return names[static_cast<size_t>(failure)].name;
}

std::string_view load_failure_key(LoadFailure failure) {
    return names[static_cast<size_t>(failure)].key;
}

void LoadAccount::fail_in_flight(LoadFailure why) {
    for (OfKind& account : kinds_) {
        const uint64_t left = account.sent - account.done - account.failed;
        account.failed += left;
        failures_[static_cast<size_t>(why)] += left;
    }
}

void LoadAccount::add(const LoadAccount& other) {
    for (size_t i = 0; i < load_kinds; ++i) {
        kinds_[i].sent += other.kinds_[i].sent;
        kinds_[i].done += other.kinds_[i].done;
        kinds_[i].failed += other.kinds_[i].failed;
        kinds_[i].bytes += other.kinds_[i].bytes;
        kinds_[i].turnaround.add(other.kinds_[i].turnaround);
    }
    for (size_t i = 0; i < load_failures; ++i) failures_[i] += other.failures_[i];
    since_due_.add(other.since_due_);
    connections_lost_ += other.connections_lost_;
    reconnected_ += other.reconnected_;
    elapsed_ns_ = std::max(elapsed_ns_, other.elapsed_ns_);
    cpu_ns_ += other.cpu_ns_;
}

LoadAccount LoadAccount::since(const LoadAccount& before) const {
    LoadAccount since;
    for (size_t i = 0; i < load_kinds; ++i) {
        since.kinds_[i].sent = difference(kinds_[i].sent, before.kinds_[i].sent);
        since.kinds_[i].done = difference(kinds_[i].done, before.kinds_[i].done);
        since.kinds_[i].failed = difference(kinds_[i].failed, before.kinds_[i].failed);
        since.kinds_[i].bytes = difference(kinds_[i].bytes, before.kinds_[i].bytes);
        since.kinds_[i].turnaround = kinds_[i].turnaround.since(before.kinds_[i].turnaround);
    }
    for (size_t i = 0; i < load_failures; ++i)
        since.failures_[i] = difference(failures_[i], before.failures_[i]);
    since.since_due_ = since_due_.since(before.since_due_);
    since.connections_lost_ = difference(connections_lost_, before.connections_lost_);
    since.reconnected_ = difference(reconnected_, before.reconnected_);
    since.elapsed_ns_ = std::max<int64_t>(elapsed_ns_ - before.elapsed_ns_, 0);
    since.cpu_ns_ = std::max<int64_t>(cpu_ns_ - before.cpu_ns_, 0);
    return since;
}

LogHistogram LoadAccount::turnaround() const {
    LogHistogram all = kinds_[0].turnaround;
    all.add(kinds_[1].turnaround);
    return all;
}

double LoadAccount::cpu_seconds_per_gigabyte() const {
    return bytes() == 0 ? 0 : cpu_seconds() / (static_cast<double>(bytes()) * 1e-9);
}

}  // namespace sanscope
