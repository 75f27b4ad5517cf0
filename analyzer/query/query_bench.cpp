// SPDX-License-Identifier: GPL-3.0-or-later
// Selecting from a million commands, and putting rows in order: items are rows, so that the time for a row is the inverse
// of items per second.
#include <array>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "analyzer/query/column_meaning.h"
#include "analyzer/query/linked_rows.h"
#include "analyzer/query/row_filter.h"
#include "analyzer/query/row_order.h"
#include "analyzer/query/select.h"
#include "analyzer/tables/packets_table.h"
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
            row.connection = 1 + (random >> 26 & 1);
            row.session = 1 + (random >> 26 & 1);
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
            row.sender = i % 3 == 0 ? Side::a : Side::b;
            row.in_flight = i % 100'000;
        }
    }
    ChunkedRows<ConnectionRow> connections;
    StoredRows<WindowRow> rows;
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

// Rows that cost nothing to make, ten million of them.
class Computed final : public Table {
  public:
    static constexpr size_t row_count = 10'000'000;
    enum Column : size_t { in_order, small, moment, any, word, endpoint, hexadecimal, distinct };

    std::string_view name() const override { return "computed"; }
    std::span<const ColumnInfo> columns() const override { return columns_; }
    size_t rows() const override { return row_count; }
    void cell(size_t row, size_t column, Cell& cell) const override {
        const uint64_t random = (row + 1) * 0x9e3779b97f4a7c15;
        switch (Column{column}) {
            case in_order:
                return cell.set(uint64_t{row});
            case small:
                return cell.set(random >> 44);
            case moment:  // within ten minutes
                return cell.set(int64_t{1'795'259'301'000'000'000} +
                                static_cast<int64_t>(random % 600'000'000'000));
            case any:
                return cell.set(random);
            case word:
                return cell.set(words_[random >> 61]);
            case endpoint:
                return cell.set(endpoints_[random >> 61]);
            case hexadecimal:
            case distinct:
                break;
        }
        constexpr std::string_view digits = "0123456789abcdef";
        cell.buffer[0] = '0';
        cell.buffer[1] = 'x';
        for (size_t i = 0; i < 8; ++i) cell.buffer[2 + i] = digits[random >> (60 - 4 * i) & 15];
        cell.set(std::string_view(cell.buffer, 10));
    }

  private:
    std::array<std::string_view, 8> words_ = {
        "READ(10)",     "WRITE(10)",    "READ(16)", "TEST UNIT READY",
        "SCSI Data-In", "SCSI Command", "R2T",      "READ CAPACITY(10)"};
    std::array<std::string_view, 8> endpoints_ = {"192.0.2.1:3260",  "192.0.2.2:3260",    "192.0.2.10:3260",
                                                  "192.0.2.1:40000", "192.0.2.1:40001",   "192.0.2.1:40002",
                                                  "192.0.2.1:40003", "[2001:db8::1]:3260"};
    std::array<ColumnInfo, 8> columns_ = {{{"in_order", ColumnType::unsigned_integer, ""},
                                           {"small", ColumnType::unsigned_integer, ""},
                                           {"moment_ns", ColumnType::integer, ""},
                                           {"any", ColumnType::unsigned_integer, ""},
                                           {"word", ColumnType::text, ""},
                                           {"endpoint", ColumnType::text, "IP:PORT"},
                                           {"hexadecimal", ColumnType::text, "0x and 8 hexadecimal digits"},
                                           {"distinct", ColumnType::text, ""}}};
};

void order(benchmark::State& state, size_t column, bool descending) {
    const Computed table;
    std::vector<uint32_t> rows(table.rows());
    for (auto _ : state) {
        state.PauseTiming();
        std::iota(rows.begin(), rows.end(), 0u);
        state.ResumeTiming();
        order_rows(table, column, descending, rows);
        benchmark::DoNotOptimize(rows.data());
    }
    state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(table.rows()));
}
#define SANSCOPE_ORDER(column, descending)                         \
    BENCHMARK_CAPTURE(order, column, Computed::column, descending) \
        ->UseRealTime()                                            \
        ->Unit(benchmark::kMillisecond)
SANSCOPE_ORDER(in_order, false);
SANSCOPE_ORDER(small, false);
SANSCOPE_ORDER(moment, true);
SANSCOPE_ORDER(any, false);
SANSCOPE_ORDER(word, false);
SANSCOPE_ORDER(endpoint, false);
SANSCOPE_ORDER(hexadecimal, false);
SANSCOPE_ORDER(distinct, false);

void order_commands(benchmark::State& state, std::string_view column) {
    static const Commands commands;
    const auto number = find_column(commands.table->columns(), column);
    std::vector<uint32_t> rows(commands.table->rows());
    for (auto _ : state) {
        state.PauseTiming();
        std::iota(rows.begin(), rows.end(), 0u);
        state.ResumeTiming();
        order_rows(*commands.table, *number, true, rows);
        benchmark::DoNotOptimize(rows.data());
    }
    state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(row_count));
}
BENCHMARK_CAPTURE(order_commands, turnaround, "turnaround_ns")->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(order_commands, name, "name")->UseRealTime()->Unit(benchmark::kMillisecond);

