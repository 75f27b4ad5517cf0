// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/vocabulary/mac_address.h"

namespace sanscope {

std::string format(const MacAddress& address) {
    constexpr const char* digits = "0123456789abcdef";
    std::string text;
    for (const uint8_t byte : address.bytes) {
        if (!text.empty()) text += ':';
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

}  // namespace sanscope
