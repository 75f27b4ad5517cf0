// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "analyzer/points/command_split.h"
#include "analyzer/points/points_of_path.h"
#include "analyzer/points/sender_agreement.h"
#include "analyzer/store/chunked_rows.h"
#include "analyzer/tables/tables.h"

namespace sanscope {

// A connection between two neighbouring points.
struct PointRow {
    uint32_t connection = 0;  // counted over all pairs: the same one between other points has the same number
    const PathPoints* path = nullptr;
    const PointPair* pair = nullptr;
    const ConnectionAtPoints* at = nullptr;
};

// A range of bytes that one of two points lacks, or that was sent again.
struct PointLossRow {
    uint32_t connection = 0;
    const PathPoints* path = nullptr;
    const PointPair* pair = nullptr;
    const ConnectionAtPoints* at = nullptr;
    const CopyFate* fate = nullptr;
    Way way = Way::out;
};

// A command between two neighbouring points, and what it is made of.
struct PointCommandRow {
    uint32_t connection = 0;
    const PathPoints* path = nullptr;
    const PointPair* pair = nullptr;
    const CommandRow* command = nullptr;
    const CommandSplit* split = nullptr;
};

// A TCP sender between two neighbouring points.
struct PointSenderRow {
    uint32_t connection = 0;
    const PathPoints* path = nullptr;
    const PointPair* pair = nullptr;
    const ConnectionAtPoints* at = nullptr;
    SenderAgreement agreement = {};
};

// None of table_infos(), for their rows are not in a store: `make` is nullptr.
extern const TableInfo points_table;
extern const TableInfo point_losses_table;
extern const TableInfo point_commands_table;
extern const TableInfo point_senders_table;
std::span<const TableInfo* const> point_tables();

// The rows of a path, which must outlive them.
void append_point_rows(const PathPoints& path, ChunkedRows<PointRow>& rows);
void append_point_loss_rows(const PathPoints& path, ChunkedRows<PointLossRow>& rows);

void append_point_sender_rows(const PathPoints& path, const std::vector<SenderAgreement>& agreements,
                              ChunkedRows<PointSenderRow>& rows);

// The rows must outlive the tables.
std::unique_ptr<Table> make_points_table(const ChunkedRows<PointRow>& rows);
std::unique_ptr<Table> make_point_losses_table(const ChunkedRows<PointLossRow>& rows);
std::unique_ptr<Table> make_point_senders_table(const ChunkedRows<PointSenderRow>& rows);
// `store`: what they were split by. All three must outlive the table.
std::unique_ptr<Table> make_point_commands_table(const PathPoints& path, const ResultStore& store,
                                                 const ChunkedRows<CommandSplit>& splits);

// The numbers of connections, by pair and by connection of that: the same one between other points has the same.
std::vector<std::vector<uint32_t>> connection_numbers(const PathPoints& path);

std::string_view verdict_name(CopyVerdict verdict);
std::string_view lack_name(SplitLack lack);  // empty of none

}  // namespace sanscope
