// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/arrow/parquet_file.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "analyzer/arrow/parquet_script.h"
#include "analyzer/base/python_program.h"

namespace sanscope {
namespace {

// What comes until its end.
std::string read_all(const FileDescriptor& from) {
    std::string text;
    std::array<char, 4096> piece{};
    while (true) {
        const ssize_t size = ::read(from.get(), piece.data(), piece.size());
        if (size > 0) {
            text.append(piece.data(), static_cast<size_t>(size));
        } else if (size < 0 && errno == EAGAIN) {
            pollfd readable{from.get(), POLLIN, 0};
            ::poll(&readable, 1, -1);
        } else if (size == 0 || errno != EINTR) {
            return text;
        }
    }
}

}  // namespace

Result<std::unique_ptr<ParquetFile>> ParquetFile::create(const std::string& target) {
    auto file = ReplacementFile::create(target);
    if (!file) return file.error();
    const std::string script(reinterpret_cast<const char*>(parquet_script.data()), parquet_script.size());
    auto process = start_helper(python_program(), {"-c", script}, (*file)->descriptor());
    if (!process) return Error{process.error().message + "; Parquet is written by Python's pyarrow"};
    return std::unique_ptr<ParquetFile>(new ParquetFile(std::move(*file), std::move(*process)));
}

ParquetFile::ParquetFile(std::unique_ptr<ReplacementFile> file, HelperProcess process)
    : file_(std::move(file)), process_(std::move(process)), input_(process_.input.get()) {}

ParquetFile::~ParquetFile() {
    if (process_.process == 0) return;
    ::kill(process_.process, SIGKILL);
    wait();
}

int ParquetFile::wait() {
    const pid_t process = std::exchange(process_.process, 0);
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

Result<std::monostate> ParquetFile::commit() {
    const bool whole = !input_.reader_gone() && input_.error() == nullptr;
    process_.input = FileDescriptor();
    const std::string said = read_all(process_.errors);
    const int status = wait();
    if (status != 0 || !whole) {
        const std::string line = last_line_of(said);
        return Error{line.empty() ? fmt::format("{}, which writes Parquet, {}", python_program(),
                                                how_process_ended(status))
                                  : "cannot write Parquet: " + line};
    }
    return file_->commit();
}

}  // namespace sanscope
