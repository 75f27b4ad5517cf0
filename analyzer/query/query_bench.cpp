// SPDX-License-Identifier: GPL-3.0-or-later
// Selecting from a million commands: items are rows, so that the time for a row is the inverse of items per second.
#include <array>
#include <benchmark/benchmark.h>
#include <cstdint>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "analyzer/query/row_filter.h"
#include "analyzer/query/select.h"
#include "analyzer/tables/tables.h"

namespace sanscope {
namespace {

constexpr size_t row_count = 1'000'000;

struct Commands {
    Commands() {
        constexpr int64_t start_ns = 1'795'259'301'000'000'000;
        uint32_t random = 1;
        for (uint32_t i = 0; i < row_count; i++) {
            random = random * 1'664'525 + 1'013'904'223;
            const bool write = random >> 31 != 0;
            const uint32_t blocks = 8u << (random >> 28 & 3);
            CommandRow& row = rows.append({});
            row.connection = row.session = 1 + (random >> 26 & 1);
            row.lun = random >> 24 & 3;
            row.itt = row.cmd_sn = i;
            row.cmd_sn_known = true;
            row.opcode = write ? 0x2a : 0x28;
            row.name = write ? "WRITE(10)" : "READ(10)";
            row.lba = uint64_t{i} * 16;
            row.blocks = blocks;
            row.bytes = uint64_t{blocks} * 512;
            row.request_packet = 1'000'000 + 6 * uint64_t{i};
            row.response_packet = row.request_packet + 5;
            row.request_ns = start_ns + int64_t{i} * 51'237;
            row.response_ns = row.request_ns + 40'000 + int64_t{random >> 10};
            row.status = (random >> 8 & 0xff) == 0 ? 2 : 0;
            row.pdus = 2;
            row.outcome = Outcome::completed;
        }
    }
    ChunkedRows<CommandRow> rows;
    std::unique_ptr<Table> table = make_commands_table(rows);
};

struct Windows {
    Windows() {
        const std::array<uint8_t, 4> initiator = {192, 0, 2, 101};
        const std::array<uint8_t, 4> target = {192, 0, 2, 102};
        connections.append({.initiator = {IpAddress::from_v4(initiator.data()), 48312},
                            .target = {IpAddress::from_v4(target.data()), 3260}});
        for (uint32_t i = 0; i < row_count; i++) {
            WindowRow& row = rows.append({});
            row.connection = 1;
            row.packet = i + 1;
            row.from_a = i % 3 == 0;
            row.in_flight = i % 100'000;
        }
    }
    ChunkedRows<ConnectionRow> connections;
    ChunkedRows<WindowRow> rows;
    std::unique_ptr<Table> table = make_windows_table(rows, connections);
};

void run_on(benchmark::State& state, const Table& table, std::string_view expression) {
    const auto compiled = RowFilter::compile(expression, table.name(), table.columns());
    if (const auto* error = std::get_if<FilterError>(&compiled))
        return state.SkipWithError(error->message.c_str());
    std::vector<size_t> rows;
    for (auto _ : state) {
        rows.clear();
        select(std::get<RowFilter>(compiled), table, 0, table.rows(), rows);
        benchmark::DoNotOptimize(rows.data());
    }
    state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(row_count));
    state.counters["selected"] = static_cast<double>(rows.size());
}

void run(benchmark::State& state, std::string_view expression) {
    static const Commands commands;
    run_on(state, *commands.table, expression);
}
BENCHMARK_CAPTURE(run, known, "response_packet");
BENCHMARK_CAPTURE(run, number, "bytes >= 16KiB");
BENCHMARK_CAPTURE(run, set, "bytes in {4KiB, 16KiB, 1MiB..2MiB}");
BENCHMARK_CAPTURE(run, duration, "turnaround_ns > 2ms");
BENCHMARK_CAPTURE(run, hexadecimal, "opcode == 0x28");
BENCHMARK_CAPTURE(run, hexadecimal_long, "itt < 0x1000");
BENCHMARK_CAPTURE(run, word, "status == CHECK_CONDITION");
BENCHMARK_CAPTURE(run, contains, "name contains \"READ\"");
BENCHMARK_CAPTURE(run, matches, "name matches \"^read\"");
BENCHMARK_CAPTURE(run, two_columns, "first_data_ns >= request_ns or response_ns > request_ns");
BENCHMARK_CAPTURE(run, four_conditions,
                  "turnaround_ns > 2ms and opcode == 0x28 and (bytes >= 16KiB or not status == GOOD)");

void run_windows(benchmark::State& state, std::string_view expression) {
    static const Windows windows;
    run_on(state, *windows.table, expression);
}
BENCHMARK_CAPTURE(run_windows, endpoint, "sender == 192.0.2.102:3260");
BENCHMARK_CAPTURE(run_windows, endpoint_behind_a_number, "in_flight > 50kB and sender == 192.0.2.102:3260");

}  // namespace
}  // namespace sanscope
