// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace sanscope {

// A Wireshark display filter as a filter over the columns of Packets, which ask nothing of a dissector. Protocols, flags and
// numbers of TCP, tcp.analysis, ports, addresses and what frame.* knows can be told from them, joined by and, or, not.
struct ColumnsOfDisplayFilter {
    QString filter;   // empty where the columns do not tell it,
    QString problem;  // which this explains
};
ColumnsOfDisplayFilter columns_of_display_filter(const QString& display_filter);

}  // namespace sanscope
