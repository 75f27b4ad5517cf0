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
#include <QToolButton>
#include <QTreeWidget>
#include <array>
#include <optional>

#include "captures/recorder/recording.h"
#include "gui/document/latest_job.h"
#include "gui/recording/interface_activity.h"

namespace sanscope {

// Asks what is to be recorded: interfaces with what they carry just now, a capture filter that is checked as it is typed, how
// much of each packet. Of another host, which is asked through ssh only when its user says so, the names of interfaces may be
// typed instead. What was chosen last is chosen again.
class CaptureDialog : public QDialog {
    Q_OBJECT

  public:
    // `recorder`: which recorder is asked for this host's interfaces and about filters.
    explicit CaptureDialog(QWidget* parent = nullptr, Recording::Options recorder = {});

    // As it is entered now; its path is empty where the recording has no name yet.
    v1::RecordingRequest request() const;
    // The host that is to record; nothing: this one.
    std::optional<v1::RemoteHost> remote() const;
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
    QWidget* build_host_rows();
    QLayout* build_form();
    QLayout* build_path_row();
    bool elsewhere() const { return !host_->text().trimmed().isEmpty(); }
    void take_host();
    void list_interfaces();
    void show_interfaces(const Listed& listed);
    void check_filter();
    void show_checked(const Checked& checked);
    void update_start();
    QStringList chosen() const;
    QStringList typed_names() const;
    void select_typed();
    void remember() const;
    void restore();
    void ask_for_path();

    Recording::Options recorder_;
    InterfaceActivity activity_;
    QTimer activity_timer_;
    QElapsedTimer clock_;
    QLineEdit* host_;
    QPushButton* ask_host_;
    QToolButton* advanced_;
    QLineEdit* ssh_command_;
    QLineEdit* remote_recorder_;
    QCheckBox* with_ssh_;
    QTreeWidget* interfaces_;
    QLabel* names_words_;
    QLineEdit* names_;  // of another host's interfaces
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
    bool was_elsewhere_ = false;
    // Chosen for this host, and for another one: a snap length, or what headers_kept says.
    static constexpr int headers_kept = -1;
    std::array<int, 2> snap_lengths_{headers_kept, headers_kept};
    QStringList to_choose_;  // once they are listed
    LatestJob<Listed> list_job_;
    LatestJob<Checked> check_job_;
};

}  // namespace sanscope
