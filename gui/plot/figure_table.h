// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableWidget>

namespace sanscope {

// Figures below a plot, to be read only: names in the first column, as high as some rows need. Hidden until
// it is filled.
class FigureTable : public QTableWidget {
    Q_OBJECT

  public:
    FigureTable(const QString& accessible_name, QWidget* parent);

    // Empties it; to be followed by a set() for each cell that is to hold something, and by fit().
    void begin(const QStringList& columns, int rows);
    void set(int row, int column, const QString& text);
    // Gives it the size that its content needs, and shows it where it has any and its parent has room for it.
    void fit();
};

}  // namespace sanscope
