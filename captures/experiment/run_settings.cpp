// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/run_settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <limits>

namespace sanscope::lab {
namespace {

using Settings = RunSettings;

template <double Settings::*member>
bool set_number(Settings& settings, std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value <= 1e9))
        return false;
    settings.*member = value;
    return true;
}

template <uint64_t Settings::*member>
bool set_count(Settings& settings, std::string_view text) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
    const uint64_t scale = unit.empty() ? 1 : unit == "K" ? 1 << 10 : unit == "M" ? 1 << 20 : 0;
    // Of the product, which is what plain_text() writes: else it would not be taken again.
    constexpr uint64_t most = std::numeric_limits<uint32_t>::max();
    if (error != std::errc() || scale == 0 || value > most / scale) return false;
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

std::string_view load_name(Load load) {
    return load == Load::iscsi ? "iscsi" : "socket";
}

bool set_load(Settings& settings, std::string_view text) {
    if (text != "iscsi" && text != "socket") return false;
    settings.load = text == "iscsi" ? Load::iscsi : Load::socket;
    return true;
}

// A name that a kernel may know, and nothing that a command line could take for something else.
bool set_congestion_control(Settings& settings, std::string_view text) {
    constexpr size_t longest = 15;  // TCP_CA_NAME_MAX with its zero
    const bool plain = std::ranges::all_of(
        text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
    if (text.empty() || text.size() > longest || !plain) return false;
    settings.congestion_control = text;
    return true;
}

// clang-format off
const std::array columns{
    SettingColumn{"load", "load", [](const Settings& s) { return std::string(load_name(s.load)); }, set_load,
                  [](const Settings& s) { return std::string(s.load == Load::iscsi ? "iSCSI" : "plain socket"); },
                  [](const Settings&) { return 0.0; }, false},
    SettingColumn{"delay_ms", "one-way delay, ms", plain_text<&Settings::delay_ms>, set_number<&Settings::delay_ms>,
                  [](const Settings& s) { return fmt::format("{} ms", s.delay_ms); }, as_number<&Settings::delay_ms>, false},
    SettingColumn{"loss_percent", "loss, %", plain_text<&Settings::loss_percent>, set_number<&Settings::loss_percent>,
                  [](const Settings& s) { return fmt::format("{} % lost", s.loss_percent); },
                  as_number<&Settings::loss_percent>, false},
    SettingColumn{"rate_mbit", "link, Mbit/s", plain_text<&Settings::rate_mbit>, set_number<&Settings::rate_mbit>,
                  [](const Settings& s) { return fmt::format("{} Mbit/s", s.rate_mbit); },
                  as_number<&Settings::rate_mbit>, false},
    SettingColumn{"queue_frames", "queue, frames", plain_text<&Settings::queue_frames>, set_count<&Settings::queue_frames>,
                  [](const Settings& s) { return fmt::format("queue {}", s.queue_frames); },
                  as_number<&Settings::queue_frames>, false},
    SettingColumn{"mtu", "MTU, bytes", plain_text<&Settings::mtu>, set_count<&Settings::mtu>,
                  [](const Settings& s) { return fmt::format("MTU {}", s.mtu); }, as_number<&Settings::mtu>, false},
    SettingColumn{"congestion_control", "congestion control", plain_text<&Settings::congestion_control>,
                  set_congestion_control, plain_text<&Settings::congestion_control>,
                  [](const Settings&) { return 0.0; }, false},
    SettingColumn{"window_bytes", "socket buffers at most, bytes", plain_text<&Settings::window_bytes>,
                  set_count<&Settings::window_bytes>,
                  [](const Settings& s) { return "buffers " + size_label(s.window_bytes); },
                  as_number<&Settings::window_bytes>, false},
    SettingColumn{"pdu_bytes", "PDU size, bytes", plain_text<&Settings::pdu_bytes>, set_count<&Settings::pdu_bytes>,
                  as_size_label<&Settings::pdu_bytes>, as_number<&Settings::pdu_bytes>, true},
    SettingColumn{"request_bytes", "request size, bytes", plain_text<&Settings::request_bytes>,
                  set_count<&Settings::request_bytes>, as_size_label<&Settings::request_bytes>,
                  as_number<&Settings::request_bytes>, true},
    SettingColumn{"queue_depth", "queue depth", plain_text<&Settings::queue_depth>, set_count<&Settings::queue_depth>,
                  [](const Settings& s) { return fmt::format("depth {}", s.queue_depth); },
                  as_number<&Settings::queue_depth>, true},
    SettingColumn{"connections", "connections", plain_text<&Settings::connections>, set_count<&Settings::connections>,
                  [](const Settings& s) { return fmt::format("{} connection{}", s.connections, s.connections == 1 ? "" : "s"); },
                  as_number<&Settings::connections>, false},
    SettingColumn{"target_latency_us", "latency of the target, µs", plain_text<&Settings::target_latency_us>,
                  set_number<&Settings::target_latency_us>,
                  [](const Settings& s) { return fmt::format("{} µs at the target", s.target_latency_us); },
                  as_number<&Settings::target_latency_us>, true},
};
// clang-format on

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
        if (settings.load == Load::iscsi || !column.of_iscsi_only) text += column.text(settings);
    }
    return text;
}

}  // namespace sanscope::lab
