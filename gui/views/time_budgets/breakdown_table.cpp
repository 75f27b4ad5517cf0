// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/time_budgets/breakdown_table.h"

#include <QFont>
#include <QHash>
#include <QHeaderView>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QToolTip>
#include <algorithm>

#include "gui/document/plain_text.h"
#include "gui/plot/budget_colors.h"
#include "gui/plot/time_axis.h"

namespace sanscope {
namespace {

constexpr int bar_width = 200;
constexpr int margin = 4;

QRect bar_within(const QRect& cell) {
    return cell.adjusted(margin, 4, -margin, -4);
}

// Bars behind figures: of a part by its share, of a row all its parts.
class BarDelegate final : public QStyledItemDelegate {
  public:
    BarDelegate(const BreakdownModel& model, QObject* parent) : QStyledItemDelegate(parent), model_(model) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const Theme& theme = Theme::of(option.palette);
        if (index.column() == BreakdownModel::bar) {
            painter->save();
            const QRect bar = bar_within(option.rect);
            draw_budget_bar(*painter, theme, bar, model_.group_at(index.row()).sums);
            painter->setPen(theme.axis);
            painter->setBrush(Qt::NoBrush);
            painter->drawRect(bar.adjusted(0, 0, -1, -1));
            painter->restore();
            draw_focus(*painter, option, theme);
            return;
        }
        if (const auto part = model_.part_at(index.column())) {
            const double share = index.data(BreakdownModel::share_role).toDouble();
            const QRect cell = option.rect;
            constexpr int high = 4;
            const int wide = qRound(share * (cell.width() - 2 * margin));
            const QRectF bar(cell.left() + margin, cell.bottom() - high, share > 0 ? std::max(wide, 1) : 0,
                             high);
            fill_budget_part(*painter, theme, *part, bar);
            if (share > 0) {
                painter->save();
                painter->setPen(theme.axis);
                painter->drawRect(bar.adjusted(0, 0, -1, -1));
                painter->restore();
            }
        }
        QStyleOptionViewItem plain = option;
        plain.state &= ~(QStyle::State_HasFocus | QStyle::State_Selected);
        if (model_.part_at(index.column())) plain.rect.adjust(0, -2, 0, -2);
        QStyledItemDelegate::paint(painter, plain, index);
        draw_focus(*painter, option, theme);
    }

    // Of figures, which come again and again, that of each text is found once.
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const QString text = index.data(Qt::DisplayRole).toString();
        if (option.font != font_ || sizes_.size() > most_sizes) sizes_.clear();
        font_ = option.font;
        const auto known = sizes_.constFind(text);
        if (known != sizes_.constEnd()) return *known;
        return *sizes_.insert(text, QStyledItemDelegate::sizeHint(option, index));
    }

  private:
    static void draw_focus(QPainter& painter, const QStyleOptionViewItem& option, const Theme& theme) {
        if (!option.state.testFlag(QStyle::State_HasFocus)) return;
        painter.save();
        painter.setPen(QPen(theme.selection, 1, Qt::DotLine));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(option.rect.adjusted(0, 0, -1, -1));
        painter.restore();
    }

    static constexpr qsizetype most_sizes = 4096;

    const BreakdownModel& model_;
    mutable QFont font_;
    mutable QHash<QString, QSize> sizes_;  // by text, in this font
};

QString count_text(uint64_t count) {
    return QLocale::c().toString(static_cast<qulonglong>(count));
}

}  // namespace

void BreakdownModel::show(Breakdown breakdown, const std::vector<BudgetPart>& parts) {
    beginResetModel();
    breakdown_ = std::move(breakdown);
    parts_ = parts;
    endResetModel();
}

const Breakdown::Group& BreakdownModel::group_at(int row) const {
    const auto at = static_cast<size_t>(row);
    return at < breakdown_.groups.size() ? breakdown_.groups[at] : breakdown_.all;
}

std::optional<BudgetPart> BreakdownModel::part_at(int column) const {
    if (column < first_part || column >= columnCount()) return std::nullopt;
    return parts_[static_cast<size_t>(column - first_part)];
}

