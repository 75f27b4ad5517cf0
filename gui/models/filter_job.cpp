// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/filter_job.h"

#include <QCoreApplication>
#include <thread>
#include <vector>

#include "dissectors/client/decode_as_arguments.h"
#include "dissectors/client/filter_run.h"
#include "gui/models/column_format.h"
#include "gui/models/table_access.h"

#include "analyzer/ingest/capture_file.h"
#include "analyzer/query/linked_rows.h"
#include "analyzer/query/select.h"

namespace sanscope {
namespace {

QString translated(const char* text) {
    return QCoreApplication::translate("FilterJob", text);
}

// Sets the rows of [first, last) that pass; `first` is a multiple of 64. Returns how many regular expressions were given up.
uint64_t select_part(const RowFilter& filter, const Table& table, size_t first, size_t last, RowSet& passing,
                     FilterProgress& progress, const StopFlag& stop) {
    constexpr size_t rows_at_once = size_t{1} << 17;
    std::vector<size_t> rows;
    uint64_t given_up = 0;
    while (first < last && !stop) {
        const size_t end = std::min(last, first + rows_at_once);
        rows.clear();
        given_up += select(filter, table, first, end, rows, &stop).given_up;
        for (const size_t row : rows) passing.set(row);
        progress.done.fetch_add(end - first, std::memory_order_relaxed);
        first = end;
    }
    return given_up;
}

void link(const CaptureData& data, Selected table, const RowSet& passing, FilterResult filter,
          const StopFlag& stop, FilterOutcome& outcome) {
    if (stop) return;
    const auto reading = data.read();
    auto result = std::make_shared<FilterResult>(std::move(filter));
    result->rows = link_rows(reading.pdu_index(), table, passing, &stop, 2);
    if (stop) return;
    outcome.passed = passing.count();
    outcome.total = passing.size();
    outcome.result = std::move(result);
}

}  // namespace

FilterOutcome run_column_filter(const CaptureData& data, std::string_view table_name, const RowFilter& filter,
                                const std::string& expression, FilterProgress& progress,
                                const StopFlag& stop) {
    FilterOutcome outcome;
    outcome.table = table_name;
    const auto table = make_table(data.read(), table_name);
    RowSet passing(table->rows());
    progress.total = table->rows();
    const size_t middle = table->rows() / 128 * 64;
    uint64_t given_up = 0;
    std::thread other([&] { given_up = select_part(filter, *table, 0, middle, passing, progress, stop); });
    const uint64_t given_up_here =
        select_part(filter, *table, middle, table->rows(), passing, progress, stop);
    other.join();
    given_up += given_up_here;
    if (given_up != 0) {
        outcome.notes.append(
            given_up == 1
                ? translated("Once it took too long to see whether the regular expression matches; it is "
                             "taken not to")
                : translated(
                      "%1 times it took too long to see whether the regular expression matches; it is taken "
                      "not to")
                      .arg(grouped(given_up)));
    }
    link(data, find_table_kind(table_name)->filtered, passing, {expression, std::string(table_name), {}},
         stop, outcome);
    return outcome;
}

FilterOutcome run_display_filter(const CaptureData& data, const std::string& expression,
                                 const std::string& program, FilterProgress& progress, const StopFlag& stop) {
    FilterOutcome outcome;
    outcome.table = "packets";
    const auto reading = data.read();
    const uint64_t packets = reading.index().packets();
    progress.total = packets;
    auto source = open_capture(data.path());
    if (!source) {
        outcome.error = QString::fromStdString(source.error().message);
        return outcome;
    }
    DissectClient::Options options;
    options.program = program;
    add_decode_as(data.decode_as(), options);
    DissectClient client(std::move(options));
    RowSet passing(packets);
    FilterRun run(client, expression);
    FilterRun::Options running;
    running.stop = &stop;
    running.progress = [&](uint64_t done) { progress.done.store(done, std::memory_order_relaxed); };
    const auto ran = run.run(**source, running, [&](const RawPacket&, uint64_t number) {
        if (number <= packets) passing.set(number - 1);
    });
    if (!ran) {
        outcome.error = QString::fromStdString(ran.error().message);
        return outcome;
    }
    for (const std::string& left_out : ran->left_out) {
        outcome.notes.append(translated("Left out: %1").arg(QString::fromStdString(left_out)));
    }
    link(data, Selected::packets, passing, {expression, {}, {}}, stop, outcome);
    return outcome;
}

}  // namespace sanscope
