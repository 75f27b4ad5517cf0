// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/initiator/write_permission.h"

#include <algorithm>
#include <fmt/core.h>
#include <string_view>

#include "analyzer/base/utf8.h"

namespace sanscope {
namespace {

std::string_view bare(std::string_view serial) {
    constexpr std::string_view filling("\0 ", 2);
    const size_t begin = serial.find_first_not_of(filling);
    if (begin == std::string_view::npos) return {};
    return serial.substr(begin, serial.find_last_not_of(filling) + 1 - begin);
}

std::string shown(std::string_view text) {
    std::string cleaned = cleaned_text(text);
    std::ranges::replace_if(
        cleaned, [](char c) { return c == '\n' || c == '\t'; }, ' ');
    return cleaned;
}

Error refused(const WrittenLun& lun, std::string_view why) {
    return Error{fmt::format("{} is not written to: {}", shown(lun.name), why)};
}

}  // namespace

Result<std::monostate> write_permission(const WriteWish& wish, const WrittenLun& lun, const AskUser& ask) {
    const std::string_view serial = bare(lun.serial);
    if (serial.empty()) {
        return refused(lun,
                       "it tells no unit serial number, by which the user could say that this LUN is meant");
    }
    if (!lun.content.empty() && !wish.really)
        return refused(lun, fmt::format("it holds {}, which only --really would overwrite", lun.content));
    const auto is_its_serial = [&](const std::string& named) { return bare(named) == serial; };
    if (std::ranges::any_of(wish.allowed_serials, is_its_serial)) return std::monostate{};
    if (!wish.allowed_serials.empty()) {
        std::string named;
        for (const std::string& one : wish.allowed_serials)
            named += (named.empty() ? "'" : ", '") + shown(one) + "'";
        return refused(lun, fmt::format("its unit serial number is '{}', and --allow-writes names {}",
                                        shown(serial), named));
    }
    if (!ask) {
        return refused(lun,
                       fmt::format("that needs --allow-writes '{}', its unit serial number", shown(serial)));
    }
    const std::string overwritten = lun.content.empty() ? "" : fmt::format(", which holds {},", lun.content);
    const auto answer =
        ask(fmt::format("This load overwrites {}{} with the unit serial number '{}'.\n"
                        "Type that number to allow it: ",
                        shown(lun.name), overwritten, shown(serial)));
    if (answer && is_its_serial(*answer)) return std::monostate{};
    return refused(lun, "the answer was not its unit serial number");
}

}  // namespace sanscope
