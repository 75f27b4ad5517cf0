// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/vocabulary/passed_over.h"

namespace sanscope {

// What hides something that matters, most packets first: EtherTypes that are not known only where they are a hundredth of the
// capture's `wire_bytes`.
std::vector<PassedOver::Row> worth_telling(const PassedOver& passed_over, uint64_t wire_bytes);

// "L2TPv3", "link type 105 (IEEE 802.11)", "EtherType 0x8906 (FCoE)".
std::string encapsulation_title(const PassedOver::Row& row);
// "packets in L2TPv3 were passed over"; of what only a port number shows, "packets that seem to be in …".
std::string passed_over_words(const PassedOver::Row& row);

}  // namespace sanscope
