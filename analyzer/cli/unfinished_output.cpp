// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/unfinished_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include "analyzer/base/utf8.h"
#include "analyzer/export/replacement_file.h"

namespace sanscope {
namespace {

// Made before a signal comes: a handler may not allocate.
std::string last_words;

void end(int signal) {
    if (const char* const name = replacement_on_the_way()) ::unlink(name);
    [[maybe_unused]] const ssize_t told = ::write(STDERR_FILENO, last_words.data(), last_words.size());
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    sigaction(signal, &usual, nullptr);
    raise(signal);
}

}  // namespace

UnfinishedOutput::UnfinishedOutput(const std::string& name) {
    last_words = cleaned_text(fmt::format("sanscope: {}: not written: ended by a signal", name)) + '\n';
    for (size_t i = 0; i < signals.size(); i++) {
        struct sigaction present {};
        if (sigaction(signals[i], nullptr, &present) != 0 || present.sa_handler != SIG_DFL) continue;
        struct sigaction action {};
        action.sa_handler = end;
        taken_[i] = sigaction(signals[i], &action, nullptr) == 0;
    }
}

UnfinishedOutput::~UnfinishedOutput() {
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    for (size_t i = 0; i < signals.size(); i++) {
        if (taken_[i]) sigaction(signals[i], &usual, nullptr);
    }
}

}  // namespace sanscope
