// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/stop_signals.h"

#include <csignal>
#include <initializer_list>
#include <sys/signalfd.h>
#include <unistd.h>

namespace sanscope {

FileDescriptor take_stop_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction action {};
        if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;
        sigaddset(&signals, signal);
    }
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    return FileDescriptor(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

bool stop_signal_came(const FileDescriptor& signals) {
    signalfd_siginfo came{};
    return ::read(signals.get(), &came, sizeof came) == sizeof came;
}

}  // namespace sanscope
