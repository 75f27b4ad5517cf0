// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/report/finding_list.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// How what was inferred agrees with what the kernel of one host reported, its senders of one congestion control together. What
// is measured: store/kernel_score.h.
struct KernelComparison {
    IpAddress host;
    std::string congestion_control;  // empty where not reported
    bool sampled = false;            // it was asked now and then rather than told of every event
    uint64_t senders = 0;
    uint32_t connection = 0;  // the one with the most moments, and its side
    Side sender = Side::b;

    LogHistogram errors;        // of the congestion window, in millionths
    LogHistogram round_trips;   // as the kernel smooths them, nanoseconds
    LogHistogram unseen_waits;  // by how much they are longer than those seen
    uint64_t without_estimate = 0;
    uint64_t within_tenth = 0;
    int64_t compared_ns = 0;
    int64_t agreed_ns = 0;
    uint64_t kernel_transitions = 0;
    uint64_t own_transitions = 0;
    uint64_t matched_transitions = 0;

    // A side that sends less has a window that nothing shows: it is left out.
    static constexpr uint64_t least_bytes = 100'000;
    // Fewer moments say nothing.
    static constexpr uint64_t least_moments = 20;
    bool is_enough() const { return errors.count() >= least_moments; }
    // A good part of the round trip is spent where the capture does not see it.
    bool waits_unseen() const;
};

// Of all hosts whose kernel reported, those with the most moments first. Of a store that is finished.
std::vector<KernelComparison> compare_with_kernels(const ResultStore& store);

// A paragraph of the report; empty where no kernel reported anything.
std::string kernel_section(const ResultStore& store);

void add_kernel_findings(FindingList& list, const ResultStore& store);

}  // namespace sanscope
