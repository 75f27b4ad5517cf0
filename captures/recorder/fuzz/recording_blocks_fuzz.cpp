// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever stands where blocks should, and wherever they are cut: the cut is within the bytes and the limits, and cutting what
// is behind it as well comes to the same in the end.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "captures/recorder/recording_blocks.h"

using namespace sanscope;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < 2) return 0;
    const uint64_t most_bytes = uint64_t{data[0]} * 16;
    const uint64_t most_packets = data[1];
    const std::span<const uint8_t> blocks(data + 2, size - 2);
    const BlockCut cut = cut_blocks(blocks, most_bytes, most_packets);
    if (cut.bytes > blocks.size() || cut.bytes > most_bytes || cut.packets > most_packets) std::abort();
    const BlockCut all = cut_blocks(blocks, UINT64_MAX, UINT64_MAX);
    const BlockCut rest = cut_blocks(blocks.subspan(cut.bytes), UINT64_MAX, UINT64_MAX);
    if (cut.bytes + rest.bytes != all.bytes || cut.packets + rest.packets != all.packets) std::abort();
    return 0;
}
