// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/experiment_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "captures/experiment/load_outcome.h"
#include "captures/experiment/packet_measures.h"
#include "captures/experiment/request_pattern.h"
#include "captures/experiment/result_folder.h"
#include "captures/experiment/window_trace.h"

namespace sanscope::lab {
namespace {

// Beyond the load itself: logging in over a path with losses, the last answer.
constexpr double patience_seconds = 30;
constexpr uint64_t first_port = 3260;
// Only disks of this serial number, which are this run's own, are written to.
constexpr const char* serial_number = "EXPERIMENT";
// Nothing is kept of it: any request fits, and as many of them as are under way.
constexpr const char* disk_size = "64G";
constexpr std::string_view snapshot_bytes = "128";  // headers of packets and of PDUs at their beginnings

// As iperf3 counts them.
double whole_seconds(double seconds) {
    return std::max(1.0, std::round(seconds));
}

std::string own_program() {
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

// Removes the file with itself.
struct Recording {
    std::filesystem::path path;
    std::optional<LabProcess> process;

    Recording() = default;
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;
    ~Recording() {
        process.reset();
        std::error_code error;
        if (!path.empty()) std::filesystem::remove(path, error);
    }

    // Once it has ended.
    Result<std::monostate> keep_as(const std::filesystem::path& name) {
        std::error_code error;
        std::filesystem::rename(path, name, error);
        if (error) return Error{fmt::format("{}: {}", name.string(), error.message())};
        path.clear();
        return std::monostate{};
    }
};

// At the host that sends the data.
Result<std::monostate> begin_recording(Recording& recording, const LabHosts& hosts, Operation operation,
                                       const std::filesystem::path& scratch, const std::atomic<bool>& stop) {
    recording.path = scratch / fmt::format("recording-{}.pcapng", ::getpid());
    std::error_code error;
    std::filesystem::remove(recording.path, error);
    const bool reads = operation == Operation::read;
    auto started = LabProcess::start(
        reads ? hosts.target() : hosts.initiator(), own_program(),
        {"capture", "-q", "-i", reads ? LabHosts::target_interface : LabHosts::initiator_interface, "-f",
         fmt::format("tcp portrange {}-{}", first_port, first_port + most_targets - 1), "-s",
         std::string(snapshot_bytes), "-w", recording.path.string()});
    if (!started) return started.error();
    recording.process.emplace(std::move(*started));
    // The file is there once packets are being taken.
    constexpr double looks_each = 0.05;
    constexpr int looks = 200;
    for (int i = 0; i < looks; ++i) {
        if (std::filesystem::file_size(recording.path, error) > 0 && !error) return std::monostate{};
        const auto ended = recording.process->still_runs(looks_each, stop);
        if (!ended) return ended.error();
    }
    return Error{"the recording did not begin"};
}

std::string target_name(uint64_t number) {
    return fmt::format("iqn.2026-01.org.sanscope:memory-target-{}", number);
}

Result<std::vector<LabProcess>> start_targets(const LabHosts& hosts, const RunSettings& settings,
                                              const std::atomic<bool>& stop) {
    std::vector<LabProcess> targets;
    for (uint64_t i = 0; i < settings.targets; ++i) {
        std::vector<std::string> arguments{"target",
                                           "--listen",
                                           fmt::format("{}:{}", LabHosts::target_address, first_port + i),
                                           "--name",
                                           target_name(i),
                                           "--serial",
                                           serial_number,
                                           "--size",
                                           disk_size,
                                           "--backing",
                                           "null",
                                           "--max-recv-data-segment-length",
                                           fmt::format("{}", settings.pdu_bytes),
                                           "--max-connections",
                                           fmt::format("{}", settings.connections),
                                           "--json"};
        if (settings.target_latency_us > 0)
            arguments.insert(arguments.end(), {"--latency", fmt::format("{}us", settings.target_latency_us)});
        auto target = LabProcess::start(hosts.target(), own_program(), std::move(arguments));
        if (!target) return target.error();
        if (const auto listens = target->wait(patience_seconds, stop, "\"listening\""); !listens)
            return listens.error();
        targets.push_back(std::move(*target));
    }
    return targets;
}

// The file of the requests; it goes with this.
struct RequestList {
    std::filesystem::path path;

    RequestList() = default;
    RequestList(const RequestList&) = delete;
    RequestList& operator=(const RequestList&) = delete;
    ~RequestList() {
        std::error_code error;
        if (!path.empty()) std::filesystem::remove(path, error);
    }
};

// Nothing where the requests are sequential.
Result<std::monostate> write_requests(RequestList& list, Pattern pattern,
                                      const std::filesystem::path& scratch) {
    if (pattern == Pattern::sequential) return std::monostate{};
    list.path = scratch / fmt::format("requests-{}.csv", ::getpid());
    std::ofstream out(list.path, std::ios::binary | std::ios::trunc);
    out << request_list_text(requests_of(pattern));
    out.close();
    if (!out) return Error{fmt::format("{}: cannot be written", list.path.string())};
    return std::monostate{};
}

std::vector<std::string> generate_arguments(const RunSettings& settings, const RequestList& list,
                                            double seconds) {
    std::vector<std::string> arguments{"generate",
                                       "--json",
                                       "--quiet",
                                       "--pdu-size",
                                       fmt::format("{}", settings.pdu_bytes),
                                       "--request-size",
                                       fmt::format("{}", settings.request_bytes),
                                       "--queue-depth",
                                       fmt::format("{}", settings.queue_depth),
                                       "--connections",
                                       fmt::format("{}", settings.connections),
                                       "--duration",
                                       fmt::format("{}s", seconds)};
    if (!list.path.empty()) {
        arguments.insert(arguments.end(), {"--pattern", "trace", "--trace", list.path.string(),
                                           "--allow-writes", serial_number});
    } else if (settings.operation == Operation::write) {
        arguments.insert(arguments.end(), {"--read-percent", "0", "--allow-writes", serial_number});
    }
    for (uint64_t i = 0; i < settings.targets; ++i) {
        arguments.push_back(
            fmt::format("iscsi://{}:{}/{}/0", LabHosts::target_address, first_port + i, target_name(i)));
    }
    return arguments;
}

std::optional<double> processor_seconds(const std::vector<LabProcess>& processes) {
    double all = 0;
    for (const LabProcess& process : processes) {
        const auto one = process.processor_seconds();
        if (!one) return std::nullopt;
        all += *one;
    }
    return all;
}

Result<std::monostate> keep_windows(const RecordedWindows& windows, const std::filesystem::path& path) {
    constexpr int64_t step_ns = 10'000'000;
    if (const auto made = make_folder(path.parent_path()); !made) return made.error();
    const std::filesystem::path unfinished = path.string() + ".new";
    std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
    out << window_trace_csv(sample_windows(windows.changes, windows.begin_ns, windows.end_ns, step_ns));
    out.close();
    std::error_code error;
    if (out) std::filesystem::rename(unfinished, path, error);
    if (out && !error) return std::monostate{};
    std::filesystem::remove(unfinished, error);
    return Error{fmt::format("{}: cannot be written", path.string())};
}

Result<Measurement> iscsi_load(const LabHosts& hosts, const RunSettings& settings, const RunMeans& means,
                               const std::atomic<bool>& stop) {
    RequestList list;
    if (const auto written = write_requests(list, settings.pattern, means.scratch); !written)
        return written.error();
    const auto targets = start_targets(hosts, settings, stop);
    if (!targets) return targets.error();
    Recording recording;
    const bool records = means.records_packets || !means.capture.empty();
    if (records) {
        if (const auto begun = begin_recording(recording, hosts, settings.operation, means.scratch, stop);
            !begun)
            return begun.error();
    }
    const auto before = processor_seconds(*targets);
    const auto began = std::chrono::steady_clock::now();
    const auto told =
        run_program(hosts.initiator(), own_program(), generate_arguments(settings, list, means.seconds),
                    means.seconds + patience_seconds, stop);
    if (!told) return told.error();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    const auto after = processor_seconds(*targets);
    auto measured = parse_generate_outcome(*told);
    if (!measured) return measured.error();
    constexpr double percent = 100;
    if (before && after)
        (*measured)[Measure::target_processor_percent] = percent * (*after - *before) / took.count();
    bool is_whole = true;
    if (records) {
        const auto ended = end_recording(*recording.process);
        if (!ended) return ended.error();
        is_whole = *ended;
    }
    if (means.records_packets && is_whole) {
        const auto windows = add_packet_measures(recording.path.string(), settings.operation, *measured);
        if (!windows) return windows.error();
        if (!means.window_trace.empty()) {
            if (const auto kept = keep_windows(*windows, means.window_trace); !kept) return kept.error();
        }
    }
    if (!means.capture.empty()) {
        if (const auto kept = recording.keep_as(means.capture); !kept) return kept.error();
    }
    return measured;
}

std::string blast_program() {
    return find_helper_program("udp_blast", "SANSCOPE_UDP_BLAST");
}

const std::string& sender_of(const LabHosts& hosts, Operation operation) {
    return operation == Operation::read ? hosts.target() : hosts.initiator();
}

const std::string& receiver_of(const LabHosts& hosts, Operation operation) {
    return operation == Operation::read ? hosts.initiator() : hosts.target();
}

const char* receiving_address(Operation operation) {
    return operation == Operation::read ? LabHosts::initiator_address : LabHosts::target_address;
}

// Other traffic on the data's way, as long as this is there: UDP, which yields to nothing, and which nobody takes.
Result<std::optional<LabProcess>> start_background(const LabHosts& hosts, const RunSettings& settings,
                                                   const std::atomic<bool>& stop) {
    if (settings.background_mbit <= 0) return std::optional<LabProcess>();
    constexpr uint64_t most_payload = 1400;
    constexpr uint64_t headers = 20 + 8;  // of IPv4 and UDP
    auto flood = LabProcess::start(sender_of(hosts, settings.operation), blast_program(),
                                   {"flood", receiving_address(settings.operation), "--port",
                                    fmt::format("{}", LabHosts::background_port), "--rate-mbit",
                                    fmt::format("{}", settings.background_mbit), "--payload",
                                    fmt::format("{}", std::min(most_payload, settings.mtu - headers))});
    if (!flood) return flood.error();
    if (const auto sends = flood->wait(patience_seconds, stop, "sending"); !sends) return sends.error();
    return std::optional<LabProcess>(std::move(*flood));
}

struct SocketPair {
    LabProcess server;
    LabProcess client;
};

// One server and its client over so many parallel sockets.
Result<SocketPair> start_sockets(const LabHosts& hosts, const RunSettings& settings, uint64_t number,
                                 uint64_t sockets, double seconds, const std::atomic<bool>& stop) {
    constexpr uint64_t first_iperf_port = 5201;
    const std::string port = fmt::format("{}", first_iperf_port + number);
    // What it prints reaches us with the first interval: where somebody waits for that, there are intervals.
    auto server = LabProcess::start(hosts.target(), "iperf3",
                                    {"--server", "--one-off", "--forceflush", "--interval",
                                     settings.background_mbit > 0 ? "0.1" : "0", "--port", port});
    if (!server) return server.error();
    if (const auto listens = server->wait(patience_seconds, stop, "listening"); !listens)
        return listens.error();
    std::vector<std::string> arguments{"--client",
                                       LabHosts::target_address,
                                       "--port",
                                       port,
                                       "--json",
                                       "--interval",
                                       fmt::format("{:.1f}", socket_interval_seconds(sockets, seconds)),
                                       "--time",
                                       fmt::format("{:.0f}", whole_seconds(seconds)),
                                       "--parallel",
                                       fmt::format("{}", sockets)};
    if (settings.operation == Operation::read) arguments.emplace_back("--reverse");
    auto client = LabProcess::start(hosts.initiator(), "iperf3", std::move(arguments));
    if (!client) return client.error();
    return SocketPair{std::move(*server), std::move(*client)};
}

// Other traffic, which leaves nothing to others, is to end once all that is measured has been: what the two ends of a load
// tell each other then may be lost over and over beside it.
Result<std::monostate> end_background(std::vector<SocketPair>& pairs, const RunSettings& settings,
                                      double seconds, std::optional<LabProcess>& background,
                                      const std::atomic<bool>& stop) {
    if (!background) return std::monostate{};
    for (SocketPair& pair : pairs) {
        if (const auto runs = pair.server.wait(patience_seconds, stop, "connected to"); !runs)
            return runs.error();
    }
    constexpr double settling_seconds = 1;
    constexpr double round_trips = 4;
    const double settling = settling_seconds + round_trips * 2 * settings.delay_ms / 1e3;
    const auto ended = pairs.back().client.ends_within(whole_seconds(seconds) + settling, stop);
    if (!ended) return ended.error();
    background.reset();
    return std::monostate{};
}

Result<Measurement> socket_load(const LabHosts& hosts, const RunSettings& settings, const RunMeans& means,
                                std::optional<LabProcess>& background, const std::atomic<bool>& stop) {
    constexpr uint64_t most_of_one_iperf = 128;
    std::vector<SocketPair> pairs;
    for (uint64_t left = settings.connections; left > 0;) {
        const uint64_t sockets = std::min(left, most_of_one_iperf);
        left -= sockets;
        auto started = start_sockets(hosts, settings, pairs.size(), sockets, means.seconds, stop);
        if (!started) return started.error();
        pairs.push_back(std::move(*started));
    }
    if (const auto alone = end_background(pairs, settings, means.seconds, background, stop); !alone)
        return alone.error();
    std::vector<std::string> told;
    for (SocketPair& pair : pairs) {
        // Its own error is in what it prints, also where it ends with one.
        if (const auto ended = pair.client.wait(means.seconds + patience_seconds, stop); !ended)
            return ended.error();
        told.push_back(pair.client.output());
    }
    return parse_iperf_outcomes(told);
}

Result<Measurement> blast_load(const LabHosts& hosts, const RunSettings& settings, const RunMeans& means,
                               const std::atomic<bool>& stop) {
    constexpr const char* port = "5600";
    constexpr uint64_t headers = 20 + 8;  // of IPv4 and UDP
    // Beyond the time that all of it once takes: what a link below its rate drops is sent again, and again dropped in part.
    const double patience = 4 * means.seconds + patience_seconds;
    auto receiver = LabProcess::start(receiver_of(hosts, settings.operation), blast_program(),
                                      {"receive", receiving_address(settings.operation), "--port", port});
    if (!receiver) return receiver.error();
    if (const auto listens = receiver->wait(patience_seconds, stop, "listening"); !listens)
        return listens.error();
    const auto sent =
        run_program(sender_of(hosts, settings.operation), blast_program(),
                    {"send", receiving_address(settings.operation), "--port", port, "--rate-mbit",
                     fmt::format("{}", settings.blast_mbit), "--seconds", fmt::format("{}", means.seconds),
                     "--payload", fmt::format("{}", settings.mtu - headers)},
                    patience, stop);
    if (!sent) return sent.error();
    if (const auto ended = receiver->wait(patience_seconds, stop); !ended) return ended.error();
    return parse_blast_outcome(*sent, receiver->output(), settings.operation);
}

bool is_installed(const std::string& program) {
    if (program.find('/') != std::string::npos) return ::access(program.c_str(), X_OK) == 0;
    const char* const path = std::getenv("PATH");
    std::string_view folders = path == nullptr ? "" : path;
    while (!folders.empty()) {
        const std::string_view folder = folders.substr(0, folders.find(':'));
        if (::access(fmt::format("{}/{}", folder, program).c_str(), X_OK) == 0) return true;
        folders.remove_prefix(std::min(folder.size() + 1, folders.size()));
    }
    return false;
}

}  // namespace

Result<Measurement> make_run(const PlannedRun& run, const RunMeans& means, const std::atomic<bool>& stop) {
    // Each repetition meets other losses.
    auto hosts = LabHosts::build(run.settings, means.link, run.repetition, stop);
    if (!hosts) return hosts.error();
    auto background = start_background(*hosts, run.settings, stop);
    if (!background) return background.error();
    switch (run.settings.load) {
        case Load::socket:
            return socket_load(*hosts, run.settings, means, *background, stop);
        case Load::blast:
            return blast_load(*hosts, run.settings, means, stop);
        case Load::iscsi:
            break;
    }
    return iscsi_load(*hosts, run.settings, means, stop);
}

double socket_interval_seconds(uint64_t sockets, double seconds) {
    constexpr double shortest = 0.1;
    constexpr double steps = 10;  // of a second
    // Of some 400 bytes each.
    constexpr double most_told = 30'000;
    return std::max(shortest, std::ceil(steps * static_cast<double>(sockets) * seconds / most_told) / steps);
}

Result<bool> end_recording(LabProcess& recorder) {
    constexpr int lacks_packets = 3;
    // What it holds has to be written.
    constexpr std::chrono::seconds patience{30};
    recorder.end(SIGINT, patience);
    const auto status = recorder.exit_status();
    if (status == 0) return true;
    // Of packets that were dropped alone it says nothing else.
    if (status == lacks_packets && recorder.errors().empty()) return false;
    return Error{"the recording: " + recorder.failure().message};
}

std::vector<std::string> missing_programs(const std::vector<RunSettings>& settings) {
    const auto any = [&](auto what) { return std::ranges::any_of(settings, what); };
    std::vector<std::string> wanted{"ip", "tc", "ethtool", "sysctl", "setpriv"};
    if (any([](const RunSettings& one) { return one.load == Load::socket; })) wanted.emplace_back("iperf3");
    if (any([](const RunSettings& one) { return one.load == Load::blast || one.background_mbit > 0; }))
        wanted.push_back(blast_program());
    std::erase_if(wanted, [](const std::string& program) { return is_installed(program); });
    return wanted;
}

}  // namespace sanscope::lab
