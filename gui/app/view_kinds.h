// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <span>
#include <string_view>

#include "gui/view_engine/view.h"

namespace sanscope {

struct TableKind;  // gui/models/table_kinds.h

// A view that a document can be looked at with.
struct ViewKind {
    std::string_view name;  // as in `--view NAME`
    const char* title;      // to be translated in the context "ViewKind"
    View* (*make_view)(const ViewKind& kind, Document& document, QWidget* parent);
    const TableKind* table = nullptr;  // of a view of rows
    // Which it had once, and has in what was stored then: taken as well.
    std::string_view former_name = {};

    View* make(Document& document, QWidget* parent) const { return make_view(*this, document, parent); }

    QString id() const { return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())); }
    // In stored layouts: that of the first version, so that it is found in them.
    QString layout_name() const;
    QString translated_title() const;
};

// All of them, in the order of menus and of rendering.
std::span<const ViewKind> view_kinds();
// Also by its former name; nullptr for a name that is none.
const ViewKind* find_view_kind(std::string_view name);

}  // namespace sanscope
