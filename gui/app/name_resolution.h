// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <memory>

#include "gui/models/host_names.h"

namespace sanscope {

// Whose names stand in the tables of all captures in place of addresses: those of a hosts file that the user chose, and those that a
// capture itself brings along unless the user does not want them; kept from one run to the next. The name service is never asked.
class NameResolution : public QObject {
    Q_OBJECT

  public:
    // As it was kept; a file that is gone gives no names.
    explicit NameResolution(QObject* parent = nullptr);

    // Names are read from it now; empty: none any more. What is wrong, where they cannot be; then all stays.
    QString set_file(const QString& path);
    const QString& file() const { return file_; }
    // nullptr: none.
    const std::shared_ptr<const HostNames>& names() const { return names_; }

    // Whether the names in a capture's name resolution blocks are shown where the hosts file has none; at first they are.
    bool uses_names_of_captures() const { return uses_names_of_captures_; }
    void set_uses_names_of_captures(bool uses);

  Q_SIGNALS:
    void changed();

  private:
    QString file_;
    std::shared_ptr<const HostNames> names_;
    bool uses_names_of_captures_ = true;
};

}  // namespace sanscope
