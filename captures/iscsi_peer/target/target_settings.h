// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "captures/iscsi_peer/login/chap.h"
#include "captures/iscsi_peer/target/target_fault.h"
#include "captures/iscsi_peer/tcp_settings.h"

namespace sanscope {

enum class Backing : uint8_t {
    null,  // reads give zeros, what is written is thrown away
    ram,   // what is written is read again, until the target ends
};

// What a memory target is. Sizes are bytes.
struct TargetSettings {
    std::string name = "iqn.2026-01.org.sanscope:memory-target";
    std::string serial = "SANSCOPE";  // of LUN 0; those of the others have "-N" behind it
    Backing backing = Backing::ram;
    uint32_t luns = 1;                    // 1 … most_luns
    uint64_t size = uint64_t{1} << 30;    // of each logical unit, a multiple of block_size
    uint32_t block_size = 512;            // 512 or 4096
    std::chrono::nanoseconds latency{0};  // added to the service of each command …
    enum class LatencyOf : uint8_t { all, reads, writes };
    LatencyOf latency_of = LatencyOf::all;     // … of this kind …
    std::optional<uint32_t> latency_lun = {};  // … to this logical unit, if one is named
    // Of each UNMAP, WRITE SAME and COMPARE AND WRITE: during it their logical unit serves nothing else.
    std::chrono::nanoseconds exclusive_latency{0};
    bool takes_time() const { return latency.count() > 0 || exclusive_latency.count() > 0; }
    std::vector<Fault> faults;
    std::optional<ChapCredentials> credentials;  // with which initiators have to prove themselves

    // What it offers at login (RFC 7143 §13).
    std::string header_digest = "CRC32C,None";  // those that may be chosen
    std::string data_digest = "CRC32C,None";
    uint32_t max_recv_data_segment_length = 1024 * 1024;
    uint32_t max_burst_length = 16 * 1024 * 1024 - 512;
    uint32_t first_burst_length = 256 * 1024;
    bool initial_r2t = false;
    bool immediate_data = true;
    uint32_t max_outstanding_r2t = 8;
    uint32_t max_connections = 16;

    // How many commands an initiator may have sent that are not answered (MaxCmdSN, RFC 7143 section 4.2.2.1): 1 …
    // most_command_window.
    uint32_t command_window = 1024;

    // How many SCSI commands of one logical unit may be under way, of all sessions that one thread serves, before READs and
    // WRITEs are turned away with TASK SET FULL (SAM-5 §5.3.1); 0: any.
    uint32_t task_set = 0;

    TcpSettings tcp;  // of its connections

    // What it puts up with. A connection on which nothing moves for so long is closed.
    std::chrono::milliseconds idle_time{10 * 60 * 1000};
    // To log in, from the first byte to the last.
    std::chrono::milliseconds login_time{30 * 1000};
    // Held for initiators that do not take their answers, or of requests that are not all there: of one connection,
    // beyond which nothing more is read from it, and of all that a thread serves, beyond which those that took nothing
    // for longest are closed. Bytes.
    uint64_t most_held_for_one = uint64_t{256} * 1024;
    uint64_t most_held = uint64_t{32} << 20;
};

constexpr uint32_t most_command_window = 1024;
constexpr uint32_t most_luns = 256;  // that peripheral device addressing reaches (SAM-5 §4.7)

}  // namespace sanscope
