// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "captures/iscsi_peer/initiator/scsi_commands.h"
#include "captures/iscsi_peer/initiator/tcp_socket.h"
#include "captures/iscsi_peer/login/login_exchange.h"
#include "captures/load/command_log.h"
#include "captures/load/pacing.h"
#include "captures/load/trace.h"
#include "captures/load/workload.h"

namespace sanscope {

// A LUN that load is put on, and the way there.
struct LoadTarget {
    std::string name;  // for messages
    std::vector<SocketAddress> addresses;
    LoginOffer offer;  // each session and connection puts its own ISID, TSIH and CID in
    uint64_t lun_field = 0;
    Capacity capacity;
};

// What a load is. Durations are nanoseconds.
struct LoadPlan {
    std::vector<LoadTarget> targets;  // striped where they are several
    WorkloadOptions workload;         // its `worker` is set for each session
    // In place of the workload: these commands, at their own times, to the one target; all sessions share them.
    std::shared_ptr<const std::vector<TraceCommand>> trace;
    // Each request is written with a pattern and read back at once; `workload` says where.
    bool verify = false;
    CommandLog* log = nullptr;  // outlives the load
    PacingOptions pacing;
    TcpSettings tcp;
    unsigned sessions = 1;     // with each target
    unsigned connections = 1;  // of each session, as far as the target allows
    unsigned queue_depth = 1;  // commands at once on each connection
    unsigned threads = 1;
    int64_t duration_ns = 0;  // 0: no limit
    uint64_t most_commands = 0;
    uint64_t most_bytes = 0;
    int64_t patience_ns = 30'000'000'000;  // with a command, then with its abortion, then with a login
    unsigned reconnections = 3;            // one after the other without a command that was answered
};

}  // namespace sanscope
