// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "captures/experiment/measurement.h"
#include "captures/experiment/run_plan.h"

#include "analyzer/base/file_descriptor.h"
#include "analyzer/base/result.h"

namespace sanscope::lab {

// A run that was done, as a row of runs.csv: its settings, the repetition, what made the link, seconds of load,
// measures.
struct RunRecord {
    PlannedRun run;
    std::string link;  // "netem" or "delay_node"
    double seconds = 0;
    Measurement measured;
};

// The header line and a record's line, without line feeds.
std::string run_records_header();
std::string run_record_line(const RunRecord& record);

// Of a whole runs.csv. A last line that was cut off, as by a loss of power, is left out; `whole_bytes` is where it
// begins. Columns that it does not have, as one of an earlier version, are settings at their defaults and measures that are
// unknown. An Error names the line that is none of ours.
struct RunRecords {
    std::vector<RunRecord> records;
    size_t whole_bytes = 0;
    bool has_all_columns = true;  // which rows that are to be appended need
};
Result<RunRecords> parse_run_records(std::string_view text);

// Of the file, which may be absent: then there are none. The Error begins with the path.
Result<RunRecords> read_run_records(const std::string& path);

// Those of the plan that have no record, in the plan's order.
std::vector<PlannedRun> remaining_runs(const std::vector<PlannedRun>& plan,
                                       const std::vector<RunRecord>& done, double seconds);

// The file to which rows are appended, each whole and at once; what a second start goes on from.
class RunRecordFile {
  public:
    // Reads what is there, or begins the file; one without all columns is written anew, and stays as it was where that
    // fails. Until this goes no other process can open it so: an Error where one has.
    static Result<RunRecordFile> open(const std::string& path);

    const std::vector<RunRecord>& records() const { return records_; }
    // An Error where it could not be written whole, as on a full disk: what was there before is kept.
    Result<std::monostate> append(RunRecord record);

  private:
    Result<std::monostate> write_anew();

    std::string path_;
    FileDescriptor former_;  // locked; the file that this one was written anew from
    FileDescriptor file_;    // locked
    std::vector<RunRecord> records_;
};

}  // namespace sanscope::lab
