// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/tables/tables.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace sanscope {
namespace {

// The columns as the contract with scripts lists them, in its words; additions come after them.
constexpr std::pair<const char*, const char*> contract[] = {
    {"connections",
     "connection, initiator, target, first_packet, last_packet, start_ns, end_ns, packets_out, packets_in, "
     "bytes_out, bytes_in, mss, rtt_min_ns, vantage, congestion_control_initiator, "
     "congestion_control_target, "
     "retransmissions_out, retransmissions_in, session"},
    {"sessions",
     "session, isid, tsih, initiator_name, target_name, connections, header_digest, data_digest, "
     "max_recv_data_segment_length_initiator, max_recv_data_segment_length_target, max_burst_length, "
     "first_burst_length, initial_r2t, immediate_data, max_outstanding_r2t, error_recovery_level, "
     "max_connections"},
    {"commands",
     "command, connection, session, lun, itt, cmd_sn, opcode, name, lba, blocks, bytes, request_packet, "
     "first_data_packet, last_data_packet, response_packet, request_ns, first_data_ns, last_data_ns, "
     "response_ns, "
     "turnaround_ns, status, sense_key, asc, ascq, residual, r2ts, pdus, outcome"},
    {"budgets", "session, lun, transfer, size_class, part, commands, sum_ns, mean_ns, p50_ns, p99_ns"},
    {"pdus",
     "pdu, connection, sender, opcode, name, itt, first_packet, last_packet, time_ns, bhs_offset, "
     "header_digest, "
     "data_digest, data_length, final, damaged"},
    {"windows",
     "connection, sender, receiver, packet, time_ns, snd_una, snd_nxt, in_flight, cwnd, cwnd_low, "
     "cwnd_high, ssthresh, advertised_window, srtt_ns, ca_state, limit"},
    {"ca_transitions", "connection, sender, receiver, packet, time_ns, from, to, cause"},
    {"losses", "connection, sender, receiver, packet, time_ns, seq, length, kind, original_packet, delay_ns"},
    {"kernel_windows",
     "connection, sender, receiver, packet, time_ns, snd_una, snd_nxt, in_flight, cwnd, cwnd_low, "
     "cwnd_high, ssthresh, advertised_window, srtt_ns, ca_state, limit"},
    {"kernel_ca_transitions", "connection, sender, receiver, packet, time_ns, from, to, cause"},
};

TEST(Tables, columns_begin_with_those_of_the_contract_in_its_order) {
    ASSERT_EQ(table_infos().size(), std::size(contract));
    for (size_t i = 0; i < std::size(contract); i++) {
        const TableInfo& info = table_infos()[i];
        EXPECT_EQ(info.name, contract[i].first);
        std::istringstream names(contract[i].second);
        size_t column = 0;
        for (std::string name; std::getline(names >> std::ws, name, ','); column++) {
            ASSERT_LT(column, info.columns.size());
            EXPECT_EQ(info.columns[column].name, name) << info.name;
        }
    }
}

TEST(Tables, every_column_is_described_in_one_line_and_named_once) {
    for (const TableInfo& info : table_infos()) {
        EXPECT_FALSE(info.description.empty());
        std::set<std::string_view> names;
        for (const ColumnInfo& column : info.columns) {
            EXPECT_TRUE(names.insert(column.name).second) << column.name;
            EXPECT_FALSE(column.description.empty()) << column.name;
            EXPECT_EQ(column.description.find('\n'), std::string_view::npos) << column.name;
            EXPECT_NE(column.description.back(), '.') << column.name;
            const bool is_time = column.name.ends_with("_ns");
            EXPECT_EQ(is_time, column.description.find("nanoseconds") != std::string_view::npos)
                << column.name;
            EXPECT_EQ(is_time, column.type == ColumnType::integer && column.name != "residual")
                << column.name;
        }
    }
}

// A store with a row in every table that was asked for.
void fill(ResultStore& store) {
    uint32_t connection_number = 0;
    ConnectionRow& connection = store.add_connection(connection_number);
    connection.vantage = Vantage::target;
    connection.session = 1;
    uint32_t session_number = 0;
    store.add_session(session_number).tsih = 1;
    uint64_t command_number = 0;
    CommandRow& command = store.begin_command(command_number);
    command.request_ns = 5;
    command.response_ns = 6;
    command.residual = -1;
    store.end_command(command_number, command, true, false);
    store.add_pdu().connection = 1;
    SenderSummary& sender = store.add_sender(1, Side::a);
    store.add_window(sender, {.packet = 1, .time_ns = 1, .srtt_ns = 1, .connection = 1, .cwnd = 1});
    store.add_ca_transition(sender, {.packet = 1, .time_ns = 1, .cause = "", .connection = 1});
    store.add_loss(sender, {.packet = 1, .time_ns = 1, .delay_ns = 1, .connection = 1});
    store.begin_kernel_truth();
    KernelScore& score = store.kernel_score(1, Side::a);
    store.add_kernel_window(score, {.packet = 1, .time_ns = 1, .srtt_ns = 1, .connection = 1, .cwnd = 1});
    store.add_kernel_ca_transition(score, {.packet = 1, .time_ns = 1, .connection = 1});
    store.finish();
}

TEST(Tables, cells_have_the_type_of_their_column) {
    ResultStore store({});
    fill(store);
    for (const TableInfo& info : table_infos()) {
        const std::unique_ptr<Table> table = info.make(store);
        ASSERT_EQ(table->rows(), 1u) << info.name;
        for (size_t column = 0; column < table->columns().size(); column++) {
            Cell cell;
            table->cell(0, column, cell);
            if (cell.kind == Cell::Kind::empty) continue;
            const std::map<ColumnType, Cell::Kind> kinds = {
                {ColumnType::integer, Cell::Kind::integer},
                {ColumnType::unsigned_integer, Cell::Kind::unsigned_integer},
                {ColumnType::text, Cell::Kind::text},
                {ColumnType::boolean, Cell::Kind::boolean},
            };
            EXPECT_EQ(cell.kind, kinds.at(table->columns()[column].type))
                << info.name << '.' << table->columns()[column].name;
        }
    }
}

// Arrow reads many cells at once, all else one by one.
TEST(Tables, many_cells_at_once_are_the_cells_one_by_one) {
    ResultStore store({});
    fill(store);
    for (const TableInfo& info : table_infos()) {
        const std::unique_ptr<Table> table = info.make(store);
        for (size_t column = 0; column < table->columns().size(); column++) {
            SCOPED_TRACE(std::string(info.name) + '.' + std::string(table->columns()[column].name));
            Cell cell;
            table->cell(0, column, cell);
            if (table->columns()[column].type == ColumnType::text) {
                Cell read[1];
                table->cells(column, 0, read);
                EXPECT_EQ(read[0].kind, cell.kind);
                if (cell.kind == Cell::Kind::text) {
                    EXPECT_EQ(read[0].text, cell.text);
                }
                continue;
            }
            uint64_t value = 77;
            uint8_t known = 77;
            const NumberSlice slice = {column, &value, &known};
            table->numbers(0, 1, {&slice, 1});
            EXPECT_EQ(known, cell.kind == Cell::Kind::empty ? 0 : 1);
            EXPECT_EQ(value, cell.kind == Cell::Kind::empty     ? 0
                             : cell.kind == Cell::Kind::boolean ? uint64_t{cell.boolean}
                                                                : cell.unsigned_integer);
        }
    }
}

// A chunk of rows ends in the midst of what is read.
TEST(Tables, many_cells_at_once_across_chunks) {
    ChunkedRows<CommandRow> rows;
    constexpr size_t count = ChunkedRows<CommandRow>::rows_per_chunk + 200;
    for (size_t i = 0; i < count; i++) {
        CommandRow& row = rows.append({});
        row.lba = i % 3 == 0 ? unknown<uint64_t> : 1000 + i;
        row.itt = static_cast<uint32_t>(i);
    }
    const auto table = make_commands_table(rows);
    const auto column_named = [&](std::string_view name) {
        size_t column = 0;
        while (table->columns()[column].name != name) column++;
        return column;
    };
    const size_t first = 100;
    std::vector<uint64_t> numbers(count - first);
    std::vector<uint64_t> addresses(count - first);
    std::vector<uint8_t> known(count - first);
    std::vector<uint8_t> known_addresses(count - first);
    const NumberSlice slices[] = {{column_named("command"), numbers.data(), known.data()},
                                  {column_named("lba"), addresses.data(), known_addresses.data()}};
    table->numbers(first, count - first, slices);
    std::vector<Cell> tags(count - first);
    table->cells(column_named("itt"), first, tags);
    for (size_t i = 0; i < numbers.size(); i++) {
        ASSERT_EQ(numbers[i], first + i + 1);
        ASSERT_EQ(known[i], 1);
        ASSERT_EQ(known_addresses[i], (first + i) % 3 == 0 ? 0 : 1);
        ASSERT_EQ(addresses[i], (first + i) % 3 == 0 ? 0 : 1000 + first + i);
        Cell cell;
        table->cell(first + i, column_named("itt"), cell);
        ASSERT_EQ(tags[i].text, cell.text);
    }
}

TEST(Tables, what_a_table_asks_to_be_kept_is_what_it_shows) {
    for (const TableInfo& asked : table_infos()) {
        ResultStore store(asked.keep);
        fill(store);
        for (const TableInfo& other : table_infos()) {
            const bool always = other.name == "connections" || other.name == "sessions";
            // Where the time of commands went rests on losses.
            const std::set<std::string_view> together = {"commands", "budgets", "losses"};
            const bool rests =
                (asked.name == "commands" || asked.name == "budgets") && together.contains(other.name);
            // What a session's connections had for windows together rests on windows.
            const bool summed = asked.name == "sessions" && other.name == "windows";
            EXPECT_EQ(other.make(store)->rows(),
                      other.name == asked.name || always || rests || summed ? 1u : 0u)
                << asked.name << " asked for, " << other.name;
        }
    }
}

TEST(Tables, are_found_by_name) {
    ASSERT_NE(find_table("losses"), nullptr);
    EXPECT_EQ(find_table("losses")->name, "losses");
    EXPECT_EQ(find_table("loss"), nullptr);
    EXPECT_EQ(find_table(""), nullptr);
}

TEST(Tables, a_table_shows_rows_appended_after_it_was_made) {
    ChunkedRows<SessionRow> rows;
    const auto table = make_sessions_table(rows);
    EXPECT_EQ(table->rows(), 0u);
    rows.append({});
    EXPECT_EQ(table->rows(), 1u);
}

}  // namespace
}  // namespace sanscope
