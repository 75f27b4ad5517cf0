// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/remote_limits.h"

#include <utility>

namespace sanscope {
namespace {

// A recorder keeps to bytes and packets exactly, and a file ends with the statistics of its interfaces; time passes on
// the way.
constexpr uint64_t bytes_more = uint64_t{1} << 20;
constexpr double seconds_more = 30;
// One that is longer than a file may be gets one of its own (FileSeries::write).
constexpr uint64_t longest_packet = uint64_t{16} << 20;

}  // namespace

std::optional<std::string> RemoteLimits::broken_by(const Received& received) const {
    const auto& limits = request_.stop_after();
    if (limits.has_seconds() && received.time.count() > limits.seconds() + seconds_more)
        return "goes on for longer than it was asked to";
    if (limits.has_packets() && received.packets > limits.packets())
        return "sends more packets than it was asked for";
    if (limits.has_bytes() && received.bytes > limits.bytes() + bytes_more)
        return "sends more bytes than it was asked for";
    if (limits.has_files() && received.files > limits.files())
        return "begins more files than it was asked for";

    const auto& rotation = request_.rotation();
    const bool rotates = rotation.has_bytes() || rotation.has_packets() || rotation.has_seconds();
    if (!rotates) return std::nullopt;
    if ((rotation.has_bytes() && received.file_bytes > rotation.bytes() + longest_packet) ||
        (rotation.has_packets() && received.file_packets > rotation.packets()))
        return "puts more into a file than it was asked to";
    // As many as are full, or whose time has come; the last one of each kind is not.
    double files = 2;
    if (rotation.has_bytes())
        files += 2 * static_cast<double>(received.bytes) / static_cast<double>(rotation.bytes());
    if (rotation.has_packets())
        files += static_cast<double>(received.packets) / static_cast<double>(rotation.packets());
    if (rotation.has_seconds()) files += (received.time.count() + seconds_more) / rotation.seconds();
    if (received.files > files) return "begins a new file before the last one is full";
    return std::nullopt;
}

}  // namespace sanscope
