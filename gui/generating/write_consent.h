// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <vector>

#include "gui/generating/discovery_process.h"

class QCheckBox;
class QLabel;
class QLineEdit;

namespace sanscope {

// Lets a user say twice that LUNs may be written to: by their serial numbers, and where something lies on one, that it may be
// lost.
class WriteConsent : public QFrame {
    Q_OBJECT

  public:
    explicit WriteConsent(QWidget* parent = nullptr);

    // Of which LUNs; what was said of others holds no more.
    void set_luns(const std::vector<DiscoveredLun>& luns);
    // Why they may not be written to, in a sentence; empty: they may.
    QString trouble() const;
    void take_into(LoadSettings& settings) const;

  Q_SIGNALS:
    void changed();

  private:
    QStringList typed() const;

    std::vector<DiscoveredLun> luns_;
    QLabel* words_;
    QLineEdit* serials_;
    QCheckBox* really_;
};

}  // namespace sanscope
