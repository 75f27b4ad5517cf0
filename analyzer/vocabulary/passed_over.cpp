// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/vocabulary/passed_over.h"

#include <algorithm>

namespace sanscope {

void PassedOver::add(Encapsulation in, uint16_t number, PacketNumber packet, uint32_t wire_length) {
    const auto find = [&] {
        return std::ranges::find_if(rows_,
                                    [&](const Row& row) { return row.in == in && row.number == number; });
    };
    auto row = find();
    if (row == rows_.end()) {
        if (rows_.size() + 1 >= most_rows) {
            in = Encapsulation::more;
            number = 0;
            row = find();
        }
        if (row == rows_.end())
            row = rows_.insert(rows_.end(), {.in = in, .number = number, .first_packet = packet});
    }
    ++row->packets;
    row->wire_bytes += wire_length;
}

}  // namespace sanscope
