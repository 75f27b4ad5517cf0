// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// QCustomPlot's header, with the keywords of Qt that it expects and that are switched off elsewhere.
#define signals Q_SIGNALS
#define slots Q_SLOTS
// A declaration and a range: neither can stand in parentheses.
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define foreach(variable, container) for (variable : container)
#include <qcustomplot.h>
#undef signals
#undef slots
#undef foreach
