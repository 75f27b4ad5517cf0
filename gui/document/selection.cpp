// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/selection.h"

#include <algorithm>

namespace sanscope {

uint64_t SelectedThings::first(Selection::Kind kind) const {
    switch (kind) {
        case Selection::Kind::none:
            break;
        case Selection::Kind::packet:
            return packet;
        case Selection::Kind::pdu:
            return pdu != 0 ? pdu : pdus.empty() ? 0 : pdus.front();
        case Selection::Kind::command:
            return command;
        case Selection::Kind::connection:
            return connection;
        case Selection::Kind::session:
            return session;
        case Selection::Kind::loss:
            return selection.kind == kind ? selection.number : 0;
    }
    return 0;
}

bool SelectedThings::includes(Selection::Kind kind, uint64_t number) const {
    if (kind == Selection::Kind::packet) {
        return number <= UINT32_MAX && std::ranges::binary_search(packets, static_cast<uint32_t>(number));
    }
    if (kind == Selection::Kind::pdu) return std::ranges::binary_search(pdus, number);
    return number != 0 && first(kind) == number;
}

}  // namespace sanscope
