// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/possible_times.h"

namespace sanscope {
namespace {

bool is_before(int64_t time_ns, int64_t than_ns) {
    return time_ns != no_time && than_ns != no_time && time_ns < than_ns;
}

}  // namespace

uint32_t clear_impossible_times(CommandRow& row, bool is_read) {
    uint32_t cleared = 0;
    const auto clear_if = [&](bool impossible, int64_t& time_ns) {
        if (!impossible) return;
        time_ns = no_time;
        ++cleared;
    };
    clear_if(is_before(row.response_ns, row.request_ns), row.response_ns);
    clear_if(is_before(row.first_data_ns, row.request_ns), row.first_data_ns);
    clear_if(is_before(row.last_data_ns, row.request_ns), row.last_data_ns);
    // Data of a write may be carried by a segment before the one with which its request is delivered, and the opposite
    // ways of data and status may be captured in either order.
    if (!is_read) return cleared;
    clear_if(is_before(row.first_byte_ns, row.request_ns), row.first_byte_ns);
    for (int64_t* const time_ns : {&row.first_byte_ns, &row.first_data_ns, &row.last_data_ns})
        clear_if(is_before(row.response_ns, *time_ns), *time_ns);
    return cleared;
}

}  // namespace sanscope
