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

#include "analyzer/base/unnamed_file.h"

namespace sanscope {
namespace {

constexpr mode_t permissions = 0777;
constexpr mode_t usual = 0666;  // but for the umask
constexpr int attempts = 100;

std::atomic<const char*> name_on_the_way = nullptr;
static_assert(decltype(name_on_the_way)::is_always_lock_free, "read by signal handlers");

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

    std::string name;
    FileDescriptor descriptor = unnamed_file_in(place.parent_path(), usual);
    for (int i = 0; i < attempts && descriptor.get() < 0; i++) {
        name = temporary_name(place.parent_path());
        descriptor = FileDescriptor(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, usual));
        if (descriptor.get() < 0 && errno != EEXIST) break;
    }
    if (descriptor.get() < 0) return failure("create", errno);
    std::unique_ptr<ReplacementFile> file(
        new ReplacementFile(place.string(), std::move(name), std::move(descriptor)));
    if (replaces && ::fchmod(file->descriptor_.get(), present.st_mode & permissions) != 0)
        return failure("create", errno);
    return file;
}

ReplacementFile::ReplacementFile(std::string target, std::string temporary, FileDescriptor descriptor)
    : target_(std::move(target)),
      temporary_(std::move(temporary)),
      descriptor_(std::move(descriptor)),
      sink_(descriptor_.get()) {}

ReplacementFile::~ReplacementFile() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    name_on_the_way = nullptr;
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

// Whatever has the target's name is replaced by renaming alone, so that another name comes first.
Result<std::monostate> ReplacementFile::take_name() {
    const std::filesystem::path folder = std::filesystem::path(target_).parent_path();
    for (int i = 0; i < attempts; i++) {
        temporary_ = temporary_name(folder);
        name_on_the_way = temporary_.c_str();
        if (give_name(descriptor_.get(), temporary_)) return std::monostate{};
        name_on_the_way = nullptr;
        temporary_.clear();
        if (errno != EEXIST) break;
    }
    return failure("put the file into its place", errno);
}

Result<std::monostate> ReplacementFile::commit() {
    if (sink_.error() != nullptr) return *sink_.error();
    // What a crash of the machine leaves is the old file or the new one. Some file systems cannot promise that.
    if (::fsync(descriptor_.get()) != 0 && errno != EINVAL && errno != ENOSYS) return failure("write", errno);
    if (temporary_.empty()) {
        if (const auto named = take_name(); !named) return named.error();
    }
    // Some tell only now that a write failed.
    if (::close(descriptor_.release()) != 0 && errno != EINTR) return failure("write", errno);
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0)
        return failure("put the file into its place", errno);
    name_on_the_way = nullptr;
    temporary_.clear();
    return std::monostate{};
}

const char* replacement_on_the_way() {
    return name_on_the_way;
}

Result<std::monostate> refuse_overwriting(const std::string& input, const std::string& target) {
    std::error_code error;
    if (std::filesystem::equivalent(input, target, error) && !error)
        return Error{"would be overwritten by what is read from it"};
    return std::monostate{};
}

}  // namespace sanscope
