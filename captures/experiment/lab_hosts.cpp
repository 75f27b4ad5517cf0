// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/lab_hosts.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>
#include <utility>
#include <vector>

namespace sanscope::lab {
namespace {

constexpr double patience_seconds = 15;
constexpr std::string_view prefix = "sanscope-experiment-";

// Not to be stopped: what is removed is removed after Ctrl-C too.
const std::atomic<bool> never = false;

Result<std::monostate> run(const std::string& host, const std::string& program,
                           std::vector<std::string> arguments, const std::atomic<bool>& stop) {
    const auto done = run_program(host, program, std::move(arguments), patience_seconds, stop);
    if (!done) return done.error();
    return std::monostate{};
}

void remove_namespace(const std::string& name) {
    std::error_code error;
    if (std::filesystem::exists("/run/netns/" + name, error)) run("", "ip", {"netns", "del", name}, never);
}

struct HostThere {
    std::string name;
    pid_t process = 0;  // that made it
};

std::vector<HostThere> hosts_there() {
    std::vector<HostThere> hosts;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/run/netns", error)) {
        std::string name = entry.path().filename().string();
        if (!name.starts_with(prefix)) continue;
        const std::string_view rest = std::string_view(name).substr(prefix.size());
        pid_t process = 0;
        const auto [end, wrong] = std::from_chars(rest.data(), rest.data() + rest.size(), process);
        if (wrong != std::errc() || end == rest.data() + rest.size() || *end != '-') continue;
        HostThere& host = hosts.emplace_back();
        host.name = std::move(name);
        host.process = process;
    }
    return hosts;
}

std::string first_line_of(const char* path) {
    std::string line;
    std::ifstream file(path);
    std::getline(file, line);
    return line;
}

}  // namespace

std::string_view link_name(LinkKind kind) {
    return kind == LinkKind::netem ? "netem" : "delay_node";
}

std::vector<std::string> netem_arguments(const RunSettings& settings, bool towards_initiator) {
    // What waits for the rate and what is on its way are in one queue: its limit has to hold both.
    constexpr double bits = 8;
    constexpr double percent = 100;
    const double jitter_ms = settings.delay_ms * settings.jitter_percent / percent;
    const double on_the_way = settings.rate_mbit * 1e6 / bits * (settings.delay_ms + jitter_ms) / 1e3 /
                              static_cast<double>(std::max<uint64_t>(settings.mtu, 1));
    constexpr uint64_t without_rate = 60'000;
    const uint64_t limit =
        settings.rate_mbit > 0 ? settings.queue_frames + static_cast<uint64_t>(on_the_way) + 1 : without_rate;
    std::vector<std::string> arguments{"netem", "limit", fmt::format("{}", limit), "delay",
                                       fmt::format("{}us", settings.delay_ms * 1e3)};
    if (jitter_ms > 0) arguments.push_back(fmt::format("{}us", jitter_ms * 1e3));
    if (settings.rate_mbit > 0)
        arguments.insert(arguments.end(), {"rate", fmt::format("{}kbit", settings.rate_mbit * 1e3)});
    const bool carries_data = towards_initiator == (settings.operation == Operation::read);
    if (carries_data && settings.loss_percent > 0)
        arguments.insert(arguments.end(), {"loss", fmt::format("{}%", settings.loss_percent)});
    return arguments;
}

// A is the initiator's side, B the target's.
std::vector<std::string> delay_node_arguments(const RunSettings& settings, uint64_t seed) {
    constexpr double percent = 100;
    // Its jitter is added to the delay; that of the settings is around it.
    const double jitter_us = settings.delay_ms * 1e3 * settings.jitter_percent / percent;
    std::vector<std::string> arguments{"node-a",     "node-b",
                                       "--seed",     fmt::format("{}", seed),
                                       "--delay-us", fmt::format("{}", settings.delay_ms * 1e3 - jitter_us)};
    if (jitter_us > 0) arguments.insert(arguments.end(), {"--jitter-us", fmt::format("{}", 2 * jitter_us)});
    if (settings.rate_mbit > 0) {
        arguments.insert(arguments.end(), {"--rate-mbit", fmt::format("{}", settings.rate_mbit), "--queue",
                                           fmt::format("{}", settings.queue_frames)});
    }
    if (settings.loss_percent > 0) {
        arguments.insert(arguments.end(), {settings.operation == Operation::read ? "--ba-loss" : "--ab-loss",
                                           fmt::format("{}", settings.loss_percent / percent)});
    }
    return arguments;
}

