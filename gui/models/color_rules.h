// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QString>
#include <QStringList>
#include <cstddef>
#include <vector>

namespace sanscope {

// A coloring rule as Wireshark has it: rows that pass the filter have these colours; of several rules the first one counts.
struct ColorRule {
    QString name;
    QString
        filter;  // over the columns of a table, or a display filter of Wireshark's (display_filter_columns.h)
    QColor foreground;
    QColor background;
    bool enabled = true;
    bool operator==(const ColorRule&) const = default;
};

constexpr size_t most_color_rules = 500;

// For Packets, until there are others.
std::vector<ColorRule> default_color_rules(bool dark);

// Rules as in the file `colorfilters` of Wireshark's profiles, one a line: @name@filter@[r,g,b][r,g,b], background before
// foreground, 16 bits a colour; with `!` before it the rule is disabled. Lines that are none are reported by their numbers;
// that there are more than `most` rules, of which the first ones are taken, comes before those.
struct ReadColorRules {
    std::vector<ColorRule> rules;
    QStringList problems;
};
ReadColorRules read_colorfilters(const QString& text, size_t most = most_color_rules);
QString write_colorfilters(const std::vector<ColorRule>& rules);

}  // namespace sanscope
