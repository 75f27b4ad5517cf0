// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace sanscope {

// A key of a login (RFC 7143 §13): how two sides come to its value.
struct LoginKey {
    enum class Kind : uint8_t {
        declared,  // what each side says of itself
        list,      // the first that one side offers and the other takes
        lesser,
        greater,  // a number: that of the two
        either,
        both,  // Yes where one side wants it, where both do
    };

    std::string_view name;
    Kind kind = Kind::declared;
    bool leading_only = false;  // "LO": said by the first connection of a session, for all of them
    // Of a number.
    uint32_t least = 0;
    uint32_t most = 0;
    uint32_t otherwise = 0;  // where neither side says anything; of either and both: 1 is Yes
};

namespace login_key {
using Kind = LoginKey::Kind;
constexpr uint32_t longest = 0xffffff;
constexpr LoginKey initiator_name{"InitiatorName"};
constexpr LoginKey initiator_alias{"InitiatorAlias"};
constexpr LoginKey target_name{"TargetName"};
constexpr LoginKey target_alias{"TargetAlias"};
constexpr LoginKey target_address{"TargetAddress"};
constexpr LoginKey target_portal_group_tag{"TargetPortalGroupTag"};
constexpr LoginKey session_type{"SessionType", Kind::declared, true};
constexpr LoginKey auth_method{"AuthMethod", Kind::list};
constexpr LoginKey chap_challenge{"CHAP_C"};  // RFC 7143 §12.1.3
constexpr LoginKey chap_response{"CHAP_R"};
constexpr LoginKey header_digest{"HeaderDigest", Kind::list};
constexpr LoginKey data_digest{"DataDigest", Kind::list};
constexpr LoginKey max_connections{"MaxConnections", Kind::lesser, true, 1, 65535, 1};
constexpr LoginKey initial_r2t{"InitialR2T", Kind::either, true, 0, 1, 1};
constexpr LoginKey immediate_data{"ImmediateData", Kind::both, true, 0, 1, 1};
constexpr LoginKey max_recv_data_segment_length{
    "MaxRecvDataSegmentLength", Kind::declared, false, 512, longest, 8192};
constexpr LoginKey max_burst_length{"MaxBurstLength", Kind::lesser, true, 512, longest, 262144};
constexpr LoginKey first_burst_length{"FirstBurstLength", Kind::lesser, true, 512, longest, 65536};
constexpr LoginKey default_time2wait{"DefaultTime2Wait", Kind::greater, true, 0, 3600, 2};
constexpr LoginKey default_time2retain{"DefaultTime2Retain", Kind::lesser, true, 0, 3600, 20};
constexpr LoginKey max_outstanding_r2t{"MaxOutstandingR2T", Kind::lesser, true, 1, 65535, 1};
constexpr LoginKey data_pdu_in_order{"DataPDUInOrder", Kind::either, true, 0, 1, 1};
constexpr LoginKey data_sequence_in_order{"DataSequenceInOrder", Kind::either, true, 0, 1, 1};
constexpr LoginKey error_recovery_level{"ErrorRecoveryLevel", Kind::lesser, true, 0, 2, 0};
}  // namespace login_key

// What a side says instead of a value (§6.2).
constexpr bool is_login_refusal(std::string_view value) {
    return value == "Reject" || value == "NotUnderstood" || value == "Irrelevant";
}

// In decimal, or with 0x in hexadecimal (§6.1).
inline std::optional<uint32_t> read_login_number(std::string_view value) {
    const bool hex = value.starts_with("0x") || value.starts_with("0X");
    if (hex) value.remove_prefix(2);
    uint32_t number = 0;
    const char* const end = value.data() + value.size();
    const auto [behind, error] = std::from_chars(value.data(), end, number, hex ? 16 : 10);
    if (error != std::errc() || behind != end) return std::nullopt;
    return number;
}

}  // namespace sanscope