// A million reads of 8 kB, ten packets each, over eight connections at once.
struct Reads {
    static constexpr uint32_t connections = 8;
    static constexpr uint32_t commands = 1'000'000;
    static constexpr uint32_t packets_per_command = 10;

    Reads() {
        uint32_t number = 0;
        store.add_session(number);
        for (uint32_t i = 0; i < connections; ++i) {
            ConnectionRow& row = store.add_connection(number);
            row.session = 1;
            row.iscsi = true;
            row.first_packet = i + 1;
            row.last_packet = uint64_t{commands} * packets_per_command;
            row.stream_start_known[0] = row.stream_start_known[1] = true;
        }
        for (uint32_t i = 0; i < commands; i += connections) {
            const PacketNumber first = uint64_t{i} * packets_per_command + 1;
            for (uint32_t step = 0; step < packets_per_command; ++step) {
                for (uint32_t j = 0; j < connections; ++j) segment(j, step);
            }
            for (uint32_t j = 0; j < connections; ++j) {
                const auto at = [&](uint32_t step) { return first + uint64_t{step} * connections + j; };
                uint64_t command = 0;
                CommandRow& row = store.begin_command(command);
                row.connection = j + 1;
                row.session = 1;
                pdu(j, command, false, 0, at(0), at(0));
                pdu(j, command, true, 8192, at(1), at(7));
                pdu(j, command, true, 0, at(8), at(8));
            }
        }
        const auto began = std::chrono::steady_clock::now();
        index.update();
        update_ms =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
    }
    // A request; seven of data, 1200 bytes at most; a response; an acknowledgement.
    void segment(uint32_t connection, uint32_t step) {
        const Side side = step == 0 || step == 9 ? Side::a : Side::b;
        const uint32_t length = step == 9                ? 0
                                : step == 0 || step == 8 ? 48
                                : step < 7               ? 1200
                                                         : 8240 - 6 * 1200;
        uint32_t& seq = sent[connection][index_of(side)];
        store.add_segment() = {connection + 1, seq, 0, length, 0, 0, side};
        seq += length;
    }
    void pdu(uint32_t connection, uint64_t command, bool from_target, uint32_t data, PacketNumber first,
             PacketNumber last) {
        PduRow& row = store.add_pdu();
        row.connection = connection + 1;
        row.command = command;
        row.sender = from_target ? Role::target : Role::initiator;
        row.opcode = !from_target ? 0x01 : data > 0 ? 0x25 : 0x21;
        row.data_length = data;
        row.first_packet = first;
        row.last_packet = last;
        row.bhs_offset = offset[connection][from_target ? 1 : 0];
        offset[connection][from_target ? 1 : 0] += 48 + data;
    }

    ResultStore store{ResultStore::Keep::everything()};
    PduIndex index{store};
    double update_ms = 0;
    std::array<std::array<uint32_t, 2>, connections> sent{};
    std::array<std::array<uint64_t, 2>, connections> offset{};
};

constexpr size_t only_one = size_t{1} << 40;

Reads& reads_of_bench() {
    static Reads reads;
    return reads;
}

