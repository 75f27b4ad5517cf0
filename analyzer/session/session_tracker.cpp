// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/session_tracker.h"

#include <algorithm>
#include <string_view>

namespace sanscope {
namespace {

// A session is one initiator port's with one target (RFC 7143 §4.4.3). A name that was not captured may be the same.
bool is_same_target(std::string_view name, std::string_view other) {
    return name.empty() || other.empty() || name == other;
}

}  // namespace

Session* SessionTracker::for_login(const LoginNegotiation& login) {
    if (login.tsih_requested() != 0) {
        const size_t oldest = sessions_.size() - std::min(sessions_.size(), max_searched);
        for (size_t i = sessions_.size(); i-- > oldest;) {
            SessionRow& row = store_->session(sessions_[i].number);
            if (row.tsih == login.tsih_requested() && row.isid == login.isid() &&
                row.initiator_name == login.initiator_name() &&
                is_same_target(row.target_name, login.target_name())) {
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
    const std::vector<int64_t> prompt = prompt_commands();
    for (Session& session : sessions_) {
        session.commands.finish();
        session.command_window.finish(prompt[session.number - 1], store_->session(session.number));
    }
}

// By session - 1: how soon behind an answer, as the tap sees it, a command comes that waited for it: within a round trip; behind
// the way to the initiator and back, where the tap is not there. no_time where the round trip is not known.
std::vector<int64_t> SessionTracker::prompt_commands() const {
    constexpr int64_t of_host_ns = 500'000;  // until a busy host wakes a program
    constexpr int64_t longest_ns = 10'000'000'000;
    std::vector<int64_t> prompt(store_->sessions().size(), no_time);
    for (const ConnectionRow& row : store_->connections()) {
        if (row.session == 0 || row.rtt_min_ns == no_time || row.rtt_to_initiator_ns == no_time) continue;
        const auto within = [=](int64_t ns) { return std::clamp<int64_t>(ns, 0, longest_ns); };
        const int64_t to_initiator_ns =
            row.vantage == Vantage::initiator ? 0 : within(row.rtt_to_initiator_ns);
        int64_t& of_session = prompt[row.session.index()];
        of_session = std::max(of_session, within(row.rtt_min_ns) + to_initiator_ns + of_host_ns);
    }
    return prompt;
}

Session* SessionTracker::add() {
    uint32_t number = 0;
    store_->add_session(number).connections = 1;
    return &sessions_.emplace_back(*store_, number);
}

}  // namespace sanscope
