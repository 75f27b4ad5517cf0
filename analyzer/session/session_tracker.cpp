// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/session_tracker.h"

#include <algorithm>

namespace sanscope {

Session* SessionTracker::for_login(const LoginNegotiation& login) {
    if (login.tsih_requested() != 0) {
        const size_t oldest = sessions_.size() - std::min(sessions_.size(), max_searched);
        for (size_t i = sessions_.size(); i-- > oldest;) {
            SessionRow& row = store_->session(sessions_[i].number);
            if (row.tsih == login.tsih_requested() && row.isid == login.isid() &&
                row.initiator_name == login.initiator_name()) {
                ++row.connections;
                return &sessions_[i];
            }
        }
    }
    Session* session = add();
    login.describe(store_->session(session->number));
    return session;
}

Session* SessionTracker::for_unknown_login() {
    return add();
}

void SessionTracker::finish() {
    for (Session& session : sessions_) session.commands.finish();
}

Session* SessionTracker::add() {
    uint32_t number = 0;
    store_->add_session(number).connections = 1;
    return &sessions_.emplace_back(*store_, number);
}

}  // namespace sanscope
