// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/fair_tcp_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "captures/iscsi_peer/initiator/target_url.h"
#include "captures/iscsi_peer/initiator/tcp_socket.h"

#include "analyzer/base/congestion_control_name.h"
#include "analyzer/base/helper_process.h"
#include "analyzer/cli/error_message.h"

namespace sanscope {
namespace {

std::string name_fault(const std::string& name) {
    return is_congestion_control_name(name) ? "" : "want 1 to 15 of a-z, 0-9 and _";
}

// With this program's standard input, output and error. Signals of the terminal are for it alone.
ExitStatus run_helper(const std::vector<std::string>& arguments) {
    const std::string program = find_helper_program("sanscope-fair-tcp", "SANSCOPE_FAIR_TCP");
    std::vector<char*> argument_list{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments)
        argument_list.push_back(const_cast<char*>(argument.c_str()));
    argument_list.push_back(nullptr);
    pid_t process = 0;
    if (const int error =
            ::posix_spawnp(&process, program.c_str(), nullptr, nullptr, argument_list.data(), environ);
        error != 0) {
        print_error(fmt::format("{} cannot be started: {}", program, std::strerror(error)));
        return exit_nothing_analysed;
    }
    std::signal(SIGINT, SIG_IGN);
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status)) return static_cast<ExitStatus>(WEXITSTATUS(status));
    print_error(fmt::format("sanscope-fair-tcp {}", how_process_ended(status)));
    return exit_nothing_analysed;
}

// As numbers, each once, with commas between them: a name may have several.
Result<std::string> addresses_of(const std::string& host) {
    const auto url = read_target_url(host.starts_with("iscsi://") ? host : "iscsi://" + host);
    if (!url) return Error{fmt::format("--for {}: {}", host, url.error().message)};
    const auto found = resolve(url->portal.host, url->portal.port);
    if (!found) return Error{fmt::format("--for {}: {}", host, found.error().message)};
    std::vector<std::string> addresses;
    for (const SocketAddress& one : *found) {
        std::string text = host_text(one);
        if (std::ranges::find(addresses, text) == addresses.end()) addresses.push_back(std::move(text));
    }
    return fmt::format("{}", fmt::join(addresses, ","));
}

}  // namespace

void FairTcpCommand::add_to(CLI::App& app) {
    command_ = app.add_subcommand("fair-tcp",
                                  "Load a congestion control of TCP that shares one window between the "
                                  "connections of two hosts");
    command_->require_subcommand(1);
    start_ = command_->add_subcommand("start", "Load it, for connections that select it");
    status_ = command_->add_subcommand("status", "Ensembles, their connections and windows");
    stop_ =
        command_->add_subcommand("stop", "Let no more connections select it, and unload it with the last");
    for (CLI::App* const one : {start_, stop_}) {
        one->add_option("--name", name_, "What it is called as a congestion control")
            ->check(name_fault)
            ->capture_default_str();
    }
    start_->add_option("--for", hosts_,
                       "iscsi://HOST or HOST: select it for every new connection to or from that host, by a "
                       "route to its address");
    for (CLI::App* const one : {start_, status_, stop_})
        one->add_flag("--verbose", verbose_, "Show what libbpf and the kernel's verifier say");
    status_->add_flag("--json", json_, "A JSON object for each that is loaded, one a line");
    status_->add_flag("--live", live_, "Again each second, until Ctrl-C");
    command_->footer(
        "It needs a right, which only sanscope-fair-tcp has to have: sudo, or\n"
        "cap_bpf, cap_perfmon and cap_net_admin and a BPF file system that it may write to.\n\n"
        "Exit status: 0 done; 1 it could not be; 2 usage.\n\n"
        "Examples:\n"
        "  sudo sanscope fair-tcp start\n"
        "  sudo sanscope fair-tcp start --for iscsi://192.0.2.7\n"
        "  sanscope target --tcp-congestion fair\n"
        "  sanscope generate iscsi://192.0.2.7 --connections 4 --tcp-congestion fair\n"
        "  sudo sanscope fair-tcp status --live\n"
        "  sudo sanscope fair-tcp stop\n");
}

bool FairTcpCommand::chosen() const {
    return command_->parsed();
}

ExitStatus FairTcpCommand::run() const {
    std::vector<std::string> arguments;
    if (status_->parsed()) {
        arguments = {"status"};
        if (json_) arguments.emplace_back("--json");
        if (live_) arguments.emplace_back("--live");
    } else {
        arguments = {start_->parsed() ? "start" : "stop", "--name", name_};
        for (const std::string& host : hosts_) {
            const auto addresses = addresses_of(host);
            if (!addresses) {
                print_error(addresses.error().message);
                return exit_nothing_analysed;
            }
            arguments.insert(arguments.end(), {"--for", *addresses});
        }
    }
    if (verbose_) arguments.emplace_back("--verbose");
    return run_helper(arguments);
}

}  // namespace sanscope