void link(benchmark::State& state, Selected table, size_t every) {
    const Reads& reads = reads_of_bench();
    const size_t size = table == Selected::packets    ? reads.store.segments().size()
                        : table == Selected::commands ? reads.store.commands().size()
                        : table == Selected::pdus     ? reads.store.pdus().size()
                                                      : reads.store.connections().size();
    RowSet rows(size);
    for (size_t row = every == only_one ? size / 2 : 0; row < size; row += every) rows.set(row);
    size_t found = 0;
    for (auto _ : state) found = link_rows(reads.index, table, rows).packets.count();
    state.counters["packets"] = static_cast<double>(found);
    state.counters["index_ms"] = reads.update_ms;
    state.counters["index_MB"] = static_cast<double>(reads.index.memory_bytes()) / 1e6;
}
BENCHMARK_CAPTURE(link, one_command, Selected::commands, only_one)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(link, every_third_command, Selected::commands, 3)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(link, all_commands, Selected::commands, 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(link, all_pdus, Selected::pdus, 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(link, one_packet, Selected::packets, only_one)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(link, all_packets, Selected::packets, 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(link, half_the_connections, Selected::connections, 2)->Unit(benchmark::kMillisecond);

// The packets of those reads.
struct Packets {
    Packets() {
        const std::array<uint8_t, 4> initiator = {192, 0, 2, 101};
        const std::array<uint8_t, 4> target = {192, 0, 2, 102};
        Reads& reads = reads_of_bench();
        for (size_t i = 0; i < reads.store.segments().size(); ++i) {
            RawPacket packet;
            packet.time_ns = 1'795'259'301'000'000'000 + static_cast<int64_t>(i) * 5'123;
            packet.wire_length = 54 + reads.store.segments().get<&SegmentRow::payload_length>(i);
            index.add(packet, 0);
        }
        for (uint32_t i = 1; i <= Reads::connections; ++i) {
            ConnectionRow& row = reads.store.connection(i);
            row.initiator = {IpAddress::from_v4(initiator.data()), static_cast<uint16_t>(40'000 + i)};
            row.target = {IpAddress::from_v4(target.data()), 3260};
        }
        table = make_packets_table(index, reads.store, &reads.index);
    }
    PacketIndex index;
    std::unique_ptr<Table> table;
};

const Table& packets_of_bench() {
    static const Packets packets;
    return *packets.table;
}

void run_packets(benchmark::State& state, std::string_view expression) {
    run_on(state, packets_of_bench(), expression);
    state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(packets_of_bench().rows()));
}
BENCHMARK_CAPTURE(run_packets, payload, "payload > 1000")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_packets, source, "source == 192.0.2.102:3260")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_packets, info, "info contains \"Response\"")->Unit(benchmark::kMillisecond);

void order_packets(benchmark::State& state, std::string_view column) {
    const Table& table = packets_of_bench();
    const auto number = find_column(table.columns(), column);
    std::vector<uint32_t> rows(table.rows());
    for (auto _ : state) {
        state.PauseTiming();
        std::iota(rows.begin(), rows.end(), 0u);
        state.ResumeTiming();
        order_rows(table, *number, true, rows);
        benchmark::DoNotOptimize(rows.data());
    }
    state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(table.rows()));
}
BENCHMARK_CAPTURE(order_packets, time, "time_ns")->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(order_packets, length, "length")->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(order_packets, source, "source")->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(order_packets, info, "info")->UseRealTime()->Unit(benchmark::kMillisecond);

void packets_of_one_command(benchmark::State& state) {
    const Reads& reads = reads_of_bench();
    std::vector<uint32_t> pdus;
    std::vector<PacketNumber> packets;
    uint64_t command = 1;
    for (auto _ : state) {
        command = (command * 7'919 + 1) % Reads::commands + 1;
        pdus.clear();
        packets.clear();
        reads.index.pdus_of_command(command, pdus);
        for (const uint32_t pdu : pdus) reads.index.packets_of_pdu(pdu, packets);
    }
    state.counters["packets"] = static_cast<double>(packets.size());
}
BENCHMARK(packets_of_one_command);

}  // namespace
}  // namespace sanscope
