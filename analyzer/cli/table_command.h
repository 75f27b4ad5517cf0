// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/cli/captures.h"
#include "analyzer/cli/table_output.h"
#include "analyzer/query/row_filter.h"
#include "analyzer/tables/tables.h"

namespace CLI {
class Option;
}

namespace sanscope {

class Table;

// `sanscope table TABLE FILE...`: one table of the analysis, or some of its rows and columns, for other programs to read; with
// --tables several, a file each.
class TableCommand {
  public:
    void add_to(CLI::App& app);
    bool chosen() const;
    ExitStatus run() const;

    static std::vector<std::string> table_names();

  private:
    // What was said by words alone, by name of the option where it is one.
    struct Request {
        std::vector<const TableInfo*> tables;
        CaptureOptions captures;
    };
    // What of a table is wanted.
    struct Choice {
        std::optional<RowFilter> rows;  // all without
        std::vector<size_t> columns;    // all where none is named
    };
    // False where that cannot be meant; said on standard error.
    bool understand(Request& request) const;
    bool understand(const TableInfo& table, Choice& choice) const;

    ExitStatus run_one(const TableInfo& table, const CaptureOptions& captures) const;
    ExitStatus run_several(const Request& request) const;
    ExitStatus write(const Table& whole, const Choice& choice, const TableOutput& output,
                     ExitStatus status) const;
    ExitStatus write_points(const CaptureOptions& captures, const Choice& choice,
                            const TableOutput& output) const;
    // Where the table goes; with the damage of what was analysed.
    TableOutput output_of(std::string_view table, const CaptureOptions& captures, const std::string& place,
                          const Analysed* analysed) const;

    CLI::App* command_ = nullptr;
    CaptureOptions captures_;
    bool points_ = false;
    std::string table_;
    std::string tables_;  // with commas between
    std::string format_ = "csv";
    std::string output_ = "-";
    std::string where_;
    std::string columns_;  // with commas between
    std::string capture_id_;
    CLI::Option* where_option_ = nullptr;
    CLI::Option* columns_option_ = nullptr;
    CLI::Option* capture_id_option_ = nullptr;
};

}  // namespace sanscope
