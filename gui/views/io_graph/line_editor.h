// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableWidget>
#include <memory>
#include <vector>

#include "gui/views/io_graph/graph_line.h"

class QCheckBox;
class QComboBox;
class QLineEdit;
class QToolButton;

namespace sanscope {

// The lines of an I/O graph, a row each: what of them can be chosen.
class LineEditor : public QTableWidget {
    Q_OBJECT

  public:
    // What a row is edited with.
    struct Row {
        QCheckBox* on = nullptr;
        QComboBox* color = nullptr;
        QComboBox* function = nullptr;
        QComboBox* column = nullptr;
        QComboBox* table = nullptr;
        QLineEdit* filter = nullptr;
        QComboBox* time = nullptr;
        QComboBox* split = nullptr;
        QToolButton* remove = nullptr;
    };

    explicit LineEditor(QWidget* parent);

    // As high as some lines need; more, and where there is less room, can be scrolled to.
    QSize sizeHint() const override { return {QTableWidget::sizeHint().width(), height_}; }
    QSize minimumSizeHint() const override { return {0, 2 * fontMetrics().height()}; }

    const std::vector<GraphLine>& lines() const { return lines_; }
    void set_lines(std::vector<GraphLine> lines);
    // Like the last one; nothing where there are as many as there may be.
    void add_line();
    // Why lines are not drawn, one a line, empty where they are.
    void show_problems(const std::vector<QString>& problems);
    const Row& row_at(size_t line) const { return *rows_[line]; }

  Q_SIGNALS:
    // By the user.
    void lines_changed();

  protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void make_row();
    void fill(size_t line);
    void read(const Row& row);
    void remove(const Row* row);
    void fit();
    void fill_colors(QComboBox& box) const;

    int height_ = 0;
    std::vector<GraphLine> lines_;
    std::vector<std::unique_ptr<Row>> rows_;
};

}  // namespace sanscope
