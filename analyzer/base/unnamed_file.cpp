// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/unnamed_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
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

}  // namespace sanscope
