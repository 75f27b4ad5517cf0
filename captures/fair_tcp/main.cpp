// SPDX-License-Identifier: GPL-3.0-or-later
//
// sanscope-fair-tcp: loads Fair-TCP into the kernel, shows it, and unloads it, for `sanscope fair-tcp`, which needs no rights
// then.
#include <algorithm>
#include <bpf/libbpf.h>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <time.h>
#include <utility>
#include <vector>

#include "captures/fair_tcp/congestion_routes.h"
#include "captures/fair_tcp/fair_tcp.h"
#include "captures/fair_tcp/status_text.h"

#include "analyzer/base/congestion_control_name.h"
#include "analyzer/base/file_descriptor.h"
#include "analyzer/base/print_text.h"
#include "analyzer/base/version_text.h"

namespace sanscope {
namespace {

enum Exit : int { exit_done = 0, exit_failed = 1, exit_usage = 2 };

struct Arguments {
    std::string action;
    std::string name{fair_tcp_default_name};
    std::vector<std::string> hosts;  // that it is for: the addresses of each, with commas between them
    bool json = false;
    bool live = false;
    bool verbose = false;
};

std::optional<Arguments> arguments_of(int argc, char** argv) {
    Arguments arguments;
    if (argc < 2) return std::nullopt;
    arguments.action = argv[1];
    for (int i = 2; i < argc; ++i) {
        const std::string_view one = argv[i];
        if (one == "--json") {
            arguments.json = true;
        } else if (one == "--live") {
            arguments.live = true;
        } else if (one == "--verbose") {
            arguments.verbose = true;
        } else if (one == "--name" && i + 1 < argc) {
            arguments.name = argv[++i];
        } else if (one == "--for" && i + 1 < argc) {
            arguments.hosts.emplace_back(argv[++i]);
        } else {
            return std::nullopt;
        }
    }
    if (!is_congestion_control_name(arguments.name)) return std::nullopt;
    return arguments;
}

Exit failed(const Error& error) {
    print_text(stderr, "sanscope: {}\n", error.message);
    return exit_failed;
}

// To which it is selected now.
class SelectedAddresses {
  public:
    explicit SelectedAddresses(std::string name) : name_(std::move(name)) {}

    // By each of a host's addresses that a route leads to: of a name, some may not be reached from here. An Error where it is
    // none of them.
    Result<std::monostate> add_host(std::string_view addresses) {
        std::vector<Error> faults;
        bool any = false;
        for (std::string_view rest = addresses; !rest.empty();) {
            const std::string address(rest.substr(0, rest.find(',')));
            rest.remove_prefix(std::min(rest.size(), address.size() + 1));
            const auto selected = add_congestion_route(address, name_);
            if (!selected) {
                faults.push_back(selected.error());
                continue;
            }
            any = true;
            all_.push_back(address);
            if (*selected == Selected::now) added_.push_back(address);
        }
        if (!any) return faults.empty() ? Error{"a host without an address"} : faults.front();
        std::ranges::move(faults, std::back_inserter(left_out_));
        return std::monostate{};
    }
    void take_back() const {
        for (const std::string& address : added_) {
            if (const auto removed = remove_congestion_route(address, name_); !removed)
                failed(removed.error());
        }
    }
    void print() const {
        for (const Error& fault : left_out_)
            print_text(stderr, "sanscope: not selected: {}\n", fault.message);
        for (const std::string& address : all_) {
            const bool before = std::ranges::find(added_, address) == added_.end();
            print_text(stdout, "{} is selected by every new connection of this host to or from {}: {}\n",
                       name_, address,
                       before ? "its route is there already" : "a route is added, until it is stopped");
        }
    }

