// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "analyzer/tables/tables.h"
#include "analyzer/tables/testing/table_text.h"

namespace sanscope {
namespace {

using testing::ElementsAre;

TEST(CaTransitionsTable, a_row_gives_every_cell) {
    ChunkedRows<ConnectionRow> connections;
    add_two_connections(connections, Side::a);
    ChunkedRows<CaTransitionRow> rows;
    rows.append({.packet = 9,
                 .time_ns = 77,
                 .cause = "three duplicate acknowledgements",
                 .connection = 2,
                 .from = CaState::disorder,
                 .to = CaState::recovery,
                 .sender = Side::b});
    const std::map<std::string, std::string> expected = {
        {"connection", "2"},
        {"sender", "192.0.2.2:3260"},
        {"receiver", "192.0.2.1:40000"},
        {"packet", "9"},
        {"time_ns", "77"},
        {"from", "Disorder"},
        {"to", "Recovery"},
        {"cause", "three duplicate acknowledgements"},
    };
    EXPECT_EQ(row_of(*make_ca_transitions_table(rows, connections), 0), expected);
}

TEST(CaTransitionsTable, a_transition_no_packet_shows_has_no_packet) {
    const ChunkedRows<ConnectionRow> connections;
    ChunkedRows<CaTransitionRow> rows;
    rows.append({.time_ns = 5, .connection = 1, .from = CaState::open, .to = CaState::cwr});
    EXPECT_THAT(known_cells(*make_ca_transitions_table(rows, connections), 0),
                ElementsAre("connection", "from", "time_ns", "to"));
}

TEST(CaTransitionsTable, no_states_are_told_of_a_connection_that_is_not_judged) {
    ChunkedRows<ConnectionRow> connections;
    connections.append({}).packets_out = 5;
    ChunkedRows<CaTransitionRow> rows;
    rows.append(
        {.time_ns = 5, .cause = "SACK", .connection = 1, .from = CaState::open, .to = CaState::disorder});
    EXPECT_THAT(
        known_cells(*make_ca_transitions_table(rows, connections), 0),
        testing::AllOf(testing::Contains("time_ns"), testing::Not(testing::Contains("to")),
                       testing::Not(testing::Contains("from")), testing::Not(testing::Contains("cause"))));
}

}  // namespace
}  // namespace sanscope
