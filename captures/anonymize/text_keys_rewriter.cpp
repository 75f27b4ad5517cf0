// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/anonymize/text_keys_rewriter.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "analyzer/iscsi/login_keys.h"

namespace sanscope {
namespace {

// RFC 7143 §13, RFC 7144, RFC 7145, and those of RFC 3720 that are gone: values out of a set that a standard gives.
constexpr std::array<std::string_view, 33> negotiated = {"AuthMethod",
                                                         "HeaderDigest",
                                                         "DataDigest",
                                                         "MaxConnections",
                                                         "TargetPortalGroupTag",
                                                         "InitialR2T",
                                                         "ImmediateData",
                                                         "MaxRecvDataSegmentLength",
                                                         "MaxBurstLength",
                                                         "FirstBurstLength",
                                                         "DefaultTime2Wait",
                                                         "DefaultTime2Retain",
                                                         "MaxOutstandingR2T",
                                                         "DataPDUInOrder",
                                                         "DataSequenceInOrder",
                                                         "ErrorRecoveryLevel",
                                                         "SessionType",
                                                         "TaskReporting",
                                                         "iSCSIProtocolLevel",
                                                         "OFMarker",
                                                         "IFMarker",
                                                         "OFMarkInt",
                                                         "IFMarkInt",
                                                         "CHAP_A",
                                                         "CHAP_I",
                                                         "RDMAExtensions",
                                                         "TargetRecvDataSegmentLength",
                                                         "InitiatorRecvDataSegmentLength",
                                                         "MaxOutstandingUnexpectedPDUs",
                                                         "MaxAHSLength",
                                                         "TaggedBufferForSolicitedDataOnly",
                                                         "iSERHelloRequired",
                                                         "SRP_GROUP"};
constexpr std::array<std::string_view, 11> binary = {"CHAP_C", "CHAP_R",     "SRP_s",     "SRP_N",
                                                     "SRP_g",  "SRP_A",      "SRP_B",     "SRP_M",
                                                     "SRP_HM", "KRB_AP_REQ", "KRB_AP_REP"};
// Longer ones are none that a standard gives.
constexpr size_t longest_negotiated_value = 128;

bool contains(auto& keys, std::string_view key) {
    return std::ranges::find(keys, key) != keys.end();
}

bool is_common_word(std::string_view value) {
    constexpr std::array<std::string_view, 5> words = {"Yes", "No", "None", "All", ""};
    return is_login_refusal(value) || contains(words, value);
}

// No two pairs in one, and nothing but words and numbers.
bool is_negotiated_value(std::string_view value) {
    return value.size() <= longest_negotiated_value && std::ranges::all_of(value, [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      c == ',' || c == '-' || c == '~' || c == '.' || c == '+';
           });
}

std::string replacement_of(std::string_view key, std::string_view value, Anonymizer& anonymizer) {
    if (is_common_word(value)) return std::string(value);
    if (contains(negotiated, key) && is_negotiated_value(value)) return std::string(value);
    if (contains(binary, key)) return anonymizer.map_secret(value);
    if (key == "TargetAddress") return anonymizer.map_target_address(value);
    return anonymizer.map_name(value);
}

// A key as the standard forms them (§6.1), which no name can be taken for: it may stand.
bool is_known_key(std::string_view key) {
    constexpr std::array<std::string_view, 8> names = {"InitiatorName", "InitiatorAlias", "TargetName",
                                                       "TargetAlias",   "TargetAddress",  "SendTargets",
                                                       "CHAP_N",        "SRP_U"};
    return contains(negotiated, key) || contains(binary, key) || contains(names, key);
}

bool is_vendors_key(std::string_view key) {
    return key.starts_with("X-") || key.starts_with("X#") || key.starts_with("Y-") || key.starts_with("Y#") ||
           key.starts_with("Z-") || key.starts_with("Z#");
}

void rewrite_pair(std::span<uint8_t> pair, Anonymizer& anonymizer) {
    const std::string_view text(reinterpret_cast<const char*>(pair.data()), pair.size());
    const size_t equals = text.find('=');
    const std::string_view key = text.substr(0, equals);
    if (equals == std::string_view::npos || (!is_known_key(key) && !is_vendors_key(key))) {
        std::ranges::copy(anonymizer.map_name(text), pair.begin());
        return;
    }
    const std::string replacement = replacement_of(key, text.substr(equals + 1), anonymizer);
    std::ranges::copy(replacement, pair.begin() + static_cast<std::ptrdiff_t>(equals + 1));
}

}  // namespace

void rewrite_text_keys(std::span<uint8_t> text, Anonymizer& anonymizer) {
    while (!text.empty()) {
        const auto length = static_cast<size_t>(std::ranges::find(text, 0) - text.begin());
        if (length > 0) rewrite_pair(text.first(length), anonymizer);
        text = text.subspan(std::min(text.size(), length + 1));
    }
}

void rewrite_text_keys_behind_hole(std::span<uint8_t> text, Anonymizer& anonymizer) {
    const auto length = static_cast<size_t>(std::ranges::find(text, 0) - text.begin());
    if (length > 0) {
        const std::string_view rest(reinterpret_cast<const char*>(text.data()), length);
        std::ranges::copy(anonymizer.map_name(rest), text.begin());
    }
    rewrite_text_keys(text.subspan(length), anonymizer);
}

}  // namespace sanscope
