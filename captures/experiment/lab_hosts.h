// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "captures/experiment/lab_process.h"
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
    static constexpr const char* target_interface = "tgt0";

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
std::vector<std::string> refused_congestion_controls(std::span<const RunSettings> settings,
                                                     std::string_view allowed);
std::string allowed_congestion_controls();

// Removes what a process that was killed left behind.
void remove_abandoned_hosts();

// As arguments, for tests.
std::vector<std::string> netem_arguments(const RunSettings& settings, bool towards_initiator);
std::vector<std::string> delay_node_arguments(const RunSettings& settings, uint64_t seed);

}  // namespace sanscope::lab
