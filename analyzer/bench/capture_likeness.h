// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

#include "analyzer/bench/capture_maker.h"

namespace sanscope {

// What captures are measured with, and which sample each is made from.
struct CaptureLikeness {
    std::string_view name;
    std::string_view sample;  // in captures/samples
    uint64_t packets;         // usually measured
    std::string_view description;
};

inline constexpr CaptureLikeness capture_likenesses[] = {
    {"full", "reads-256k-qd4.pcapng.zst", 1'000'000, "frames of 1.5 KB: reads of 256 KiB"},
    {"header-only", "snap128-reads-64k-qd32.pcap.zst", 5'000'000,
     "128 bytes kept of each packet: reads of 64 KiB, many PDU headers beyond the cut"},
    {"small-io", "reads-4k-qd8.pcap.zst", 1'000'000, "a PDU or two a packet: reads of 4 KiB"},
};

inline const CaptureLikeness* find_likeness(std::string_view name) {
    for (const CaptureLikeness& likeness : capture_likenesses) {
        if (likeness.name == name) return &likeness;
    }
    return nullptr;
}

}  // namespace sanscope
