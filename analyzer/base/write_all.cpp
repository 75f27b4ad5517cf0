// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/write_all.h"

#include <cerrno>
#include <unistd.h>

namespace sanscope {

bool write_all(int descriptor, std::span<const uint8_t> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes = bytes.subspan(static_cast<size_t>(written));
    }
    return true;
}

}  // namespace sanscope
