// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "gui/app/settings.h"

class QComboBox;

namespace sanscope {

// Shows the settings; what is chosen holds at once.
class SettingsDialog : public QDialog {
    Q_OBJECT

  public:
    SettingsDialog(Settings& settings, QWidget* parent);

    QComboBox& theme_box() const { return *theme_; }
    QComboBox& time_box() const { return *time_; }
    QComboBox& rates_box() const { return *rates_; }

  private:
    void follow();

    Settings& settings_;
    QComboBox* theme_;
    QComboBox* time_;
    QComboBox* rates_;
};

}  // namespace sanscope
