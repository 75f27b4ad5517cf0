// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/name_resolution.h"

#include <QFile>
#include <QFileInfo>
#include <QSettings>

namespace sanscope {
namespace {

constexpr auto file_key = "settings/hosts_file";
constexpr auto captures_key = "settings/names_of_captures";
constexpr auto dns_key = "settings/names_by_dns";

// nullptr, and why, where there are none.
std::shared_ptr<const HostNames> read_names(const QString& path, QString& fault) {
    constexpr qint64 most_bytes = 16 << 20;
    const QFileInfo info(path);
    if (info.exists() && !info.isFile()) {
        fault = NameResolution::tr("%1 is not a regular file.").arg(path);
        return nullptr;
    }
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        fault = NameResolution::tr("%1 cannot be read: %2").arg(path, file.errorString());
        return nullptr;
    }
    auto names = std::make_shared<const HostNames>(HostNames::read(QString::fromUtf8(file.read(most_bytes))));
    if (names->size() > 0) return names;
    fault = NameResolution::tr("%1 names no host: each line has an address and a name.").arg(path);
    return nullptr;
}

}  // namespace

NameResolution::NameResolution(QObject* parent)
    : QObject(parent),
      file_(QSettings().value(QLatin1String(file_key)).toString()),
      uses_names_of_captures_(QSettings().value(QLatin1String(captures_key), true).toBool()),
      uses_dns_(QSettings().value(QLatin1String(dns_key), false).toBool()) {
    set_name_service(DnsNames::ask_name_service);
    QString fault;
    if (!file_.isEmpty()) names_ = read_names(file_, fault);
}

QString NameResolution::set_file(const QString& path) {
    QString fault;
    auto names = path.isEmpty() ? nullptr : read_names(path, fault);
    if (!fault.isEmpty()) return fault;
    file_ = path;
    names_ = std::move(names);
    QSettings().setValue(QLatin1String(file_key), path);
    Q_EMIT changed();
    return {};
}

void NameResolution::set_uses_names_of_captures(bool uses) {
    if (uses == uses_names_of_captures_) return;
    uses_names_of_captures_ = uses;
    QSettings().setValue(QLatin1String(captures_key), uses);
    Q_EMIT changed();
}

void NameResolution::set_uses_dns(bool uses) {
    if (uses == uses_dns_) return;
    uses_dns_ = uses;
    if (!uses) dns_->cancel();
    QSettings().setValue(QLatin1String(dns_key), uses);
    Q_EMIT changed();
}

void NameResolution::want(const QStringList& ends) {
    if (uses_dns_) dns_->want(ends);
}

void NameResolution::forget_wanted() {
    dns_->cancel();
}

void NameResolution::set_name_service(DnsNames::Resolve resolve) {
    dns_ = std::make_unique<DnsNames>(nullptr, std::move(resolve));
    connect(dns_.get(), &DnsNames::changed, this, [this] {
        if (uses_dns_) Q_EMIT changed();
    });
}

HostNameSources NameResolution::sources() const {
    return {names_, uses_names_of_captures_, uses_dns_ ? dns_->names() : nullptr, uses_dns_};
}

}  // namespace sanscope
