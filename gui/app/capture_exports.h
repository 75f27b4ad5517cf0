// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace sanscope {

class CaptureWindow;

// What the File menu writes of a capture. Each asks for a file, writes on a worker, and reports what went wrong.

// The view in front, as PNG, SVG or PDF.
void ask_to_export_picture(CaptureWindow& capture);
// The rows of the table looked at last, or the intervals of the I/O graph where that is in front, as CSV; where there is no
// such thing in sight, says so.
void ask_to_export_rows(CaptureWindow& capture);
// The packets of what is selected, else those that pass the filter, as pcapng.
void ask_to_export_packets(CaptureWindow& capture);
// The whole capture with the notes on its packets, as pcapng.
void ask_to_save_with_notes(CaptureWindow& capture);
// A copy without users' data, and without names if that is chosen; what is in it is told then.
void ask_to_save_to_share(CaptureWindow& capture);

// Wireshark on the same file, at the selected packet.
void open_in_wireshark(CaptureWindow& capture);

}  // namespace sanscope
