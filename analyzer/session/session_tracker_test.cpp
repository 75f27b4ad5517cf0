// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/session_tracker.h"

#include <gtest/gtest.h>
#include <string>

#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope {
namespace {

LoginNegotiation login(const std::string& name, uint64_t isid, unsigned tsih_requested,
                       const std::string& target = "iqn.target") {
    LoginNegotiation negotiation;
    const test::Bytes keys = test::text_keys({"InitiatorName=" + name, "TargetName=" + target});
    const test::Bytes bytes = test::login_request(keys, isid, tsih_requested).bytes();
    Pdu pdu;
    pdu.header = bytes.data();
    pdu.header_captured = bhs_length;
    pdu.data = std::span(bytes).subspan(bhs_length, pdu.bhs().data_segment_length());
    negotiation.on_pdu(pdu);
    return negotiation;
}

class SessionTracking : public testing::Test {
  protected:
    // A session whose login has come to its end.
    Session* begin(const std::string& name, uint64_t isid, uint16_t tsih) {
        Session* session = tracker.for_login(login(name, isid, 0));
        store.session(session->number).tsih = tsih;
        return session;
    }
    ResultStore store{{}};
    SessionTracker tracker{store};
};

TEST_F(SessionTracking, BeginsASessionForEachLoginThatAsksForNone) {
    Session* first = begin("iqn.a", 1, 7);
    Session* second = begin("iqn.a", 1, 8);
    EXPECT_NE(first, second);
    EXPECT_EQ(store.sessions().size(), 2u);
    EXPECT_EQ(store.session(1).initiator_name, "iqn.a");
    EXPECT_EQ(store.session(1).isid, 1u);
    EXPECT_EQ(store.session(1).connections, 1u);
}

TEST_F(SessionTracking, JoinsTheSessionThatALoginNames) {
    Session* session = begin("iqn.a", 1, 7);
    begin("iqn.b", 2, 9);
    EXPECT_EQ(tracker.for_login(login("iqn.a", 1, 7)), session);
    EXPECT_EQ(store.session(session->number).connections, 2u);
    EXPECT_EQ(store.sessions().size(), 2u);
}

TEST_F(SessionTracking, JoinsTheLatestOfSessionsThatBearTheSameNames) {
    begin("iqn.a", 1, 7);
    Session* latest = begin("iqn.a", 1, 7);
    EXPECT_EQ(tracker.for_login(login("iqn.a", 1, 7)), latest);
}

TEST_F(SessionTracking, BeginsASessionWhereNoneIsAsTheLoginSays) {
    begin("iqn.a", 1, 7);
    tracker.for_login(login("iqn.a", 1, 8));
    tracker.for_login(login("iqn.a", 2, 7));
    tracker.for_login(login("iqn.b", 1, 7));
    EXPECT_EQ(store.sessions().size(), 4u);
}

// Each target counts its TSIHs by itself, and an initiator has one ISID for them all (RFC 7143 §4.4.3).
TEST_F(SessionTracking, KeepsSessionsWithTwoTargetsApart) {
    Session* first = begin("iqn.a", 1, 7);
    EXPECT_NE(tracker.for_login(login("iqn.a", 1, 7, "iqn.other")), first);
    EXPECT_EQ(tracker.for_login(login("iqn.a", 1, 7)), first);
    EXPECT_EQ(store.session(first->number).connections, 2u);
}

TEST_F(SessionTracking, GivesEachConnectionWithoutLoginASessionOfItsOwn) {
    EXPECT_NE(tracker.for_unknown_login(), tracker.for_unknown_login());
    EXPECT_EQ(store.session(2).isid, unknown<uint64_t>);
    EXPECT_EQ(store.session(2).initiator_name, "");
}

// Logins that name sessions which are not there, as many as there may be connections.
TEST_F(SessionTracking, TakesAFloodOfLoginsInTimeThatGrowsWithItsLength) {
    const LoginNegotiation naming = login("iqn.a", 1, 7);
    for (int i = 0; i < 50'000; ++i) tracker.for_login(naming);
    EXPECT_EQ(store.sessions().size(), 50'000u);
}

}  // namespace
}  // namespace sanscope
