// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/host_names.h"

#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <string>

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

bool is_host_name(const QString& word) {
    static const QRegularExpression form(QStringLiteral("^[A-Za-z0-9._-]{1,253}$"));
    return form.match(word).hasMatch();
}

}  // namespace

HostNames HostNames::read(const QString& text) {
    static const QRegularExpression blanks(QStringLiteral("\\s+"));
    HostNames result;
    for (const QString& line : text.split(QLatin1Char('\n'))) {
        const QStringList words = line.section(QLatin1Char('#'), 0, 0).split(blanks, Qt::SkipEmptyParts);
        const auto name =
            std::find_if(words.begin() + std::min<qsizetype>(1, words.size()), words.end(), is_host_name);
        if (name == words.end()) continue;
        const QString address = canonical(words[0]);
        if (!address.isEmpty() && !result.names_.contains(address)) result.names_.insert(address, *name);
    }
    return result;
}

QString HostNames::named(const QString& end) const {
    QString address = end;
    QString port;
    if (end.startsWith(QLatin1Char('['))) {
        const qsizetype close = end.indexOf(QLatin1Char(']'));
        address = end.mid(1, close - 1);
        port = end.mid(close + 1);
    } else if (end.count(QLatin1Char(':')) == 1) {
        const qsizetype colon = end.indexOf(QLatin1Char(':'));
        address = end.left(colon);
        port = end.mid(colon);
    }
    const auto name = names_.find(address);
    return name == names_.end() ? end : *name + port;
}

}  // namespace sanscope
