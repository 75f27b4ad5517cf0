// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/experiment_run.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "captures/experiment/load_outcome.h"
#include "captures/experiment/packet_measures.h"

namespace sanscope::lab {
namespace {

// Beyond the load itself: logging in over a path with losses, the last answer.
constexpr double patience_seconds = 30;
constexpr const char* target_name = "iqn.2026-01.org.sanscope:memory-target";
constexpr std::string_view snapshot_bytes = "128";  // headers of packets and of PDUs at their beginnings

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
};

Result<std::monostate> begin_recording(Recording& recording, const LabHosts& hosts,
                                       const std::filesystem::path& scratch, const std::atomic<bool>& stop) {
    recording.path = scratch / fmt::format("recording-{}.pcapng", ::getpid());
    std::error_code error;
    std::filesystem::remove(recording.path, error);
    auto started =
        LabProcess::start(hosts.target(), own_program(),
                          {"capture", "-q", "-i", LabHosts::target_interface, "-f", "tcp port 3260", "-s",
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

Result<Measurement> iscsi_load(const LabHosts& hosts, const RunSettings& settings, const RunMeans& means,
                               const std::atomic<bool>& stop) {
    std::vector<std::string> arguments{"target",    "--listen", LabHosts::target_address,
                                       "--backing", "null",     "--json"};
    if (settings.target_latency_us > 0)
        arguments.insert(arguments.end(), {"--latency", fmt::format("{}us", settings.target_latency_us)});
    auto target = LabProcess::start(hosts.target(), own_program(), std::move(arguments));
    if (!target) return target.error();
    if (const auto listens = target->wait(patience_seconds, stop, "\"listening\""); !listens)
        return listens.error();

    Recording recording;
    if (means.records_packets) {
        if (const auto begun = begin_recording(recording, hosts, means.scratch, stop); !begun)
            return begun.error();
    }
    const auto told =
        run_program(hosts.initiator(), own_program(),
                    {"generate", "--json", "--quiet", "--pdu-size", fmt::format("{}", settings.pdu_bytes),
                     "--request-size", fmt::format("{}", settings.request_bytes), "--queue-depth",
                     fmt::format("{}", settings.queue_depth), "--connections",
                     fmt::format("{}", settings.connections), "--duration", fmt::format("{}s", means.seconds),
                     fmt::format("iscsi://{}/{}/0", LabHosts::target_address, target_name)},
                    means.seconds + patience_seconds, stop);
    if (!told) return told.error();
    auto measured = parse_generate_outcome(*told);
    if (!measured) return measured.error();
    if (means.records_packets) {
        recording.process->end(SIGINT);
        if (const auto added = add_packet_measures(recording.path.string(), *measured); !added)
            return added.error();
    }
    return measured;
}

Result<Measurement> socket_load(const LabHosts& hosts, const RunSettings& settings, const RunMeans& means,
                                const std::atomic<bool>& stop) {
    auto server = LabProcess::start(hosts.target(), "iperf3", {"--server", "--one-off", "--forceflush"});
    if (!server) return server.error();
    if (const auto listens = server->wait(patience_seconds, stop, "listening"); !listens)
        return listens.error();
    // Its own error is in what it prints, also where it ends with one.
    const int64_t whole_seconds = std::max<int64_t>(1, std::llround(means.seconds));
    const auto told =
        run_program(hosts.initiator(), "iperf3",
                    {"--client", LabHosts::target_address, "--reverse", "--json", "--time",
                     fmt::format("{}", whole_seconds), "--parallel", fmt::format("{}", settings.connections)},
                    means.seconds + patience_seconds, stop);
    if (!told) return told.error();
    return parse_iperf_outcome(*told);
}

bool is_installed(std::string_view program) {
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
    return run.settings.load == Load::socket ? socket_load(*hosts, run.settings, means, stop)
                                             : iscsi_load(*hosts, run.settings, means, stop);
}

std::vector<std::string> missing_programs(const std::vector<RunSettings>& settings) {
    std::vector<std::string> wanted{"ip", "tc", "ethtool", "sysctl", "setpriv"};
    if (std::ranges::find(settings, Load::socket, &RunSettings::load) != settings.end())
        wanted.emplace_back("iperf3");
    std::erase_if(wanted, [](const std::string& program) { return is_installed(program); });
    return wanted;
}

}  // namespace sanscope::lab
