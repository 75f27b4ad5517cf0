// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "analyzer/tables/row_reader.h"
#include "analyzer/tables/tables.h"
#include "analyzer/tables/testing/table_text.h"

namespace sanscope {
namespace {

using testing::ElementsAre;

TEST(WindowsTable, a_row_gives_every_cell) {
    ChunkedRows<ConnectionRow> connections;
    add_two_connections(connections, Side::a);
    StoredRows<WindowRow> rows;
    WindowRow& row = rows.append({});
    row.packet = 17;
    row.time_ns = 1'347'690'917'369'644'000;
    row.srtt_ns = 20'300'000;
    row.connection = 2;
    row.snd_una = 0;
    row.snd_nxt = 4'294'967'295;  // a sequence number, not an unknown
    row.in_flight = 0;
    row.cwnd = 14480;
    row.cwnd_low = 13032;
    row.cwnd_high = 15928;
    row.ssthresh = 28960;
    row.advertised_window = 65535;
    row.ca_state = CaState::recovery;
    row.limit = SendLimit::congestion;
    row.sender = Side::a;
    const std::map<std::string, std::string> expected = {
        {"connection", "2"},
        {"sender", "192.0.2.1:40000"},
        {"receiver", "192.0.2.2:3260"},
        {"packet", "17"},
        {"time_ns", "1347690917369644000"},
        {"snd_una", "0"},
        {"snd_nxt", "4294967295"},
        {"in_flight", "0"},
        {"cwnd", "14480"},
        {"cwnd_low", "13032"},
        {"cwnd_high", "15928"},
        {"ssthresh", "28960"},
        {"advertised_window", "65535"},
        {"srtt_ns", "20300000"},
        {"ca_state", "Recovery"},
        {"limit", "congestion"},
    };
    EXPECT_EQ(row_of(*make_windows_table(rows, connections), 0), expected);
}

TEST(WindowsTable, the_sender_is_the_side_of_the_first_packet_or_the_other_whoever_initiated) {
    ChunkedRows<ConnectionRow> connections;
    add_two_connections(connections, Side::b);  // the target's packet was seen first
    StoredRows<WindowRow> rows;
    rows.append({.connection = 2, .sender = Side::a});
    rows.append({.connection = 2, .sender = Side::b});
    const auto table = make_windows_table(rows, connections);
    EXPECT_EQ(row_of(*table, 0).at("sender"), "192.0.2.2:3260");
    EXPECT_EQ(row_of(*table, 0).at("receiver"), "192.0.2.1:40000");
    EXPECT_EQ(row_of(*table, 1).at("sender"), "192.0.2.1:40000");
    EXPECT_EQ(row_of(*table, 1).at("receiver"), "192.0.2.2:3260");
}

TEST(WindowsTable, unknowns_and_strangers_are_empty) {
    const ChunkedRows<ConnectionRow> connections;
    StoredRows<WindowRow> rows;
    rows.append({.connection = 12345});
    EXPECT_THAT(known_cells(*make_windows_table(rows, connections), 0),
                ElementsAre("ca_state", "connection", "in_flight", "snd_nxt", "snd_una"));
}

TEST(WindowsTable, a_window_of_zero_is_known) {
    const ChunkedRows<ConnectionRow> connections;
    StoredRows<WindowRow> rows;
    rows.append(
        {.srtt_ns = 0, .cwnd = 0, .cwnd_low = 0, .cwnd_high = 0, .ssthresh = 0, .advertised_window = 0});
    const auto cells = row_of(*make_windows_table(rows, connections), 0);
    for (const char* name : {"srtt_ns", "cwnd", "cwnd_low", "cwnd_high", "ssthresh", "advertised_window"})
        EXPECT_EQ(cells.at(name), "0") << name;
}

TEST(WindowsTable, every_state_has_the_kernels_word) {
    const ChunkedRows<ConnectionRow> connections;
    StoredRows<WindowRow> rows;
    WindowRow& row = rows.append({});
    const auto table = make_windows_table(rows, connections);
    const auto word = [&](CaState state) {
        row.ca_state = state;
        return row_of(*table, 0).at("ca_state");
    };
    EXPECT_EQ(word(CaState::open), "Open");
    EXPECT_EQ(word(CaState::disorder), "Disorder");
    EXPECT_EQ(word(CaState::cwr), "CWR");
    EXPECT_EQ(word(CaState::recovery), "Recovery");
    EXPECT_EQ(word(CaState::loss), "Loss");
}

TEST(WindowsTable, every_known_limit_has_its_word) {
    const ChunkedRows<ConnectionRow> connections;
    StoredRows<WindowRow> rows;
    WindowRow& row = rows.append({});
    const auto table = make_windows_table(rows, connections);
    const auto word = [&](SendLimit limit) {
        row.limit = limit;
        return row_of(*table, 0).at("limit");
    };
    EXPECT_EQ(word(SendLimit::application), "application");
    EXPECT_EQ(word(SendLimit::receiver), "receiver");
    EXPECT_EQ(word(SendLimit::congestion), "congestion");
    EXPECT_EQ(word(SendLimit::pacing), "pacing");
    EXPECT_EQ(word(SendLimit::recovery), "recovery");
    EXPECT_EQ(word(SendLimit::unknown), "");
}

// Packed and waiting rows alike, one by one, by column and by row, in any stretch.
TEST(WindowsTable, cells_are_the_same_however_they_are_asked_for) {
    ChunkedRows<ConnectionRow> connections;
    add_two_connections(connections, Side::a);
    StoredRows<WindowRow> rows;
    for (uint32_t i = 0; i < 300; i++) {
        rows.append({.packet = i + 1,
                     .time_ns = i * 1000,
                     .connection = 1 + i % 2,
                     .snd_una = i * 7,
                     .cwnd = i % 5 == 0 ? unknown<uint32_t> : 14480 + i,
                     .sender = i % 3 == 0 ? Side::a : Side::b});
    }
    const auto table = make_windows_table(rows, connections);
    const size_t width = table->columns().size();
    size_t seen = 0;
    for_each_row(*table, [&](std::span<const Cell> cells) {
        EXPECT_EQ(cells.size(), width);
        for (size_t column = 0; column < width; column++) {
            Cell one;
            table->cell(seen, column, one);
            EXPECT_EQ(text_of(cells[column]), text_of(one)) << seen << ' ' << column;
        }
        return ++seen < 299;
    });
    EXPECT_EQ(seen, 299U);
    for (size_t column = 0; column < width; column++) {
        std::vector<Cell> cells(200);
        table->cells(column, 75, cells);
        for (size_t i = 0; i < cells.size(); i++) {
            Cell one;
            table->cell(75 + i, column, one);
            ASSERT_EQ(text_of(cells[i]), text_of(one)) << i << ' ' << column;
        }
    }
}

}  // namespace
}  // namespace sanscope
