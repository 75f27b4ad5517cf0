// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/rights.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <grp.h>
#include <memory>
#include <pwd.h>
#include <string_view>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <type_traits>
#include <unistd.h>

#include "analyzer/base/sudo_caller.h"

namespace sanscope {
namespace {

// Numbers of the kernel's that libcap's headers may be too old for.
constexpr cap_value_t may_trace = 38;  // CAP_PERFMON
constexpr cap_value_t may_bpf = 39;    // CAP_BPF
constexpr std::array<cap_value_t, 6> needed = {CAP_NET_RAW, CAP_NET_ADMIN, may_trace,
                                               may_bpf,     CAP_SETUID,    CAP_SETGID};

struct FreeCapabilities {
    void operator()(std::remove_pointer_t<cap_t>* capabilities) const { cap_free(capabilities); }
};
using Capabilities = std::unique_ptr<std::remove_pointer_t<cap_t>, FreeCapabilities>;

bool has(const Capabilities& capabilities, cap_value_t value, cap_flag_t set) {
    cap_flag_value_t found = CAP_CLEAR;
    return cap_get_flag(capabilities.get(), value, set, &found) == 0 && found == CAP_SET;
}

// Those needed of the ones permitted, in effect or not.
void keep_needed(bool in_effect) {
    const Capabilities now(cap_get_proc());
    const Capabilities then(cap_init());
    if (!now || !then) return;
    for (const cap_value_t value : needed) {
        if (!has(now, value, CAP_PERMITTED)) continue;
        cap_set_flag(then.get(), CAP_PERMITTED, 1, &value, CAP_SET);
        if (in_effect) cap_set_flag(then.get(), CAP_EFFECTIVE, 1, &value, CAP_SET);
    }
    cap_set_proc(then.get());
}

Error cannot(const char* what) {
    return {fmt::format("cannot give up its rights: {}: {}", what, std::strerror(errno))};
}

}  // namespace

Rights::Rights() {
    keep_needed(false);
}

void Rights::raise() {
    keep_needed(true);
}

Result<std::monostate> Rights::become_caller() {
    uid_t user = ::getuid();
    gid_t group = ::getgid();
    if (user == 0) {
        // Only root can have come from sudo, and whatever the variables say is less than root may do.
        const SudoCaller caller = sudo_caller();
        if (!caller.user || !caller.group || *caller.user == 0) return std::monostate{};
        user = *caller.user;
        group = *caller.group;
    } else if (::geteuid() == user && ::getegid() == group) {
        return std::monostate{};
    }
    const passwd* const entry = ::getpwuid(user);
    const std::string name = entry == nullptr ? fmt::format("user {}", user) : entry->pw_name;
    if (::getuid() == 0) {
        const int grouped = entry == nullptr ? ::setgroups(0, nullptr) : ::initgroups(entry->pw_name, group);
        if (grouped != 0) return cannot("setgroups");
        as_whom_ = fmt::format(" (as {}, who called sudo)", name);
    }
    if (::setresgid(group, group, group) != 0) return cannot("setresgid");
    if (::setresuid(user, user, user) != 0) return cannot("setresuid");
    return std::monostate{};
}

Result<std::monostate> Rights::give_up() {
    keep_needed(true);
    if (const auto became = become_caller(); !became) return became.error();
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return cannot("no_new_privs");
    const Capabilities none(cap_init());
    if (!none || cap_set_proc(none.get()) != 0) return cannot("capset");
    const Capabilities left(cap_get_proc());
    for (const cap_value_t value : needed) {
        if (!left || has(left, value, CAP_PERMITTED))
            return Error{"cannot give up its rights: some are left"};
    }
    return std::monostate{};
}

}  // namespace sanscope
