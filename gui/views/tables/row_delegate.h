// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

#include "gui/models/table_model.h"
#include "gui/plot/text_scale.h"

namespace sanscope {

// Paints the cells of a TableModel: kinds of losses with their marks, commands with the colours they have elsewhere.
class RowDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    explicit RowDelegate(const TableModel& model, QObject* parent);

    static int margin() { return beside_text(6); }  // pixels beside a cell's text
    static int mark() { return beside_text(12); }   // that a mark takes

    // Pixels that marks take in the column.
    int extra_width(int column) const {
        return column == kind_column_ || column == name_column_ ? mark() : 0;
    }
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;

  private:
    static QString shortened(const QString& text, bool is_number, const QFontMetrics& metrics, int room);
    void paint_mark(QPainter& painter, const Theme& theme, const QModelIndex& index, const QString& text,
                    QPointF center) const;

    const TableModel& model_;
    int kind_column_ = -1;    // of losses
    int name_column_ = -1;    // of commands
    int opcode_column_ = -1;  // likewise
};

}  // namespace sanscope
