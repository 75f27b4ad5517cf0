// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/unnamed_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/statvfs.h>
#include <unistd.h>

namespace sanscope {

Result<FileDescriptor> unnamed_file() {
    const char* const asked = std::getenv("TMPDIR");
    const std::string folder = asked != nullptr && *asked != 0 ? asked : "/var/tmp";
    FileDescriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (file.get() >= 0) return file;
    std::string name = folder + "/sanscope-XXXXXX";  // a file system that knows no files without a name
    file = FileDescriptor(::mkostemp(name.data(), O_CLOEXEC));
    if (file.get() < 0) return Error{"no temporary file in " + folder + ": " + std::strerror(errno)};
    ::unlink(name.c_str());
    return file;
}

namespace {

std::string path_of_descriptor(int descriptor) {
    return "/proc/self/fd/" + std::to_string(descriptor);
}

}  // namespace

FileDescriptor unnamed_file_in(const std::string& folder, mode_t permissions) {
    FileDescriptor file(
        ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, permissions));
    if (file.get() >= 0 && ::access(path_of_descriptor(file.get()).c_str(), F_OK) != 0)
        return FileDescriptor();
    return file;
}

bool give_name(int unnamed, const std::string& name) {
    return ::linkat(AT_FDCWD, path_of_descriptor(unnamed).c_str(), AT_FDCWD, name.c_str(),
                    AT_SYMLINK_FOLLOW) == 0;
}

bool disk_has_room(int file, uint64_t bytes) {
    constexpr uint64_t left_for_others = uint64_t{1} << 30;
    struct statvfs disk {};
    if (::fstatvfs(file, &disk) != 0) return false;
    return uint64_t{disk.f_bavail} * disk.f_frsize >= left_for_others + bytes;
}

}  // namespace sanscope
