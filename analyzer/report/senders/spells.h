// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/base/time_spans.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// A stretch of time and the packet that shows it.
struct Spell {
    int64_t begin_ns = no_time;
    int64_t end_ns = no_time;
    PacketNumber packet = 0;

    int64_t length_ns() const { return elapsed_ns(begin_ns, end_ns); }
};

// Spells of one kind: all of them, and the longest.
struct Spells {
    uint64_t count = 0;
    int64_t total_ns = 0;
    Spell longest;
    TimeSpans spans;

    void add(const Spell& spell);
};

}  // namespace sanscope