int BreakdownModel::rowCount(const QModelIndex& parent) const {
    if (parent.isValid()) return 0;
    const auto groups = static_cast<int>(breakdown_.groups.size());
    return groups > 1 ? groups + 1 : groups;
}

int BreakdownModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : first_part + static_cast<int>(parts_.size());
}

QVariant BreakdownModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Breakdown::Group& of = group_at(index.row());
    const auto part = part_at(index.column());
    const int64_t whole = of.turnaround_ns();
    const int64_t ns = part ? of.sums[static_cast<size_t>(*part)] : 0;
    const double share = whole > 0 ? static_cast<double>(ns) / static_cast<double>(whole) : 0;
    switch (role) {
        case share_role:
            return share;
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(
                Qt::Alignment(Qt::AlignVCenter | (index.column() == group ? Qt::AlignLeft : Qt::AlignRight)));
        case Qt::ToolTipRole:
            return plain_text(tip(of, part));
        case Qt::AccessibleTextRole:
            if (index.column() == bar) {
                return largest_parts(of.sums, budget_parts).join(QStringLiteral("; "));
            }
            [[fallthrough]];
        case Qt::DisplayRole:
            break;
        default:
            return {};
    }
    if (part) return ns > 0 ? share_text(share) : QString();
    switch (index.column()) {
        case group:
            return group_text(of);
        case commands:
            return count_text(of.commands);
        case mean:
            return of.commands == 0 ? QString() : short_duration(whole / static_cast<int64_t>(of.commands));
        case total:
            return short_duration(whole);
        default:
            return {};
    }
}

QVariant BreakdownModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    const auto part = part_at(section);
    if (role == Qt::TextAlignmentRole) {
        // Beside a heading at the right, one at the left would run into it.
        const Qt::Alignment aside = section == group ? Qt::AlignLeft
                                    : section == bar ? Qt::AlignHCenter
                                                     : Qt::AlignRight;
        return QVariant::fromValue(Qt::AlignVCenter | aside);
    }
    if (role == Qt::ToolTipRole && part) {
        return plain_text(budget_title(*part) + QStringLiteral(": ") + budget_meaning(*part));
    }
    if (role == Qt::ToolTipRole && section == total) {
        return plain_text(tr("The turnarounds of its commands, summed: many wait at the same time"));
    }
    if (role != Qt::DisplayRole) return {};
    // On two lines, as the figures below are short.
    if (part) return budget_title(*part).replace(QLatin1Char(' '), QLatin1Char('\n'));
    switch (section) {
        case group:
            return breakdown_.question.range ? tr("completed in sight") : tr("whole capture");
        case commands:
            return tr("commands");
        case mean:
            return tr("mean");
        case total:
            return tr("in all");
        default:
            return tr("parts of their time");
    }
}

QString BreakdownModel::tip(const Breakdown::Group& of, std::optional<BudgetPart> part) const {
    if (of.commands == 0) return {};
    const int64_t whole = of.turnaround_ns();
    const auto each = [&](int64_t ns) { return short_duration(ns / static_cast<int64_t>(of.commands)); };
    QString text = of.commands == 1 ? tr("%1: 1 command took %2").arg(group_text(of), short_duration(whole))
                                    : tr("%1: %2 commands took %3, %4 each on average")
                                          .arg(group_text(of), count_text(of.commands), short_duration(whole),
                                               each(whole));
    if (part) {
        const int64_t ns = of.sums[static_cast<size_t>(*part)];
        text += QLatin1Char('\n') +
                tr("%1: %2, %3 each on average, %4 of it")
                    .arg(budget_title(*part), short_duration(ns), each(ns),
                         share_text(whole > 0 ? static_cast<double>(ns) / static_cast<double>(whole) : 0));
        text += QLatin1Char('\n') + budget_meaning(*part);
        if (ns > 0) text += QLatin1Char('\n') + tr("Click: the commands that lost most to it");
    } else {
        text += QLatin1Char('\n') + tr("Click: these commands, the slowest first");
    }
    if (&of == &breakdown_.all && breakdown_.ungrouped > 0) {
        text += QLatin1Char('\n') + tr("%1 of them are of further groups, which have no row of their own")
                                        .arg(count_text(breakdown_.ungrouped));
    }
    return text;
}

