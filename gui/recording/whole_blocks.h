// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sanscope {

// How far the blocks of a little-endian pcapng are whole, from `from` on, where one begins: each with the length before and
// behind it that the file has room for (draft-ietf-opsawg-pcapng, 3.1). `from` where not even the first is, or the descriptor
// cannot be read.
uint64_t end_of_whole_blocks(int descriptor, uint64_t from);

}  // namespace sanscope
