// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <vector>

#include "gui/models/color_rules.h"

class QLabel;
class QTableWidget;
class QTableWidgetItem;

namespace sanscope {

class PacketColoring;

// The coloring rules of Packets, in order: names and filters are edited in place, with what is wrong beside them; rules of
// Wireshark's are imported. Nothing holds before OK.
class ColoringRulesDialog : public QDialog {
    Q_OBJECT

  public:
    ColoringRulesDialog(PacketColoring& coloring, QWidget* parent);

    QTableWidget& table() const { return *table_; }
    const std::vector<ColorRule>& rules() const { return rules_; }
    // Puts the rules of such a file before those there are; what cannot be read is reported below the table.
    void import_file(const QString& path);
    void accept() override;

  private:
    void show_rules(int current);
    void show_row(int row);
    void on_edited(const QTableWidgetItem& item);
    void add();
    void remove();
    void move(int by);
    void choose_color(QColor ColorRule::*color, const QString& title);
    void ask_for_file();
    void take_first_rules();

    PacketColoring& coloring_;
    std::vector<ColorRule> rules_;
    const std::vector<ColorRule> before_;  // of the theme that was in use then
    bool first_rules_ = false;             // as they are, for both themes
    QTableWidget* table_;
    QLabel* message_;
};

}  // namespace sanscope
