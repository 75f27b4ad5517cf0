// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/comparing/comparison_model.h"

#include <QFont>
#include <utility>

#include "gui/document/plain_text.h"
#include "gui/plot/theme.h"

namespace sanscope {
namespace {

using Mark = ComparisonRow::Mark;
constexpr quintptr no_group = 0;  // what a group has as its internal id; a row has its group's number, from 1

// By a sign besides the colour and the word.
QString sign_of(Mark mark) {
    switch (mark) {
        case Mark::higher:
            return QStringLiteral("▲ ");
        case Mark::lower:
            return QStringLiteral("▼ ");
        case Mark::appeared:
            return QStringLiteral("+ ");
        case Mark::gone:
            return QStringLiteral("− ");
        case Mark::none:
            break;
    }
    return {};
}

QColor color_of(Mark mark, const Theme& theme) {
    switch (mark) {
        case Mark::higher:
        case Mark::appeared:
            return theme.target;
        default:
            return theme.initiator;
    }
}

QString cell(const ComparisonRow& row, int column) {
    switch (column) {
        case ComparisonModel::of:
            return row.of;
        case ComparisonModel::figure:
            return row.figure;
        case ComparisonModel::before:
            return row.before;
        case ComparisonModel::after:
            return row.after;
        case ComparisonModel::difference:
            return row.difference;
        case ComparisonModel::interval:
            return row.interval;
        default:
            return row.mark == Mark::none ? row.verdict : sign_of(row.mark) + row.verdict;
    }
}

QString whole_line(const ComparisonRow& row) {
    return row.mark == Mark::none ? QStringLiteral("  ") + row.text : sign_of(row.mark) + row.text;
}

bool has_interval(const ComparisonRow& row) {
    return row.change != nullptr && !row.interval.isEmpty();
}

}  // namespace

void ComparisonModel::show(std::shared_ptr<const ComparedCaptures> captures, bool only_what_differs) {
    beginResetModel();
    captures_ = std::move(captures);
    groups_ = captures_ == nullptr ? std::vector<ComparisonGroup>{}
                                   : comparison_groups(*captures_, only_what_differs);
    endResetModel();
}

void ComparisonModel::set_dark(bool dark) {
    if (std::exchange(dark_, dark) == dark || groups_.empty()) return;
    for (int group = 0; group < rowCount(); ++group) {
        const QModelIndex parent = index(group, 0);
        if (rowCount(parent) == 0) continue;
        Q_EMIT dataChanged(index(0, 0, parent), index(rowCount(parent) - 1, columns - 1, parent),
                           {Qt::ForegroundRole});
    }
}

const ComparisonRow* ComparisonModel::row_of(const QModelIndex& index) const {
    if (!index.isValid() || index.internalId() == no_group) return nullptr;
    return &groups_[index.internalId() - 1].rows[static_cast<size_t>(index.row())];
}

bool ComparisonModel::spans(int row, const QModelIndex& parent) const {
    return !parent.isValid() ||
           !groups_[static_cast<size_t>(parent.row())].rows[static_cast<size_t>(row)].text.isEmpty();
}

QModelIndex ComparisonModel::index(int row, int column, const QModelIndex& parent) const {
    if (row < 0 || column < 0 || column >= columns || row >= rowCount(parent)) return {};
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : no_group);
}

QModelIndex ComparisonModel::parent(const QModelIndex& child) const {
    if (!child.isValid() || child.internalId() == no_group) return {};
    return createIndex(static_cast<int>(child.internalId() - 1), 0, no_group);
}

int ComparisonModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) return static_cast<int>(groups_.size());
    if (parent.internalId() != no_group || parent.column() > 0) return 0;
    return static_cast<int>(groups_[static_cast<size_t>(parent.row())].rows.size());
}

int ComparisonModel::columnCount(const QModelIndex&) const {
    return columns;
}

QVariant ComparisonModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    if (const ComparisonRow* const row = row_of(index)) return row_data(*row, index.column(), role);
    if (role == Qt::DisplayRole && index.column() == 0) {
        return groups_[static_cast<size_t>(index.row())].title;
    }
    if (role == Qt::FontRole) {
        QFont bold;
        bold.setBold(true);
        return bold;
    }
    return {};
}

QVariant ComparisonModel::row_data(const ComparisonRow& row, int column, int role) const {
    switch (role) {
        case Qt::DisplayRole:
            if (row.text.isEmpty()) return cell(row, column);
            return column == 0 ? QVariant(whole_line(row)) : QVariant();
        case Qt::ForegroundRole:
            if (row.mark == Mark::none) return {};
            return color_of(row.mark, dark_ ? Theme::dark_one() : Theme::light());
        case Qt::FontRole:
            if (row.mark == Mark::none) return {};
            {
                QFont bold;
                bold.setBold(true);
                return bold;
            }
        case Qt::TextAlignmentRole:
            return column >= before && column <= difference
                       ? QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter))
                       : QVariant();
        case Qt::ToolTipRole: {
            const QString text = row.text.isEmpty() ? cell(row, column) : row.text;
            return text.isEmpty() ? QVariant() : QVariant(plain_text(text));
        }
        case low:
            return has_interval(row) ? QVariant(row.change->low) : QVariant();
        case high:
            return has_interval(row) ? QVariant(row.change->high) : QVariant();
        case change:
            return has_interval(row) ? QVariant(row.change->change) : QVariant();
        default:
            return {};
    }
}

QVariant ComparisonModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) {
        return QVariant::fromValue(
            Qt::Alignment((section >= before && section <= difference ? Qt::AlignRight : Qt::AlignLeft) |
                          Qt::AlignVCenter));
    }
    if (role == Qt::ToolTipRole && section == interval) {
        return tr(
            "What the difference may be, with a chance of 95 %, as far as the captures vary by "
            "themselves. The line is drawn from -50 to +50 % or points, with 0 in the middle.");
    }
    if (role == Qt::ToolTipRole && section == verdict) {
        return tr(
            "HIGHER or LOWER: by more than 5 % (points) and more than chance, over all figures together");
    }
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case of:
            return tr("Of");
        case figure:
            return tr("Figure");
        case before:
            return tr("Before");
        case after:
            return tr("After");
        case difference:
            return tr("Difference");
        case interval:
            return tr("95 % interval");
        default:
            return tr("Beyond chance");
    }
}

}  // namespace sanscope
