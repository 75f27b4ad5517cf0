// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "analyzer/base/result.h"

namespace sanscope {

// So much of a LUN's beginning and end is to be read for lun_content(), or all of a smaller LUN. Superblocks lie there:
// most in the first 64 KiB, those of VMFS and the second header of LUKS within 4 MiB, the backup of a GPT and the
// metadata of arrays at the end.
constexpr uint64_t lun_beginning_bytes = uint64_t{4} << 20;
constexpr uint64_t lun_end_bytes = uint64_t{1} << 20;

struct LunEdges {
    uint64_t size = 0;                        // of the LUN, bytes
    uint32_t block_size = 512;                // in which its partition table counts, where it has one
    std::span<const uint8_t> beginning = {};  // from byte 0 on
    std::span<const uint8_t> end = {};        // up to `size`
};

// What is on a LUN that someone would miss, as libblkid knows it: "a GPT partition table", "ext4 file system 'home'",
// several with commas; "" where nothing known is. Names on the LUN are shown without control characters. An Error where
// it cannot be known.
Result<std::string> lun_content(const LunEdges& lun);

}  // namespace sanscope
