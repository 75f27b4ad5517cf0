// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/sessions/unknown_sessions.h"

#include <algorithm>
#include <array>
#include <map>

namespace sanscope {

std::vector<uint32_t> sessions_that_may_be_one(const ResultStore& store) {
    struct OfInitiator {
        std::vector<uint32_t> sessions;
        bool lacks_login = false;
    };
    std::map<std::array<uint64_t, 2>, OfInitiator> initiators;
    for (const ConnectionRow& row : store.connections()) {
        if (!row.iscsi || row.session == 0) continue;
        OfInitiator& of = initiators[row.initiator.address.words];
        of.sessions.push_back(row.session);
        if (store.session(row.session).isid == unknown<uint64_t>) of.lacks_login = true;
    }
    std::vector<uint32_t> found;
    for (auto& [address, of] : initiators) {
        std::ranges::sort(of.sessions);
        of.sessions.erase(std::unique(of.sessions.begin(), of.sessions.end()), of.sessions.end());
        if (of.lacks_login && of.sessions.size() > 1)
            found.insert(found.end(), of.sessions.begin(), of.sessions.end());
    }
    std::ranges::sort(found);
    return found;
}

}  // namespace sanscope
