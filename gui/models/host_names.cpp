// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/host_names.h"

#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <string>
#include <utility>

#include "analyzer/vocabulary/ip_address.h"

namespace sanscope {
namespace {

// However it is written; empty for what is no address.
QString canonical(const QString& address) {
    const std::string text = address.toStdString();
    std::array<unsigned char, sizeof(in6_addr)> bytes{};
    std::array<char, INET6_ADDRSTRLEN> written{};
    for (const int family : {AF_INET, AF_INET6}) {
        if (inet_pton(family, text.c_str(), bytes.data()) == 1 &&
            inet_ntop(family, bytes.data(), written.data(), written.size()) != nullptr) {
            return QString::fromLatin1(written.data());
        }
    }
    return {};
}

bool is_name(const QString& word) {
    return is_host_name(word.toStdString());
}

}  // namespace

HostNames HostNames::read(const QString& text) {
    static const QRegularExpression blanks(QStringLiteral("\\s+"));
    HostNames result;
    for (const QString& line : text.split(QLatin1Char('\n'))) {
        const QStringList words = line.section(QLatin1Char('#'), 0, 0).split(blanks, Qt::SkipEmptyParts);
        const auto name =
            std::find_if(words.begin() + std::min<qsizetype>(1, words.size()), words.end(), is_name);
        if (name == words.end()) continue;
        const QString address = canonical(words[0]);
        if (!address.isEmpty() && !result.names_.contains(address)) result.names_.insert(address, *name);
    }
    return result;
}

HostNames HostNames::of(const ResolvedNames& names) {
    HostNames result;
    result.names_.reserve(static_cast<qsizetype>(names.all().size()));
    for (const auto& [address, name] : names.all()) {
        result.names_.insert(QString::fromStdString(format(IpAddress::from_v6(address.data()))),
                             QString::fromStdString(name));
    }
    return result;
}

HostNames HostNames::of(const QHash<QString, QString>& names) {
    HostNames result;
    for (auto name = names.begin(); name != names.end(); ++name) {
        if (!name->isEmpty()) result.names_.insert(name.key(), *name);
    }
    return result;
}

std::shared_ptr<const HostNames> HostNames::first_of(std::shared_ptr<const HostNames> first,
                                                     std::shared_ptr<const HostNames> second) {
    if (first == nullptr) return second;
    if (second == nullptr) return first;
    auto both = std::make_shared<HostNames>();
    both->others_ = {std::move(first), std::move(second)};
    return both;
}

QString HostNames::name_of(const QString& address) const {
    if (const auto name = names_.find(address); name != names_.end()) return *name;
    for (const auto& other : others_) {
        if (const QString name = other->name_of(address); !name.isEmpty()) return name;
    }
    return {};
}

QString HostNames::address_of(const QString& end) {
    if (end.startsWith(QLatin1Char('['))) return end.mid(1, end.indexOf(QLatin1Char(']')) - 1);
    return end.count(QLatin1Char(':')) == 1 ? end.left(end.indexOf(QLatin1Char(':'))) : end;
}

QString HostNames::named(const QString& end) const {
    const QString address = address_of(end);
    const QString name = name_of(address);
    if (name.isEmpty()) return end;
    const qsizetype brackets = end.startsWith(QLatin1Char('[')) ? 2 : 0;
    return name + end.mid(address.size() + brackets);
}

}  // namespace sanscope
