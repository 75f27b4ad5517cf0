// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "gui/experimenting/experiment_choice.h"

class QCheckBox;
class QDoubleSpinBox;
class QLineEdit;
class QListWidget;
class QPlainTextEdit;
class QSpinBox;
class QTableWidget;

namespace sanscope {

// Which experiment, what of it, and where its results go. What was chosen last is chosen again.
class ExperimentForm : public QWidget {
    Q_OBJECT

  public:
    explicit ExperimentForm(QWidget* parent = nullptr);

    ExperimentChoice choice() const;
    // For the next time.
    void remember() const;

  Q_SIGNALS:
    void changed();

  private:
    void build();
    QLayout* build_rows();
    void list_settings();
    void show_experiment();
    void ask_for_folder();
    std::vector<std::string> settings_in(int column) const;

    QListWidget* experiments_;
    QPlainTextEdit* about_;
    QTableWidget* settings_;
    QSpinBox* repetitions_;
    QDoubleSpinBox* seconds_;
    QLineEdit* folder_;
    QCheckBox* keep_captures_;
    QString own_folder_;  // as the experiment has it, unless another one was entered
};

}  // namespace sanscope
