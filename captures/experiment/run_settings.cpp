// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/run_settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <type_traits>
#include <utility>

#include "analyzer/base/congestion_control_name.h"

namespace sanscope::lab {
namespace {

using Settings = RunSettings;

constexpr uint64_t most_request = 1 << 30;  // bytes

template <double Settings::*member, int64_t least, int64_t most>
bool set_number(Settings& settings, std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool within = value >= static_cast<double>(least) && value <= static_cast<double>(most);
    if (error != std::errc() || end != text.data() + text.size() || !within) return false;
    settings.*member = value == 0 ? 0 : value;  // not -0, which would be another text
    return true;
}

template <uint64_t Settings::*member, uint64_t least, uint64_t most>
bool set_count(Settings& settings, std::string_view text) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
    const uint64_t scale = unit.empty() ? 1 : unit == "K" ? 1 << 10 : unit == "M" ? 1 << 20 : 0;
    // Of the product, which is what plain_text() writes: else it would not be taken again.
    if (error != std::errc() || scale == 0 || value > most / scale || value * scale < least) return false;
    settings.*member = value * scale;
    return true;
}

template <auto Settings::*member>
std::string plain_text(const Settings& settings) {
    return fmt::format("{}", settings.*member);
}

template <auto Settings::*member>
double as_number(const Settings& settings) {
    return static_cast<double>(settings.*member);
}

// "32 KiB"; "16 MiB − 512" of what is a block short of it.
std::string size_label(uint64_t bytes) {
    constexpr uint64_t mebi = 1 << 20;
    constexpr uint64_t kibi = 1 << 10;
    constexpr uint64_t block = 512;
    if (bytes > 0 && bytes % mebi == 0) return fmt::format("{} MiB", bytes / mebi);
    if (bytes > mebi && (bytes + block) % mebi == 0)
        return fmt::format("{} MiB − 512", (bytes + block) / mebi);
    if (bytes > 0 && bytes % kibi == 0) return fmt::format("{} KiB", bytes / kibi);
    return fmt::format("{} B", bytes);
}

template <uint64_t Settings::*member>
std::string as_size_label(const Settings& settings) {
    return size_label(settings.*member);
}

template <uint64_t Settings::*member, uint64_t least, uint64_t most>
bool set_blocks(Settings& settings, std::string_view text) {
    constexpr uint64_t block = 512;
    Settings tried = settings;
    if (!set_count<member, least, most>(tried, text) || tried.*member % block != 0) return false;
    settings = std::move(tried);
    return true;
}

// Of an enumeration, the name of each value in its order.
template <auto Settings::*member>
bool set_name(Settings& settings, std::string_view text, std::span<const std::string_view> names) {
    const auto found = std::ranges::find(names, text);
    if (found == names.end()) return false;
    using Value = std::remove_reference_t<decltype(settings.*member)>;
    settings.*member = static_cast<Value>(found - names.begin());
    return true;
}

constexpr std::array<std::string_view, 3> load_names{"iscsi", "socket", "blast"};
constexpr std::array<std::string_view, 3> load_labels{"iSCSI", "plain socket", "UDP blast"};
constexpr std::array<std::string_view, 2> operation_names{"read", "write"};
constexpr std::array<std::string_view, 2> priority_names{"none", "storage"};
constexpr std::array<std::string_view, 4> pattern_names{"sequential", "postmark", "rewrite", "seeks"};

std::string name_in(std::span<const std::string_view> names, auto value) {
    return std::string(names[static_cast<size_t>(value)]);
}

bool set_congestion_control(Settings& settings, std::string_view text) {
    if (!is_congestion_control_name(text)) return false;
    settings.congestion_control = text;
    return true;
}

constexpr uint8_t bit_of(Load load) {
    return static_cast<uint8_t>(1u << static_cast<unsigned>(load));
}
constexpr uint8_t of_iscsi = bit_of(Load::iscsi);
constexpr uint8_t of_tcp = of_iscsi | bit_of(Load::socket);
constexpr uint8_t of_blast = bit_of(Load::blast);
constexpr uint8_t of_all = of_tcp | of_blast;

using Label = std::string (*)(const Settings&);

template <double Settings::*member, int64_t least, int64_t most>
constexpr SettingColumn number_column(std::string_view name, std::string_view heading, Label label,
                                      uint8_t loads) {
    return {name,
            heading,
            plain_text<member>,
            set_number<member, least, most>,
            [] { return fmt::format("a number from {} to {}", least, most); },
            label,
            as_number<member>,
            loads};
}

template <uint64_t Settings::*member, uint64_t least, uint64_t most>
constexpr SettingColumn count_column(std::string_view name, std::string_view heading, Label label,
                                     uint8_t loads) {
    return {name,
            heading,
            plain_text<member>,
            set_count<member, least, most>,
            [] { return fmt::format("a whole number from {} to {}, which may end in K or M", least, most); },
            label,
            as_number<member>,
            loads};
}

double nowhere(const Settings&) {
    return 0;
}

const std::array columns{
    SettingColumn{
        "load", "load", [](const Settings& s) { return name_in(load_names, s.load); },
        [](Settings& s, std::string_view text) { return set_name<&Settings::load>(s, text, load_names); },
        [] { return std::string("iscsi, socket or blast"); },
        [](const Settings& s) { return name_in(load_labels, s.load); }, nowhere, of_all},
    SettingColumn{
        "operation", "operation", [](const Settings& s) { return name_in(operation_names, s.operation); },
        [](Settings& s, std::string_view text) {
            return set_name<&Settings::operation>(s, text, operation_names);
        },
        [] { return std::string("read or write"); },
        [](const Settings& s) { return std::string(s.operation == Operation::read ? "reads" : "writes"); },
        nowhere, of_all},
    number_column<&Settings::delay_ms, 0, 10'000>(
        "delay_ms", "one-way delay, ms", [](const Settings& s) { return fmt::format("{} ms", s.delay_ms); },
        of_all),
    number_column<&Settings::jitter_percent, 0, 100>(
        "jitter_percent", "jitter, % of the delay",
        [](const Settings& s) { return fmt::format("jitter {} %", s.jitter_percent); }, of_all),
    number_column<&Settings::loss_percent, 0, 100>(
        "loss_percent", "loss, %", [](const Settings& s) { return fmt::format("{} % lost", s.loss_percent); },
        of_all),
    number_column<&Settings::rate_mbit, 0, 100'000>(
        "rate_mbit", "link, Mbit/s",
        [](const Settings& s) {
            return s.rate_mbit > 0 ? fmt::format("{} Mbit/s", s.rate_mbit) : "no rate limit";
        },
        of_all),
    count_column<&Settings::queue_frames, 1, 60'000>(
        "queue_frames", "queue, frames",
        [](const Settings& s) { return fmt::format("queue {}", s.queue_frames); }, of_all),
    number_column<&Settings::background_mbit, 0, 100'000>(
        "background_mbit", "other traffic, Mbit/s",
        [](const Settings& s) { return fmt::format("{} Mbit/s of other traffic", s.background_mbit); },
        of_all),
    count_column<&Settings::mtu, 576, 9000>(
        "mtu", "MTU, bytes", [](const Settings& s) { return fmt::format("MTU {}", s.mtu); }, of_all),
    SettingColumn{"congestion_control", "congestion control", plain_text<&Settings::congestion_control>,
                  set_congestion_control,
                  [] { return std::string("a name of 1 to 15 of the characters a–z, 0–9 and _"); },
                  plain_text<&Settings::congestion_control>, nowhere, of_tcp},
    count_column<&Settings::window_bytes, 4096, std::numeric_limits<int32_t>::max()>(
        "window_bytes", "socket buffers at most, bytes",
        [](const Settings& s) { return "buffers " + size_label(s.window_bytes); }, of_tcp),
    count_column<&Settings::pdu_bytes, 512, 16'777'215>("pdu_bytes", "PDU size, bytes",
                                                        as_size_label<&Settings::pdu_bytes>, of_iscsi),
    SettingColumn{"request_bytes", "request size, bytes", plain_text<&Settings::request_bytes>,
                  set_blocks<&Settings::request_bytes, 512, most_request>,
                  [] {
                      return fmt::format(
                          "a multiple of 512 from 512 to {}, which may end in K or M, powers of 1024",
                          most_request);
                  },
                  as_size_label<&Settings::request_bytes>, as_number<&Settings::request_bytes>, of_iscsi},
    count_column<&Settings::queue_depth, 1, 1024>(
        "queue_depth", "queue depth",
        [](const Settings& s) { return fmt::format("depth {}", s.queue_depth); }, of_iscsi),
    count_column<&Settings::connections, 1, 256>(
        "connections", "connections",
        [](const Settings& s) {
            return fmt::format("{} connection{}", s.connections, s.connections == 1 ? "" : "s");
        },
        of_tcp),
    count_column<&Settings::targets, 1, most_targets>(
        "targets", "targets",
        [](const Settings& s) { return fmt::format("{} target{}", s.targets, s.targets == 1 ? "" : "s"); },
        of_iscsi),
    number_column<&Settings::target_latency_us, 0, 60'000'000>(
        "target_latency_us", "latency of the target, µs",
        [](const Settings& s) { return fmt::format("{} µs at the target", s.target_latency_us); }, of_iscsi),
    number_column<&Settings::blast_mbit, 1, 100'000>(
        "blast_mbit", "rate of the blast, Mbit/s",
        [](const Settings& s) { return fmt::format("blast of {} Mbit/s", s.blast_mbit); }, of_blast),
    SettingColumn{"priority", "priority",
                  [](const Settings& s) { return name_in(priority_names, s.priority); },
                  [](Settings& s, std::string_view text) {
                      return set_name<&Settings::priority>(s, text, priority_names);
                  },
                  [] { return std::string("none or storage"); },
                  [](const Settings& s) {
                      return std::string(s.priority == Priority::storage ? "storage first" : "no priority");
                  },
                  nowhere, of_all},
    SettingColumn{"pattern", "pattern of requests",
                  [](const Settings& s) { return name_in(pattern_names, s.pattern); },
                  [](Settings& s, std::string_view text) {
                      return set_name<&Settings::pattern>(s, text, pattern_names);
                  },
                  [] { return std::string("sequential, postmark, rewrite or seeks"); },
                  [](const Settings& s) { return name_in(pattern_names, s.pattern); }, nowhere, of_iscsi},
};

}  // namespace

std::span<const SettingColumn> setting_columns() {
    return columns;
}

const SettingColumn* find_setting(std::string_view name) {
    const auto found = std::ranges::find(columns, name, &SettingColumn::name);
    return found == columns.end() ? nullptr : &*found;
}

std::string settings_text(const RunSettings& settings) {
    std::string text;
    for (const SettingColumn& column : columns) {
        if (&column != columns.data()) text += ',';
        if (column.means_something_to(settings.load)) text += column.text(settings);
    }
    return text;
}

}  // namespace sanscope::lab
