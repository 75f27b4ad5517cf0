// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/result_folder.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/file_descriptor.h"
#include "analyzer/base/sudo_caller.h"

namespace sanscope::lab {
namespace {

// Only what was made just now: nothing is followed, and nothing of another's is given away.
void give_to_caller(const std::filesystem::path& folder) {
    const auto [user, group] = sudo_caller();
    if (::geteuid() != 0 || !user || !group) return;
    const FileDescriptor made(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    if (made.get() < 0 || ::fstat(made.get(), &status) != 0 || status.st_uid != ::geteuid()) return;
    // Where it fails, as on a file system without owners, whoever may write there still may.
    [[maybe_unused]] const int given = ::fchown(made.get(), *user, *group);
}

}  // namespace

Result<std::monostate> make_folder(const std::filesystem::path& path) {
    std::filesystem::path so_far;
    for (const std::filesystem::path& part : path) {
        so_far /= part;
        constexpr mode_t usual = 0777;  // but for the umask
        if (::mkdir(so_far.c_str(), usual) == 0) {
            give_to_caller(so_far);
            continue;
        }
        const int why = errno;
        std::error_code error;
        if (!std::filesystem::is_directory(so_far, error))
            return Error{fmt::format("{}: {}", so_far.string(), std::strerror(why))};
    }
    return std::monostate{};
}

}  // namespace sanscope::lab
