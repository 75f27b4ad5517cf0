// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/display_filter_columns.h"

#include <QCoreApplication>
#include <QHash>
#include <QRegularExpression>
#include <QStringList>
#include <array>
#include <cmath>
#include <optional>

namespace sanscope {
namespace {

QString translated(const char* text) {
    return QCoreApplication::translate("DisplayFilterColumns", text);
}

using Words = QHash<QString, QString>;

// What is there, or holds, by its name alone.
const Words& presences() {
    static const Words words = [] {
        Words result{{QStringLiteral("tcp"), QStringLiteral("connection")}};
        for (const char* const protocol : {"ARP", "ICMP", "ICMPv6", "IGMP", "UDP", "SCTP", "GRE", "ESP",
                                           "OSPF", "VRRP", "LLDP", "STP", "iSCSI"}) {
            const QString name = QString::fromUtf8(protocol);
            result.insert(name.toLower(), QStringLiteral("protocol == \"%1\"").arg(name));
        }
        const std::array<std::pair<const char*, const char*>, 12> analysis{{
            {"flags",
             "retransmission|out of order|not captured|duplicate ACK|zero window|keep-alive|window update"},
            {"retransmission", "retransmission"},
            {"fast_retransmission", "fast retransmission"},
            {"spurious_retransmission", "spurious retransmission"},
            {"out_of_order", "out of order"},
            {"lost_segment", "previous segment not captured"},
            {"duplicate_ack", "duplicate ACK"},
            {"window_update", "window update"},
            {"zero_window", "zero window(?! probe)"},
            {"zero_window_probe", "zero window probe(?! ACK)"},
            {"zero_window_probe_ack", "zero window probe ACK"},
            {"keep_alive", "keep-alive(?! ACK)"},
        }};
        for (const auto& [name, pattern] : analysis) {
            result.insert(QStringLiteral("tcp.analysis.") + QLatin1String(name),
                          QStringLiteral("analysis matches \"%1\"").arg(QLatin1String(pattern)));
        }
        result.insert(QStringLiteral("tcp.analysis.keep_alive_ack"),
                      QStringLiteral("analysis contains \"keep-alive ACK\""));
        return result;
    }();
    return words;
}

// Fields whose number a column has.
const Words& numbers() {
    static const Words words{{QStringLiteral("frame.number"), QStringLiteral("packet")},
                             {QStringLiteral("frame.len"), QStringLiteral("length")},
                             {QStringLiteral("frame.cap_len"), QStringLiteral("captured_length")},
                             {QStringLiteral("frame.interface_id"), QStringLiteral("interface")},
                             {QStringLiteral("tcp.len"), QStringLiteral("payload")},
                             {QStringLiteral("tcp.seq"), QStringLiteral("relative_seq")},
                             {QStringLiteral("tcp.ack"), QStringLiteral("relative_ack")},
                             {QStringLiteral("tcp.seq_raw"), QStringLiteral("seq")},
                             {QStringLiteral("tcp.ack_raw"), QStringLiteral("ack")},
                             {QStringLiteral("tcp.window_size_value"), QStringLiteral("window")}};
    return words;
}

// In the order of their bits.
constexpr std::array<std::pair<const char*, const char*>, 8> flags{{{"fin", "FIN"},
                                                                    {"syn", "SYN"},
                                                                    {"reset", "RST"},
                                                                    {"push", "PSH"},
                                                                    {"ack", "ACK"},
                                                                    {"urg", "URG"},
                                                                    {"ece", "ECE"},
                                                                    {"cwr", "CWR"}}};

QString has_flag(const char* name) {
    return QStringLiteral("flags contains \"%1\"").arg(QLatin1String(name));
}

// The flag of a field "tcp.flags.reset"; nullptr where it is none.
const char* flag_of(const QString& field) {
    for (const auto& [name, flag] : flags) {
        if (field == QStringLiteral("tcp.flags.") + QLatin1String(name)) return flag;
    }
    return nullptr;
}

// A comparison in symbols; empty for a word that is none.
QString comparison_of(const QString& word) {
    static const Words words{
        {QStringLiteral("eq"), QStringLiteral("==")}, {QStringLiteral("ne"), QStringLiteral("!=")},
        {QStringLiteral("lt"), QStringLiteral("<")},  {QStringLiteral("le"), QStringLiteral("<=")},
        {QStringLiteral("gt"), QStringLiteral(">")},  {QStringLiteral("ge"), QStringLiteral(">=")}};
    if (words.contains(word)) return words.value(word);
    return words.values().contains(word) ? word : QString();
}

bool joins(const QString& word) {
    static const QStringList words{QStringLiteral("("),  QStringLiteral(")"),  QStringLiteral("&&"),
                                   QStringLiteral("||"), QStringLiteral("!"),  QStringLiteral("and"),
                                   QStringLiteral("or"), QStringLiteral("not")};
    return words.contains(word);
}

using Condition = std::optional<QString>;

Condition negated_for(const QString& comparison, const QString& condition) {
    if (comparison == QLatin1String("==")) return condition;
    if (comparison == QLatin1String("!=")) return QStringLiteral("not (%1)").arg(condition);
    return std::nullopt;
}

Condition compare_flag(const char* flag, const QString& comparison, const QString& value) {
    const QString plain = value.toLower();
    const bool set = plain == QLatin1String("1") || plain == QLatin1String("true");
    if (!set && plain != QLatin1String("0") && plain != QLatin1String("false")) return std::nullopt;
    const QString is_set = has_flag(flag);
    const Condition condition = negated_for(comparison, set ? is_set : QStringLiteral("not %1").arg(is_set));
    if (!condition) return std::nullopt;
    return QStringLiteral("connection and (%1)").arg(*condition);
}

// `which`: "src", "dst", or either one. `pattern` is that of one end.
Condition compare_ends(const QString& which, const QString& pattern, const QString& comparison) {
    const QString source = QStringLiteral("source matches r\"%1\"").arg(pattern);
    const QString destination = QStringLiteral("destination matches r\"%1\"").arg(pattern);
    const QString condition = which.startsWith(QLatin1String("src")) ? source
                              : which.startsWith(QLatin1String("dst"))
                                  ? destination
                                  : source + QLatin1String(" or ") + destination;
    return negated_for(comparison, condition);
}

Condition compare_address(const QString& field, const QString& comparison, const QString& value) {
    static const QRegularExpression v4(QStringLiteral(R"(^\d+\.\d+\.\d+\.\d+$)"));
    static const QRegularExpression v6(QStringLiteral("^[0-9a-f:]*:[0-9a-f:]*$"));
    const QString address = value.toLower();
    const QString escaped = QString(address).replace(QLatin1Char('.'), QLatin1String("[.]"));
    const QString which = field.section(QLatin1Char('.'), 1);
    const bool is_v4 = field.startsWith(QLatin1String("ip."));
    if (!(is_v4 ? v4 : v6).match(address).hasMatch()) return std::nullopt;
    const QString pattern = is_v4 ? QStringLiteral("^%1(:[0-9]+)?$").arg(escaped)
                                  : QStringLiteral(R"(^\[?%1(\]:[0-9]+)?$)").arg(escaped);
    return compare_ends(which, pattern, comparison);
}

Condition compare_port(const QString& field, const QString& comparison, const QString& value) {
    bool is_port = false;
    const uint port = value.toUShort(&is_port);
    if (!is_port) return std::nullopt;
    const Condition condition =
        compare_ends(field.section(QLatin1Char('.'), 1), QStringLiteral(":%1$").arg(port), comparison);
    if (!condition) return std::nullopt;
    return QStringLiteral("connection and (%1)").arg(*condition);
}

Condition compare_number(const QString& column, const QString& comparison, const QString& value) {
    static const QRegularExpression number(QStringLiteral("^(0x[0-9a-fA-F]+|0|[1-9][0-9]*)$"));
    if (!number.match(value).hasMatch()) return std::nullopt;
    return QStringLiteral("%1 %2 %3").arg(column, comparison, value);
}

Condition compare_delta(const QString& comparison, const QString& value) {
    bool is_number = false;
    const double seconds = value.toDouble(&is_number);
    if (!is_number || !(std::abs(seconds) < 1e9)) return std::nullopt;
    return QStringLiteral("delta_ns %1 %2").arg(comparison).arg(std::llround(seconds * 1e9));
}

Condition compare(const QString& field, const QString& comparison, const QString& value) {
    static const QStringList addresses{QStringLiteral("ip.addr"),  QStringLiteral("ip.src"),
                                       QStringLiteral("ip.dst"),   QStringLiteral("ipv6.addr"),
                                       QStringLiteral("ipv6.src"), QStringLiteral("ipv6.dst")};
    static const QStringList ports{QStringLiteral("tcp.port"), QStringLiteral("tcp.srcport"),
                                   QStringLiteral("tcp.dstport")};
    if (const char* const flag = flag_of(field)) return compare_flag(flag, comparison, value);
    if (addresses.contains(field)) return compare_address(field, comparison, value);
    if (ports.contains(field)) return compare_port(field, comparison, value);
    if (field == QLatin1String("frame.time_delta")) return compare_delta(comparison, value);
    // A window of 0 is 0 whatever it is scaled by.
    if (field == QLatin1String("tcp.window_size") && value == QLatin1String("0"))
        return compare_number(QStringLiteral("window"), comparison, value);
    if (numbers().contains(field)) return compare_number(numbers().value(field), comparison, value);
    return std::nullopt;
}

Condition any_flag_of(const QString& mask) {
    bool is_number = false;
    const uint bits = mask.toUInt(&is_number, 0);
    if (!is_number || bits == 0 || bits > 0xff) return std::nullopt;
    QStringList set;
    for (size_t i = 0; i < flags.size(); ++i) {
        if ((bits >> i & 1) != 0) set.append(has_flag(flags[i].second));
    }
    return set.join(QLatin1String(" or "));
}

Condition presence_of(const QString& field) {
    if (presences().contains(field)) return presences().value(field);
    if (numbers().contains(field)) return numbers().value(field);
    if (flag_of(field) != nullptr || field == QLatin1String("tcp.flags")) return QStringLiteral("connection");
    return std::nullopt;
}

// Its words and signs; false where there is something else.
bool split(const QString& text, QStringList& words) {
    static const QRegularExpression word(
        QStringLiteral(R"(\G\s*(&&|\|\||==|!=|<=|>=|"(?:[^"\\]|\\.)*"|[<>!(){},&~]|[^\s"&|=!<>~(){},]+))"));
    qsizetype at = 0;
    while (at < text.size()) {
        const QRegularExpressionMatch match = word.match(text, at);
        if (!match.hasMatch()) return QStringView(text).mid(at).trimmed().isEmpty();
        words.append(match.captured(1));
        at = match.capturedEnd();
    }
    return true;
}

}  // namespace

ColumnsOfDisplayFilter columns_of_display_filter(const QString& display_filter) {
    constexpr qsizetype longest = 4096;
    if (display_filter.size() > longest)
        return {{}, translated("It is longer than %1 characters.").arg(longest)};
    QStringList words;
    if (!split(display_filter, words)) return {{}, translated("It cannot be read.")};
    QStringList result;
    for (qsizetype i = 0; i < words.size(); ++i) {
        if (joins(words[i])) {
            result.append(words[i]);
            continue;
        }
        const QString& field = words[i];
        const QString next = words.value(i + 1);
        const QString comparison = comparison_of(next);
        Condition condition;
        if (!comparison.isEmpty()) {
            condition = compare(field, comparison, words.value(i + 2));
        } else if (field == QLatin1String("tcp.flags") && next == QLatin1String("&")) {
            condition = any_flag_of(words.value(i + 2));
        } else if (next.isEmpty() || joins(next)) {
            condition = presence_of(field);
        }
        const bool alone = next.isEmpty() || joins(next);
        if (!condition) {
            const QString whole =
                alone ? field : QStringList{field, next, words.value(i + 2)}.join(QLatin1Char(' ')).trimmed();
            return {{}, translated("The columns of Packets do not tell “%1”.").arg(whole)};
        }
        result.append(QLatin1Char('(') + *condition + QLatin1Char(')'));
        if (!alone) i += 2;
    }
    return {result.join(QLatin1Char(' ')), {}};
}

}  // namespace sanscope
