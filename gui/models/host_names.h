// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QString>
#include <memory>
#include <vector>

#include "analyzer/ingest/resolved_names.h"

namespace sanscope {

// Names of hosts by their addresses, out of a hosts file (hosts(5)), a capture, or what a name service said.
class HostNames {
  public:
    // The first name of each line's address; of an address with several lines that of the first one. What is no line of such
    // a file is passed over, and so is what is no name: at most 253 of letters, digits, `.`, `_` and `-`.
    static HostNames read(const QString& text);

    // Those that a capture brings along.
    static HostNames of(const ResolvedNames& names);
    // By address, as tables write it; what has no name is passed over.
    static HostNames of(const QHash<QString, QString>& names);
    // The names of one, and of addresses that it does not know those of the other; nullptr where there are none of either.
    static std::shared_ptr<const HostNames> first_of(std::shared_ptr<const HostNames> first,
                                                     std::shared_ptr<const HostNames> second);

    // That of an end with a port or without: 2001:db8::1 of [2001:db8::1]:3260.
    static QString address_of(const QString& end);

    // Of its own, not of what it was put together from.
    qsizetype size() const { return names_.size(); }
    // An address, alone or with a port (192.0.2.1:3260, [2001:db8::1]:3260), by its host's name: target:3260. As it is where
    // there is none.
    QString named(const QString& end) const;

  private:
    QString name_of(const QString& address) const;  // empty: none

    QHash<QString, QString> names_;                         // by the address as tables write it
    std::vector<std::shared_ptr<const HostNames>> others_;  // asked after that, in this order
};

// Whose names stand in place of addresses.
struct HostNameSources {
    std::shared_ptr<const HostNames> first;  // of a hosts file; nullptr: none
    bool of_capture = false;                 // those that the capture brings along come next
    std::shared_ptr<const HostNames> last;   // of DNS; nullptr: none
    bool wants_more = false;                 // addresses in sight that none of them names are to be told
};

}  // namespace sanscope
