// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "gui/sharing/share_copy.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace sanscope {

// Asks what a copy to share shall hold, and where it shall be. What was chosen last is chosen again, but for the files.
class ShareDialog : public QDialog {
    Q_OBJECT

  public:
    // `capture`: the file that is to be copied.
    ShareDialog(const QString& capture, QWidget* parent);

    // As it is entered now.
    ShareRequest request() const;
    // Why that cannot be done; empty: it can.
    QString fault() const;
    // In the folder of the capture, and not there yet.
    static QString suggested_name(const QString& capture, const QString& ending);

    QLineEdit& target() const { return *target_; }
    QLineEdit& mapping() const { return *mapping_; }
    QCheckBox& anonymize() const { return *anonymize_; }
    QCheckBox& writes_mapping() const { return *writes_mapping_; }
    QPushButton& save() const { return *save_; }

    void accept() override;

  private:
    void update_state();
    void ask_for(QLineEdit& into, const QString& title, const QString& kinds);

    QString capture_;
    QLineEdit* target_;
    QCheckBox* anonymize_;
    QCheckBox* writes_mapping_;
    QLineEdit* mapping_;
    QPushButton* ask_mapping_;
    QLabel* holds_;
    QLabel* fault_;
    QPushButton* save_ = nullptr;
};

}  // namespace sanscope
