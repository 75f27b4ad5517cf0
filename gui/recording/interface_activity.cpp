// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/recording/interface_activity.h"

#include <QDir>
#include <QFile>

namespace sanscope {
namespace {

uint64_t counter(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return 0;
    return file.readAll().trimmed().toULongLong();
}

}  // namespace

void InterfaceActivity::look(int64_t now_ns) {
    const double seconds = begun_ ? static_cast<double>(now_ns - last_ns_) / 1e9 : 0;
    begun_ = true;
    last_ns_ = now_ns;
    const QStringList names = QDir(folder_).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    std::erase_if(interfaces_, [&](const auto& one) { return !names.contains(one.first); });
    for (const QString& name : names) {
        const QString statistics = folder_ + QLatin1Char('/') + name + QStringLiteral("/statistics/");
        const uint64_t bytes = counter(statistics + QStringLiteral("rx_bytes")) +
                               counter(statistics + QStringLiteral("tx_bytes"));
        Interface& interface = interfaces_[name];
        if (interface.known && seconds > 0) {
            // A driver that begins anew counts from 0.
            const uint64_t more = bytes >= interface.bytes ? bytes - interface.bytes : 0;
            interface.rates.push_back(static_cast<double>(more) / seconds);
            if (interface.rates.size() > samples) interface.rates.erase(interface.rates.begin());
        }
        interface.bytes = bytes;
        interface.known = true;
    }
}

std::vector<double> InterfaceActivity::rates(const QString& interface) const {
    if (interface != QLatin1String("any")) {
        const auto found = interfaces_.find(interface);
        return found == interfaces_.end() ? std::vector<double>() : found->second.rates;
    }
    std::vector<double> sum;
    for (const auto& [name, one] : interfaces_) {
        if (one.rates.size() > sum.size()) sum.insert(sum.begin(), one.rates.size() - sum.size(), 0);
        const size_t skip = sum.size() - one.rates.size();
        for (size_t i = 0; i < one.rates.size(); ++i) sum[skip + i] += one.rates[i];
    }
    return sum;
}

}  // namespace sanscope
