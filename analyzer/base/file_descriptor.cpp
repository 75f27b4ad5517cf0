// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/file_descriptor.h"

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

}  // namespace sanscope
