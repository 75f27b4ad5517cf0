// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/dissectd/landlock_rules.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "analyzer/base/file_descriptor.h"

namespace sanscope {
namespace {

// Of later kernels than the headers may be of (include/uapi/linux/landlock.h).
struct Ruleset {
    uint64_t file_access;
    uint64_t network_access;  // from version 4 on
    uint64_t scoped;          // from version 6 on
};
constexpr uint64_t fs_refer = 1 << 13;      // version 2
constexpr uint64_t fs_truncate = 1 << 14;   // version 3
constexpr uint64_t fs_ioctl_dev = 1 << 15;  // version 5
constexpr uint64_t net_bind_tcp = 1 << 0;
constexpr uint64_t net_connect_tcp = 1 << 1;
constexpr uint64_t scope_abstract_unix_socket = 1 << 0;
constexpr uint64_t scope_signal = 1 << 1;

constexpr uint64_t of_first_version =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE |
    LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
    LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
    LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
    LANDLOCK_ACCESS_FS_MAKE_SYM;

bool allow_reading(int ruleset, const std::string& path) {
    const FileDescriptor file(::open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat status {};
    if (file.get() < 0 || ::fstat(file.get(), &status) != 0) return true;
    landlock_path_beneath_attr rule{};
    // A rule on what is no folder may not speak of folders (landlock_add_rule(2), EINVAL).
    rule.allowed_access =
        LANDLOCK_ACCESS_FS_READ_FILE | (S_ISDIR(status.st_mode) ? LANDLOCK_ACCESS_FS_READ_DIR : 0);
    rule.parent_fd = file.get();
    return ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
}

}  // namespace

int landlock_abi() {
    constexpr unsigned ask_version = 1;  // LANDLOCK_CREATE_RULESET_VERSION
    const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, size_t{0}, ask_version);
    return static_cast<int>(std::max(abi, 0L));
}

bool restrict_by_landlock(int abi, const std::vector<std::string>& readable) {
    if (abi < 1 || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
    Ruleset rules{};
    rules.file_access = of_first_version;
    if (abi >= 2) rules.file_access |= fs_refer;
    if (abi >= 3) rules.file_access |= fs_truncate;
    if (abi >= 4) rules.network_access = net_bind_tcp | net_connect_tcp;
    if (abi >= 5) rules.file_access |= fs_ioctl_dev;
    if (abi >= 6) rules.scoped = scope_abstract_unix_socket | scope_signal;
    // A kernel refuses a longer structure than it knows only where the rest is not zero; an older one gets the shorter.
    const size_t size = abi >= 6   ? sizeof rules
                        : abi >= 4 ? offsetof(Ruleset, scoped)
                                   : offsetof(Ruleset, network_access);
    const FileDescriptor ruleset(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &rules, size, 0)));
    if (ruleset.get() < 0) return false;
    for (const std::string& path : readable) {
        if (!allow_reading(ruleset.get(), path)) return false;
    }
    return ::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) == 0;
}

}  // namespace sanscope
