// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QString>

namespace sanscope::layers_view {

// The text in the user's language, as the Layers view's.
inline QString tr(const char* text) {
    return QCoreApplication::translate("LayersView", text);
}

}  // namespace sanscope::layers_view
