// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QProcess>
#include <QQueue>
#include <memory>

#include "gui/generating/json_lines.h"
#include "gui/generating/load_settings.h"

namespace sanscope {

struct DiscoveredLun {
    QString url;
    uint64_t number = 0;
    uint64_t bytes = 0;
    QString vendor;
    QString product;
    QString serial_number;
    QString content;    // what lies on it; empty: nothing known
    QString interface;  // what a recording of a load on it is made from,
    QString filter;     // and of which packets
    QString error;      // why it cannot be used; empty: it can
};

// Asks portals for their targets and targets for their LUNs, behind the window, one after the other. GUI thread only.
class DiscoveryProcess : public QObject {
    Q_OBJECT

  public:
    struct Account {
        QString user;  // empty: none
        QString mutual_user;
        LoadSecrets secrets;
    };

    explicit DiscoveryProcess(QObject* parent = nullptr) : QObject(parent) {}
    ~DiscoveryProcess() override { cancel(); }

    // iscsi://HOST[:PORT] or iscsi://HOST[:PORT]/NAME. What is asked already is finished first.
    void ask(const QString& url, const Account& account);
    // No signal comes of what was asked until now.
    void cancel();
    bool running() const { return process_ != nullptr; }

  Q_SIGNALS:
    void target(const QString& name, const QString& url);
    void lun(const QString& target_url, const DiscoveredLun& lun);
    void failed(const QString& url, const QString& why);
    void asked(const QString& url);  // there is no more to come of that one
    void finished();                 // of all

  private:
    struct Question {
        QString url;
        Account account;
    };
    void next();
    void take(const QJsonObject& object);
    void read_output();
    void end();

    QQueue<Question> questions_;
    Question current_;
    QProcess* process_ = nullptr;
    JsonLines lines_;
    QByteArray errors_;
    int entries_ = 0;
};

// What a user typed as an address: "192.0.2.7", "[2001:db8::7]:3260", "iscsi://…". The URL of a portal, or of a target where a
// name stands behind it; the user's name and the LUN, where it has them, apart. An error in words.
struct TypedAddress {
    QString url;
    QString user;
    QString lun_url;  // empty: no LUN is named
    QString error;
};
TypedAddress read_address(const QString& text);

}  // namespace sanscope