// Queues of the length that the link's has, before it: at the link's own rate they are where packets wait. A class that has
// all of the rate for its own leaves the other what it does not use.
std::vector<std::vector<std::string>> priority_arguments(const RunSettings& settings) {
    const std::string interface =
        settings.operation == Operation::read ? LabHosts::target_interface : LabHosts::initiator_interface;
    const std::string rate = fmt::format("{:.0f}bit", settings.rate_mbit * 1e6);
    constexpr uint64_t ethernet_header = 14;
    constexpr double burst_seconds = 0.001;
    constexpr double bits = 8;
    const uint64_t frame = settings.mtu + ethernet_header;
    const auto at_rate = static_cast<uint64_t>(settings.rate_mbit * 1e6 / bits * burst_seconds);
    const std::string burst = fmt::format("{}b", std::max(2 * frame, at_rate));
    const std::string quantum = fmt::format("{}", frame);
    const auto htb_class = [&](const char* parent, const char* id, const std::string& own, const char* prio) {
        return std::vector<std::string>{"class", "add",    "dev",  interface, "parent", parent,    "classid",
                                        id,      "htb",    "rate", own,       "ceil",   rate,      "burst",
                                        burst,   "cburst", burst,  "prio",    prio,     "quantum", quantum};
    };
    const auto queue = [&](const char* parent) {
        return std::vector<std::string>{"qdisc",   "add",    "dev",
                                        interface, "parent", parent,
                                        "pfifo",   "limit",  fmt::format("{}", settings.queue_frames)};
    };
    return {{"qdisc", "add", "dev", interface, "root", "handle", "1:", "htb", "default", "10"},
            htb_class("1:", "1:1", rate, "0"),
            htb_class("1:1", "1:10", rate, "0"),
            htb_class("1:1", "1:20", "8kbit", "1"),
            queue("1:10"),
            queue("1:20"),
            {"filter", "add",      "dev", interface,  "parent",
             "1:",     "protocol", "ip",  "prio",     "1",
             "u32",    "match",    "ip",  "protocol", "17",
             "0xff",   "match",    "ip",  "dport",    fmt::format("{}", LabHosts::background_port),
             "0xffff", "flowid",   "1:20"}};
}

LabHosts::Namespaces::Namespaces() {
    const std::string begin = fmt::format("{}{}-", prefix, ::getpid());
    initiator = begin + "ini";
    middle = begin + "mid";
    target = begin + "tgt";
}

LabHosts::Namespaces::Namespaces(Namespaces&& other) noexcept
    : initiator(std::exchange(other.initiator, {})),
      middle(std::exchange(other.middle, {})),
      target(std::exchange(other.target, {})) {}

LabHosts::Namespaces::~Namespaces() {
    for (const std::string& name : {initiator, middle, target}) {
        if (!name.empty()) remove_namespace(name);
    }
}

Result<LabHosts> LabHosts::build(const RunSettings& settings, LinkKind kind, uint64_t seed,
                                 const std::atomic<bool>& stop) {
    LabHosts hosts;
    if (const auto made = hosts.make_interfaces(settings, stop); !made) return made.error();
    if (const auto set = hosts.set_tcp(settings, stop); !set) return set.error();
    if (const auto set = hosts.set_priority(settings, stop); !set) return set.error();
    if (const auto joined = hosts.join(settings, kind, seed, stop); !joined) return joined.error();
    return hosts;
}

Result<std::monostate> LabHosts::make_interfaces(const RunSettings& settings,
                                                 const std::atomic<bool>& stop) const {
    const auto& [ini, mid, tgt] = namespaces_;
    const std::string mtu = fmt::format("{}", settings.mtu);
    using Arguments = std::vector<std::string>;
    const auto ip = [&](Arguments arguments) { return run("", "ip", std::move(arguments), stop); };
    for (const std::string& name : {ini, mid, tgt}) {
        if (auto added = ip({"netns", "add", name}); !added) return added;
    }
    for (Arguments& arguments : std::vector<Arguments>{
             {"link", "add", "ini0", "netns", ini, "type", "veth", "peer", "name", "node-a", "netns", mid},
             {"link", "add", "tgt0", "netns", tgt, "type", "veth", "peer", "name", "node-b", "netns", mid},
             {"-n", ini, "addr", "add", fmt::format("{}/24", initiator_address), "dev", "ini0"},
             {"-n", tgt, "addr", "add", fmt::format("{}/24", target_address), "dev", "tgt0"}}) {
        if (auto done = ip(std::move(arguments)); !done) return done;
    }
    // Frames pass the link as they are on a wire: no larger ones, and with their checksums.
    for (const auto& [host, interface] :
         {std::pair(ini, "ini0"), {mid, "node-a"}, {mid, "node-b"}, {tgt, "tgt0"}}) {
        if (auto off = run(
                host, "ethtool",
                {"-K", interface, "tso", "off", "gso", "off", "gro", "off", "tx", "off", "rx", "off"}, stop);
            !off)
            return off;
        if (auto up = ip({"-n", host, "link", "set", interface, "mtu", mtu, "up"}); !up) return up;
    }
    return std::monostate{};
}

Result<std::monostate> LabHosts::set_tcp(const RunSettings& settings, const std::atomic<bool>& stop) const {
    // Buffers begin where Linux begins them, and tune themselves up to the window.
    constexpr uint64_t least = 4096;
    constexpr uint64_t first_receive = 131072;
    constexpr uint64_t first_send = 16384;
    const uint64_t most = std::max(settings.window_bytes, least);
    const auto three = [&](const char* name, uint64_t first) {
        return fmt::format("net.ipv4.{}={} {} {}", name, least, std::min(first, most), most);
    };
    for (const std::string& host : {namespaces_.initiator, namespaces_.target}) {
        auto set = run(host, "sysctl",
                       {"-qw", "net.ipv4.tcp_congestion_control=" + settings.congestion_control,
                        three("tcp_rmem", first_receive), three("tcp_wmem", first_send),
                        "net.ipv4.tcp_no_metrics_save=1"},
                       stop);
        if (!set) return set;
    }
    return std::monostate{};
}

