// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>

#include "analyzer/base/result.h"
#include "analyzer/export/file_sink.h"
#include "analyzer/ingest/byte_source.h"

namespace sanscope {

// A file that is there once it is whole: it is written beside its place and takes it, and that of a file which was there,
// when committed. Until then nothing is lost; one that never is leaves nothing behind, even where the process is killed: it has
// no name until then, but on file systems that know no such files (NFS), and but for the moment of commit() between the name it
// gets and its place, when it is whole.
class ReplacementFile {
  public:
    // `target` may be there, as a regular file or a link to one: then the new file has its permissions. An Error where that
    // is something else, or its folder takes no file.
    static Result<std::unique_ptr<ReplacementFile>> create(const std::string& target);
    ReplacementFile(const ReplacementFile&) = delete;
    ReplacementFile& operator=(const ReplacementFile&) = delete;
    ~ReplacementFile();

    // The file's bytes in order; an error there is an Error of commit().
    ByteSink& sink() { return sink_; }
    // For another process, which writes into it in place of the sink.
    int descriptor() const { return descriptor_.get(); }
    // Changes bytes that were written to the sink. These two and commit() tell the first thing that went wrong.
    Result<std::monostate> overwrite(uint64_t at, std::span<const uint8_t> bytes);
    // Ends the file behind `size` bytes of those written.
    Result<std::monostate> cut(uint64_t size);

    // Puts the file into its place, on the disk for good. Nothing may be written after.
    Result<std::monostate> commit();

  private:
    Result<std::monostate> take_name();

    ReplacementFile(std::string target, std::string temporary, FileDescriptor descriptor);

    std::string target_;
    std::string temporary_;  // empty while it has no name, and once it is in its place
    FileDescriptor descriptor_;
    FileSink sink_;
};

// The name of one in that moment, for a signal's handler to remove; else nullptr. Async-signal-safe. Of one at a time.
const char* replacement_on_the_way();

// An Error where writing `target` would overwrite `input`, by whichever name.
Result<std::monostate> refuse_overwriting(const std::string& input, const std::string& target);

}  // namespace sanscope
