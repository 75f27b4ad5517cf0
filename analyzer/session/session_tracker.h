// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "analyzer/iscsi/login_negotiation.h"
#include "analyzer/session/commands/command_tracker.h"
#include "analyzer/session/commands/command_window.h"
#include "analyzer/session/inferred/answer_pairings.h"
#include "analyzer/session/inferred/inferred_commands.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// One iSCSI session: what its connections share (RFC 7143 §4.4.3).
struct Session {
    Session(ResultStore& store, uint32_t session_number)
        : number(session_number), commands(store, session_number), inferred(commands, store) {}

    uint32_t number;
    CommandTracker commands;
    InferredCommands inferred;
    bool command_window_known = false;  // the two below are from the latest answer seen
    Serial32 exp_cmd_sn;
    Serial32 max_cmd_sn;
    CommandWindow command_window;
};

// Shows which session a connection belongs to (RFC 7143 §6.3.1): a login with TSIH 0 begins one, a login with another
// TSIH joins the one with the same initiator name, ISID, TSIH and target name. A connection whose login was not captured stands for
// a session of its own.
class SessionTracker {
  public:
    // A login joins one of so many sessions, the latest to begin.
    static constexpr size_t max_searched = 1024;

    explicit SessionTracker(ResultStore& store) : store_(&store) {}

    // Pointers stay valid for the tracker's life. Each call counts one more connection of the session.
    Session* for_login(const LoginNegotiation& login);
    Session* for_unknown_login();

    void finish();

    // Its memory is large where it has weighed much: all connections take turns with one.
    AnswerPairings& pairings() { return pairings_; }

  private:
    Session* add();
    std::vector<int64_t> prompt_commands() const;

    ResultStore* store_;
    AnswerPairings pairings_;
    std::deque<Session> sessions_;
};

}  // namespace sanscope
