// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace sanscope {

// A text that others have a say in – a capture, a peer, another host, a file's name –, for a tooltip or a label. Qt guesses
// (Qt::AutoText, and all tooltips) whether a text is HTML, and HTML may load files and hide what it says; of this it shows
// every character as it is. Very long ones are cut.
QString plain_text(const QString& text);

}  // namespace sanscope
