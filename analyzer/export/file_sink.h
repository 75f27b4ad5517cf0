// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyzer/base/result.h"
#include "analyzer/export/byte_sink.h"

namespace sanscope {

// A file, a pipe or standard output. Of a write() that failed, as on a full disk, nothing is left in a file that create() made: it
// ends with the last one that was whole. Unbuffered: the exporters write whole blocks. A pipe whose reader is
// gone is seen only in a process that ignores SIGPIPE.
class FileSink final : public ByteSink {
  public:
    // Creates or empties the file; `-` is standard output.
    static Result<FileSink> create(const std::string& path);

    // `owned`: the descriptor is closed with the sink.
    explicit FileSink(int descriptor, bool owned = false);
    FileSink(FileSink&& other) noexcept;
    FileSink& operator=(FileSink&&) = delete;
    ~FileSink() override;

    bool write(std::span<const char> bytes) override;
    const Error* error() const override { return error_ ? &*error_ : nullptr; }
    bool reader_gone() const { return reader_gone_; }

    // Ends the file; some file systems tell only now that a write failed. True when everything written is in
    // it.
    bool close();

  private:
    void fail(int error_number);

    int descriptor_;
    bool owned_;
    uint64_t whole_bytes_ = 0;  // of the write() calls that took all
    bool reader_gone_ = false;
    std::optional<Error> error_;
};

}  // namespace sanscope
