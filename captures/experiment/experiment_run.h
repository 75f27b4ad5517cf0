// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <filesystem>

#include "captures/experiment/experiment.h"
#include "captures/experiment/lab_hosts.h"
#include "captures/experiment/lab_process.h"
#include "captures/experiment/run_plan.h"

#include "analyzer/base/result.h"

namespace sanscope::lab {

// How runs are made.
struct RunMeans {
    LinkKind link = LinkKind::delay_node;
    double seconds = 3;             // of load
    bool records_packets = false;   // of iSCSI, at the target
    std::filesystem::path scratch;  // a folder for what is recorded, which is removed after each run …
    // … unless it is kept as this: of iSCSI, and only where the run has a result. Empty: nothing is kept. What packets show
    // is measured only where `records_packets` says so.
    std::filesystem::path capture = {};
    // A file for the windows of its connections over time, of iSCSI whose packets are recorded; empty: none.
    std::filesystem::path window_trace = {};
};

// Builds the hosts, puts the load on, and removes all again. An Error says why this run has no result. Of a recording that
// lacks packets nothing is measured.
Result<Measurement> make_run(const PlannedRun& run, const RunMeans& means, const std::atomic<bool>& stop);

// Ends `sanscope capture -q`. False where packets were dropped meanwhile; an Error where it had ended before, or not all that
// it took is in its file.
Result<bool> end_recording(LabProcess& recorder);

// How often the client of so many parallel sockets tells what it moved, seconds: as often as a rise needs to be seen, and so
// rarely that all it tells of each socket is kept (LabProcess::output()).
double socket_interval_seconds(uint64_t sockets, double seconds);

// The programs besides our own that a run of these settings takes and that are not installed.
std::vector<std::string> missing_programs(const std::vector<RunSettings>& settings);

}  // namespace sanscope::lab
