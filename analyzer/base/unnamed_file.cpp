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

bool disk_has_room(int file, uint64_t bytes) {
    constexpr uint64_t left_for_others = uint64_t{1} << 30;
    struct statvfs disk {};
    if (::fstatvfs(file, &disk) != 0) return false;
    return uint64_t{disk.f_bavail} * disk.f_frsize >= left_for_others + bytes;
}

}  // namespace sanscope
