// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/load/command_log.h"

#include <fmt/compile.h>
#include <utility>

namespace sanscope {

Result<std::unique_ptr<CommandLog>> CommandLog::create(const std::string& path) {
    auto sink = FileSink::create(path);
    if (!sink) return sink.error();
    std::unique_ptr<CommandLog> log(new CommandLog(std::move(*sink)));
    log->append("send_ns,done_ns,itt,session,connection,lun,lba,bytes,direction,status\n");
    return log;
}

void CommandLog::append(std::string_view rows) {
    const std::lock_guard lock(mutex_);
    ok_ = ok_ && sink_.write(rows);
}

Result<std::monostate> CommandLog::close() {
    const std::lock_guard lock(mutex_);
    ok_ = sink_.close() && ok_;
    if (ok_ || sink_.error() == nullptr) return std::monostate{};
    return *sink_.error();
}

CommandLogWriter::CommandLogWriter(CommandLog& log, int64_t to_epoch_ns)
    : log_(log), to_epoch_ns_(to_epoch_ns), block_(std::make_unique<char[]>(block_size)) {}

void CommandLogWriter::add(const Row& row) {
    if (block_size - used_ < longest_row) flush();
    char* const begin = block_.get() + used_;
    char* at = fmt::format_to(begin, FMT_COMPILE("{},"), row.send_ns + to_epoch_ns_);
    if (row.ended) at = fmt::format_to(at, FMT_COMPILE("{}"), row.done_ns + to_epoch_ns_);
    at = fmt::format_to(at, FMT_COMPILE(",0x{:08x},{},{},{},{},{},{},{}\n"), row.itt, row.session,
                        row.connection, row.lun, row.lba, row.bytes,
                        row.kind == LoadKind::read ? std::string_view("read") : std::string_view("write"),
                        row.status.substr(0, 64));
    used_ += static_cast<size_t>(at - begin);
}

void CommandLogWriter::flush() {
    if (used_ > 0) log_.append({block_.get(), used_});
    used_ = 0;
}

}  // namespace sanscope
