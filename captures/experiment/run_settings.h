// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sanscope::lab {

// What puts the load on the path of a run.
enum class Load : uint8_t {
    iscsi,   // `sanscope generate` reads from `sanscope target`
    socket,  // iperf3 sends the same way over plain TCP sockets
    blast,   // `udp_blast` sends the same way over UDP, at a fixed rate, and repairs what was lost
};

// Which way the data goes.
enum class Operation : uint8_t { read, write };

// What passes the link first.
enum class Priority : uint8_t {
    none,     // what came first
    storage,  // whatever is not other traffic, as long as there is any
};

// Which requests an iSCSI load consists of. All but the first read and write; their operation is then that whose way the
// losses are on.
enum class Pattern : uint8_t { sequential, postmark, rewrite, seeks };

// All that one run of an experiment is done with. A default is what an experiment that does not vary it has.
struct RunSettings {
    Load load = Load::iscsi;
    Operation operation = Operation::read;     // of a plain socket: from the target, or to it
    double delay_ms = 0;                       // one way
    double jitter_percent = 0;                 // of the delay, which is uniform so far around it
    double loss_percent = 0;                   // of the packets on the data's way, each by itself
    double rate_mbit = 400;                    // of the link, 10^6 bit/s of frames; 0: what the machine can
    uint64_t queue_frames = 4000;              // that wait at the link at most
    double background_mbit = 0;                // of other traffic, frames of UDP, on the data's way
    uint64_t mtu = 1500;                       // bytes
    std::string congestion_control = "cubic";  // of both hosts
    uint64_t window_bytes =
        32 << 20;  // what tcp_rmem and tcp_wmem bound the buffers to, which tune themselves below it
    uint64_t pdu_bytes = 256 << 10;  // MaxRecvDataSegmentLength of both ends
    uint64_t request_bytes = 256 << 10;
    uint64_t queue_depth = 1;      // on each connection
    uint64_t connections = 1;      // of one session with each target, or parallel sockets
    uint64_t targets = 1;          // over which requests go in stripes, as over the disks of a RAID-0
    double target_latency_us = 0;  // that each command takes at the target besides
    double blast_mbit = 100;       // of a blast, 10^6 bit/s of frames
    Priority priority = Priority::none;
    Pattern pattern = Pattern::sequential;

    bool operator==(const RunSettings&) const = default;
};

// One of the settings as text: a column of the tables, the name of a factor.
struct SettingColumn {
    std::string_view name;     // of the columns, as "delay_ms"
    std::string_view heading;  // for people, with its unit
    std::string (*text)(const RunSettings&);
    // False where the text is no such value, or beyond the bounds, in which case nothing was set. Sizes may end in K or
    // M, powers of 1024.
    bool (*set)(RunSettings&, std::string_view);
    // What set() takes, for people: "a number from 0 to 100".
    std::string (*bounds)();
    // For people and legends, with its unit: "32 KiB", "4 ms".
    std::string (*label)(const RunSettings&);
    // Where it is on an axis; 0 where it is a name.
    double (*number)(const RunSettings&);
    uint8_t loads;  // to which it means something: a bit each

    bool means_something_to(Load load) const { return (loads >> static_cast<unsigned>(load) & 1) != 0; }
};

// Parallel connections that an iSCSI session of `sanscope generate` may have.
constexpr uint64_t most_iscsi_connections = 64;

constexpr uint64_t most_targets = 16;

// All of them, in the order of the tables.
std::span<const SettingColumn> setting_columns();

// Null where there is none of this name.
const SettingColumn* find_setting(std::string_view name);

// All settings, comma after comma: the same text for the same settings. What means nothing to its load is empty
// there.
std::string settings_text(const RunSettings& settings);

}  // namespace sanscope::lab
