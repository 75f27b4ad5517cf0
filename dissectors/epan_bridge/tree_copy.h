// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "dissectors/wireshark_version.h"
#include "sanscope/v1/dissection.pb.h"

namespace sanscope {

// The protocol tree of a dissected packet, made visible, and the bytes it points into.
void copy_tree(const epan_dissect_t& dissection, v1::PacketTree& copy);

}  // namespace sanscope
