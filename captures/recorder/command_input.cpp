// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/command_input.h"

#include <array>
#include <cerrno>
#include <span>
#include <unistd.h>

namespace sanscope {

CommandInput::Outcome CommandInput::next(v1::RecorderCommand& command) {
    if (decoder_.next(command) == MessageDecoder::Outcome::message) return Outcome::command;
    std::array<uint8_t, 4096> room;
    const ssize_t came = ::read(STDIN_FILENO, room.data(), room.size());
    if (came < 0 && (errno == EINTR || errno == EAGAIN)) return Outcome::none_yet;
    if (came <= 0) return Outcome::ended;
    decoder_.add(std::span(room).first(static_cast<size_t>(came)));
    switch (decoder_.next(command)) {
        case MessageDecoder::Outcome::message:
            return Outcome::command;
        case MessageDecoder::Outcome::incomplete:
            return decoder_.left() > longest ? Outcome::ended : Outcome::none_yet;
        default:
            return Outcome::ended;
    }
}

}  // namespace sanscope
