// SPDX-License-Identifier: GPL-3.0-or-later
//
// sanscope-extcap: offers sanscope's recordings to Wireshark as interfaces, through its interface for external capture
// programs.
#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <string>

#include "captures/extcap/extcap_sentences.h"
#include "captures/recorder/recording.h"

#include "analyzer/base/file_descriptor.h"
#include "analyzer/base/print_text.h"
#include "analyzer/base/version_text.h"
#include "analyzer/manual/write_manual.h"

namespace sanscope {
namespace {

enum Exit : int { exit_done = 0, exit_failed = 1, exit_usage = 2 };

std::atomic<bool> stop_asked = false;

struct Options {
    bool interfaces = false;
    bool link_types = false;
    bool config = false;
    bool capture = false;
    std::string wireshark_version;
    std::string interface;
    std::string fifo;
    std::optional<std::string> filter;
    uint32_t snap_length = 0;
    std::string keep = "all";
    bool kernel_truth = true;
    bool promiscuous = true;
    v1::RemoteHost remote;
    std::string remote_interface;
};

Recording::Options recording_options(const Options& options, int output = -1) {
    Recording::Options made{.program = {}, .output_descriptor = output};
    if (!options.remote.host().empty()) made.remote = options.remote;
    return made;
}

Exit failed(const std::string& message) {
    print_text(stderr, "{}\n", message);
    return exit_failed;
}

Exit print_interfaces() {
    const auto list = list_capture_interfaces({});
    print_text(stdout, "{}", extcap_interfaces(list ? *list : v1::InterfaceList(), SANSCOPE_VERSION));
    return list ? exit_done : failed(list.error().message);
}

// Wireshark takes what is printed for what is wrong, and nothing for a filter that is one.
Exit check_filter(const Options& options, const std::string& interface) {
    const auto check = check_capture_filter(*options.filter, interface == "any" ? "" : interface, {});
    if (!check) return failed(check.error().message);
    if (!check->valid()) print_text(stdout, "{}\n", check->message());
    return exit_done;
}

Exit capture(const Options& options, const std::string& interface) {
    struct sigaction action {};
    action.sa_handler = [](int) { stop_asked = true; };
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
    const FileDescriptor fifo(::open(options.fifo.c_str(), O_WRONLY | O_CLOEXEC));
    if (fifo.get() < 0) return failed(fmt::format("{}: {}", options.fifo, std::strerror(errno)));

    v1::RecordingRequest request;
    request.add_interfaces(
        options.remote.host().empty() || options.remote_interface.empty() ? interface : options.remote_interface);
    request.set_filter(options.filter.value_or(""));
    request.set_snap_length(options.snap_length);
    if (options.keep == "headers") request.set_keep(v1::RecordingRequest::HEADERS);
    request.set_promiscuous(options.promiscuous);
    request.set_kernel_truth(options.kernel_truth);
    request.set_to_descriptor_3(true);
    auto recording = Recording::start(request, recording_options(options, fifo.get()));
    if (!recording) return failed(recording.error().message);
    bool begun = false;
    bool fatal = false;
    while ((*recording)->poll(std::chrono::milliseconds(100), [&](const v1::RecordingEvent& event) {
        begun = begun || event.has_started();
        if (event.has_trouble() && event.trouble().kind() != v1::RecordingTrouble::NOTE) {
            print_text(stderr, "{}\n", event.trouble().message());
            fatal = fatal || event.trouble().fatal();
        }
    })) {
        if (stop_asked) (*recording)->stop();
    }
    return begun && !fatal ? exit_done : exit_failed;
}

int run(int argc, char** argv) {
    CLI::App app("sanscope's recordings as interfaces of Wireshark, which starts this", "sanscope-extcap");
    Options options;
    std::string host;
    std::string ssh_command;
    std::string recorder;
    app.add_flag("--extcap-interfaces", options.interfaces, "Print the interfaces there are");
    app.add_option("--extcap-version", options.wireshark_version, "Wireshark's version");
    app.add_option("--extcap-interface", options.interface, "The interface meant");
    app.add_flag("--extcap-dlts", options.link_types, "Print its link type");
    app.add_flag("--extcap-config", options.config, "Print what may be chosen");
    app.add_option("--extcap-capture-filter", options.filter,
                   "With --capture: record what matches; else check it");
    app.add_flag("--capture", options.capture, "Record");
    app.add_option("--fifo", options.fifo, "… into this pipe");
    app.add_option("--snapshot-length", options.snap_length, "Bytes kept of each packet; 0: all");
    app.add_option("--keep", options.keep,
                   "all: whole packets; headers: of iSCSI all but users' data, of others their headers")
        ->check(CLI::IsMember({"all", "headers"}))
        ->capture_default_str();
    app.add_option("--kernel-truth", options.kernel_truth, "Also what the kernel reports of its connections");
    app.add_option("--promiscuous", options.promiscuous, "Also what is for others");
    app.add_option("--ssh", host, "Record what this host sees, through ssh");
    app.add_option("--remote-interface", options.remote_interface, "… on this interface");
    app.add_option("--ssh-command", ssh_command, "… with this in place of ssh");
    app.add_option("--remote-recorder", recorder, "… where sanscope-recorder is this");
    app.footer("sanscope's docs/capture.md says how Wireshark finds it.");
    app.set_version_flag("--version", [] {
        return version_text("sanscope-extcap", {{"CLI11", CLI11_VERSION}});
    });
    add_write_manual(app, {}, {"sanscope", "sanscope-capture"});
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? exit_done : exit_usage;
    }
    options.remote.set_host(host);
    options.remote.set_ssh_command(ssh_command);
    options.remote.set_recorder(recorder);

    if (options.interfaces) return print_interfaces();
    const auto interface = interface_of(options.interface);
    if (!interface) {
        print_text(stderr, "Wireshark starts this program: --extcap-interface names no interface of it\n");
        return exit_usage;
    }
    if (options.link_types) {
        print_text(stdout, "{}", extcap_link_type(*interface));
        return exit_done;
    }
    if (options.config) {
        print_text(stdout, "{}", extcap_options());
        return exit_done;
    }
    if (!options.capture) return options.filter ? check_filter(options, *interface) : exit_usage;
    if (options.fifo.empty()) {
        print_text(stderr, "--capture wants --fifo\n");
        return exit_usage;
    }
    return capture(options, *interface);
}

}  // namespace
}  // namespace sanscope

int main(int argc, char** argv) {
    try {
        return sanscope::run(argc, argv);
    } catch (const std::exception& error) {
        sanscope::print_text(stderr, "{}\n", error.what());
        return sanscope::exit_failed;
    }
}
