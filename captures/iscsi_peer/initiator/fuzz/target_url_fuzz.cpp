// SPDX-License-Identifier: GPL-3.0-or-later
//
// Anything as a target's URL, as an address, and as a binary value of a text key.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "captures/iscsi_peer/initiator/target_url.h"
#include "captures/iscsi_peer/login/chap.h"
#include "captures/iscsi_peer/login/iscsi_name.h"

#include "analyzer/iscsi/bhs.h"

namespace {

using namespace sanscope;

void require(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    if (const auto url = read_target_url(text)) {
        const auto portal = read_target_portal(target_portal_text(url->portal));
        require(portal && *portal == url->portal);
        require(url->target_name.empty() || check_iscsi_name(url->target_name));
        require(!url->lun || (!url->target_name.empty() && lun_number(lun_field_of(*url->lun)) == *url->lun));
    } else {
        require(!url.error().message.empty());
    }
    if (const auto portal = read_target_portal(text)) {
        const auto again = read_target_portal(target_portal_text(*portal));
        require(again && *again == *portal);
    }
    if (const auto value = read_binary_value(text)) {
        require(!value->empty() && read_binary_value(write_binary_value(*value)) == value);
    }
    return 0;
}
