// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "captures/iscsi_peer/initiator/target_portal.h"

#include "analyzer/base/result.h"

namespace sanscope {

// What a user names as a target: "iscsi://[USER@]HOST[:PORT][/NAME[/LUN]]", as libiscsi's programs have it. In USER,
// which is the initiator's CHAP name, %XX stands for a character that has a meaning in URLs.
struct TargetUrl {
    std::string user;         // empty: none
    TargetPortal portal;      // without a group
    std::string target_name;  // empty: of the portal, whose targets are to be asked for
    std::optional<uint16_t> lun;
};

constexpr uint16_t most_lun = 0x3fff;

// An Error says what is wrong, and never repeats what may be a secret: a URL that has one in it is refused, for others
// see it in the list of processes.
Result<TargetUrl> read_target_url(std::string_view text);

// The LUN field of a unit at the first level (SAM-5 §4.7): peripheral device addressing below 256, flat space
// addressing from there up to `most_lun`. lun_number() reads it.
uint64_t lun_field_of(uint16_t lun);

}  // namespace sanscope
