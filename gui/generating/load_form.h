// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "gui/generating/load_settings.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QGridLayout;
class QLineEdit;
class QSpinBox;
class QToolButton;

namespace sanscope {

// What a load consists of, and when it ends: sizes, how many at once, which blocks; from a preset, or each by itself.
class LoadForm : public QWidget {
    Q_OBJECT

  public:
    explicit LoadForm(QWidget* parent = nullptr);

    void set(const LoadSettings& settings);
    // Takes over what is entered, as far as it can be read. Returns what cannot, in a sentence; empty: all of it could.
    QString take_into(LoadSettings& settings) const;

  Q_SIGNALS:
    void changed();

  private:
    void build_fields(QGridLayout& grid);
    QWidget* build_advanced();
    QWidget* build_tcp();
    void take_change();
    void show_preset(const LoadSettings& settings);
    void show_end_value();
    LoadSettings::End end() const;

    QComboBox* preset_;
    QComboBox* pdu_size_;
    QComboBox* request_size_;
    QSpinBox* queue_depth_;
    QSpinBox* connections_;
    QSpinBox* sessions_;
    QComboBox* pattern_;
    QSpinBox* read_percent_;
    QDoubleSpinBox* rate_;
    QComboBox* end_;
    QLineEdit* end_value_;
    QToolButton* advanced_;
    QComboBox* congestion_control_;
    QLineEdit* receive_buffer_;
    QLineEdit* send_buffer_;
    QLineEdit* maximum_segment_size_;
    QLineEdit* window_clamp_;
    QCheckBox* header_digest_;
    QCheckBox* data_digest_;
    LoadSettings ends_;  // the values of those ends that are not chosen
    bool setting_ = false;
};

}  // namespace sanscope
