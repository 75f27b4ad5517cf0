// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/output_file.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "captures/recorder/recording_blocks.h"

namespace sanscope {
namespace {

// What people send each other is nobody else's.
constexpr mode_t permissions = S_IRUSR | S_IWUSR;

int open_for_writing(const std::string& path, int flags) {
    int descriptor = -1;
    do {
        descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | flags, permissions);
    } while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

// One that was there before is emptied; but a file that another user has made could be read by that user.
std::optional<Error> empty_own_file(int descriptor) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) return Error{std::generic_category().message(errno)};
    if (!S_ISREG(status.st_mode)) return std::nullopt;
    if (status.st_uid != ::geteuid())
        return Error{"belongs to another user, who could read what is recorded"};
    if (::fchmod(descriptor, permissions) != 0 || ::ftruncate(descriptor, 0) != 0)
        return Error{fmt::format("cannot be emptied: {}", std::generic_category().message(errno))};
    return std::nullopt;
}

bool may_follow(const std::string& link) {
    std::filesystem::path folder = std::filesystem::path(link).parent_path();
    if (folder.empty()) folder = ".";
    struct stat of_folder {};
    struct stat of_link {};
    if (::stat(folder.c_str(), &of_folder) != 0 || ::lstat(link.c_str(), &of_link) != 0) return false;
    return (of_folder.st_mode & S_IWOTH) == 0 || of_link.st_uid == ::geteuid();
}

std::span<const uint8_t> bytes_of(const std::string& text) {
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::string& path) {
    // On a file system of others (NFS) a file may not even belong to who made it just now.
    FileDescriptor made(open_for_writing(path, O_CREAT | O_EXCL));
    if (made.get() >= 0) return OutputFile(std::move(made));
    FileDescriptor descriptor;
    if (errno == EEXIST) descriptor = FileDescriptor(open_for_writing(path, O_NOFOLLOW));
    if (descriptor.get() < 0 && errno == ELOOP) {
        if (!may_follow(path))
            return Error{"is a symbolic link made by someone else in a folder open to everybody"};
        descriptor = FileDescriptor(open_for_writing(path, O_CREAT));
    }
    if (descriptor.get() < 0)
        return Error{fmt::format("cannot create: {}", std::generic_category().message(errno))};
    if (const auto fault = empty_own_file(descriptor.get())) return *fault;
    return OutputFile(std::move(descriptor));
}

OutputFile::OutputFile(FileDescriptor descriptor) : descriptor_(std::move(descriptor)) {
    struct stat status {};
    regular_ = ::fstat(descriptor_.get(), &status) == 0 && S_ISREG(status.st_mode);
}

bool OutputFile::put(std::span<const uint8_t> bytes, size_t& done) {
    while (done < bytes.size()) {
        const ssize_t written = ::write(descriptor_.get(), bytes.data() + done, bytes.size() - done);
        if (written >= 0) {
            done += static_cast<size_t>(written);
        } else if (errno == EAGAIN) {
            pollfd writable{descriptor_.get(), POLLOUT, 0};
            ::poll(&writable, 1, -1);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

OutputFile::Written OutputFile::write(std::span<const uint8_t> blocks, uint64_t packets,
                                      const std::string& tail) {
    size_t done = 0;
    if (put(blocks, done)) {
        bytes_ += blocks.size();
        return {.packets = packets};
    }
    const int error = errno;
    if (!regular_) return {.all = false, .error = error};

    const BlockCut kept = cut_blocks(blocks, done > tail.size() ? done - tail.size() : 0, packets);
    const auto cut_to = [&](uint64_t size) {
        const auto end = static_cast<off_t>(size);
        return ::ftruncate(descriptor_.get(), end) == 0 && ::lseek(descriptor_.get(), end, SEEK_SET) == end;
    };
    bytes_ += kept.bytes;
    if (cut_to(bytes_)) {
        done = 0;
        if (put(bytes_of(tail), done)) {
            bytes_ += tail.size();
        } else {
            cut_to(bytes_);
        }
    }
    return {.all = false, .error = error, .packets = kept.packets};
}

bool OutputFile::close() {
    const int descriptor = descriptor_.release();
    return descriptor < 0 || ::close(descriptor) == 0 || errno == EINTR;
}

}  // namespace sanscope
