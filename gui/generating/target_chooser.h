// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QWidget>
#include <vector>

#include "gui/generating/discovery_process.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace sanscope {

// Where a load goes: an address whose targets and LUNs are listed as they are found, behind the window, and of which some are
// picked; and who asks there.
class TargetChooser : public QWidget {
    Q_OBJECT

  public:
    explicit TargetChooser(QWidget* parent = nullptr);

    // Address, users and which LUNs are picked once they are listed; nobody is asked by that.
    void restore(const LoadSettings& settings);
    void remember() const;
    // LUNs and users.
    void take_into(LoadSettings& settings) const;
    LoadSecrets secrets() const;
    std::vector<DiscoveredLun> chosen() const;
    // What stands against a load, in a sentence; empty: nothing.
    QString trouble() const;
    bool asking() const { return discovery_.running(); }
    // Whether Enter would ask the address rather than start a load.
    bool enter_asks() const;

    void ask();

  Q_SIGNALS:
    void changed();

  private:
    QWidget* build_account();
    void build_list();
    void stop_asking();
    void clear();
    void add_target(const QString& name, const QString& url);
    void add_lun(const QString& target_url, const DiscoveredLun& lun);
    void report_failure(const QString& url, const QString& why);
    void ask_target(QTreeWidgetItem& item);
    void show_asking();
    void show_message(const QString& sentence);
    QTreeWidgetItem* item_of(const QString& url) const { return items_.value(url, nullptr); }
    DiscoveryProcess::Account account() const;

    DiscoveryProcess discovery_;
    QLineEdit* address_;
    QPushButton* ask_;
    QToolButton* account_;
    QLineEdit* user_;
    QLineEdit* secret_;
    QLineEdit* mutual_user_;
    QLineEdit* mutual_secret_;
    QTreeWidget* list_;
    QLabel* message_;
    QHash<QString, QTreeWidgetItem*> items_;  // targets, by their URLs
    QHash<QString, DiscoveredLun> luns_;      // by theirs
    QStringList to_choose_;                   // once they are listed
    int asked_by_itself_ = 0;
};

}  // namespace sanscope
