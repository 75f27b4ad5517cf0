// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/interrupt_handler.h"

#include <fcntl.h>
#include <unistd.h>

#include "analyzer/ingest/byte_source.h"

namespace sanscope {
namespace {

int nothing_to_read = -1;
InterruptHandler::Endures endured = InterruptHandler::Endures::one;

}  // namespace

InterruptHandler::InterruptHandler(Endures endures) {
    nothing_to_read = open("/dev/null", O_RDONLY | O_CLOEXEC);
    endured = endures;
    struct sigaction action {};
    action.sa_handler = [](int) {
        if (interrupted.exchange(true)) interrupted_twice = true;
        if (endured == Endures::one || interrupted_twice) signal(SIGINT, SIG_DFL);
        end_streams();
        if (nothing_to_read >= 0) dup2(nothing_to_read, STDIN_FILENO);
    };
    sigaction(SIGINT, &action, &before_);
}

InterruptHandler::~InterruptHandler() {
    sigaction(SIGINT, &before_, nullptr);
    if (nothing_to_read >= 0) close(nothing_to_read);
}

}  // namespace sanscope
