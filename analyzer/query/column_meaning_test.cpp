// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/column_meaning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "analyzer/tables/tables.h"

namespace sanscope {
namespace {

// The columns of a table that have this meaning, in their order.
std::string columns_of(const TableInfo& table, Meaning meaning) {
    std::string names;
    for (const ColumnInfo& column : table.columns) {
        if (meaning_of(column) == meaning) names += (names.empty() ? "" : " ") + std::string(column.name);
    }
    return names;
}

TEST(ColumnMeaning, sizes_of_all_tables) {
    EXPECT_EQ(columns_of(connections_table, Meaning::bytes), "bytes_out bytes_in mss");
    EXPECT_EQ(columns_of(sessions_table, Meaning::bytes),
              "max_recv_data_segment_length_initiator max_recv_data_segment_length_target max_burst_length "
              "first_burst_length cwnd_mean_out cwnd_sd_out cwnd_difference_sd_out cwnd_mean_in cwnd_sd_in "
              "cwnd_difference_sd_in");
    EXPECT_EQ(columns_of(commands_table, Meaning::bytes), "bytes residual");
    EXPECT_EQ(columns_of(pdus_table, Meaning::bytes), "bhs_offset data_length");
    EXPECT_EQ(columns_of(windows_table, Meaning::bytes),
              "in_flight cwnd cwnd_low cwnd_high ssthresh advertised_window");
    EXPECT_EQ(columns_of(ca_transitions_table, Meaning::bytes), "");
    EXPECT_EQ(columns_of(losses_table, Meaning::bytes), "length");
}

TEST(ColumnMeaning, durations_of_all_tables) {
    EXPECT_EQ(columns_of(connections_table, Meaning::duration),
              "rtt_min_ns read_turnaround_mean_ns read_turnaround_sd_ns write_turnaround_mean_ns "
              "write_turnaround_sd_ns");
    EXPECT_EQ(columns_of(sessions_table, Meaning::duration), "");
    EXPECT_EQ(
        columns_of(commands_table, Meaning::duration),
        "turnaround_ns budget_request_path_ns budget_cwnd_ns budget_recovery_ns budget_timeout_ns "
        "budget_receiver_window_ns budget_pacing_ns budget_application_ns budget_r2t_wait_ns "
        "budget_target_ns budget_behind_others_ns budget_wire_ns budget_return_path_ns budget_unknown_ns");
    EXPECT_EQ(columns_of(budgets_table, Meaning::duration), "sum_ns mean_ns p50_ns p99_ns");
    EXPECT_EQ(columns_of(pdus_table, Meaning::duration), "");
    EXPECT_EQ(columns_of(windows_table, Meaning::duration), "srtt_ns");
    EXPECT_EQ(columns_of(ca_transitions_table, Meaning::duration), "");
    EXPECT_EQ(columns_of(losses_table, Meaning::duration), "delay_ns");
}

TEST(ColumnMeaning, moments_of_all_tables) {
    EXPECT_EQ(columns_of(connections_table, Meaning::moment), "start_ns end_ns");
    EXPECT_EQ(columns_of(sessions_table, Meaning::moment), "");
    EXPECT_EQ(columns_of(commands_table, Meaning::moment),
              "request_ns first_data_ns last_data_ns response_ns first_byte_ns");
    EXPECT_EQ(columns_of(pdus_table, Meaning::moment), "time_ns");
    EXPECT_EQ(columns_of(windows_table, Meaning::moment), "time_ns");
    EXPECT_EQ(columns_of(ca_transitions_table, Meaning::moment), "time_ns");
    EXPECT_EQ(columns_of(losses_table, Meaning::moment), "time_ns");
}

TEST(ColumnMeaning, hexadecimal_columns_of_all_tables) {
    EXPECT_EQ(columns_of(connections_table, Meaning::hexadecimal), "");
    EXPECT_EQ(columns_of(sessions_table, Meaning::hexadecimal), "isid");
    EXPECT_EQ(columns_of(commands_table, Meaning::hexadecimal),
              "itt opcode sense_key asc ascq iscsi_response sense_bits");
    EXPECT_EQ(columns_of(pdus_table, Meaning::hexadecimal), "opcode itt");
    EXPECT_EQ(columns_of(windows_table, Meaning::hexadecimal), "");
}

TEST(ColumnMeaning, words_of_all_tables) {
    std::map<std::string, std::vector<std::string_view>> found;
    for (const TableInfo& table : table_infos()) {
        for (const ColumnInfo& column : table.columns) {
            if (auto words = known_words(column); !words.empty()) {
                found[std::string(table.name) + "." + std::string(column.name)] = std::move(words);
            }
        }
    }
    using Words = std::vector<std::string_view>;
    const Words states = {"Open", "Disorder", "CWR", "Recovery", "Loss"};
    const std::map<std::string, Words> expected = {
        {"connections.vantage", {"initiator", "target", "middle"}},
        {"sessions.header_digest", {"None", "CRC32C"}},
        {"sessions.data_digest", {"None", "CRC32C"}},
        {"sessions.initial_r2t", {"Yes", "No"}},
        {"sessions.immediate_data", {"Yes", "No"}},
        {"budgets.transfer", {"read", "write", "other"}},
        {"commands.outcome",
         {"completed", "unanswered", "aborted", "response_only", "rejected", "terminated"}},
        {"pdus.header_digest", {"ok", "bad"}},
        {"pdus.data_digest", {"ok", "bad"}},
        {"windows.ca_state", states},
        {"windows.limit", {"application", "receiver", "congestion", "pacing", "recovery"}},
        {"kernel_windows.ca_state", states},
        {"kernel_ca_transitions.from", states},
        {"kernel_ca_transitions.to", states},
        {"ca_transitions.from", states},
        {"ca_transitions.to", states},
        {"losses.kind",
         {"fast_retransmit", "rto", "tlp", "spurious", "out_of_order", "duplicate", "keep_alive",
          "zero_window_probe", "not_captured"}},
    };
    EXPECT_EQ(found, expected);
}

TEST(ColumnMeaning, columns_are_found_by_their_whole_name) {
    EXPECT_EQ(find_column(commands_table.columns, "command"), 0u);
    EXPECT_EQ(find_column(commands_table.columns, "lun"), 3u);
    EXPECT_EQ(find_column(commands_table.columns, "lu"), std::nullopt);
    EXPECT_EQ(find_column(commands_table.columns, ""), std::nullopt);
}

}  // namespace
}  // namespace sanscope
