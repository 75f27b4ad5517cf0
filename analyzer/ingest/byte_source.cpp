// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/byte_source.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace sanscope {
namespace {

std::string reason(int error) {
    return std::generic_category().message(error);
}

// Readable once streams were ended; there before main(), since a handler of signals cannot make it.
const int streams_ended = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

bool is_regular(int descriptor) {
    struct stat status {};
    return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

void end_streams() {
    const int before = errno;
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t told = ::write(streams_ended, &one, sizeof one);
    errno = before;
}

Result<OpenInput> open_input(const std::string& path) {
    const bool standard_input = path == "-";
    // Standard input is not ours to close: it is read through a duplicate.
    int number = -1;
    do {
        number = standard_input ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
    } while (number < 0 && errno == EINTR);
    if (number < 0) return Error{fmt::format("cannot open: {}", reason(errno))};

    OpenInput input{FileDescriptor(number)};
    struct stat status {};
    if (::fstat(number, &status) != 0) return Error{fmt::format("cannot open: {}", reason(errno))};
    if (S_ISDIR(status.st_mode)) return Error{"is a directory, not a capture file"};
    if (S_ISREG(status.st_mode)) {
        const auto size = static_cast<uint64_t>(status.st_size);
        if (standard_input) {
            // Whoever had it before may have read some of it.
            const off_t position = ::lseek(number, 0, SEEK_CUR);
            const auto passed = position < 0 ? 0 : static_cast<uint64_t>(position);
            input.size = passed < size ? size - passed : 0;
        } else {
            input.size = size;
            // Files made up by the kernel say they have no size, though there is something to read.
            input.regular_file = size > 0;
        }
        // Only advice: the input is read just as well without it.
        (void)::posix_fadvise(number, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
    return input;
}

FileSource::FileSource(FileDescriptor descriptor)
    : descriptor_(std::move(descriptor)), may_wait_(!is_regular(descriptor_.get())) {}

bool FileSource::wait() const {
    std::array<pollfd, 2> either{{{descriptor_.get(), POLLIN, 0}, {streams_ended, POLLIN, 0}}};
    while (::poll(either.data(), either.size(), -1) < 0) {
        if (errno != EINTR) return true;  // read() tells why
    }
    return either[1].revents == 0;
}

size_t FileSource::read(std::span<uint8_t> into) {
    if (!fault_.empty()) return 0;
    for (;;) {
        if (may_wait_ && !wait()) return 0;
        const ssize_t count = ::read(descriptor_.get(), into.data(), into.size());
        if (count >= 0) {
            read_.fetch_add(static_cast<uint64_t>(count), std::memory_order_relaxed);
            return static_cast<size_t>(count);
        }
        if (errno != EINTR) {
            fault_ = fmt::format("cannot be read: {}", reason(errno));
            return 0;
        }
    }
}

size_t read_at(int descriptor, std::span<uint8_t> into, uint64_t offset, std::string& fault) {
    size_t done = 0;
    while (done < into.size()) {
        const ssize_t count =
            ::pread(descriptor, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
        if (count > 0) {
            done += static_cast<size_t>(count);
        } else if (count == 0) {
            break;
        } else if (errno != EINTR) {
            fault = fmt::format("cannot be read: {}", reason(errno));
            break;
        }
    }
    return done;
}

}  // namespace sanscope
