// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/tcp_arguments.h"

#include <CLI/CLI.hpp>

namespace sanscope {

void TcpArguments::add_to(CLI::App& command) {
    constexpr const char* group = "TCP";
    constexpr uint64_t most = most_socket_buffer;
    const auto add_size = [&](const char* name, uint64_t& size, const char* what) {
        command.add_option(name, size, what)
            ->transform(CLI::AsSizeValue(false))
            ->check(CLI::Range(uint64_t{1}, most))
            ->group(group);
    };
    command
        .add_option("--tcp-congestion", settings_.congestion_control,
                    "TCP's congestion control: cubic, reno, bbr …")
        ->group(group);
    add_size("--receive-buffer", receive_buffer_, "Of each socket: bounds the receive window");
    add_size("--send-buffer", send_buffer_, "Of each socket: bounds what is sent and not acknowledged");
    command
        .add_option("--mss", settings_.maximum_segment_size,
                    "Data of a TCP segment at most, sent or received; TCP options take some of it")
        ->check(CLI::Range(least_maximum_segment_size, most_maximum_segment_size))
        ->group(group);
    add_size("--window-clamp", window_clamp_,
             "The receive window advertised at most: what the other end may have in flight; fixes the "
             "receive buffer, too");
}

TcpSettings TcpArguments::settings() const {
    TcpSettings settings = settings_;
    settings.receive_buffer = static_cast<int>(receive_buffer_);
    settings.send_buffer = static_cast<int>(send_buffer_);
    settings.window_clamp = static_cast<int>(window_clamp_);
    return settings;
}

}  // namespace sanscope
