// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/store/result_store.h"
#include "analyzer/vocabulary/issues.h"

namespace sanscope {

// Whose unseen answers they are, and where what is found out about them goes.
struct AnsweredConnection {
    uint32_t connection = 0;
    ResultStore* store = nullptr;
    Issues* issues = nullptr;
    uint32_t session = 0;  // as soon as the connection belongs to one

    // So many statuses that came between the two packets stay without a command.
    void add_unpaired(uint32_t count, PacketNumber first, PacketNumber last) const {
        store->add_unpaired({session, count, first, last});
    }
};

}  // namespace sanscope
