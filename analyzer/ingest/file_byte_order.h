// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/base/byte_order.h"

namespace sanscope {

// Loads from a file that is in the byte order of whoever wrote it: ours (little-endian), or the other.
struct FileByteOrder {
    bool swapped = false;

    uint16_t load16(const uint8_t* p) const { return swapped ? load_be16(p) : load_le16(p); }
    uint32_t load32(const uint8_t* p) const { return swapped ? load_be32(p) : load_le32(p); }
    uint64_t load64(const uint8_t* p) const { return swapped ? load_be64(p) : load_le64(p); }
};

}  // namespace sanscope
