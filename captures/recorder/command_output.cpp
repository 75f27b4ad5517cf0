// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/command_output.h"

#include <cerrno>
#include <cstdint>
#include <poll.h>
#include <span>
#include <unistd.h>
#include <vector>

#include "analyzer/proto/message_pipe.h"

namespace sanscope {
namespace {

constexpr int patience_ms = 10'000;

}  // namespace

bool write_command(int descriptor, const v1::RecorderCommand& command) {
    std::vector<uint8_t> bytes;
    append_message(command, bytes);
    std::span<const uint8_t> left = bytes;
    while (!left.empty()) {
        const ssize_t written = ::write(descriptor, left.data(), left.size());
        if (written > 0) {
            left = left.subspan(static_cast<size_t>(written));
        } else if (errno == EAGAIN) {
            pollfd writable{descriptor, POLLOUT, 0};
            if (::poll(&writable, 1, patience_ms) == 0) return false;
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

}  // namespace sanscope
