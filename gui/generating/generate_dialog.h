// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "gui/generating/load_settings.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace sanscope {

class LoadForm;
class TargetChooser;
class WriteConsent;

// A load that is to be put on, and what a recording of it is made of.
struct LoadRun {
    LoadSettings settings;
    LoadSecrets secrets;
    QStringList interfaces;
    QString filter;  // a capture filter
};

// Asks which load is to be put on: the LUNs, what it consists of, whether it is recorded. What was chosen last is chosen again,
// but for secrets, and for what allows writes.
class GenerateDialog : public QDialog {
    Q_OBJECT

  public:
    explicit GenerateDialog(QWidget* parent = nullptr);

    // As it is entered now.
    LoadRun run() const;
    // Nobody is asked any more what is there.
    bool settled() const;
    // What stands against a start, in a sentence; empty: nothing.
    QString trouble() const;
    TargetChooser& targets() const { return *targets_; }

    void accept() override;

  protected:
    void keyPressEvent(QKeyEvent* event) override;

  private:
    QLayout* build_recording();
    QLayout* build_command_line();
    LoadSettings settings() const;
    void update_all();

    TargetChooser* targets_;
    LoadForm* form_;
    WriteConsent* consent_;
    QCheckBox* record_;
    QComboBox* snap_length_;
    QCheckBox* kernel_truth_;
    QPlainTextEdit* command_line_;
    QLabel* message_;
    QPushButton* start_;
    bool updating_ = false;
};

}  // namespace sanscope