Result<std::monostate> LabHosts::set_priority(const RunSettings& settings,
                                              const std::atomic<bool>& stop) const {
    if (settings.priority == Priority::none) return std::monostate{};
    const std::string& host = settings.operation == Operation::read ? target() : initiator();
    for (std::vector<std::string>& arguments : priority_arguments(settings)) {
        arguments.insert(arguments.begin(), {"-n", host});
        if (auto done = run("", "tc", std::move(arguments), stop); !done) return done;
    }
    return std::monostate{};
}

Result<std::monostate> LabHosts::join(const RunSettings& settings, LinkKind kind, uint64_t seed,
                                      const std::atomic<bool>& stop) {
    const std::string& mid = namespaces_.middle;
    if (kind == LinkKind::delay_node) {
        auto started = LabProcess::start(mid, find_helper_program("delay_node", "SANSCOPE_DELAY_NODE"),
                                         delay_node_arguments(settings, seed));
        if (!started) return started.error();
        delay_node_.emplace(std::move(*started));
        return delay_node_->wait(patience_seconds, stop, "ready");
    }
    using Arguments = std::vector<std::string>;
    for (Arguments& arguments :
         std::vector<Arguments>{{"-n", mid, "link", "add", "bridge", "type", "bridge"},
                                {"-n", mid, "link", "set", "node-a", "master", "bridge"},
                                {"-n", mid, "link", "set", "node-b", "master", "bridge"},
                                {"-n", mid, "link", "set", "bridge", "up"}}) {
        if (auto done = run("", "ip", std::move(arguments), stop); !done) return done;
    }
    for (const bool towards_initiator : {true, false}) {
        Arguments arguments{"-n",  mid, "qdisc", "add", "dev", towards_initiator ? "node-a" : "node-b",
                            "root"};
        for (std::string& one : netem_arguments(settings, towards_initiator))
            arguments.push_back(std::move(one));
        if (auto done = run("", "tc", std::move(arguments), stop); !done) return done;
    }
    return std::monostate{};
}

LinkKind find_link_kind(const std::atomic<bool>& stop) {
    const std::string name = fmt::format("{}{}-probe", prefix, ::getpid());
    const bool works =
        run("", "ip", {"netns", "add", name}, stop) &&
        run("", "tc", {"-n", name, "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms"}, stop) &&
        run("", "ip", {"-n", name, "link", "add", "bridge", "type", "bridge"}, stop);
    remove_namespace(name);
    return works ? LinkKind::netem : LinkKind::delay_node;
}

std::string allowed_congestion_controls() {
    return first_line_of("/proc/sys/net/ipv4/tcp_allowed_congestion_control");
}

std::string available_congestion_controls() {
    return first_line_of("/proc/sys/net/ipv4/tcp_available_congestion_control");
}

std::vector<std::string> refused_congestion_controls(std::span<const PlannedRun> runs,
                                                     std::string_view allowed) {
    const std::string words = fmt::format(" {} ", allowed);
    std::vector<std::string> refused;
    for (const PlannedRun& run : runs) {
        const std::string& name = run.settings.congestion_control;
        if (words.find(fmt::format(" {} ", name)) == std::string::npos &&
            std::ranges::find(refused, name) == refused.end()) {
            refused.push_back(name);
        }
    }
    return refused;
}

Result<LinkKind> try_hosts(const RunSettings& settings, const std::atomic<bool>& stop) {
    const LinkKind kind = find_link_kind(stop);
    const auto hosts = LabHosts::build(settings, kind, 1, stop);
    if (!hosts) return Error{fmt::format("hosts cannot be built here: {}", hosts.error().message)};
    return kind;
}

void remove_abandoned_hosts() {
    for (const auto& [name, process] : hosts_there()) {
        if (::kill(process, 0) != 0 && errno == ESRCH) remove_namespace(name);
    }
}

Result<std::monostate> claim_host_names() {
    for (const auto& [name, process] : hosts_there()) {
        if (process != ::getpid()) continue;
        // Of a process that had this one's number before, or has it in another container.
        const auto told = run_program("", "ip", {"netns", "pids", name}, patience_seconds, never);
        std::string inside = told ? *told : "";
        std::ranges::replace(inside, '\n', ' ');
        if (!inside.empty())
            return Error{fmt::format("the network namespace {} is in use by processes {}", name, inside)};
        remove_namespace(name);
    }
    return std::monostate{};
}

std::vector<pid_t> other_experiments() {
    std::vector<pid_t> others;
    for (const auto& [name, process] : hosts_there()) {
        if (process != ::getpid() && std::ranges::find(others, process) == others.end())
            others.push_back(process);
    }
    return others;
}

}  // namespace sanscope::lab
