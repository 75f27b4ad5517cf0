// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/file_descriptor.h"

#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace sanscope {

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
}

FileDescriptor::~FileDescriptor() {
    if (number_ >= 0) ::close(number_);
}

int FileDescriptor::release() {
    return std::exchange(number_, -1);
}

bool is_open(int descriptor) {
    return ::fcntl(descriptor, F_GETFD) >= 0;
}

bool standard_descriptors_are_open() {
    return is_open(STDIN_FILENO) && is_open(STDOUT_FILENO) && is_open(STDERR_FILENO);
}

}  // namespace sanscope
