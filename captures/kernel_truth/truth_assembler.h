// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "captures/kernel_truth/clock_offsets.h"
#include "captures/kernel_truth/kernel_event.h"
#include "sanscope/v1/kernel_truth.pb.h"

namespace sanscope {

// Puts events in order, gives sockets their numbers, and fills messages.
//
// A socket is the same as long as the kernel's pointer, addresses, ports and, where both are known, cookies are: a new
// connection on memory that was used before is another one. Numbers count from 1 and are used once. What has no other
// end (a socket that is not connected yet, or a listener's copy that has no addresses so far) is not reported.
class TruthAssembler {
  public:
    // Sockets known at a time. Those closed are forgotten; beyond this all are, and get new numbers.
    static constexpr size_t max_sockets = 1u << 20;

    explicit TruthAssembler(v1::KernelTruth::Method method) : method_(method) {}

    void add(const kernel_event& event) { pending_.push_back(event); }
    void add_lost(uint64_t events) { lost_ += events; }
    size_t pending() const { return pending_.size(); }

    // Empties `truth` and fills it with the pending events up to `until_ns` on CLOCK_MONOTONIC, the oldest `most` at
    // most, in order of CLOCK_MONOTONIC. Time stamps stand in the same order unless the clock was stepped back in
    // between. Whether more are there up to `until_ns`.
    bool take(uint64_t until_ns, size_t most, const ClockOffsets& clocks, v1::KernelTruth& truth);

    // Sockets are reported again when next met: what follows goes into another file.
    void restart_file() { ++file_; }

  private:
    struct Socket {
        kernel_event last_reported;  // what identifies it, and what was said of it; no figures
        uint32_t number;
        uint64_t reported_in_file;
    };

    Socket& socket_of(const kernel_event& event);
    void report_if_new(Socket& socket, const kernel_event& event, v1::KernelTruth& truth) const;
    void take_one(const kernel_event& event, const ClockOffsets& clocks, v1::KernelTruth& truth);
    int64_t time_of(const kernel_event& event, const ClockOffsets& clocks);

    v1::KernelTruth::Method method_;
    std::vector<kernel_event> pending_;
    std::unordered_map<uint64_t, Socket> sockets_;  // by the kernel's pointer
    uint32_t last_number_ = 0;
    uint64_t file_ = 1;
    uint64_t lost_ = 0;
    int64_t last_time_ns_ = INT64_MIN;
};

}  // namespace sanscope
