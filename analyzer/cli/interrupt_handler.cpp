// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/interrupt_handler.h"

#include <fcntl.h>
#include <unistd.h>

namespace sanscope {
namespace {

int nothing_to_read = -1;

}  // namespace

InterruptHandler::InterruptHandler() {
    nothing_to_read = open("/dev/null", O_RDONLY | O_CLOEXEC);
    struct sigaction action {};
    action.sa_handler = [](int) {
        interrupted = true;
        if (nothing_to_read >= 0) dup2(nothing_to_read, STDIN_FILENO);
    };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &before_);
}

InterruptHandler::~InterruptHandler() {
    sigaction(SIGINT, &before_, nullptr);
    if (nothing_to_read >= 0) close(nothing_to_read);
}

}  // namespace sanscope
