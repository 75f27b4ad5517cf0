// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <memory>

#include "gui/models/dns_names.h"
#include "gui/models/host_names.h"

namespace sanscope {

// Whose names stand in the tables of all captures in place of addresses: those of a hosts file that the user chose, and those that a
// capture itself brings along unless the user does not want them, and, only where the user wants that, those that the name service
// has; kept from one run to the next.
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

    // Whether the name service is asked for those that neither has; at first it is not.
    bool uses_dns() const { return uses_dns_; }
    void set_uses_dns(bool uses);
    // These addresses are in sight without a name. Nothing happens unless the name service may be asked.
    void want(const QStringList& ends);
    // What was wanted and has not been asked for yet.
    void forget_wanted();
    // Another one than the system's.
    void set_name_service(DnsNames::Resolve resolve);

    HostNameSources sources() const;

  Q_SIGNALS:
    void changed();

  private:
    QString file_;
    std::shared_ptr<const HostNames> names_;
    bool uses_names_of_captures_ = true;
    bool uses_dns_ = false;
    std::unique_ptr<DnsNames> dns_;
};

}  // namespace sanscope
