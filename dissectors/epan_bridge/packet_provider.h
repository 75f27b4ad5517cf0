// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>

#include "dissectors/wireshark_version.h"

// What libwireshark asks of whoever holds the capture; it has left this structure to be defined by its users.
struct packet_provider_data {
    wtap* file = nullptr;  // of the packet that is being dissected
    nstime_t first_time{};
    uint32_t previous = 0;  // number of the packet whose time this is; 0: of none
    nstime_t previous_time{};
    std::deque<frame_data> frames;  // of the packets fed
    std::unordered_map<uint32_t, frame_data*> by_number;

    const nstime_t* time_of(uint32_t number) const;
    // nullptr where the file describes none of this number.
    wtap_block_t interface(uint32_t number) const;
};

namespace sanscope::wireshark {

packet_provider_funcs provider_functions();

// Since the epoch.
nstime_t as_nstime(int64_t time_ns);

}  // namespace sanscope::wireshark