  private:
    std::string name_;
    std::vector<std::string> all_;
    std::vector<std::string> added_;
    std::vector<Error> left_out_;
};

// For all hosts, or for none.
Exit start_for(const std::string& name, const std::vector<std::string>& hosts) {
    const bool was_started = is_fair_tcp_started(name);
    if (!was_started) {
        if (const auto started = start_fair_tcp(name); !started) return failed(started.error());
    }
    SelectedAddresses selected(name);
    for (const std::string& host : hosts) {
        const auto added = selected.add_host(host);
        if (added) continue;
        selected.take_back();
        if (!was_started) {
            if (const auto stopped = stop_fair_tcp(name); !stopped) failed(stopped.error());
        }
        return failed(added.error());
    }
    selected.print();
    return exit_done;
}

Exit start(const Arguments& arguments) {
    const std::string& name = arguments.name;
    if (!arguments.hosts.empty()) return start_for(name, arguments.hosts);
    if (const auto started = start_fair_tcp(name); !started) return failed(started.error());
    print_text(stdout,
               "{0} is there for connections that select it:\n"
               "  sanscope generate --tcp-congestion {0} …, sanscope target --tcp-congestion {0}\n"
               "  sanscope fair-tcp start --name {0} --for HOST    for every new connection to HOST\n"
               "  sysctl -w net.ipv4.tcp_congestion_control={0}    for every new connection of this host\n",
               name);
    return exit_done;
}

// Whether a second went by in which nobody asked it to end.
bool second_passed(const sigset_t& ends) {
    constexpr timespec second{1, 0};
    return ::sigtimedwait(&ends, nullptr, &second) < 0;
}

Exit status(const Arguments& arguments) {
    sigset_t ends;
    ::sigemptyset(&ends);
    ::sigaddset(&ends, SIGINT);
    ::sigaddset(&ends, SIGTERM);
    if (arguments.live) ::sigprocmask(SIG_BLOCK, &ends, nullptr);
    do {
        auto all = fair_tcp_status();
        if (!all) return failed(all.error());
        for (FairTcpStatus& one : *all) {
            auto addresses = congestion_routes(one.name);
            if (!addresses) return failed(addresses.error());
            one.selected_for = std::move(*addresses);
        }
        write_text(stdout, arguments.json ? fair_tcp_status_json(*all) : fair_tcp_status_text(*all));
        if (arguments.live && !arguments.json) write_text(stdout, "\n");
        if (std::fflush(stdout) != 0) return exit_failed;
    } while (arguments.live && second_passed(ends));
    return exit_done;
}

Exit stop(const std::string& name) {
    const auto removed = remove_congestion_routes(name);
    if (!removed) return failed(removed.error());
    for (const std::string& address : *removed)
        print_text(stdout, "the route to {} that selected it is removed\n", address);
    const auto stopped = stop_fair_tcp(name);
    if (!stopped) return failed(stopped.error());
    uint64_t connections = 0;
    for (const FairTcpEnsemble& one : stopped->ensembles) connections += one.value.state.members;
    if (connections > 0) {
        print_text(stdout, "{} connections use {} until they are closed; no other can select it\n",
                   connections, name);
    }
    return exit_done;
}

Exit print_version() {
    print_text(stdout, "{}\n", version_text("sanscope-fair-tcp", {{"libbpf", ::libbpf_version_string()}}));
    return exit_done;
}

Exit run(int argc, char** argv) {
    if (!standard_descriptors_are_open()) return exit_usage;
    if (argc == 2 && std::string_view(argv[1]) == "--version") return print_version();
    const auto arguments = arguments_of(argc, argv);
    if (arguments) {
        show_libbpf_messages(arguments->verbose);
        if (arguments->action == "start") return start(*arguments);
        if (arguments->action == "status") return status(*arguments);
        if (arguments->action == "stop") return stop(arguments->name);
    }
    std::fprintf(stderr, "sanscope-fair-tcp is started by sanscope: see sanscope fair-tcp --help\n");
    return exit_usage;
}

}  // namespace
}  // namespace sanscope

int main(int argc, char** argv) {
    try {
        return sanscope::run(argc, argv);
    } catch (const std::exception& error) {
        sanscope::print_text(stderr, "sanscope: {}\n", error.what());
        return sanscope::exit_failed;
    }
}
