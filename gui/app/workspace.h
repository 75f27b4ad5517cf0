// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringList>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "gui/document/selection.h"
#include "gui/document/time_range.h"

#include "analyzer/vocabulary/decode_as.h"

namespace sanscope {

class CaptureWindow;

// How one capture was looked at.
struct WorkspaceCapture {
    QString path = {};  // absolute
    // Open as the first point of a path: all captures of that, this one among them; absolute. Empty: by itself.
    QStringList points = {};
    DecodeAs decode_as = {};
    TimeRange range = {};           // in sight; empty: as it is at first
    TimeRange selected_range = {};  // empty: none
    uint32_t connection = 0;        // in focus; 0: none
    bool sender_is_target = true;
    Selection selection = {};
    QString filter = {};  // empty: none
    QString filter_language = {};
    QString view = {};                           // in front
    QByteArray layout = {};                      // of its views; as read: empty where another user wrote it
    std::map<PacketNumber, QString> notes = {};  // bookmarks have no text
    // Whose comments in the capture the user removed; not kept in a file.
    std::vector<PacketNumber> uncommented = {};
    // Nor are these: by which column each table is sorted (-1: as the rows come), and the packet that times in Packets are told
    // from (0: none).
    std::map<QString, std::pair<int, Qt::SortOrder>> sorting = {};
    PacketNumber time_reference = 0;
};

// What is open in the window, to be opened again as it was.
struct Workspace {
    QList<WorkspaceCapture> captures;  // in the order of their tabs
    int front = -1;                    // the one in front; -1: none
};

// Whether a file of that name is taken for a workspace: by its ending.
bool is_workspace(const QString& path);
// ".sanscope-workspace".
QString workspace_ending();

// As JSON for a file of that path: captures below its folder are named relative to it.
QByteArray workspace_json(const Workspace& workspace, const QString& path);
// What such a file says; nothing, and why, where it is none. Anybody may have written it: what is of the wrong type or size is an
// error, and what it names is only looked for once it is used.
std::optional<Workspace> read_workspace(const QByteArray& json, const QString& path, QString& error);

// Of one that still loads: what is pending, with the notes made meanwhile.
WorkspaceCapture workspace_of(const CaptureWindow& capture);
// Of a capture that is loaded; nothing is pending afterwards. Notes that were made meanwhile stay. What the capture has not, such as
// a row of another capture of that name, is passed over; notes on such packets are kept for workspace_of().
void restore(CaptureWindow& capture, const WorkspaceCapture& kept);

}  // namespace sanscope
