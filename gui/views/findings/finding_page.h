// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "analyzer/report/findings.h"

class QWidget;

namespace sanscope {

// Where the page about a kind of finding lies: beside the installed program, or in the source tree that it was built in. Empty
// where there is none.
QString finding_page(Finding::Kind kind);

// What the kind is about, in some words: the page's title. Empty without one.
QString finding_headline(Finding::Kind kind);

// Shows the page in a window of its own, in which its links lead on to others.
void show_finding_page(Finding::Kind kind, QWidget* parent);

}  // namespace sanscope
