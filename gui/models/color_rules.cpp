// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/color_rules.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <array>
#include <optional>

namespace sanscope {
namespace {

QString translated(const char* text) {
    return QCoreApplication::translate("ColorRules", text);
}

struct DefaultRule {
    const char* name;
    const char* filter;
    struct {
        QRgb foreground;
        QRgb background;
    } light, dark;
};

// Colours of the same kind of packet are those of Wireshark's own rules where the theme lets them be.
constexpr std::array default_rules{
    DefaultRule{QT_TRANSLATE_NOOP("ColorRules", "SCSI status"),
                R"(analysis matches "CHECK CONDITION|BUSY|RESERVATION CONFLICT|TASK SET FULL|ACA ACTIVE|)"
                R"(TASK ABORTED|COMMAND TERMINATED")",
                {0xffffffff, 0xff8e24aa},
                {0xfff7e1fb, 0xff6a1b80}},
    DefaultRule{QT_TRANSLATE_NOOP("ColorRules", "iSCSI Reject"),
                R"(protocol == iSCSI and info contains "Reject")",
                {0xffffffff, 0xff8e24aa},
                {0xfff7e1fb, 0xff6a1b80}},
    DefaultRule{QT_TRANSLATE_NOOP("ColorRules", "TCP RST"),
                R"(flags contains "RST")",
                {0xfffffc9c, 0xffa40000},
                {0xfffffc9c, 0xff8a0c0c}},
    DefaultRule{QT_TRANSLATE_NOOP("ColorRules", "Zero window"),
                R"rule(analysis matches "zero window(?! probe)")rule",
                {0xffffcc80, 0xff4e342e},
                {0xffffcc80, 0xff4e342e}},
    DefaultRule{QT_TRANSLATE_NOOP("ColorRules", "Bad TCP"),
                R"(analysis matches "retransmission|out of order|not captured|duplicate ACK")",
                {0xfff78787, 0xff12272e},
                {0xffff8f8f, 0xff0b1a20}},
    DefaultRule{QT_TRANSLATE_NOOP("ColorRules", "ICMP errors"),
                R"(protocol matches "^ICMP" and )"
                R"(info matches "unreachable|exceeded|redirect|quench|too big|parameter")",
                {0xffb7f774, 0xff12272e},
                {0xffb7f774, 0xff0b1a20}},
    DefaultRule{QT_TRANSLATE_NOOP("ColorRules", "ARP"),
                "protocol == ARP",
                {0xff12272e, 0xfffaf0d7},
                {0xfff0e2b6, 0xff3a3322}},
    DefaultRule{QT_TRANSLATE_NOOP("ColorRules", "ICMP"),
                "protocol == ICMP or protocol == ICMPv6",
                {0xff12272e, 0xfffce0ff},
                {0xfff0cdf7, 0xff38263d}},
    DefaultRule{QT_TRANSLATE_NOOP("ColorRules", "TCP SYN/FIN"),
                R"(flags contains "SYN" or flags contains "FIN")",
                {0xff12272e, 0xffa0a0a0},
                {0xffe4e8ed, 0xff4a4f55}},
};

std::optional<QColor> read_color(const QRegularExpressionMatch& match, int first_group) {
    std::array<quint16, 3> parts;
    for (size_t i = 0; i < parts.size(); ++i) {
        bool fits = false;
        parts[i] = match.captured(first_group + static_cast<int>(i)).toUShort(&fits);
        if (!fits) return std::nullopt;
    }
    return QColor::fromRgba64(parts[0], parts[1], parts[2]);
}

std::optional<ColorRule> read_rule(const QString& line) {
    static const QRegularExpression form(
        QStringLiteral(R"(^(!?)@([^@]*)@(.*)@\[(\d+),\s*(\d+),\s*(\d+)\]\s*\[(\d+),\s*(\d+),\s*(\d+)\]$)"));
    const QRegularExpressionMatch match = form.match(line);
    if (!match.hasMatch()) return std::nullopt;
    const auto background = read_color(match, 4);
    const auto foreground = read_color(match, 7);
    if (!background || !foreground) return std::nullopt;
    return ColorRule{match.captured(2), match.captured(3), *foreground, *background,
                     match.captured(1).isEmpty()};
}

QString color_text(const QColor& color) {
    const QRgba64 parts = color.rgba64();
    return QStringLiteral("[%1,%2,%3]").arg(parts.red()).arg(parts.green()).arg(parts.blue());
}

}  // namespace

std::vector<ColorRule> default_color_rules(bool dark) {
    std::vector<ColorRule> rules;
    for (const DefaultRule& rule : default_rules) {
        const auto& colors = dark ? rule.dark : rule.light;
        rules.push_back({translated(rule.name), QString::fromUtf8(rule.filter), QColor(colors.foreground),
                         QColor(colors.background)});
    }
    return rules;
}

ReadColorRules read_colorfilters(const QString& text, size_t most) {
    ReadColorRules read;
    const QStringList lines = text.split(QLatin1Char('\n'));
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const QString line = lines[i].trimmed();
        if (line.isEmpty() || line.startsWith(QLatin1Char('#'))) continue;
        auto rule = read_rule(line);
        if (rule && read.rules.size() >= most) {
            read.problems.prepend(
                translated("There are more than %1 rules; those from line %2 on are left out.")
                    .arg(most)
                    .arg(i + 1));
            break;
        }
        if (rule) {
            read.rules.push_back(std::move(*rule));
        } else {
            read.problems.append(
                translated("Line %1 is no coloring rule: %2").arg(i + 1).arg(line.left(100)));
        }
    }
    return read;
}

// What tells the parts of a line apart can be in no name, and nothing but a line's end ends it.
QString write_colorfilters(const std::vector<ColorRule>& rules) {
    QString text;
    for (const ColorRule& rule : rules) {
        text += (rule.enabled ? QString() : QStringLiteral("!")) + QLatin1Char('@') +
                QString(rule.name).replace(QLatin1Char('@'), QLatin1Char('_')).simplified() +
                QLatin1Char('@') + QString(rule.filter).replace(QLatin1Char('\n'), QLatin1Char(' ')) +
                QLatin1Char('@') + color_text(rule.background) + color_text(rule.foreground) +
                QLatin1Char('\n');
    }
    return text;
}

}  // namespace sanscope
