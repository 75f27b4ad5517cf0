// SPDX-License-Identifier: GPL-3.0-or-later
//
// A target whose LUN holds anything: the first bytes choose its size, its blocks and where the beginning ends.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "captures/iscsi_peer/initiator/lun_content.h"

#include "analyzer/base/byte_order.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    using namespace sanscope;
    constexpr size_t choice = 12;
    if (size < choice) return 0;
    const std::span<const uint8_t> data(bytes + choice, size - choice);
    const size_t cut = data.empty() ? 0 : load_le16(bytes + 10) % (data.size() + 1);
    const auto content = lun_content({.size = load_le64(bytes) >> bytes[8] % 64,
                                      .block_size = uint32_t{512} << bytes[9] % 8,
                                      .beginning = data.first(cut),
                                      .end = data.subspan(cut)});
    const std::string& text = content ? *content : content.error().message;
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) std::abort();
    }
    return 0;
}
