// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/target/target_fault.h"

#include <charconv>
#include <fmt/core.h>
#include <utility>

namespace sanscope {
namespace {

constexpr std::pair<std::string_view, FaultKind> kinds[] = {
    {"busy", FaultKind::busy},
    {"task-set-full", FaultKind::task_set_full},
    {"check-condition", FaultKind::check_condition},
    {"short-read", FaultKind::short_read},
    {"corrupt-header-digest", FaultKind::corrupt_header_digest},
    {"corrupt-data-digest", FaultKind::corrupt_data_digest},
    {"never-answer", FaultKind::never_answer},
    {"reset", FaultKind::reset},
    {"close", FaultKind::close},
    {"login-refused", FaultKind::login_refused},
    {"lost-write", FaultKind::lost_write},
    {"async-logout", FaultKind::async_logout},
};

}  // namespace

std::string_view fault_kinds() {
    return "busy, task-set-full, check-condition, short-read, corrupt-header-digest, corrupt-data-digest, "
           "never-answer, reset, close, login-refused, lost-write, async-logout";
}

Result<Fault> parse_fault(std::string_view text) {
    const size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    Fault fault;
    if (colon != std::string_view::npos) {
        const std::string_view number = text.substr(colon + 1);
        const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), fault.every);
        if (error != std::errc() || end != number.data() + number.size() || fault.every == 0)
            return Error{fmt::format("'{}' is no number of commands", number)};
    }
    for (const auto& [known, kind] : kinds) {
        if (known != name) continue;
        fault.kind = kind;
        return fault;
    }
    return Error{fmt::format("'{}' is no fault; there are {}", name, fault_kinds())};
}

}  // namespace sanscope
