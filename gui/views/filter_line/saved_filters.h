// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>

namespace sanscope {

// A filter that was given a name.
struct SavedFilter {
    QString name;
    QString language;  // as FilterLine::language()
    QString expression;
    bool operator==(const SavedFilter&) const = default;
};

// Those of the user's settings, in the order of their buttons; at most as many as there is any use in. What is no filter there is
// left out.
QList<SavedFilter> saved_filters();
void save_filters(const QList<SavedFilter>& filters);

}  // namespace sanscope
