// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/points/split_bars.h"

#include <QCoreApplication>
#include <QHelpEvent>
#include <QLocale>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gui/document/plain_text.h"
#include "gui/plot/budget_bar.h"
#include "gui/plot/budget_colors.h"
#include "gui/plot/time_axis.h"

namespace sanscope {
namespace {

constexpr size_t most_bars = 5;  // between two points in one direction
constexpr int margin = 8;
constexpr int swatch = 14;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(SplitBars)
};

// As the same times have in the views of time budgets.
QColor color_of(const Theme& theme, SplitPart part) {
    switch (part) {
        case SplitPart::initiator:
            return budget_color(theme, BudgetPart::application);
        case SplitPart::out:
        case SplitPart::unsure_out:
            return budget_color(theme, BudgetPart::request_path);
        case SplitPart::target:
            return budget_color(theme, BudgetPart::target);
        case SplitPart::answer:
            return budget_color(theme, BudgetPart::wire);
        case SplitPart::unsure_back:
        case SplitPart::back:
            break;
    }
    return budget_color(theme, BudgetPart::return_path);
}

bool is_unsure(SplitPart part) {
    return part == SplitPart::unsure_out || part == SplitPart::unsure_back;
}

void fill(QPainter& painter, const Theme& theme, SplitPart part, const QRect& rect) {
    painter.fillRect(rect, color_of(theme, part));
    if (!is_unsure(part)) return;
    painter.fillRect(rect, QBrush(theme.background, Qt::DiagCrossPattern));
    painter.fillRect(rect, QBrush(theme.text, Qt::BDiagPattern));
}

struct LegendEntry {
    SplitPart part;
    QString name;
    QString tip;
};

std::vector<LegendEntry> legend() {
    return {
        {SplitPart::initiator, Words::tr("initiator"),
         Words::tr("The initiator, and what lies before the nearer point, had Data-Out to send")},
        {SplitPart::out, Words::tr("path out"), Words::tr("To the farther point, at least")},
        {SplitPart::unsure_out, Words::tr("path out or back"),
         Words::tr("On one of both ways: the clocks do not tell on which. Half of it is drawn on each side "
                   "of the target's time")},
        {SplitPart::target, Words::tr("target"),
         Words::tr("The target, and what lies beyond the farther point")},
        {SplitPart::answer, Words::tr("answer"),
         Words::tr("From the answer's first byte to its last, as they left the farther point")},
        {SplitPart::back, Words::tr("path back"), Words::tr("Back to the nearer point, at least")}};
}

int64_t unsure_ns(const SplitSums& sums) {
    return std::clamp<int64_t>(sums.paths_ns - sums.out.low_ns - sums.back.low_ns, 0, sums.paths_ns);
}

int64_t mean_ns(const SplitSums& sums, int64_t sum_ns) {
    return sum_ns / static_cast<int64_t>(std::max<uint64_t>(sums.commands, 1));
}

QString share(const SplitSums& sums, const TimeBand& part) {
    const auto of_all = [&](int64_t part_ns) {
        return share_text(sums.turnaround_ns <= 0
                              ? 0
                              : static_cast<double>(part_ns) / static_cast<double>(sums.turnaround_ns));
    };
    const QString low = of_all(part.low_ns);
    const QString high = of_all(part.high_ns);
    return low == high ? low : Words::tr("%1 to %2").arg(low, high);
}

QString figures(const SplitSums& sums, const TimeBand& part) {
    const QString low = short_duration(mean_ns(sums, part.low_ns));
    const QString high = short_duration(mean_ns(sums, part.high_ns));
    const QString mean = low == high ? low : Words::tr("%1 to %2").arg(low, high);
    return Words::tr("%1 a command, %2").arg(mean, share(sums, part));
}

QString tip_of(const SplitSums& sums, SplitPart part) {
    const auto line = [&](const QString& name, const TimeBand& band) {
        return Words::tr("%1: %2").arg(name, figures(sums, band));
    };
    const auto exact = [](int64_t ns) { return TimeBand{ns, ns}; };
    switch (part) {
        case SplitPart::initiator:
            return line(Words::tr("Initiator"), exact(sums.initiator_ns));
        case SplitPart::target:
            return line(Words::tr("Target"), exact(sums.target_ns)) + QLatin1Char('\n') +
                   line(Words::tr("of it, behind others' answers"), sums.behind_others);
        case SplitPart::answer:
            return line(Words::tr("Answer, first byte to last"), exact(sums.answer_ns));
        default:
            return line(Words::tr("Path out"), sums.out) + QLatin1Char('\n') +
                   line(Words::tr("Path back"), sums.back) + QLatin1Char('\n') +
                   line(Words::tr("Both together"), exact(sums.paths_ns));
    }
}

QString from_utf8(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString label_of(const SplitSums& sums) {
    const QString name = sums.name.empty() ? Words::tr("Unnamed") : from_utf8(sums.name);
    return Words::tr("%1 × %2, mean %3")
        .arg(QLocale().toString(static_cast<qulonglong>(sums.commands)), name,
             short_duration(mean_ns(sums, sums.turnaround_ns)));
}

}  // namespace

std::vector<SplitSegment> split_segments(const SplitSums& sums, int length) {
    const int64_t unsure = unsure_ns(sums);
    const std::array<int64_t, split_parts> parts{sums.initiator_ns, sums.out.low_ns, unsure / 2,
                                                 sums.target_ns,    sums.answer_ns,  unsure - unsure / 2,
                                                 sums.back.low_ns};
    std::vector<SplitSegment> segments;
    double whole = 0;
    for (const int64_t part : parts) whole += static_cast<double>(part);
    if (whole <= 0 || length <= 0) return segments;
    double up_to = 0;
    int left = 0;
    for (size_t i = 0; i < split_parts; ++i) {
        // Ends are rounded, not widths, whose roundings would add up.
        up_to += static_cast<double>(parts[i]);
        const int right = static_cast<int>(std::lround(up_to / whole * length));
        if (right > left) segments.push_back({static_cast<SplitPart>(i), left, right});
        left = right;
    }
    return segments;
}

SplitBars::SplitBars(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Whose time the commands' was"));
}

void SplitBars::show_commands(std::shared_ptr<const PathCommands> commands) {
    commands_ = std::move(commands);
    arrange();
    QStringList told;
    for (const Line& line : lines_) told.append(line.text);
    setAccessibleDescription(told.join(QLatin1Char('\n')));
    updateGeometry();
    update();
}

void SplitBars::arrange() {
    lines_.clear();
    if (commands_ == nullptr) return;
    const std::vector<SplitSums>& sums = commands_->sums();
    const auto name = [&](size_t point) {
        return QString::fromStdString(commands_->path().path().points[point]->name());
    };
    for (size_t i = 0; i < sums.size();) {
        size_t end = i;
        while (end < sums.size() && sums[end].near == sums[i].near && sums[end].far == sums[i].far) ++end;
        lines_.push_back({nullptr, tr("%1 → %2").arg(name(sums[i].near), name(sums[i].far))});
        for (size_t j = i; j < std::min(end, i + most_bars); ++j)
            lines_.push_back({&sums[j], label_of(sums[j])});
        if (end - i > most_bars) {
            lines_.push_back({nullptr, tr("… and %n kinds of commands with less time", nullptr,
                                          static_cast<int>(end - i - most_bars))});
        }
        i = end;
    }
    if (lines_.empty()) lines_.push_back({nullptr, tr("No command is split between two points.")});
}

int SplitBars::line_height() const {
    return fontMetrics().height() + 5;
}

QSize SplitBars::sizeHint() const {
    return {600, (static_cast<int>(lines_.size()) + 1) * line_height() + 6};
}

QRect SplitBars::bar_of(size_t line) const {
    int widest = 0;
    for (const Line& each : lines_) {
        if (each.sums != nullptr) widest = std::max(widest, fontMetrics().horizontalAdvance(each.text));
    }
    const int left = margin + std::min(widest, width() / 2) + margin;
    const int top = (static_cast<int>(line) + 1) * line_height() + 3;
    return {left, top + 3, std::max(0, width() - left - margin), line_height() - 6};
}

void SplitBars::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(palette());
    QPainter painter(this);
    painter.fillRect(rect(), theme.background);
    painter.setPen(theme.text);
    int x = margin;
    for (const LegendEntry& entry : legend()) {
        fill(painter, theme, entry.part, QRect(x, 3 + (line_height() - 10) / 2, swatch, 10));
        x += swatch + 4;
        const int wide = fontMetrics().horizontalAdvance(entry.name);
        painter.drawText(QRect(x, 3, wide + 2, line_height()), Qt::AlignLeft | Qt::AlignVCenter, entry.name);
        x += wide + 14;
    }
    for (size_t i = 0; i < lines_.size(); ++i) {
        const QRect bar = bar_of(i);
        const bool is_bar = lines_[i].sums != nullptr;
        const int room = is_bar ? bar.left() - 2 * margin : width() - 2 * margin;
        const QRect place(margin, bar.top() - 3, room, line_height());
        painter.setPen(is_bar ? theme.text : theme.faint_text);
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                         fontMetrics().elidedText(lines_[i].text, Qt::ElideRight, room));
        if (!is_bar) continue;
        for (const SplitSegment& segment : split_segments(*lines_[i].sums, bar.width())) {
            fill(painter, theme, segment.part,
                 QRect(bar.left() + segment.left, bar.top(), segment.right - segment.left, bar.height()));
        }
        painter.setPen(theme.axis);
        painter.drawRect(bar.adjusted(0, 0, -1, -1));
    }
}

