// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

namespace sanscope {

// A load as its user chooses it: what `sanscope generate` is given, but for secrets.
struct LoadSettings {
    enum class Pattern : uint8_t { sequential, random, zipf };
    enum class End : uint8_t { duration, bytes, commands };

    QStringList luns;     // iscsi://HOST[:PORT]/NAME/LUN, without users; requests go over several in stripes
    QString user;         // by which the initiator proves itself (CHAP); empty: it need not
    QString mutual_user;  // … and the target

    uint64_t pdu_bytes = 262144;
    uint64_t request_bytes = 65536;
    int queue_depth = 1;  // of each connection
    int connections = 1;  // of each session
    int sessions = 1;     // with each target
    Pattern pattern = Pattern::sequential;
    int read_percent = 100;
    double rate = 0;  // commands a second; 0: as fast as answers come

    End end = End::duration;
    double seconds = 10;
    uint64_t bytes = uint64_t{1} << 30;
    uint64_t commands = 100'000;

    // Of each connection's TCP, in bytes; 0, or no name: as this host has it.
    QString congestion_control;
    uint64_t receive_buffer = 0;
    uint64_t send_buffer = 0;
    uint64_t maximum_segment_size = 0;
    uint64_t window_clamp = 0;

    bool header_digest = false;
    bool data_digest = false;

    // Not remembered from one load to the next.
    QStringList writable_serials;  // of LUNs that may be written to
    bool really = false;           // … whatever lies on them

    bool record = true;
    bool keep_headers = true;  // and no users' data; else …
    uint32_t snap_length = 0;  // … so many first bytes of each packet; 0: all
    bool kernel_truth = false;

    bool asks_of_tcp() const {
        return !congestion_control.isEmpty() || receive_buffer != 0 || send_buffer != 0 ||
               maximum_segment_size != 0 || window_clamp != 0;
    }
    bool writes() const { return read_percent < 100; }
    bool operator==(const LoadSettings&) const = default;
};

struct LoadSecrets {
    QByteArray initiator;
    QByteArray target;
};

// What is wrong with the settings, of which no load can come, in a sentence; empty: nothing.
QString trouble_with(const LoadSettings& settings);

// For the child process that puts on the load: `generate`, `--events`, … Recording is not among them.
QStringList load_arguments(const LoadSettings& settings);
// What the user would type to have the same, the recording included, for a shell.
QString command_line(const LoadSettings& settings);
// What such a process reads from its standard input: a line each.
QByteArray secret_lines(const LoadSettings& settings, const LoadSecrets& secrets);

// A kind of load, by the fields that make it one.
struct LoadPreset {
    const char* name;  // to be translated in the context LoadPreset
    uint64_t pdu_bytes;
    uint64_t request_bytes;
    int queue_depth;
    LoadSettings::Pattern pattern;
};
const std::vector<LoadPreset>& load_presets();
void apply(const LoadPreset& preset, LoadSettings& settings);
// The one whose fields the settings have; nothing: they are their user's own.
std::optional<size_t> preset_of(const LoadSettings& settings);

// "8K", "1 MiB", "512": powers of 1024. Nothing where it is no size, or none that 64 bits hold.
std::optional<uint64_t> read_size(const QString& text);
// As short as it can be read again.
QString size_text(uint64_t bytes);
// "10", "500ms", "1min": seconds. Nothing where it is no duration above zero.
std::optional<double> read_duration(const QString& text);
QString duration_text(double seconds);

// With users put where a URL has them.
QString url_with_user(const QString& url, const QString& user);

void remember(const LoadSettings& settings);
LoadSettings remembered_load();

}  // namespace sanscope
