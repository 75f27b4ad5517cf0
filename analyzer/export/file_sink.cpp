// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/file_sink.h"

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace sanscope {
namespace {

std::string describe(int error_number) {
    return std::generic_category().message(error_number);
}

}  // namespace

Result<FileSink> FileSink::create(const std::string& path) {
    if (path == "-") return FileSink(STDOUT_FILENO);
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0) return Error{fmt::format("cannot create: {}", describe(errno))};
    return FileSink(descriptor, true);
}

FileSink::FileSink(int descriptor, bool owned) : descriptor_(descriptor), owned_(owned) {}

FileSink::FileSink(FileSink&& other) noexcept
    : descriptor_(other.descriptor_),
      owned_(std::exchange(other.owned_, false)),
      whole_bytes_(other.whole_bytes_),
      reader_gone_(other.reader_gone_),
      error_(std::move(other.error_)) {}

FileSink::~FileSink() {
    close();
}

bool FileSink::write(std::span<const char> bytes) {
    if (reader_gone_ || error_) return false;
    const size_t whole = bytes.size();
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
        if (written >= 0) {
            bytes = bytes.subspan(static_cast<size_t>(written));
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            // Standard output may be a pipe that someone else set not to block.
            pollfd writable{descriptor_, POLLOUT, 0};
            ::poll(&writable, 1, -1);
        } else if (errno != EINTR) {
            fail(errno);
            // What is no file cannot be cut, and need not.
            if (owned_) [[maybe_unused]]
                const int cut = ::ftruncate(descriptor_, static_cast<off_t>(whole_bytes_));
            return false;
        }
    }
    whole_bytes_ += whole;
    return true;
}

bool FileSink::close() {
    if (std::exchange(owned_, false) && ::close(descriptor_) != 0 && errno != EINTR) fail(errno);
    return !reader_gone_ && !error_;
}

void FileSink::fail(int error_number) {
    if (error_number == EPIPE) {
        reader_gone_ = true;
    } else if (!error_) {
        error_ = Error{fmt::format("cannot write: {}", describe(error_number))};
    }
}

}  // namespace sanscope
