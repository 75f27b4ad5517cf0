// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/protobuf_writer.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/delimited_message_util.h>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "sanscope/v1/tables.pb.h"

#include "analyzer/export/testing/grid_table.h"
#include "analyzer/points/points_tables.h"
#include "analyzer/tables/captures_table.h"
#include "analyzer/tables/findings_table.h"
#include "analyzer/tables/tables.h"

namespace sanscope {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr std::pair<std::string_view, const Descriptor* (*)()> messages[] = {
    {"connections", v1::Connection::descriptor},
    {"sessions", v1::Session::descriptor},
    {"commands", v1::Command::descriptor},
    {"budgets", v1::Budget::descriptor},
    {"pdus", v1::Pdu::descriptor},
    {"windows", v1::Window::descriptor},
    {"ca_transitions", v1::CaTransition::descriptor},
    {"losses", v1::Loss::descriptor},
    {"kernel_windows", v1::Window::descriptor},
    {"kernel_ca_transitions", v1::CaTransition::descriptor},
};

FieldDescriptor::Type field_type(ColumnType type) {
    switch (type) {
        case ColumnType::integer:
            return FieldDescriptor::TYPE_INT64;
        case ColumnType::unsigned_integer:
            return FieldDescriptor::TYPE_UINT64;
        case ColumnType::text:
            return FieldDescriptor::TYPE_STRING;
        case ColumnType::boolean:
            break;
    }
    return FieldDescriptor::TYPE_BOOL;
}

void expect_cell(const Cell& cell, const Message& message, const FieldDescriptor* field) {
    SCOPED_TRACE(field->full_name());
    const auto* reflection = message.GetReflection();
    ASSERT_EQ(reflection->HasField(message, field), cell.kind != Cell::Kind::empty);
    switch (cell.kind) {
        case Cell::Kind::empty:
            break;
        case Cell::Kind::integer:
            EXPECT_EQ(reflection->GetInt64(message, field), cell.integer);
            break;
        case Cell::Kind::unsigned_integer:
            EXPECT_EQ(reflection->GetUInt64(message, field), cell.unsigned_integer);
            break;
        case Cell::Kind::text:
            EXPECT_EQ(reflection->GetString(message, field), cell.text);
            break;
        case Cell::Kind::boolean:
            EXPECT_EQ(reflection->GetBool(message, field), cell.boolean);
            break;
    }
}

// Writes the table, reads it back with the generated class, and compares every cell.
template <class Generated>
void expect_round_trip(const Table& table) {
    StringSink sink;
    ASSERT_TRUE(write_protobuf(table, sink));
    google::protobuf::io::ArrayInputStream stream(sink.text.data(), static_cast<int>(sink.text.size()));
    bool clean_end = false;
    for (size_t row = 0; row < table.rows(); row++) {
        Generated message;
        ASSERT_TRUE(google::protobuf::util::ParseDelimitedFromZeroCopyStream(&message, &stream, &clean_end));
        EXPECT_TRUE(message.GetReflection()->GetUnknownFields(message).empty());
        for (size_t column = 0; column < table.columns().size(); column++) {
            Cell cell;
            table.cell(row, column, cell);
            expect_cell(cell, message, message.GetDescriptor()->field(static_cast<int>(column)));
        }
    }
    Generated none;
    EXPECT_FALSE(google::protobuf::util::ParseDelimitedFromZeroCopyStream(&none, &stream, &clean_end));
    EXPECT_TRUE(clean_end);
}

void expect_field_of_each_column(const TableInfo& table, const Descriptor& message) {
    ASSERT_EQ(static_cast<size_t>(message.field_count()), table.columns.size()) << table.name;
    for (size_t column = 0; column < table.columns.size(); column++) {
        const FieldDescriptor* field = message.field(static_cast<int>(column));
        EXPECT_EQ(field->name(), table.columns[column].name);
        EXPECT_EQ(static_cast<size_t>(field->number()), column + 1) << field->full_name();
        EXPECT_EQ(field->type(), field_type(table.columns[column].type)) << field->full_name();
        EXPECT_TRUE(field->has_presence()) << field->full_name();
    }
}

TEST(ProtobufSchema, every_column_is_the_field_of_its_number_name_and_type) {
    ASSERT_EQ(table_infos().size(), std::size(messages));
    for (size_t i = 0; i < std::size(messages); i++) {
        ASSERT_EQ(table_infos()[i].name, messages[i].first);
        expect_field_of_each_column(table_infos()[i], *messages[i].second());
    }
    expect_field_of_each_column(findings_table, *v1::Finding::descriptor());
    expect_field_of_each_column(captures_table, *v1::Capture::descriptor());
    expect_field_of_each_column(points_table, *v1::Point::descriptor());
    expect_field_of_each_column(point_losses_table, *v1::PointLoss::descriptor());
    expect_field_of_each_column(point_commands_table, *v1::PointCommand::descriptor());
    expect_field_of_each_column(point_senders_table, *v1::PointSender::descriptor());
}

TEST(WriteProtobuf, connections_read_back_cell_by_cell) {
    ChunkedRows<ConnectionRow> rows;
    rows.append({});
    ConnectionRow& row = rows.append({});
    row.initiator.port = 40000;
    row.target.port = 3260;
    row.first_packet = 1;
    row.last_packet = uint64_t{1} << 40;
    row.start_ns = 1'347'690'917'369'644'000;
    row.end_ns = -1;
    row.bytes_out = 127;
    row.bytes_in = 128;
    row.mss = 1460;
    row.vantage = Vantage::initiator;
    row.congestion_control_target = "bbr";
    row.session = 7;
    row.iscsi = true;
    expect_round_trip<v1::Connection>(*make_connections_table(rows));
}

TEST(WriteProtobuf, sessions_read_back_cell_by_cell) {
    ChunkedRows<SessionRow> rows;
    rows.append({});
    SessionRow& row = rows.append({});
    row.isid = 0x400001370000;
    row.tsih = 0;
    row.initiator_name = "iqn.1994-05.com.example:gerät";
    row.target_name = std::string(300, 'x');
    row.connections = 1;
    row.header_digest = "CRC32C";
    row.initial_r2t = Ternary::yes;
    row.max_burst_length = 16777215;
    expect_round_trip<v1::Session>(*make_sessions_table(rows));
}

TEST(WriteProtobuf, commands_read_back_cell_by_cell) {
    ChunkedRows<CommandRow> rows;
    rows.append({});
    CommandRow& row = rows.append({});
    row.lun = 0;
    row.lba = unknown<uint64_t> - 1;
    row.opcode = 0x88;
    row.name = "READ(16)";
    row.request_ns = 10;
    row.response_ns = 5;  // a clock set back: a negative turnaround
    row.residual = -4096;
    row.status = 0;
    row.outcome = Outcome::completed;
    expect_round_trip<v1::Command>(*make_commands_table(rows));
}

TEST(WriteProtobuf, findings_read_back_cell_by_cell) {
    ChunkedRows<FindingRow> rows;
    rows.append({});
    FindingRow& row = rows.append({});
    row.kind = "target_wait";
    row.title = "Reads of LUN 0 wait 5 ms";
    row.cost_ns = 12;
    row.lun = 0;
    row.packet = 7;
    expect_round_trip<v1::Finding>(*make_findings_table(rows));
}

TEST(WriteProtobuf, pdus_read_back_cell_by_cell) {
    ChunkedRows<ConnectionRow> connections;
    connections.append({});
    StoredRows<PduRow> rows;
    rows.append({});
    for (uint32_t i = 0; i < 5000; i++) {
        PduRow& row = rows.append({});
        row.connection = 1;
        row.opcode = static_cast<uint8_t>(i & 0x3f);
        row.itt = i * 0x01010101;
        row.first_packet = i;
        row.final = (i & 1) != 0;
        row.header_digest = static_cast<Digest>(i % 3);
    }
    expect_round_trip<v1::Pdu>(*make_pdus_table(rows, connections));
}

TEST(WriteProtobuf, windows_read_back_cell_by_cell) {
    ChunkedRows<ConnectionRow> connections;
    connections.append({});
    StoredRows<WindowRow> rows;
    rows.append({});
    rows.append({.packet = 1,
                 .time_ns = 1'347'690'917'369'644'000,
                 .srtt_ns = 20'300'000,
                 .connection = 1,
                 .snd_una = 4'294'967'295,
                 .snd_nxt = 1448,
                 .in_flight = 1449,
                 .cwnd = 14480,
                 .cwnd_low = 14480,
                 .cwnd_high = unknown<uint32_t> - 1,
                 .ssthresh = 0,
                 .advertised_window = 0,
                 .ca_state = CaState::loss,
                 .limit = SendLimit::recovery,
                 .sender = Side::a});
    expect_round_trip<v1::Window>(*make_windows_table(rows, connections));
}

TEST(WriteProtobuf, transitions_read_back_cell_by_cell) {
    ChunkedRows<ConnectionRow> connections;
    connections.append({});
    ChunkedRows<CaTransitionRow> rows;
    rows.append({});
    rows.append({.packet = 8,
                 .time_ns = -1,
                 .cause = "timeout",
                 .connection = 1,
                 .from = CaState::recovery,
                 .to = CaState::loss});
    expect_round_trip<v1::CaTransition>(*make_ca_transitions_table(rows, connections));
}

TEST(WriteProtobuf, what_a_kernel_told_reads_back_cell_by_cell) {
    ChunkedRows<ConnectionRow> connections;
    connections.append({});
    ChunkedRows<KernelWindowRow> windows;
    windows.append({});
    windows.append({.packet = 8, .time_ns = -1, .connection = 1, .cwnd = 14480, .sequences_known = true});
    expect_round_trip<v1::Window>(*make_kernel_windows_table(windows, connections));
    ChunkedRows<KernelCaTransitionRow> transitions;
    transitions.append({});
    transitions.append({.time_ns = 7, .connection = 1, .to = CaState::loss, .from_known = true});
    expect_round_trip<v1::CaTransition>(*make_kernel_ca_transitions_table(transitions, connections));
}

TEST(WriteProtobuf, losses_read_back_cell_by_cell) {
    ChunkedRows<ConnectionRow> connections;
    connections.append({});
    ChunkedRows<LossRow> rows;
    for (size_t i = 0; i < loss_kinds; i++) {
        rows.append({.packet = 100 + i,
                     .original_packet = i,
                     .time_ns = 5,
                     .delay_ns = i == 0 ? no_time : 200'000'000,
                     .connection = static_cast<uint32_t>(i % 3),
                     .seq = 4'000'000'000,
                     .length = 65160,
                     .kind = static_cast<LossKind>(i)});
    }
    expect_round_trip<v1::Loss>(*make_losses_table(rows, connections));
}

TEST(WriteProtobuf, text_that_is_not_utf_8_still_reads_back) {
    ChunkedRows<SessionRow> rows;
    rows.append({}).initiator_name = "a\xffz\xe2\x82";
    StringSink sink;
    ASSERT_TRUE(write_protobuf(*make_sessions_table(rows), sink));
    google::protobuf::io::ArrayInputStream stream(sink.text.data(), static_cast<int>(sink.text.size()));
    v1::Session message;
    ASSERT_TRUE(google::protobuf::util::ParseDelimitedFromZeroCopyStream(&message, &stream, nullptr));
    EXPECT_EQ(message.initiator_name(), "a\ufffdz\ufffd\ufffd");
}

TEST(WriteProtobuf, a_table_without_rows_is_nothing) {
    const ChunkedRows<SessionRow> rows;
    StringSink sink;
    EXPECT_TRUE(write_protobuf(*make_sessions_table(rows), sink));
    EXPECT_EQ(sink.text, "");
}

TEST(WriteProtobuf, a_sink_that_refuses_ends_the_writing) {
    ChunkedRows<SessionRow> rows;
    for (int i = 0; i < 20'000; i++) rows.append({}).target_name = std::string(100, 'x');
    StringSink sink(100'000);
    EXPECT_FALSE(write_protobuf(*make_sessions_table(rows), sink));
    EXPECT_LE(sink.calls, 3u);
}

}  // namespace
}  // namespace sanscope
