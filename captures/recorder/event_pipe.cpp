// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/event_pipe.h"

#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "analyzer/proto/message_pipe.h"

namespace sanscope {

EventPipe::EventPipe(int descriptor) : descriptor_(descriptor) {
    ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

void EventPipe::send(const v1::RecordingEvent& event) {
    if (reader_gone_ || (event.has_progress() && waiting())) return;
    if (!waiting()) {
        bytes_.clear();
        begin_ = 0;
    }
    // What was written goes once it is the larger part: else a reader that is always a little behind would make it
    // grow.
    if (begin_ > bytes_.size() / 2) {
        bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(begin_));
        begin_ = 0;
    }
    append_message(event, bytes_);
    flush();
}

void EventPipe::flush() {
    while (waiting() && !reader_gone_) {
        const ssize_t written = ::write(descriptor_, bytes_.data() + begin_, bytes_.size() - begin_);
        if (written > 0) {
            begin_ += static_cast<size_t>(written);
        } else if (errno == EAGAIN) {
            return;
        } else if (errno != EINTR) {
            reader_gone_ = true;
        }
    }
}

void EventPipe::finish(int milliseconds) {
    pollfd writable{descriptor_, POLLOUT, 0};
    for (int rounds = milliseconds / 10; waiting() && !reader_gone_ && rounds > 0; --rounds) {
        ::poll(&writable, 1, 10);
        flush();
    }
}

}  // namespace sanscope
