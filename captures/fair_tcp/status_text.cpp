// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/fair_tcp/status_text.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sanscope {
namespace {

struct CounterName {
    const char* text;
    const char* json;
};
constexpr std::array<CounterName, FAIR_TCP_COUNTERS> counter_names{{
    {"joined", "joined"},
    {"left", "left"},
    {"joined anew", "rejoined"},
    {"without an ensemble", "alone"},
    {"window reductions", "reductions"},
    {"timeouts", "timeouts"},
    {"undone", "undone"},
    {"resumed", "resumed"},
    {"counts of an ensemble", "repaired_counts"},
    {"windows of an ensemble", "repaired_windows"},
    {"thresholds of an ensemble", "repaired_thresholds"},
    {"values of a member", "repaired_members"},
    {"windows of a socket", "repaired_socket_windows"},
    {"thresholds of a socket", "repaired_socket_thresholds"},
}};

std::string listed(const FairTcpStatus& status, size_t from, size_t to, bool zeros) {
    std::string text;
    for (size_t i = from; i < to; ++i) {
        const uint64_t value = status.counters.at(i);
        if (value == 0 && !zeros) continue;
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", value, counter_names.at(i).text);
    }
    return text;
}

std::string milliseconds(uint32_t microseconds) {
    return microseconds == 0 ? "-" : fmt::format("{:.3f}", microseconds / 1000.0);
}

std::string row(const FairTcpEnsemble& one) {
    const ensemble& state = one.value.state;
    const bool infinite = state.ssthresh >= ENSEMBLE_INFINITE_SSTHRESH;
    return fmt::format("  {:<24} {:<24} {:>11} {:>7} {:>7} {:>7.1f} {:>8} {:>10}\n",
                       fair_tcp_address(one.key.local_address), fair_tcp_address(one.key.remote_address),
                       state.members, state.counted, state.window,
                       state.window / static_cast<double>(std::max(state.counted, 1u)),
                       infinite ? "-" : std::to_string(state.ssthresh), milliseconds(state.srtt_us));
}

std::string section(const FairTcpStatus& status) {
    std::string text =
        fmt::format("{}: {}; {} ensemble{}; {}\n", status.name,
                    status.registered ? fmt::format("registered (map {})", status.map_id) : "not registered",
                    status.ensembles.size(), status.ensembles.size() == 1 ? "" : "s",
                    listed(status, 0, FAIR_TCP_REPAIRED, true));
    const std::string repaired = listed(status, FAIR_TCP_REPAIRED, FAIR_TCP_COUNTERS, false);
    text += fmt::format("  repaired: {}\n", repaired.empty() ? "nothing" : repaired);
    if (!status.selected_for.empty())
        text += fmt::format("  selected for {}\n", fmt::join(status.selected_for, ", "));
    if (status.ensembles.empty()) return text;
    text += fmt::format("  {:<24} {:<24} {:>11} {:>7} {:>7} {:>7} {:>8} {:>10}\n", "local", "remote",
                        "connections", "active", "window", "share", "ssthresh", "RTT ms");
    for (const FairTcpEnsemble& one : status.ensembles) text += row(one);
    return text;
}

std::string json(const FairTcpEnsemble& one) {
    const ensemble& state = one.value.state;
    std::string text = fmt::format(
        R"({{"network_namespace":{},"local":"{}","remote":"{}","connections":{},"active":{},"window":{})",
        one.key.network_namespace, fair_tcp_address(one.key.local_address),
        fair_tcp_address(one.key.remote_address), state.members, state.counted, state.window);
    if (state.ssthresh < ENSEMBLE_INFINITE_SSTHRESH) text += fmt::format(R"(,"ssthresh":{})", state.ssthresh);
    if (state.srtt_us != 0)
        text += fmt::format(R"(,"srtt_us":{},"rttvar_us":{})", state.srtt_us, state.rttvar_us);
    return text + "}";
}

}  // namespace

std::string fair_tcp_address(const uint32_t (&words)[4]) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    const bool mapped = words[0] == 0 && words[1] == 0 && words[2] == htonl(0xffff);
    const void* const address = mapped ? &words[3] : &words[0];
    ::inet_ntop(mapped ? AF_INET : AF_INET6, address, text.data(), text.size());
    return text.data();
}

std::string fair_tcp_status_text(const std::vector<FairTcpStatus>& all) {
    if (all.empty()) return "not started\n";
    std::string text;
    for (const FairTcpStatus& status : all) text += section(status);
    return text;
}

std::string fair_tcp_status_json(const std::vector<FairTcpStatus>& all) {
    std::string text;
    for (const FairTcpStatus& status : all) {
        text += fmt::format(R"({{"name":"{}","registered":{},"map":{},"counters":{{)", status.name,
                            status.registered, status.map_id);
        for (size_t i = 0; i < status.counters.size(); ++i) {
            text += fmt::format(R"({}"{}":{})", i == 0 ? "" : ",", counter_names.at(i).json,
                                status.counters.at(i));
        }
        text += R"(},"selected_for":[)";
        for (size_t i = 0; i < status.selected_for.size(); ++i)
            text += fmt::format(R"({}"{}")", i == 0 ? "" : ",", status.selected_for[i]);
        text += R"(],"ensembles":[)";
        for (size_t i = 0; i < status.ensembles.size(); ++i)
            text += (i == 0 ? "" : ",") + json(status.ensembles[i]);
        text += "]}\n";
    }
    return text;
}

}  // namespace sanscope