BreakdownTable::BreakdownTable(QWidget* parent) : QTableView(parent), model_(new BreakdownModel(this)) {
    setModel(model_);
    setItemDelegate(new BarDelegate(*model_, this));
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSelectionMode(QAbstractItemView::NoSelection);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setTabKeyNavigation(false);
    verticalHeader()->hide();
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setSectionsClickable(false);
    setShowGrid(false);
    setFrameShape(QFrame::NoFrame);
    setMouseTracking(true);
    hide();
    connect(this, &QTableView::activated, this,
            [this](const QModelIndex& index) { choose(index, model_->part_at(index.column())); });
}

void BreakdownTable::show_breakdown(Breakdown breakdown, const std::vector<BudgetPart>& parts) {
    const QModelIndex before = currentIndex();
    model_->show(std::move(breakdown), parts);
    const int line = fontMetrics().height() + 8;
    verticalHeader()->setDefaultSectionSize(line);
    resizeColumnsToContents();
    // Figures of neighbours apart.
    constexpr int apart = 10;
    for (int column = 0; column < model_->columnCount(); ++column) {
        horizontalHeader()->resizeSection(column, horizontalHeader()->sectionSize(column) + apart);
    }
    horizontalHeader()->resizeSection(BreakdownModel::bar, bar_width);
    if (before.row() >= 0 && before.row() < model_->rowCount() && before.column() < model_->columnCount()) {
        setCurrentIndex(model_->index(before.row(), before.column()));
    }
}

void BreakdownTable::fit(int most) {
    const int rows = model_->rowCount();
    const int scroll =
        horizontalHeader()->length() > width() ? horizontalScrollBar()->sizeHint().height() : 0;
    const int wanted =
        horizontalHeader()->sizeHint().height() + rows * verticalHeader()->defaultSectionSize() + scroll + 4;
    setFixedHeight(std::min(wanted, std::max(most, 3 * verticalHeader()->defaultSectionSize())));
    setVisible(rows > 0);
}

std::optional<BudgetPart> BreakdownTable::part_of_bar(const QModelIndex& index, QPoint at) const {
    const QRect bar = bar_within(visualRect(index));
    for (const BudgetSegment& segment : budget_segments(model_->group_at(index.row()).sums, bar.width())) {
        const double x = at.x() - bar.left();
        if (x >= segment.left && x < segment.right) return segment.part;
    }
    return std::nullopt;
}

void BreakdownTable::choose(const QModelIndex& index, std::optional<BudgetPart> part) {
    if (!index.isValid()) return;
    const Breakdown::Group of = model_->group_at(index.row());
    // Nobody lost anything to it.
    if (part && of.sums[static_cast<size_t>(*part)] == 0) return;
    Q_EMIT chosen(of, part);
}

bool BreakdownTable::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::MouseButtonRelease) {
        const auto* const mouse = static_cast<QMouseEvent*>(event);
        const QModelIndex index = indexAt(mouse->position().toPoint());
        const bool handled = QTableView::viewportEvent(event);
        if (mouse->button() == Qt::LeftButton && index.isValid()) {
            const bool of_bar = index.column() == BreakdownModel::bar;
            choose(index, of_bar ? part_of_bar(index, mouse->position().toPoint())
                                 : model_->part_at(index.column()));
        }
        return handled;
    }
    if (event->type() == QEvent::MouseMove) {
        const QModelIndex index = indexAt(static_cast<QMouseEvent*>(event)->position().toPoint());
        viewport()->setCursor(index.isValid() ? Qt::PointingHandCursor : Qt::ArrowCursor);
    }
    if (event->type() == QEvent::ToolTip) {
        const auto* const help = static_cast<QHelpEvent*>(event);
        const QModelIndex index = indexAt(help->pos());
        if (index.column() == BreakdownModel::bar) {
            const auto& of = model_->group_at(index.row());
            QToolTip::showText(
                help->globalPos(),
                plain_text(group_text(of) + QLatin1Char('\n') +
                           largest_parts(of.sums, budget_parts).join(QLatin1Char('\n')) + QLatin1Char('\n') +
                           tr("Click: the commands that lost most to the part")),
                this);
            return true;
        }
    }
    return QTableView::viewportEvent(event);
}

}  // namespace sanscope
