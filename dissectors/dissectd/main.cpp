// SPDX-License-Identifier: GPL-3.0-or-later
#include <CLI/CLI.hpp>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include "dissectors/dissectd/confinement.h"
#include "dissectors/dissectd/dissect_server.h"

#include "analyzer/base/version_text.h"

namespace sanscope {
namespace {

struct Pipes {
    int requests;
    int responses;
};

// Plugins and scripts may read and print what they like: standard input and output are no longer the pipes.
Pipes take_pipes() {
    const Pipes pipes{::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)};
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0) {
        ::dup2(nothing, STDIN_FILENO);
        ::close(nothing);
    }
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    return pipes;
}

void limit(__rlimit_resource resource, rlim_t most) {
    rlimit limits{};
    ::getrlimit(resource, &limits);
    limits.rlim_cur = std::min(most, limits.rlim_max);
    ::setrlimit(resource, &limits);
}

int run(int argc, char** argv) {
    CLI::App app(
        "Helper process of sanscope that holds Wireshark's dissectors: requests on standard input, responses "
        "on\nstandard output, as described in sanscope/v1/dissection.proto.",
        "sanscope-dissectd");
    EpanBridge::Options options;
    uint64_t memory_limit = uint64_t{8} << 30;
    app.add_option("--preference", options.preferences, "A Wireshark preference, NAME:VALUE");
    app.add_option_function<std::vector<std::string>>(
        "--decode-as",
        [&options](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
                const auto rule = DecodeAs::parse(text);
                if (!rule) throw CLI::ValidationError("--decode-as", rule.error().message);
                options.decode_as.add(*rule);
            }
        },
        "What TCP connections with a port are, tcp.port==PORT,iscsi or tcp.port==PORT,data");
    app.add_option("--profile", options.profile, "A Wireshark configuration profile");
    app.add_option("--memory-limit", memory_limit, "Address space it may use, bytes")->capture_default_str();
    app.set_version_flag("--version", [] {
        return version_text("sanscope-dissectd",
                            {{"Wireshark", EpanBridge::wireshark_version()}, {"CLI11", CLI11_VERSION}});
    });
    CLI11_PARSE(app, argc, argv);

    std::setlocale(LC_ALL, "");
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGINT, SIG_IGN);  // Ctrl-C is for the program it works for, whose end closes the pipes
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    limit(RLIMIT_CORE, 0);
#ifndef SANSCOPE_ADDRESS_SANITIZER  // which itself reserves terabytes
    limit(RLIMIT_AS, memory_limit);
#endif
    const Pipes pipes = take_pipes();

    options.program_path = argv[0];
    auto bridge = EpanBridge::start(options);
    if (!bridge) {
        std::fprintf(stderr, "%s\n", bridge.error().message.c_str());
        return 2;
    }
    std::vector<std::string> readable = files_of_the_system();
    for (std::string& path : EpanBridge::files_it_reads()) readable.push_back(std::move(path));
    const Confinement confinement = confine(readable);
    const bool served =
        DissectServer(**bridge, pipes.requests, pipes.responses, confinement.not_kept_from).run();
    // Tidying up what the process holds would only take time.
    std::fflush(nullptr);
    std::_Exit(served ? 0 : 1);
}

}  // namespace
}  // namespace sanscope

int main(int argc, char** argv) {
    try {
        return sanscope::run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
