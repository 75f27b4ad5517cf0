// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/replacement_file.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace sanscope {
namespace {

constexpr mode_t permissions = 0777;

Error failure(const char* what, int error_number) {
    return {fmt::format("cannot {}: {}", what, std::generic_category().message(error_number))};
}

// A name that no other file of the folder is likely to have, in this process or another.
std::string temporary_name(const std::filesystem::path& folder) {
    static std::atomic<unsigned> count = 0;
    return (folder / fmt::format(".sanscope-{}-{}.part", ::getpid(), ++count)).string();
}

}  // namespace

Result<std::unique_ptr<ReplacementFile>> ReplacementFile::create(const std::string& target) {
    // A link is to lead to the new file afterwards, and not to be replaced by it.
    std::error_code unresolved;
    std::filesystem::path place = std::filesystem::canonical(target, unresolved);
    if (unresolved) place = target;

    struct stat present {};
    const bool replaces = ::stat(place.c_str(), &present) == 0;
    if (replaces && !S_ISREG(present.st_mode))
        return Error{"cannot create: there is something that is no file"};

    constexpr int attempts = 100;
    for (int i = 0; i < attempts; i++) {
        std::string name = temporary_name(place.parent_path());
        FileDescriptor descriptor(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
        if (descriptor.get() < 0) {
            if (errno == EEXIST) continue;
            return failure("create", errno);
        }
        std::unique_ptr<ReplacementFile> file(
            new ReplacementFile(place.string(), std::move(name), std::move(descriptor)));
        if (replaces && ::fchmod(file->descriptor_.get(), present.st_mode & permissions) != 0)
            return failure("create", errno);
        return file;
    }
    return failure("create", EEXIST);
}

ReplacementFile::ReplacementFile(std::string target, std::string temporary, FileDescriptor descriptor)
    : target_(std::move(target)),
      temporary_(std::move(temporary)),
      descriptor_(std::move(descriptor)),
      sink_(descriptor_.get()) {}

ReplacementFile::~ReplacementFile() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<std::monostate> ReplacementFile::overwrite(uint64_t at, std::span<const uint8_t> bytes) {
    if (sink_.error() != nullptr) return *sink_.error();
    while (!bytes.empty()) {
        const ssize_t written =
            ::pwrite(descriptor_.get(), bytes.data(), bytes.size(), static_cast<off_t>(at));
        if (written >= 0) {
            bytes = bytes.subspan(static_cast<size_t>(written));
            at += static_cast<uint64_t>(written);
        } else if (errno != EINTR) {
            return failure("write", errno);
        }
    }
    return std::monostate{};
}

Result<std::monostate> ReplacementFile::cut(uint64_t size) {
    if (sink_.error() != nullptr) return *sink_.error();
    if (::ftruncate(descriptor_.get(), static_cast<off_t>(size)) != 0) return failure("write", errno);
    return std::monostate{};
}

Result<std::monostate> ReplacementFile::commit() {
    if (sink_.error() != nullptr) return *sink_.error();
    // What a crash of the machine leaves is the old file or the new one. Some file systems cannot promise that.
    if (::fsync(descriptor_.get()) != 0 && errno != EINVAL && errno != ENOSYS) return failure("write", errno);
    // Some tell only now that a write failed.
    if (::close(descriptor_.release()) != 0 && errno != EINTR) return failure("write", errno);
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0)
        return failure("put the file into its place", errno);
    temporary_.clear();
    return std::monostate{};
}

Result<std::monostate> refuse_overwriting(const std::string& input, const std::string& target) {
    std::error_code error;
    if (std::filesystem::equivalent(input, target, error) && !error)
        return Error{"would be overwritten by what is read from it"};
    return std::monostate{};
}

}  // namespace sanscope
