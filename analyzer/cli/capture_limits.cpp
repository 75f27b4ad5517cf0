// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/capture_limits.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string_view>

namespace sanscope {
namespace {

constexpr uint64_t kilobyte = 1000;

struct Condition {
    std::string_view key;
    std::string_view value;
};

Condition split(std::string_view text) {
    const size_t colon = text.find(':');
    if (colon == std::string_view::npos) return {text, {}};
    return {text.substr(0, colon), text.substr(colon + 1)};
}

std::optional<uint64_t> count_in(std::string_view text, uint64_t most) {
    uint64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size() || count == 0 || count > most)
        return std::nullopt;
    return count;
}

std::optional<double> seconds_in(std::string_view text) {
    double seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc() || end != text.data() + text.size() || !(seconds > 0) || !std::isfinite(seconds))
        return std::nullopt;
    return seconds;
}

Error wrong(std::string_view option, std::string_view text) {
    return {fmt::format("{} {}: want duration:SECONDS, filesize:KB, packets:N or files:N, above 0", option,
                        text)};
}

// Sets what a condition says in whichever of the two messages, whose fields have the same names.
template <class Message, class SetFiles>
bool set(Condition condition, Message& message, SetFiles set_files) {
    constexpr uint64_t most = std::numeric_limits<uint64_t>::max() / kilobyte;
    if (condition.key == "duration") {
        const auto seconds = seconds_in(condition.value);
        if (seconds) message.set_seconds(*seconds);
        return seconds.has_value();
    }
    const auto count =
        count_in(condition.value, condition.key == "files" ? std::numeric_limits<uint32_t>::max() : most);
    if (!count) return false;
    if (condition.key == "filesize") {
        message.set_bytes(*count * kilobyte);
    } else if (condition.key == "packets") {
        message.set_packets(*count);
    } else if (condition.key == "files") {
        set_files(static_cast<uint32_t>(*count));
    } else {
        return false;
    }
    return true;
}

}  // namespace

Result<std::monostate> set_limits(const std::vector<std::string>& stop_after,
                                  const std::vector<std::string>& rotate, v1::RecordingRequest& request) {
    auto& rotation = *request.mutable_rotation();
    auto& limits = *request.mutable_stop_after();
    for (const std::string& text : rotate) {
        if (!set(split(text), rotation, [&](uint32_t files) { rotation.set_ring_files(files); }))
            return wrong("-b", text);
    }
    const bool rotates = rotation.has_seconds() || rotation.has_bytes() || rotation.has_packets();
    if (rotation.has_ring_files() && !rotates)
        return Error{"-b files: says how many are kept; when the next begins, another -b must say"};
    for (const std::string& text : stop_after) {
        const Condition condition = split(text);
        const bool of_file = rotates && (condition.key == "filesize" || condition.key == "packets");
        const auto set_files = [&](uint32_t files) { limits.set_files(files); };
        if (!(of_file ? set(condition, rotation, set_files) : set(condition, limits, set_files)))
            return wrong("-a", text);
    }
    return std::monostate{};
}

}  // namespace sanscope
