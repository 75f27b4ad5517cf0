// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/sessions/unknown_sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class UnknownSessions : public testing::Test {
  protected:
    uint32_t add(uint8_t initiator, bool login_seen) {
        uint32_t session = 0;
        SessionRow& row = store.add_session(session);
        if (login_seen) row.isid = session;
        uint32_t number = 0;
        ConnectionRow& connection = store.add_connection(number);
        const uint8_t address[] = {10, 0, 0, initiator};
        connection.initiator.address = IpAddress::from_v4(address);
        connection.session = session;
        connection.iscsi = true;
        return session;
    }
    ResultStore store{{}};
};

TEST_F(UnknownSessions, OfOneInitiatorMayBeOne) {
    add(1, false);
    add(2, false);
    add(1, false);
    EXPECT_THAT(sessions_that_may_be_one(store), ElementsAre(1u, 3u));
}

// The login of a second connection names a session whose own login came before the capture.
TEST_F(UnknownSessions, MayBeOneWithOneWhoseLoginWasCaptured) {
    add(1, false);
    add(1, true);
    EXPECT_THAT(sessions_that_may_be_one(store), ElementsAre(1u, 2u));
}

TEST_F(UnknownSessions, AreNoneWhereLoginsTellThemApart) {
    add(1, true);
    add(1, true);
    add(2, false);
    EXPECT_THAT(sessions_that_may_be_one(store), IsEmpty());
}

}  // namespace
}  // namespace sanscope
