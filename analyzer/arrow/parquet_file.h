// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "analyzer/base/helper_process.h"
#include "analyzer/base/result.h"
#include "analyzer/export/file_sink.h"
#include "analyzer/export/replacement_file.h"

namespace sanscope {

// A Parquet file, written by Python's pyarrow in a process of its own, to which an Arrow IPC stream is given
// (docs/decisions/010-arrow-by-us-parquet-by-pyarrow.md). The file is there once it is whole.
class ParquetFile {
  public:
    // Starts `python3`, or what the environment variable SANSCOPE_PYTHON names. An Error as of ReplacementFile::create(), or
    // where that cannot be started.
    static Result<std::unique_ptr<ParquetFile>> create(const std::string& target);
    ParquetFile(const ParquetFile&) = delete;
    ParquetFile& operator=(const ParquetFile&) = delete;
    // Ends the process, if it runs; without commit() nothing is left.
    ~ParquetFile();

    // Takes the stream. Refuses when the process ended early: commit() says why.
    ByteSink& sink() { return input_; }
    // After the whole stream: waits for the process, and puts the file into its place.
    Result<std::monostate> commit();

  private:
    ParquetFile(std::unique_ptr<ReplacementFile> file, HelperProcess process);
    int wait();

    std::unique_ptr<ReplacementFile> file_;
    HelperProcess process_;
    FileSink input_;
};

}  // namespace sanscope
