// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTimer>
#include <QTreeWidget>

#include "captures/recorder/recording.h"
#include "gui/document/latest_job.h"
#include "gui/recording/interface_activity.h"

namespace sanscope {

// Asks what is to be recorded: interfaces with what they carry just now, a capture filter that is checked as it is typed, how
// much of each packet. What was chosen last is chosen again.
class CaptureDialog : public QDialog {
    Q_OBJECT

  public:
    // `recorder`: which recorder is asked for interfaces and about filters.
    explicit CaptureDialog(QWidget* parent = nullptr, Recording::Options recorder = {});

    // As it is entered now; its path is empty where the recording has no name yet.
    v1::RecordingRequest request() const;
    // Interfaces are listed and the filter is checked.
    bool settled() const { return list_job_.idle() && check_job_.idle(); }

    void accept() override;

  private:
    struct Listed {
        v1::InterfaceList list;
        QString error;
    };
    struct Checked {
        bool valid = true;
        QString message;
    };
    void build();
    void list_interfaces();
    void show_interfaces(const Listed& listed);
    void check_filter();
    void show_checked(const Checked& checked);
    void update_start();
    QStringList chosen() const;
    void remember() const;
    void restore();
    void ask_for_path();

    Recording::Options recorder_;
    InterfaceActivity activity_;
    QTimer activity_timer_;
    QElapsedTimer clock_;
    QTreeWidget* interfaces_;
    QLineEdit* filter_;
    QLabel* filter_message_;
    QComboBox* snap_length_;
    QSpinBox* buffer_;
    QCheckBox* promiscuous_;
    QCheckBox* kernel_truth_;
    QLineEdit* path_;
    QLabel* message_;
    QPushButton* start_;
    bool filter_valid_ = true;
    QStringList to_choose_;  // once they are listed
    LatestJob<Listed> list_job_;
    LatestJob<Checked> check_job_;
};

}  // namespace sanscope
