// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/command_output.h"

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <poll.h>
#include <span>
#include <unistd.h>
#include <vector>

#include "analyzer/proto/message_pipe.h"

namespace sanscope {
namespace {

constexpr std::chrono::milliseconds patience{10'000};

}  // namespace

bool write_command(int descriptor, const v1::RecorderCommand& command) {
    std::vector<uint8_t> bytes;
    append_message(command, bytes);
    std::span<const uint8_t> left = bytes;
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!left.empty()) {
        const ssize_t written = ::write(descriptor, left.data(), left.size());
        if (written > 0) {
            left = left.subspan(static_cast<size_t>(written));
        } else if (errno == EAGAIN) {
            const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(
                deadline - std::chrono::steady_clock::now());
            pollfd writable{descriptor, POLLOUT, 0};
            if (wait.count() <= 0 || ::poll(&writable, 1, static_cast<int>(wait.count())) == 0) return false;
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

}  // namespace sanscope