QString SplitBars::tip_at(QPoint place) const {
    if (place.y() < line_height()) {
        int x = margin;
        for (const LegendEntry& entry : legend()) {
            const int end = x + swatch + 4 + fontMetrics().horizontalAdvance(entry.name) + 7;
            if (place.x() >= x && place.x() < end) return entry.tip;
            x = end + 7;
        }
        return {};
    }
    for (size_t i = 0; i < lines_.size(); ++i) {
        const QRect bar = bar_of(i);
        if (lines_[i].sums == nullptr || !bar.contains(place)) continue;
        for (const SplitSegment& segment : split_segments(*lines_[i].sums, bar.width())) {
            const int at = place.x() - bar.left();
            if (at >= segment.left && at < segment.right)
                return lines_[i].text + QLatin1Char('\n') + tip_of(*lines_[i].sums, segment.part);
        }
    }
    return {};
}

size_t SplitBars::bars() const {
    return static_cast<size_t>(
        std::ranges::count_if(lines_, [](const Line& line) { return line.sums != nullptr; }));
}

bool SplitBars::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* const help = static_cast<QHelpEvent*>(event);
    const QString tip = tip_at(help->pos());
    if (tip.isEmpty()) {
        QToolTip::hideText();
        event->ignore();
    } else {
        QToolTip::showText(help->globalPos(), plain_text(tip), this);
    }
    return true;
}

}  // namespace sanscope
