// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "captures/load/load_account.h"

#include "analyzer/base/result.h"
#include "analyzer/export/file_sink.h"

namespace sanscope {

// The file of a load's commands, CSV with one row a command, to which all threads write: rows are in order of their end
// within a thread, not between threads.
class CommandLog {
  public:
    // Creates or empties the file; `-` is standard output.
    static Result<std::unique_ptr<CommandLog>> create(const std::string& path);

    // Whole rows, from any thread.
    void append(std::string_view rows);
    // Once every writer has flushed. The first thing that went wrong with the file, if anything did.
    Result<std::monostate> close();

  private:
    explicit CommandLog(FileSink sink) : sink_(std::move(sink)) {}

    std::mutex mutex_;
    FileSink sink_;
    bool ok_ = true;
};

// The rows of one thread, gathered into blocks: a row takes no memory.
class CommandLogWriter {
  public:
    struct Row {
        int64_t send_ns = 0;
        int64_t done_ns = 0;
        bool ended = true;  // without an end done_ns is not written
        uint32_t itt = 0;
        uint32_t session = 0;
        uint32_t connection = 0;
        uint64_t lun = 0;
        uint64_t lba = 0;
        uint64_t bytes = 0;  // asked for
        LoadKind kind = LoadKind::read;
        std::string_view status;  // of SAM ("GOOD"), or load_failure_key(): at most 64 plain characters
    };

    // `to_epoch_ns`: what makes of the rows' times nanoseconds since the epoch, as captures have them.
    CommandLogWriter(CommandLog& log, int64_t to_epoch_ns);

    void add(const Row& row);
    // What is still held, to the file: nothing is written on destruction.
    void flush();

  private:
    static constexpr size_t block_size = size_t{256} * 1024;
    static constexpr size_t longest_row = 512;

    CommandLog& log_;
    int64_t to_epoch_ns_;
    std::unique_ptr<char[]> block_;
    size_t used_ = 0;
};

}  // namespace sanscope
