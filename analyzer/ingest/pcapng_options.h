// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "analyzer/ingest/file_byte_order.h"
#include "analyzer/ingest/pcapng_blocks.h"

namespace sanscope {

// Calls `take(code, value)` for each option of a pcapng block that lies within `options` whole. One that does not ends the
// list: what the block is for was before it.
template <class Take>
void for_each_pcapng_option(std::span<const uint8_t> options, FileByteOrder order, Take take) {
    while (options.size() >= 4) {
        const uint16_t code = order.load16(options.data());
        const size_t length = order.load16(options.data() + 2);
        options = options.subspan(4);
        if (code == pcapng::opt_endofopt || length > options.size()) return;
        take(code, options.first(length));
        options = options.subspan(std::min(options.size(), (length + 3) & ~size_t{3}));
    }
}

}  // namespace sanscope
