// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/view_kinds.h"

#include <QCoreApplication>
#include <array>

namespace sanscope {

QString ViewKind::translated_title() const {
    return QCoreApplication::translate("ViewKind", title);
}

const ViewKind* find_view_kind(std::string_view name) {
    for (const ViewKind& kind : view_kinds()) {
        if (kind.name == name) return &kind;
    }
    return nullptr;
}

}  // namespace sanscope
