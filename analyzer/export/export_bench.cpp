// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <benchmark/benchmark.h>
#include <cstddef>
#include <cstdint>

#include "analyzer/arrow/arrow_writer.h"
#include "analyzer/export/export_format.h"
#include "analyzer/tables/tables.h"

namespace sanscope {
namespace {

class NullSink final : public ByteSink {
  public:
    bool write(std::span<const char> written) override {
        bytes += written.size();
        return true;
    }
    const Error* error() const override { return nullptr; }
    size_t bytes = 0;
};

constexpr size_t row_count = 200'000;

void run(benchmark::State& state, const Table& table, const char* name) {
    NullSink sink;
    const ExportFormat* const format = find_export_format(name);
    const ArrowOrigin origin = {"san.pcapng", {}};
    for (auto _ : state) {
        if (format != nullptr) {
            format->write(table, sink);
        } else {
            write_arrow(table, origin, sink);
        }
    }
    state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(table.rows()));
    state.SetBytesProcessed(static_cast<int64_t>(sink.bytes));
}

Endpoint endpoint(uint8_t host, uint16_t port) {
    const std::array<uint8_t, 4> address = {10, 77, 12, host};
    return {IpAddress::from_v4(address.data()), port};
}

void write_pdus(benchmark::State& state, const char* format) {
    ChunkedRows<ConnectionRow> connections;
    connections.append({.initiator = endpoint(101, 48312), .target = endpoint(102, 3260)});
    StoredRows<PduRow> pdus;
    for (uint32_t i = 0; i < row_count; i++) {
        PduRow& row = pdus.append({});
        row.connection = 1;
        row.first_packet = 1'000'000 + 6 * uint64_t{i};
        row.last_packet = row.first_packet + 5;
        row.time_ns = 1'700'000'000'000'000'000 + int64_t{i} * 51'237;
        row.bhs_offset = uint64_t{i} * 8240;
        row.itt = i;
        row.data_length = 8192;
        row.opcode = (i & 1) != 0 ? 0x25 : 0x01;
        row.sender = (i & 1) != 0 ? Role::target : Role::initiator;
        row.final = true;
        row.command = i / 2 + 1;
    }
    run(state, *make_pdus_table(pdus, connections), format);
}
BENCHMARK_CAPTURE(write_pdus, csv, "csv");
BENCHMARK_CAPTURE(write_pdus, json, "json");
BENCHMARK_CAPTURE(write_pdus, pb, "pb");
BENCHMARK_CAPTURE(write_pdus, arrow, "arrow");

void write_commands(benchmark::State& state, const char* format) {
    ChunkedRows<CommandRow> commands;
    for (uint32_t i = 0; i < row_count; i++) {
        CommandRow& row = commands.append({});
        row.connection = 1;
        row.session = 1;
        row.lun = 1;
        row.itt = row.cmd_sn = i;
        row.cmd_sn_known = true;
        row.opcode = 0x28;
        row.name = "READ(10)";
        row.lba = uint64_t{i} * 16;
        row.blocks = 16;
        row.bytes = 8192;
        row.request_packet = 1'000'000 + 6 * uint64_t{i};
        row.first_data_packet = row.last_data_packet = row.response_packet = row.request_packet + 5;
        row.request_ns = 1'700'000'000'000'000'000 + int64_t{i} * 51'237;
        row.first_data_ns = row.last_data_ns = row.response_ns = row.request_ns + 40'000;
        row.status = 0;
        row.pdus = 2;
        row.outcome = Outcome::completed;
    }
    run(state, *make_commands_table(commands), format);
}
BENCHMARK_CAPTURE(write_commands, csv, "csv");
BENCHMARK_CAPTURE(write_commands, json, "json");
BENCHMARK_CAPTURE(write_commands, pb, "pb");
BENCHMARK_CAPTURE(write_commands, arrow, "arrow");

}  // namespace
}  // namespace sanscope
