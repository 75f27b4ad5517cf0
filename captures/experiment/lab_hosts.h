// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "captures/experiment/lab_process.h"
#include "captures/experiment/run_plan.h"
#include "captures/experiment/run_settings.h"

#include "analyzer/base/result.h"

namespace sanscope::lab {

// What delays packets between the hosts.
enum class LinkKind : uint8_t { netem, delay_node };
std::string_view link_name(LinkKind kind);

// Two hosts and the link between them, each a network namespace of its own, named after this process. They are removed
// when this goes. Needs root.
class LabHosts {
  public:
    static constexpr const char* initiator_address = "192.0.2.1";  // of TEST-NET-1, RFC 5737
    static constexpr const char* target_address = "192.0.2.2";
    static constexpr const char* initiator_interface = "ini0";
    static constexpr const char* target_interface = "tgt0";
    static constexpr uint16_t background_port = 9;  // discard, RFC 863: of other traffic, over UDP

    // Fresh ones: nothing is remembered of the connections of a run before. An Error says what could not be made.
    static Result<LabHosts> build(const RunSettings& settings, LinkKind kind, uint64_t seed,
                                  const std::atomic<bool>& stop);
    LabHosts(LabHosts&& other) noexcept = default;
    LabHosts& operator=(LabHosts&&) = delete;

    const std::string& initiator() const { return namespaces_.initiator; }
    const std::string& target() const { return namespaces_.target; }

  private:
    struct Namespaces {
        std::string initiator;
        std::string middle;
        std::string target;

        Namespaces();
        Namespaces(Namespaces&& other) noexcept;
        Namespaces& operator=(Namespaces&&) = delete;
        ~Namespaces();
    };

    LabHosts() = default;

    Result<std::monostate> make_interfaces(const RunSettings& settings, const std::atomic<bool>& stop) const;
    Result<std::monostate> set_tcp(const RunSettings& settings, const std::atomic<bool>& stop) const;
    Result<std::monostate> set_priority(const RunSettings& settings, const std::atomic<bool>& stop) const;
    Result<std::monostate> join(const RunSettings& settings, LinkKind kind, uint64_t seed,
                                const std::atomic<bool>& stop);

    // In this order: the link's process ends before its namespace goes.
    Namespaces namespaces_;
    std::optional<LabProcess> delay_node_;
};

// Whether this kernel has netem and a bridge to join interfaces with, found out in a namespace of its own.
LinkKind find_link_kind(const std::atomic<bool>& stop);

// Of the congestion controls of the runs, those that hosts in namespaces may not use, so long as `allowed` is what
// net.ipv4.tcp_allowed_congestion_control of this machine says.
std::vector<std::string> refused_congestion_controls(std::span<const PlannedRun> runs,
                                                     std::string_view allowed);
std::string allowed_congestion_controls();
// What this kernel has now: those that are built in, loaded or registered.
std::string available_congestion_controls();

// Builds hosts for these settings once and removes them: what makes their link. An Error says what cannot be made here.
Result<LinkKind> try_hosts(const RunSettings& settings, const std::atomic<bool>& stop);

// Removes what a process that was killed left behind.
void remove_abandoned_hosts();

// Takes the names that this process gives its hosts. An Error where there is a namespace of that name in which processes
// run.
Result<std::monostate> claim_host_names();

// The processes of other experiments that have hosts now.
std::vector<pid_t> other_experiments();

// As arguments, for tests. Those of priority are several calls of tc, each behind its "-n NAMESPACE": at the interface of the
// host that sends the data, at the rate of the link.
std::vector<std::vector<std::string>> priority_arguments(const RunSettings& settings);
std::vector<std::string> netem_arguments(const RunSettings& settings, bool towards_initiator);
std::vector<std::string> delay_node_arguments(const RunSettings& settings, uint64_t seed);

}  // namespace sanscope::lab
