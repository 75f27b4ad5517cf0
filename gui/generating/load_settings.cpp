// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/generating/load_settings.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QSettings>
#include <QUrl>
#include <cmath>

#include "captures/iscsi_peer/tcp_settings.h"

namespace sanscope {
namespace {

constexpr uint64_t kib = 1024;
constexpr uint64_t mib = kib * kib;
constexpr uint64_t least_pdu = 512;
constexpr uint64_t most_pdu = 16 * mib;  // one byte less is what a PDU holds; sanscope generate makes it so
constexpr uint64_t most_request = 2048 * mib;
constexpr double longest_seconds = 365.0 * 24 * 3600;

QString tr(const char* text) {
    return QCoreApplication::translate("LoadSettings", text);
}

struct PatternName {
    LoadSettings::Pattern pattern;
    const char* name;
};
constexpr PatternName patterns[] = {{LoadSettings::Pattern::sequential, "sequential"},
                                    {LoadSettings::Pattern::random, "random"},
                                    {LoadSettings::Pattern::zipf, "zipf"}};

QString pattern_name(LoadSettings::Pattern pattern) {
    return QString::fromLatin1(patterns[static_cast<size_t>(pattern)].name);
}

QString number(double value) {
    constexpr int digits = 12;
    return QString::number(value, 'g', digits);
}

bool is_plain(QChar c) {
    static const QString others = QStringLiteral("@%_+=:,./-");
    return (c >= u'a' && c <= u'z') || (c >= u'A' && c <= u'Z') || (c >= u'0' && c <= u'9') ||
           others.contains(c);
}

// Names of targets come from outside: whatever is in them, the shell takes it as one word.
QString quoted(const QString& word) {
    if (!word.isEmpty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
    QString inside = word;
    inside.replace(u'\'', QStringLiteral("'\\''"));
    return u'\'' + inside + u'\'';
}

// Of both: what the load is, and how it ends.
QStringList common_arguments(const LoadSettings& settings) {
    QStringList arguments{QStringLiteral("--pdu-size"),     size_text(settings.pdu_bytes),
                          QStringLiteral("--request-size"), size_text(settings.request_bytes),
                          QStringLiteral("--queue-depth"),  QString::number(settings.queue_depth),
                          QStringLiteral("--pattern"),      pattern_name(settings.pattern)};
    const auto add = [&](bool wanted, const char* option, const QString& value) {
        if (wanted) arguments << QString::fromLatin1(option) << value;
    };
    add(settings.connections != 1, "--connections", QString::number(settings.connections));
    add(settings.sessions != 1, "--sessions", QString::number(settings.sessions));
    add(settings.rate > 0, "--rate", number(settings.rate));
    add(settings.writes(), "--read-percent", QString::number(settings.read_percent));
    if (settings.writes()) {
        for (const QString& serial : settings.writable_serials) add(true, "--allow-writes", serial);
        if (settings.really) arguments << QStringLiteral("--really");
    }
    add(settings.end == LoadSettings::End::duration, "--duration", duration_text(settings.seconds));
    add(settings.end == LoadSettings::End::bytes, "--bytes", size_text(settings.bytes));
    add(settings.end == LoadSettings::End::commands, "--commands", QString::number(settings.commands));
    add(!settings.congestion_control.isEmpty(), "--tcp-congestion", settings.congestion_control);
    const auto add_size = [&](const char* option, uint64_t bytes) {
        add(bytes != 0, option, size_text(bytes));
    };
    add_size("--receive-buffer", settings.receive_buffer);
    add_size("--send-buffer", settings.send_buffer);
    add(settings.maximum_segment_size != 0, "--mss", QString::number(settings.maximum_segment_size));
    add_size("--window-clamp", settings.window_clamp);
    const QString crc = QStringLiteral("CRC32C");
    add(settings.header_digest, "--header-digest", crc);
    add(settings.data_digest, "--data-digest", crc);
    add(!settings.user.isEmpty() && !settings.mutual_user.isEmpty(), "--mutual-user", settings.mutual_user);
    return arguments;
}

QStringList urls(const LoadSettings& settings) {
    QStringList all;
    for (const QString& lun : settings.luns) all << url_with_user(lun, settings.user);
    return all;
}

bool fits(const LoadSettings& settings, const LoadPreset& preset) {
    LoadSettings as_preset = settings;
    apply(preset, as_preset);
    return as_preset == settings;
}

}  // namespace

QString trouble_with(const LoadSettings& settings) {
    if (settings.luns.isEmpty()) return tr("Which LUN? Discover lists what is there.");
    if (settings.pdu_bytes < least_pdu || settings.pdu_bytes > most_pdu)
        return tr("A PDU has 512 bytes to 16 MiB of data.");
    if (settings.request_bytes == 0 || settings.request_bytes > most_request)
        return tr("A request has one block to 2 GiB of data.");
    if (settings.end == LoadSettings::End::duration &&
        !(settings.seconds > 0 && settings.seconds <= longest_seconds))
        return tr("A load lasts a year at most.");
    if ((settings.end == LoadSettings::End::bytes && settings.bytes == 0) ||
        (settings.end == LoadSettings::End::commands && settings.commands == 0))
        return tr("A load has one command at least.");
    static const QRegularExpression no_algorithm(QStringLiteral("[^A-Za-z0-9_-]"));
    if (settings.congestion_control.contains(no_algorithm))
        return tr("Congestion control is a name such as cubic, reno or bbr.");
    for (const uint64_t bytes : {settings.receive_buffer, settings.send_buffer, settings.window_clamp}) {
        if (bytes > most_socket_buffer) return tr("A buffer or a window of TCP has less than 1 GiB.");
    }
    if (settings.maximum_segment_size != 0 && (settings.maximum_segment_size < least_maximum_segment_size ||
                                               settings.maximum_segment_size > most_maximum_segment_size)) {
        return tr("A TCP segment has %1 to %2 bytes of data.")
            .arg(least_maximum_segment_size)
            .arg(most_maximum_segment_size);
    }
    if (settings.user.isEmpty() && !settings.mutual_user.isEmpty())
        return tr("A target proves itself only to an initiator that does, too: with a user and a secret.");
    if (settings.writes() && settings.writable_serials.isEmpty())
        return tr("Writes destroy what is on a LUN: type its serial number to allow them.");
    return {};
}

QStringList load_arguments(const LoadSettings& settings) {
    QStringList arguments{QStringLiteral("generate"), QStringLiteral("--events")};
    arguments += common_arguments(settings);
    if (!settings.user.isEmpty()) {
        arguments << QStringLiteral("--secret-file") << QStringLiteral("-");
        if (!settings.mutual_user.isEmpty())
            arguments << QStringLiteral("--mutual-secret-file") << QStringLiteral("-");
    }
    return arguments << QStringLiteral("--") << urls(settings);
}

QString command_line(const LoadSettings& settings) {
    QStringList words{QStringLiteral("sanscope"), QStringLiteral("generate")};
    words += common_arguments(settings);
    if (settings.record) {
        words << QStringLiteral("--capture") << QStringLiteral("load.pcapng");
        if (!settings.keep_headers && settings.snap_length == 0)
            words << QStringLiteral("--keep") << QStringLiteral("all");
        if (!settings.keep_headers && settings.snap_length != 0)
            words << QStringLiteral("--snapshot-length") << QString::number(settings.snap_length);
        if (settings.kernel_truth) words << QStringLiteral("--kernel-truth");
    }
    words += urls(settings);
    for (QString& word : words) word = quoted(word);
    return words.join(u' ');
}

QByteArray secret_lines(const LoadSettings& settings, const LoadSecrets& secrets) {
    if (settings.user.isEmpty()) return {};
    QByteArray lines = secrets.initiator + '\n';
    if (!settings.mutual_user.isEmpty()) lines += secrets.target + '\n';
    return lines;
}

const std::vector<LoadPreset>& load_presets() {
    using Pattern = LoadSettings::Pattern;
    static const std::vector<LoadPreset> presets = {
        {QT_TRANSLATE_NOOP("LoadPreset", "Founding paper, PDUs of 32 KiB"), 32 * kib, 32 * kib, 1,
         Pattern::sequential},
        {QT_TRANSLATE_NOOP("LoadPreset", "Founding paper, PDUs of 1 MiB"), mib, mib, 1, Pattern::sequential},
        {QT_TRANSLATE_NOOP("LoadPreset", "Database 8K"), 256 * kib, 8 * kib, 32, Pattern::random},
        {QT_TRANSLATE_NOOP("LoadPreset", "Backup 1M"), mib, mib, 4, Pattern::sequential},
    };
    return presets;
}

void apply(const LoadPreset& preset, LoadSettings& settings) {
    settings.pdu_bytes = preset.pdu_bytes;
    settings.request_bytes = preset.request_bytes;
    settings.queue_depth = preset.queue_depth;
    settings.pattern = preset.pattern;
    settings.connections = 1;
    settings.sessions = 1;
    settings.read_percent = 100;
    settings.rate = 0;
}

std::optional<size_t> preset_of(const LoadSettings& settings) {
    const auto& presets = load_presets();
    for (size_t i = 0; i < presets.size(); ++i) {
        if (fits(settings, presets[i])) return i;
    }
    return std::nullopt;
}

std::optional<uint64_t> read_size(const QString& text) {
    static const QRegularExpression form(QStringLiteral("^([0-9]{1,19})\\s*([KMGT]?)(?:i?B)?$"),
                                         QRegularExpression::CaseInsensitiveOption);
    const auto match = form.match(text.trimmed());
    if (!match.hasMatch()) return std::nullopt;
    uint64_t bytes = match.captured(1).toULongLong();
    const QString unit = match.captured(2).toUpper();
    const auto powers = unit.isEmpty() ? 0 : QStringLiteral("KMGT").indexOf(unit) + 1;
    for (qsizetype i = 0; i < powers; ++i) {
        if (bytes > UINT64_MAX / kib) return std::nullopt;
        bytes *= kib;
    }
    return bytes;
}

QString size_text(uint64_t bytes) {
    static const QString units = QStringLiteral("KMG");
    qsizetype power = 0;
    while (bytes > 0 && bytes % kib == 0 && power < units.size()) {
        bytes /= kib;
        ++power;
    }
    return QString::number(bytes) + (power == 0 ? QString() : QString(units[power - 1]));
}

std::optional<double> read_duration(const QString& text) {
    static const QRegularExpression form(
        QStringLiteral("^([0-9]{1,9}(?:\\.[0-9]{1,9})?)\\s*(us|ms|s|min|h)?$"));
    const auto match = form.match(text.trimmed());
    if (!match.hasMatch()) return std::nullopt;
    const QString unit = match.captured(2);
    const double size = unit == u"us"    ? 1e-6
                        : unit == u"ms"  ? 1e-3
                        : unit == u"min" ? 60
                        : unit == u"h"   ? 3600
                                         : 1;
    const double seconds = match.captured(1).toDouble() * size;
    if (!(seconds > 0)) return std::nullopt;
    return seconds;
}

QString duration_text(double seconds) {
    constexpr double hour = 3600;
    constexpr double minute = 60;
    if (seconds >= hour && std::fmod(seconds, hour) == 0) return number(seconds / hour) + u'h';
    if (seconds >= minute && std::fmod(seconds, minute) == 0)
        return number(seconds / minute) + QStringLiteral("min");
    if (seconds < 1e-3) return number(seconds * 1e6) + QStringLiteral("us");
    if (seconds < 1) return number(seconds * 1e3) + QStringLiteral("ms");
    return number(seconds) + u's';
}

QString url_with_user(const QString& url, const QString& user) {
    const QString scheme = QStringLiteral("iscsi://");
    if (user.isEmpty() || !url.startsWith(scheme)) return url;
    return scheme + QString::fromLatin1(QUrl::toPercentEncoding(user)) + u'@' + url.mid(scheme.size());
}

void remember(const LoadSettings& settings) {
    QSettings store;
    store.beginGroup(QStringLiteral("generating"));
    const auto set = [&](const char* name, const QVariant& value) {
        store.setValue(QString::fromLatin1(name), value);
    };
    set("luns", settings.luns);
    set("user", settings.user);
    set("mutual_user", settings.mutual_user);
    set("pdu_size", size_text(settings.pdu_bytes));
    set("request_size", size_text(settings.request_bytes));
    set("queue_depth", settings.queue_depth);
    set("connections", settings.connections);
    set("sessions", settings.sessions);
    set("pattern", pattern_name(settings.pattern));
    set("rate", settings.rate);
    set("end", static_cast<int>(settings.end));
    set("seconds", settings.seconds);
    set("bytes", size_text(settings.bytes));
    set("commands", QString::number(settings.commands));
    set("congestion_control", settings.congestion_control);
    set("receive_buffer", size_text(settings.receive_buffer));
    set("send_buffer", size_text(settings.send_buffer));
    set("maximum_segment_size", QString::number(settings.maximum_segment_size));
    set("window_clamp", size_text(settings.window_clamp));
    set("header_digest", settings.header_digest);
    set("data_digest", settings.data_digest);
    set("record", settings.record);
    set("keep_headers", settings.keep_headers);
    set("snap_length", settings.snap_length);
    set("kernel_truth", settings.kernel_truth);
}

// What somebody has changed there to something that cannot be is as it is at first.
LoadSettings remembered_load() {
    QSettings store;
    store.beginGroup(QStringLiteral("generating"));
    const auto get = [&](const char* name) { return store.value(QString::fromLatin1(name)); };
    LoadSettings settings;
    const auto take_int = [&](const char* name, int& value, int least, int most) {
        bool good = false;
        const int stored = get(name).toInt(&good);
        if (good && stored >= least && stored <= most) value = stored;
    };
    const auto take_size = [&](const char* name, uint64_t& value) {
        if (const auto stored = read_size(get(name).toString())) value = *stored;
    };
    const auto take_flag = [&](const char* name, bool& value) {
        if (const QVariant stored = get(name); stored.isValid()) value = stored.toBool();
    };
    settings.luns = get("luns").toStringList();
    settings.user = get("user").toString();
    settings.mutual_user = get("mutual_user").toString();
    take_size("pdu_size", settings.pdu_bytes);
    take_size("request_size", settings.request_bytes);
    take_int("queue_depth", settings.queue_depth, 1, UINT16_MAX);
    take_int("connections", settings.connections, 1, 64);
    take_int("sessions", settings.sessions, 1, 1000);
    for (const PatternName& one : patterns) {
        if (get("pattern").toString() == QString::fromLatin1(one.name)) settings.pattern = one.pattern;
    }
    if (const double rate = get("rate").toDouble(); rate > 0 && std::isfinite(rate)) settings.rate = rate;
    int end = 0;
    take_int("end", end, 0, static_cast<int>(LoadSettings::End::commands));
    settings.end = static_cast<LoadSettings::End>(end);
    if (const double seconds = get("seconds").toDouble(); seconds > 0 && seconds <= longest_seconds)
        settings.seconds = seconds;
    take_size("bytes", settings.bytes);
    take_size("commands", settings.commands);
    settings.congestion_control = get("congestion_control").toString();
    take_size("receive_buffer", settings.receive_buffer);
    take_size("send_buffer", settings.send_buffer);
    take_size("maximum_segment_size", settings.maximum_segment_size);
    take_size("window_clamp", settings.window_clamp);
    take_flag("header_digest", settings.header_digest);
    take_flag("data_digest", settings.data_digest);
    take_flag("record", settings.record);
    take_flag("kernel_truth", settings.kernel_truth);
    take_flag("keep_headers", settings.keep_headers);
    int snap_length = static_cast<int>(settings.snap_length);
    take_int("snap_length", snap_length, 0, INT32_MAX);
    settings.snap_length = static_cast<uint32_t>(snap_length);
    return settings;
}

}  // namespace sanscope
