// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/report/testing/findings_fixture.h"

namespace sanscope {
namespace {

using test::Findings;
using test::ms;
using testing::HasSubstr;

using Kind = Finding::Kind;

TEST_F(Findings, a_session_that_comes_back_without_logout_is_told_and_one_that_logged_out_is_not) {
    const auto name = [&](uint32_t number) {
        store.session(number).initiator_name = "iqn.i";
        store.session(number).target_name = "iqn.t";
    };
    store.connection(1).end_ns = 300 * ms;
    uint32_t session = 0;
    store.add_session(session);
    ConnectionRow& again = add_connection(session);
    again.start_ns = 800 * ms;
    name(1);
    name(2);
    const Finding finding = find_one(Kind::session_reconnect);
    EXPECT_THAT(finding.title, HasSubstr("once: 500 ms between the two"));
    EXPECT_EQ(finding.session, 2u);
    EXPECT_EQ(finding.packet, again.first_packet);
    EXPECT_EQ(finding.severity, Finding::Severity::information) << "it may have done its work";
    store.connection(1).out.reset = true;
    EXPECT_EQ(find_one(Kind::session_reconnect).severity, Finding::Severity::notice);
    store.add_session_event({.packet = 6, .connection = 1, .opcode = 0x06});
    EXPECT_TRUE(find(Kind::session_reconnect).empty());
}

TEST_F(Findings, sessions_at_the_same_time_are_no_reconnect) {
    uint32_t session = 0;
    store.add_session(session);
    add_connection(session).start_ns = 800 * ms;
    for (const uint32_t number : {1u, 2u}) {
        store.session(number).initiator_name = "iqn.i";
        store.session(number).target_name = "iqn.t";
    }
    EXPECT_TRUE(find(Kind::session_reconnect).empty());
}

TEST_F(Findings, sessions_that_only_a_clock_set_back_puts_in_a_row_are_no_reconnect) {
    uint32_t second = 0;
    store.add_session(second).connections = 1;
    for (const uint32_t session : {1u, second}) {
        store.session(session).initiator_name = "iqn.a";
        store.session(session).target_name = "iqn.b";
    }
    ConnectionRow& later = add_connection(second);
    later.start_ns = 5000 * ms;
    later.end_ns = 6000 * ms;
    later.first_packet = 100;
    later.last_packet = 199;
    store.connection(1).first_packet = 200;
    store.connection(1).last_packet = 300;
    EXPECT_TRUE(find(Kind::session_reconnect).empty());
    later.first_packet = 301;
    later.last_packet = 400;
    EXPECT_EQ(find(Kind::session_reconnect).size(), 1u);
}

}  // namespace
}  // namespace sanscope
