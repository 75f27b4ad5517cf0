// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/generating/discovery_process.h"

#include <arpa/inet.h>

#include "captures/iscsi_peer/initiator/target_url.h"
#include "gui/generating/generator_program.h"

namespace sanscope {
namespace {

// Of one question: more would be no list that anybody reads.
constexpr int most_entries = 20'000;
constexpr qsizetype most_errors = 1 << 16;

bool is_url_of(const QString& text, bool lun) {
    const auto url = read_target_url(text.toStdString());
    return url && url->user.empty() && !url->target_name.empty() && url->lun.has_value() == lun;
}

}  // namespace

void DiscoveryProcess::ask(const QString& url, const Account& account) {
    questions_.enqueue({url, account});
    if (process_ == nullptr) next();
}

void DiscoveryProcess::cancel() {
    questions_.clear();
    if (process_ == nullptr) return;
    process_->disconnect(this);
    process_->kill();
    process_->waitForFinished();
    process_->deleteLater();
    process_ = nullptr;
}

void DiscoveryProcess::next() {
    current_ = questions_.dequeue();
    lines_ = {};
    errors_.clear();
    entries_ = 0;
    QStringList arguments{QStringLiteral("generate"), QStringLiteral("--discover"), QStringLiteral("--json")};
    LoadSettings login;
    login.user = current_.account.user;
    login.mutual_user = current_.account.mutual_user;
    if (!login.user.isEmpty()) {
        arguments << QStringLiteral("--secret-file") << QStringLiteral("-");
        if (!login.mutual_user.isEmpty()) {
            arguments << QStringLiteral("--mutual-user") << login.mutual_user
                      << QStringLiteral("--mutual-secret-file") << QStringLiteral("-");
        }
    }
    arguments << QStringLiteral("--") << url_with_user(current_.url, login.user);
    process_ = new QProcess(this);
    connect(process_, &QProcess::readyReadStandardOutput, this, &DiscoveryProcess::read_output);
    connect(process_, &QProcess::readyReadStandardError, this, [this] {
        errors_ += process_->readAllStandardError();
        if (errors_.size() > most_errors) errors_ = errors_.right(most_errors);
    });
    connect(process_, &QProcess::finished, this, &DiscoveryProcess::end);
    connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) end();
    });
    start_generator(*process_, arguments, secret_lines(login, current_.account.secrets));
}

void DiscoveryProcess::read_output() {
    lines_.add(process_->readAllStandardOutput(), [this](const QJsonObject& object) { take(object); });
}

void DiscoveryProcess::take(const QJsonObject& object) {
    if (++entries_ > most_entries) return;
    const QString kind = text_of(object, "kind");
    const QString url = text_of(object, "url");
    if (kind == u"target" && is_url_of(url, false)) {
        Q_EMIT target(text_of(object, "name"), url);
    } else if (kind == u"lun" && is_url_of(url, true)) {
        DiscoveredLun one;
        one.url = url;
        one.number = count_of(object, "lun");
        one.bytes = count_of(object, "bytes");
        one.vendor = text_of(object, "vendor").trimmed();
        one.product = text_of(object, "product").trimmed();
        one.serial_number = text_of(object, "serial_number").trimmed();
        one.content = text_of(object, "content");
        one.interface = text_of(object, "interface");
        one.filter = text_of(object, "filter");
        one.error = text_of(object, "error");
        Q_EMIT lun(current_.url, one);
    }
}

void DiscoveryProcess::end() {
    QProcess* const ended = std::exchange(process_, nullptr);
    errors_ += ended->readAllStandardError();
    const QString said = sentences_of(errors_);
    const bool well = ended->error() != QProcess::FailedToStart &&
                      ended->exitStatus() == QProcess::NormalExit && ended->exitCode() == 0;
    const QString url = current_.url;
    if (!well) Q_EMIT failed(url, said.isEmpty() ? how_it_ended(*ended) : said);
    if (well && entries_ == 0)
        Q_EMIT failed(url, said.isEmpty() ? tr("There is nothing for this initiator.") : said);
    ended->disconnect(this);
    ended->deleteLater();
    Q_EMIT asked(url);
    if (process_ != nullptr) return;
    if (questions_.isEmpty()) {
        Q_EMIT finished();
    } else {
        next();
    }
}

TypedAddress read_address(const QString& text) {
    const QString scheme = QStringLiteral("iscsi://");
    TypedAddress address;
    QString typed = text.trimmed();
    if (typed.startsWith(scheme)) typed = typed.mid(scheme.size());
    in6_addr host{};
    if (::inet_pton(AF_INET6, typed.toUtf8().constData(), &host) == 1) typed = u'[' + typed + u']';
    while (typed.endsWith(u'/')) typed.chop(1);
    const auto url = read_target_url((scheme + typed).toStdString());
    if (!url) {
        address.error = shown_text(QString::fromStdString(url.error().message));
        return address;
    }
    address.user = QString::fromStdString(url->user);
    address.url = scheme + typed.mid(typed.lastIndexOf(u'@') + 1);
    if (url->lun) {
        address.lun_url = address.url;
        address.url = address.url.left(address.url.lastIndexOf(u'/'));
    }
    return address;
}

}  // namespace sanscope
