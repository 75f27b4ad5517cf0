// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "captures/fair_tcp/fair_tcp_bpf.h"

#include "analyzer/base/result.h"

namespace sanscope {

// The name under which sockets select it, unless said otherwise.
constexpr std::string_view fair_tcp_default_name = "fair";

// What one congestion control has in the kernel.
struct FairTcpEnsemble {
    fair_tcp_key key{};
    fair_tcp_ensemble value{};
};
struct FairTcpStatus {
    std::string name;
    uint32_t map_id = 0;     // the kernel's number of what is registered
    bool registered = true;  // false: new sockets cannot select it; others may still use it
    std::array<uint64_t, FAIR_TCP_COUNTERS> counters{};  // by fair_tcp_counter
    std::vector<FairTcpEnsemble> ensembles;
    std::vector<std::string> selected_for;  // addresses whose connections have it by their route, here
};

// Loads the program, registers it as congestion control `name`, and pins it, so that it stays when this process ends. No
// socket uses it before it selects it. An Error says what is missing: BTF, struct_ops, a right, the BPF file system, or that
// there is one of that name already.
Result<std::monostate> start_fair_tcp(const std::string& name);

bool is_fair_tcp_started(const std::string& name);

// All that are loaded, by name; not what they are selected for.
Result<std::vector<FairTcpStatus>> fair_tcp_status();

// Unregisters what is pinned under that name, and nothing else that may be called so. Connections that use it keep it until they
// are closed. What it was last.
Result<FairTcpStatus> stop_fair_tcp(const std::string& name);

// Whether libbpf and the kernel's verifier say on standard error what they do; they do not to begin with.
void show_libbpf_messages(bool show);

}  // namespace sanscope
