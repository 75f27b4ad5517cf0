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

TEST(CommandsTable, a_row_gives_every_cell) {
    ChunkedRows<CommandRow> rows;
    CommandRow& row = rows.append({});
    row.connection = 2;
    row.session = 3;
    row.lun = 7;
    row.itt = 0x1a;
    row.cmd_sn = 0;
    row.cmd_sn_known = true;
    row.opcode = 0x28;
    row.name = "READ(10)";
    row.lba = 2048;
    row.blocks = 8;
    row.bytes = 4096;
    row.request_packet = 10;
    row.first_data_packet = 11;
    row.last_data_packet = 12;
    row.response_packet = 13;
    row.request_ns = 1000;
    row.first_data_ns = 1100;
    row.last_data_ns = 1200;
    row.response_ns = 1250;
    row.status = 0x02;
    row.sense_key = 0x05;
    row.asc = 0x21;
    row.ascq = 0x00;
    row.residual = -512;
    row.r2ts = 0;
    row.pdus = 3;
    row.outcome = Outcome::completed;
    row.first_byte_packet = 11;
    row.first_byte_ns = 1099;
    row.aborted_packet = 14;
    row.queue_depth = 8;
    row.iscsi_response = 0;
    const std::map<std::string, std::string> expected = {
        {"command", "1"},
        {"connection", "2"},
        {"session", "3"},
        {"lun", "7"},
        {"itt", "0x0000001a"},
        {"cmd_sn", "0"},
        {"opcode", "0x28"},
        {"name", "READ(10)"},
        {"lba", "2048"},
        {"blocks", "8"},
        {"bytes", "4096"},
        {"request_packet", "10"},
        {"first_data_packet", "11"},
        {"last_data_packet", "12"},
        {"response_packet", "13"},
        {"request_ns", "1000"},
        {"first_data_ns", "1100"},
        {"last_data_ns", "1200"},
        {"response_ns", "1250"},
        {"turnaround_ns", "250"},
        {"status", "CHECK_CONDITION"},
        {"sense_key", "0x05"},
        {"asc", "0x21"},
        {"ascq", "0x00"},
        {"residual", "-512"},
        {"r2ts", "0"},
        {"pdus", "3"},
        {"outcome", "completed"},
        {"first_byte_packet", "11"},
        {"first_byte_ns", "1099"},
        {"inferred", "false"},
        {"aborted_packet", "14"},
        {"queue_depth", "8"},
        // Found of a whole capture alone.
        {"budget_request_path_ns", ""},
        {"budget_cwnd_ns", ""},
        {"budget_recovery_ns", ""},
        {"budget_timeout_ns", ""},
        {"budget_receiver_window_ns", ""},
        {"budget_pacing_ns", ""},
        {"budget_application_ns", ""},
        {"budget_r2t_wait_ns", ""},
        {"budget_target_ns", ""},
        {"budget_behind_others_ns", ""},
        {"budget_wire_ns", ""},
        {"budget_return_path_ns", ""},
        {"budget_unknown_ns", ""},
        {"iscsi_response", "0x00"},
        {"sense_deferred", "false"},
        {"sense_bits", "0x00"},
    };
    EXPECT_EQ(row_of(*make_commands_table(rows), 0), expected);
}

TEST(CommandsTable, unknowns_are_empty) {
    ChunkedRows<CommandRow> rows;
    rows.append({});
    EXPECT_THAT(known_cells(*make_commands_table(rows), 0),
                ElementsAre("command", "inferred", "outcome", "pdus", "r2ts"));
}

TEST(CommandsTable, numbers_that_are_zero_are_known) {
    ChunkedRows<CommandRow> rows;
    CommandRow& row = rows.append({});
    row.lun = row.lba = row.blocks = row.bytes = 0;
    row.residual = 0;
    row.opcode = row.status = row.sense_key = row.asc = row.ascq = 0;
    const auto cells = row_of(*make_commands_table(rows), 0);
    for (const char* name : {"lun", "lba", "blocks", "bytes", "residual"})
        EXPECT_EQ(cells.at(name), "0") << name;
    for (const char* name : {"opcode", "sense_key", "asc", "ascq"}) EXPECT_EQ(cells.at(name), "0x00") << name;
    EXPECT_EQ(cells.at("status"), "GOOD");
}

TEST(CommandsTable, a_response_without_a_status_and_deferred_sense_data_are_told) {
    ChunkedRows<CommandRow> rows;
    CommandRow& row = rows.append({});
    row.iscsi_response = 1;
    auto cells = row_of(*make_commands_table(rows), 0);
    EXPECT_EQ(cells.at("iscsi_response"), "0x01");
    EXPECT_EQ(cells.at("sense_deferred"), "") << "no sense data came";
    EXPECT_EQ(cells.at("sense_bits"), "");
    row.sense_key = 3;
    EXPECT_EQ(row_of(*make_commands_table(rows), 0).at("sense_deferred"), "false");
    row.sense_deferred = true;
    EXPECT_EQ(row_of(*make_commands_table(rows), 0).at("sense_deferred"), "true");
    row.sense_bits = sense_bit::filemark | sense_bit::incorrect_length;
    EXPECT_EQ(row_of(*make_commands_table(rows), 0).at("sense_bits"), "0xa0");
}

TEST(CommandsTable, every_outcome_has_its_word) {
    ChunkedRows<CommandRow> rows;
    CommandRow& row = rows.append({});
    const auto table = make_commands_table(rows);
    const auto word = [&](Outcome outcome) {
        row.outcome = outcome;
        return row_of(*table, 0).at("outcome");
    };
    EXPECT_EQ(word(Outcome::completed), "completed");
    EXPECT_EQ(word(Outcome::unanswered), "unanswered");
    EXPECT_EQ(word(Outcome::aborted), "aborted");
    EXPECT_EQ(word(Outcome::response_only), "response_only");
    EXPECT_EQ(word(Outcome::unknown), "");
    EXPECT_EQ(word(Outcome::rejected), "rejected");
    EXPECT_EQ(word(Outcome::terminated), "terminated");
}

}  // namespace
}  // namespace sanscope
