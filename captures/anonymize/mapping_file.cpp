// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/anonymize/mapping_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "analyzer/base/unnamed_file.h"
#include "analyzer/base/write_all.h"

namespace sanscope {

Result<MappingFile> MappingFile::create(const std::string& path) {
    struct stat present {};
    if (::lstat(path.c_str(), &present) == 0) return Error{path + ": " + std::strerror(EEXIST)};
    FileDescriptor unnamed = unnamed_file_in(std::filesystem::path(path).parent_path(), 0600);
    if (unnamed.get() >= 0) return MappingFile(path, std::move(unnamed), false);
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (file.get() < 0) return Error{path + ": " + std::strerror(errno)};
    return MappingFile(path, std::move(file), true);
}

Result<std::monostate> MappingFile::write(const Anonymizer& anonymizer) {
    const std::string text = mapping_csv(anonymizer);
    const bool written =
        write_all(file_.get(), {reinterpret_cast<const uint8_t*>(text.data()), text.size()}) &&
        ::fsync(file_.get()) == 0 && (has_name_ || give_name(file_.get(), path_));
    if (written) {
        file_ = FileDescriptor();
        return std::monostate{};
    }
    const Error error{path_ + ": " + std::strerror(errno)};
    abandon();
    return error;
}

void MappingFile::abandon() {
    if (file_.get() >= 0 && has_name_) ::unlink(path_.c_str());
    file_ = FileDescriptor();
}

}  // namespace sanscope
