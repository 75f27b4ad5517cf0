// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/initiator/target_url.h"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>
#include <utility>

#include "captures/iscsi_peer/login/iscsi_name.h"

#include "analyzer/base/utf8.h"

namespace sanscope {
namespace {

Error secret_in_url() {
    return {
        "a secret in a URL can be seen by everybody on this host; give it with --secret-file, and write %, : "
        "and "
        "/ in the user's name as %25, %3A and %2F"};
}

// What needs no %XX in a URL (RFC 3986 §2.3).
bool is_unreserved(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.' || c == '~';
}

// A % that is not the beginning of an escape, or of one that nobody needs, separates libiscsi's secret from the name.
Result<std::string> read_user(std::string_view text) {
    std::string user;
    while (!text.empty()) {
        char c = text.front();
        size_t length = 1;
        if (c == ':' || c == '/') return secret_in_url();
        if (c == '%') {
            length = 3;
            uint8_t value = 0;
            const std::string_view digits = text.substr(1, 2);
            const auto [end, error] =
                std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
            c = static_cast<char>(value);
            if (error != std::errc() || end != digits.data() + 2 || is_unreserved(c)) return secret_in_url();
        }
        user += c;
        text.remove_prefix(length);
    }
    constexpr size_t longest = 255;
    if (user.empty() || user.size() > longest || cleaned_text(user) != user ||
        user.find_first_of("\n\t") != std::string::npos) {
        return Error{
            fmt::format("the user's name in the URL has 1 to {} bytes, without control characters", longest)};
    }
    return user;
}

std::string host_unescaped(std::string_view text) {
    // Only the zone of an IPv6 address has something to escape (RFC 6874).
    std::string host(text);
    if (const size_t at = host.find("%25"); at != std::string::npos) host.replace(at, 3, "%");
    return host;
}

}  // namespace

Result<TargetUrl> read_target_url(std::string_view text) {
    constexpr std::string_view scheme = "iscsi://";
    if (!text.starts_with(scheme)) return Error{"a target is named as iscsi://HOST[:PORT]/NAME/LUN"};
    text.remove_prefix(scheme.size());
    // All that may be a secret goes first.
    if (text.find('?') != std::string_view::npos) {
        if (text.find("password", text.find('?')) != std::string_view::npos) return secret_in_url();
        return Error{"a target's URL has no part behind a question mark"};
    }
    TargetUrl url;
    // Whatever a user's name or a secret has in it, the last @ is behind it: no target's name has one.
    if (const size_t at = text.rfind('@'); at != std::string_view::npos) {
        auto user = read_user(text.substr(0, at));
        if (!user) return user.error();
        url.user = std::move(*user);
        text.remove_prefix(at + 1);
    }
    const std::string_view authority = text.substr(0, text.find('/'));
    if (authority.find('%') != std::string_view::npos && !authority.starts_with('[')) return secret_in_url();
    if (authority.find(',') != std::string_view::npos) return Error{"a target's URL has one host"};
    auto portal = read_target_portal(host_unescaped(authority));
    if (!portal) return portal.error();
    url.portal = std::move(*portal);
    text.remove_prefix(std::min(authority.size() + 1, text.size()));
    if (text.empty()) return url;

    const std::string_view name = text.substr(0, text.find('/'));
    if (auto checked = check_iscsi_name(name); !checked) return checked.error();
    url.target_name = name;
    text.remove_prefix(std::min(name.size() + 1, text.size()));
    if (text.empty()) return url;

    uint16_t lun = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), lun);
    if (error != std::errc() || end != text.data() + text.size() || lun > most_lun)
        return Error{fmt::format("the LUN behind the target's name is no number from 0 to {}", most_lun)};
    url.lun = lun;
    return url;
}

uint64_t lun_field_of(uint16_t lun) {
    constexpr uint64_t flat_space = 0x4000;
    const uint64_t first_level = lun < 256 ? lun : flat_space | lun;
    return first_level << 48;
}

}  // namespace sanscope
