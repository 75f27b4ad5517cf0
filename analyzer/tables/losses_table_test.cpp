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

TEST(LossesTable, a_row_gives_every_cell) {
    ChunkedRows<ConnectionRow> connections;
    add_two_connections(connections, Side::a);
    ChunkedRows<LossRow> rows;
    rows.append({.packet = 30,
                 .original_packet = 20,
                 .time_ns = 1000,
                 .delay_ns = 400,
                 .connection = 2,
                 .seq = 4'294'967'295,
                 .length = 1448,
                 .kind = LossKind::tlp,
                 .reordering = Reordering::path,
                 .sender = Side::a});
    const std::map<std::string, std::string> expected = {
        {"connection", "2"},
        {"sender", "192.0.2.1:40000"},
        {"receiver", "192.0.2.2:3260"},
        {"packet", "30"},
        {"time_ns", "1000"},
        {"seq", "4294967295"},
        {"length", "1448"},
        {"kind", "tlp"},
        {"original_packet", "20"},
        {"delay_ns", "400"},
        {"reordering", "path"},
    };
    EXPECT_EQ(row_of(*make_losses_table(rows, connections), 0), expected);
}

TEST(LossesTable, an_original_that_was_not_captured_is_empty) {
    const ChunkedRows<ConnectionRow> connections;
    ChunkedRows<LossRow> rows;
    rows.append({.packet = 30, .time_ns = 1, .connection = 1, .kind = LossKind::not_captured});
    EXPECT_THAT(known_cells(*make_losses_table(rows, connections), 0),
                ElementsAre("connection", "kind", "length", "packet", "seq", "time_ns"));
}

TEST(LossesTable, every_kind_has_its_word) {
    const ChunkedRows<ConnectionRow> connections;
    ChunkedRows<LossRow> rows;
    LossRow& row = rows.append({});
    const auto table = make_losses_table(rows, connections);
    const auto word = [&](LossKind kind) {
        row.kind = kind;
        return row_of(*table, 0).at("kind");
    };
    EXPECT_EQ(word(LossKind::fast_retransmit), "fast_retransmit");
    EXPECT_EQ(word(LossKind::rto), "rto");
    EXPECT_EQ(word(LossKind::tlp), "tlp");
    EXPECT_EQ(word(LossKind::spurious), "spurious");
    EXPECT_EQ(word(LossKind::out_of_order), "out_of_order");
    EXPECT_EQ(word(LossKind::duplicate), "duplicate");
    EXPECT_EQ(word(LossKind::keep_alive), "keep_alive");
    EXPECT_EQ(word(LossKind::zero_window_probe), "zero_window_probe");
    EXPECT_EQ(word(LossKind::not_captured), "not_captured");
}

}  // namespace
}  // namespace sanscope
