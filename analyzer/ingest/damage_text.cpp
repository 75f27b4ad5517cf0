// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "analyzer/ingest/packet_source.h"

namespace sanscope {

std::string damage_text(const Damage& damage) {
    return damage.at_byte == 0 ? damage.message
                               : fmt::format("{} at byte {}", damage.message, damage.at_byte);
}

}  // namespace sanscope
