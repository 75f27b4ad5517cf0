// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/document/document.h"

#include "analyzer/report/findings.h"

namespace sanscope {

// Whether there is anything in the capture to be shown of it.
bool leads_somewhere(const Finding& finding);

// Leads all views to what the finding is about: its connection and sender in focus, the command or packet selected, the time that
// shows it framed, once it is known with the story of what is selected (SelectedThings::story).
void show_place(Document& document, const Finding& finding);

}  // namespace sanscope
