// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include "gui/document/document.h"

namespace sanscope {

class CaptureWindow;

// Where a capture is opened at, so that reports and findings can link into the window.
struct StartPlace {
    // A packet's number ("4711"), or a moment as parse_time() takes it, with its unit or a point ("1.25", "12ms").
    QString at = {};
    QString finding = {};    // a kind: the first finding of it, as a click on it shows it
    QStringList views = {};  // to be shown; the last one in front
    QString filter = {};     // for the filter line

    bool empty() const { return at.isEmpty() && finding.isEmpty() && views.isEmpty() && filter.isEmpty(); }
};

// What is wrong with it, whatever the capture has; empty: nothing.
QString fault_of(const StartPlace& place);

// Selects the packet, or the finding, and frames it; of a capture that is loaded. What the capture has not; empty: all is there.
QString go_to(Document& document, const StartPlace& place);
// The same, and shows the views and applies the filter.
QString go_to(CaptureWindow& capture, const StartPlace& place);

// The command that opens this capture at what is selected, in the view in front, with its filter; quoted for a shell.
QString link_to(CaptureWindow& capture);

}  // namespace sanscope
