// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/recording_request.h"

#include <cmath>
#include <set>
#include <string>
#include <string_view>

namespace sanscope {
namespace {

// The kernel's memory is taken for each.
constexpr int most_interfaces = 64;
constexpr uint32_t usual_buffer_mib = 32;
constexpr uint64_t most_buffers_mib = 8192;

bool is_time(double seconds) {
    return std::isfinite(seconds) && seconds > 0;
}

}  // namespace

std::optional<std::string> fault_of(const v1::RecordingRequest& request) {
    if (request.interfaces().empty()) return "no interface to record from was named";
    if (request.interfaces_size() > most_interfaces)
        return "more than 64 interfaces cannot be recorded at once";
    // Each would have its own buffer, and the file every packet twice.
    std::set<std::string_view> names;
    for (const std::string& name : request.interfaces()) {
        if (!names.insert(name).second) return "the interface " + name + " is named twice";
    }
    const uint64_t buffer = request.buffer_mib() == 0 ? usual_buffer_mib : request.buffer_mib();
    if (buffer * static_cast<uint64_t>(request.interfaces_size()) > most_buffers_mib)
        return "the kernel's buffers of all interfaces may take 8 GiB together";
    if (request.path().empty() && !request.to_descriptor_3() && !request.streamed())
        return "no file to record into was named";
    if (request.keep() != v1::RecordingRequest::ALL && request.keep() != v1::RecordingRequest::HEADERS)
        return "what is to be kept of packets is said in a way this recorder does not know";
    const auto& rotation = request.rotation();
    const auto& limits = request.stop_after();
    if ((rotation.has_seconds() && !is_time(rotation.seconds())) ||
        (limits.has_seconds() && !is_time(limits.seconds())))
        return "a time to record for must be above 0";
    if ((rotation.has_bytes() && rotation.bytes() == 0) ||
        (rotation.has_packets() && rotation.packets() == 0) ||
        (rotation.has_ring_files() && rotation.ring_files() == 0) ||
        (limits.has_bytes() && limits.bytes() == 0) || (limits.has_packets() && limits.packets() == 0) ||
        (limits.has_files() && limits.files() == 0))
        return "a limit of a recording must be above 0";
    return std::nullopt;
}

}  // namespace sanscope
