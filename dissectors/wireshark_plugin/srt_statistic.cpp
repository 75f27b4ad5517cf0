// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/wireshark_plugin/srt_statistic.h"

#include <cstring>
#include <epan/stat_tap_ui.h>
#include <epan/tap.h>
#include <iterator>

#include "dissectors/wireshark_plugin/running_percentiles.h"
#include "dissectors/wireshark_plugin/tree_writer.h"

namespace sanscope::wireshark {
namespace {

constexpr const char* tap_name = "sanscope.answer";
int tap = -1;

struct Answer {
    const char* name;  // static storage
    int64_t turnaround_ns;
    uint64_t bytes;
};

// Milliseconds with six digits are nanoseconds, megabytes are bytes: Wireshark's window always shows six.
enum Column { operation, commands, least, p50, p90, p99, p999, greatest, megabytes, columns };
stat_tap_table_item column_infos[columns] = {
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Operation             ", "%-22s"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "  Commands", "%10u"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "     Min (ms)", "%13.6f"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "     p50 (ms)", "%13.6f"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "     p90 (ms)", "%13.6f"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "     p99 (ms)", "%13.6f"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "   p99.9 (ms)", "%13.6f"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "     Max (ms)", "%13.6f"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "     Data (MB)", "%14.6f"},
};

// What a row of the table is made from; the row holds it as its first cell's user data.
struct Operation {
    RunningPercentiles<4> turnarounds{{0.5, 0.9, 0.99, 0.999}};
    uint64_t bytes = 0;
};

Operation* operation_of(const stat_tap_table* table, unsigned row) {
    return static_cast<Operation*>(table->elements[row][operation].user_data.ptr_value);
}

// No row: as many as there are.
unsigned row_of(const stat_tap_table* table, const char* name) {
    unsigned row = 0;
    while (row < table->num_elements &&
           std::strcmp(table->elements[row][operation].value.string_value, name) != 0)
        ++row;
    return row;
}

void begin_table(stat_tap_table_ui* statistic) {
    constexpr const char* title = "Turnaround by SCSI operation";
    if (stat_tap_table* before = stat_tap_find_table(statistic, title)) {
        if (statistic->stat_tap_reset_table_cb != nullptr) statistic->stat_tap_reset_table_cb(before);
        return;
    }
    stat_tap_add_table(statistic, stat_tap_init_table(title, columns, 0, nullptr));
}

// Called when the table itself goes.
void free_cell(stat_tap_table* table, unsigned row, unsigned column, stat_tap_table_item_type*) {
    if (column == operation) delete operation_of(table, row);
}

void reset_table(stat_tap_table* table) {
    for (unsigned row = 0; row < table->num_elements; ++row) {
        delete operation_of(table, row);
        g_free(table->elements[row]);
    }
    table->num_elements = 0;
}

void begin_row(stat_tap_table* table, unsigned row, const char* name) {
    stat_tap_table_item_type cells[columns] = {};
    for (size_t i = 0; i < columns; ++i) cells[i].type = column_infos[i].type;
    cells[operation].value.string_value = name;
    cells[operation].user_data.ptr_value = new Operation;
    stat_tap_init_table_row(table, row, columns, cells);
}

void show(stat_tap_table* table, unsigned row) {
    const Operation& all = *operation_of(table, row);
    stat_tap_table_item_type* cells = table->elements[row];
    const auto milliseconds = [&](Column column, int64_t nanoseconds) {
        cells[column].value.float_value = static_cast<double>(nanoseconds) / 1e6;
    };
    cells[commands].value.uint_value = static_cast<unsigned>(all.turnarounds.size());
    milliseconds(least, all.turnarounds.least());
    milliseconds(p50, all.turnarounds.percentile(0));
    milliseconds(p90, all.turnarounds.percentile(1));
    milliseconds(p99, all.turnarounds.percentile(2));
    milliseconds(p999, all.turnarounds.percentile(3));
    milliseconds(greatest, all.turnarounds.greatest());
    cells[megabytes].value.float_value = static_cast<double>(all.bytes) / 1e6;
}

tap_packet_status on_answer(void* data, packet_info*, epan_dissect_t*, const void* what, tap_flags_t) {
    const auto& answer = *static_cast<const Answer*>(what);
    const stat_tap_table_ui* statistic = static_cast<const stat_data_t*>(data)->stat_tap_data;
    stat_tap_table* table = g_array_index(statistic->tables, stat_tap_table*, 0);
    try {
        const unsigned row = row_of(table, answer.name);
        if (row == table->num_elements) begin_row(table, row, answer.name);
        Operation& all = *operation_of(table, row);
        all.turnarounds.add(answer.turnaround_ns);
        all.bytes += answer.bytes;
        show(table, row);
    } catch (...) {
        return TAP_PACKET_FAILED;
    }
    return TAP_PACKET_REDRAW;
}

tap_param parameters[] = {{PARAM_FILTER, "filter", "Filter", nullptr, TRUE}};
stat_tap_table_ui statistic_ui = {
    REGISTER_STAT_GROUP_RESPONSE_TIME,
    "SCSI Turnaround (sanscope)",
    tap_name,
    "sanscope,srt",
    begin_table,
    on_answer,
    reset_table,
    free_cell,
    nullptr,
    columns,
    column_infos,
    std::size(parameters),
    parameters,
    nullptr,
    0,
};

}  // namespace

void register_srt_statistic() {
    tap = register_tap(tap_name);
    register_stat_tap_table_ui(&statistic_ui);
}

void tap_answers(const PacketFeed& feed, const PacketRows& rows, packet_info* packet) {
    if (!have_tap_listener(tap)) return;
    for (const PacketRows::Command& command : rows.commands) {
        const CommandRow& row = feed.store().command(command.number);
        if (!command.response || !is_answer_known(feed, row) || row.turnaround_ns() == no_time) continue;
        auto* answer = static_cast<Answer*>(wmem_alloc(packet->pool, sizeof(Answer)));
        answer->name = *row.name != '\0' ? row.name : "(operation not known)";
        answer->turnaround_ns = row.turnaround_ns();
        answer->bytes = row.bytes == unknown<uint64_t> ? 0 : row.bytes;
        tap_queue_packet(tap, packet, answer);
    }
}

}  // namespace sanscope::wireshark
