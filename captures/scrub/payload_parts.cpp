// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/scrub/payload_parts.h"

#include <array>

namespace sanscope {

std::string_view payload_kind_name(PayloadKind kind) {
    constexpr std::array<std::string_view, 13> names = {"unknown",
                                                        "basic header segment",
                                                        "additional header segment",
                                                        "header digest",
                                                        "data digest",
                                                        "padding",
                                                        "text",
                                                        "sense data",
                                                        "parameter data",
                                                        "users' data",
                                                        "ping data",
                                                        "asynchronous message",
                                                        "rejected header"};
    return names[static_cast<size_t>(kind)];
}

}  // namespace sanscope
