// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/filter_line/saved_filters.h"

#include <QSettings>
#include <algorithm>

namespace sanscope {
namespace {

constexpr int most_saved = 100;

QString group() {
    return QStringLiteral("filters/saved");
}

}  // namespace

QList<SavedFilter> saved_filters() {
    QList<SavedFilter> filters;
    QSettings settings;
    const int count = std::min(settings.beginReadArray(group()), most_saved);
    for (int i = 0; i < count; ++i) {
        settings.setArrayIndex(i);
        SavedFilter filter{settings.value(QStringLiteral("name")).toString(),
                           settings.value(QStringLiteral("language")).toString(),
                           settings.value(QStringLiteral("expression")).toString()};
        if (!filter.name.isEmpty() && !filter.expression.isEmpty()) filters.append(std::move(filter));
    }
    settings.endArray();
    return filters;
}

void save_filters(const QList<SavedFilter>& filters) {
    QSettings settings;
    settings.remove(group());
    const auto count = static_cast<int>(std::min<qsizetype>(filters.size(), most_saved));
    settings.beginWriteArray(group(), count);
    for (int i = 0; i < count; ++i) {
        settings.setArrayIndex(i);
        settings.setValue(QStringLiteral("name"), filters[i].name);
        settings.setValue(QStringLiteral("language"), filters[i].language);
        settings.setValue(QStringLiteral("expression"), filters[i].expression);
    }
    settings.endArray();
}

}  // namespace sanscope
