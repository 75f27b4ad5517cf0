// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QObject>
#include <QSet>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <functional>
#include <memory>

#include "gui/models/host_names.h"

namespace sanscope {

// Names of hosts by reverse DNS (PTR, RFC 1035 §3.5), for addresses that somebody looks at. Each is asked for once, on threads of
// its own that nobody waits for: an answer may take many seconds, or never come. GUI thread only.
class DnsNames : public QObject {
    Q_OBJECT

  public:
    // What the name service says of an address, as tables write it; empty: it has no name. Called on several threads at once.
    using Resolve = std::function<QString(const QString& address)>;

    // So many addresses are asked for in all.
    static constexpr qsizetype most_addresses = 10'000;

    // The system's name service: getnameinfo(3), NI_NAMEREQD.
    static QString ask_name_service(const QString& address);

    explicit DnsNames(QObject* parent = nullptr, Resolve resolve = ask_name_service);
    // What is asked for is asked for no more; what is under way ends on its own, and nobody hears of it.
    ~DnsNames() override;

    // The name of an address is wanted, with a port or without. What is none of a single host (0.0.0.0, multicast, broadcast) is
    // never asked for.
    void want(const QStringList& ends);
    // What waits is asked for no more, until it is wanted again.
    void cancel();

    // Those known by now; nullptr: none. What came back and is no host name, or is written as an address, is none.
    const std::shared_ptr<const HostNames>& names() const { return names_; }
    // Nothing is asked for, and what came is in names().
    bool idle() const { return waiting_.isEmpty() && !publish_timer_.isActive(); }

  Q_SIGNALS:
    // There are more names. Several at once, mostly.
    void changed();

  private:
    struct Shared;
    void take(const QString& address, const QString& name);
    void publish();

    std::shared_ptr<Shared> shared_;
    QSet<QString> waiting_;          // asked for, not yet answered
    QHash<QString, QString> known_;  // by address; empty: it has no name
    std::shared_ptr<const HostNames> names_;
    QTimer publish_timer_;
};

}  // namespace sanscope
