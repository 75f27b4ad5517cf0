// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the kernel of this host reports its TCP sockets, as lines of comma-separated values on standard output:
//     socket,NUMBER,LOCAL ADDRESS,LOCAL PORT,REMOTE ADDRESS,REMOTE PORT,CONGESTION CONTROL,MSS
//     window,NUMBER,TIME,SND_UNA,SND_NXT,CWND,SSTHRESH,SND_WND,SRTT,RCV_WND,CA STATE
//     transition,NUMBER,TIME,STATE
//     lost,EVENTS
// in the units of analyzer/proto/sanscope/v1/kernel_truth.proto; what is not known is empty. Once it records, it says
// so on standard error ("recording with METHOD"); SIGINT or SIGTERM ends it, with all that was recorded until then.
#include <CLI/CLI.hpp>
#include <arpa/inet.h>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <map>
#include <string>
#include <sys/socket.h>

#include "captures/kernel_truth/kernel_truth_source.h"

namespace {

using sanscope::KernelTruthSource;
using sanscope::v1::KernelTruth;

volatile std::sig_atomic_t stop_requested = 0;

void request_stop(int /*signal*/) {
    stop_requested = 1;
}

std::string address_text(const std::string& bytes) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(bytes.size() == 4 ? AF_INET : AF_INET6, bytes.data(), text.data(), text.size());
    return text.data();
}

template <class Number>
std::string known(bool is_known, Number value) {
    return is_known ? fmt::to_string(value) : std::string();
}

// Windows and transitions of a message stand each in order of time; printed one kind after the other.
void print(const KernelTruth& truth) {
    for (const auto& socket : truth.sockets()) {
        fmt::print("socket,{},{},{},{},{},{},{}\n", socket.socket(), address_text(socket.local_address()),
                   socket.local_port(), address_text(socket.remote_address()), socket.remote_port(),
                   socket.congestion_control(), socket.mss());
    }
    for (const auto& window : truth.windows()) {
        fmt::print(
            "window,{},{},{},{},{},{},{},{},{},{}\n", window.socket(), window.time_ns(),
            known(window.has_snd_una(), window.snd_una()), known(window.has_snd_nxt(), window.snd_nxt()),
            window.cwnd(), known(window.has_ssthresh(), window.ssthresh()),
            known(window.has_snd_wnd(), window.snd_wnd()), window.srtt_us(),
            known(window.has_rcv_wnd(), window.rcv_wnd()), known(window.has_ca_state(), window.ca_state()));
    }
    for (const auto& transition : truth.transitions()) {
        fmt::print("transition,{},{},{}\n", transition.socket(), transition.time_ns(), transition.state());
    }
    if (truth.events_lost() != 0) fmt::print("lost,{}\n", truth.events_lost());
}

// Whether everything could be read.
bool record(KernelTruthSource& source, std::chrono::milliseconds interval, bool discard) {
    KernelTruth truth;
    uint64_t windows = 0;
    uint64_t transitions = 0;
    uint64_t lost = 0;
    const auto take = [&] {
        windows += static_cast<uint64_t>(truth.windows_size());
        transitions += static_cast<uint64_t>(truth.transitions_size());
        lost += truth.events_lost();
        if (!discard) print(truth);
    };
    while (stop_requested == 0) {
        if (const auto failed = source.poll(interval, truth)) {
            fmt::print(stderr, "kernel_truth_dump: {}\n", failed->message);
            return false;
        }
        take();
    }
    do {
        if (const auto failed = source.finish(truth)) {
            fmt::print(stderr, "kernel_truth_dump: {}\n", failed->message);
            return false;
        }
        take();
    } while (!sanscope::is_empty(truth));
    fmt::print(stderr, "{} windows, {} transitions, {} events lost\n", windows, transitions, lost);
    return true;
}

int run(int argc, char** argv) {
    CLI::App app{"Prints what the kernel of this host tells of its TCP sockets"};
    sanscope::KernelTruthOptions options;
    const std::map<std::string, KernelTruth::Method> methods{{"bpf", KernelTruth::METHOD_BPF},
                                                             {"perf", KernelTruth::METHOD_PERF_EVENTS},
                                                             {"inet-diag", KernelTruth::METHOD_INET_DIAG}};
    uint32_t interval_ms = 100;
    uint32_t sample_ms = static_cast<uint32_t>(options.sample_interval.count());
    bool discard = false;
    app.add_option("--method", options.method, "bpf, perf or inet-diag; without it the best that works")
        ->transform(CLI::CheckedTransformer(methods));
    app.add_option("--port", options.ports, "only sockets with this port at one end; may be repeated");
    app.add_option("--network-namespace", options.network_namespace, "only of the namespace with this inode");
    app.add_option("--ring-bytes", options.ring_bytes, "what the kernel keeps until it is read");
    app.add_option("--interval", interval_ms, "milliseconds between readings");
    app.add_option("--sample-interval", sample_ms, "milliseconds between questions to INET_DIAG");
    app.add_flag("--discard", discard, "count only");
    CLI11_PARSE(app, argc, argv);
    options.sample_interval = std::chrono::milliseconds(sample_ms);

    std::signal(SIGINT, request_stop);
    std::signal(SIGTERM, request_stop);
    auto source = KernelTruthSource::open(options);
    if (!source) {
        fmt::print(stderr, "kernel_truth_dump: {}\n", source.error().message);
        return 1;
    }
    if (!(*source)->why_not_better().empty()) {
        fmt::print(stderr, "not better because of {}\n", (*source)->why_not_better());
    }
    fmt::print(stderr, "recording with {}\n", sanscope::method_name((*source)->method()));
    return record(**source, std::chrono::milliseconds(interval_ms), discard) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "kernel_truth_dump: %s\n", error.what());
        return 1;
    }
}
