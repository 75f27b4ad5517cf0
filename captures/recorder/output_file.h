// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "analyzer/base/file_descriptor.h"
#include "analyzer/base/result.h"

namespace sanscope {

// A file of whole pcapng blocks that stays one, whatever happens to the disk.
class OutputFile {
  public:
    // Makes or empties the file, with the permissions 0640. A symbolic link in a folder where everybody may make files is
    // followed only if it belongs to this user.
    static Result<OutputFile> create(const std::string& path);
    // Takes a descriptor that was opened by others, a pipe perhaps.
    explicit OutputFile(FileDescriptor descriptor);

    // What became of the blocks given to write().
    struct Written {
        bool all = true;
        int error = 0;         // an errno value, where not all
        uint64_t packets = 0;  // in the file now
    };
    // Writes whole blocks. Where that fails, the file is cut back to the end of a block, such that `tail` fits in behind it if
    // it can, and the tail is written: nothing can be written after that.
    Written write(std::span<const uint8_t> blocks, uint64_t packets, const std::string& tail);
    uint64_t bytes() const { return bytes_; }
    // False where the system tells only now that something was not written.
    bool close();

  private:
    bool put(std::span<const uint8_t> bytes, size_t& done);

    FileDescriptor descriptor_;
    bool regular_ = false;
    uint64_t bytes_ = 0;
};

}  // namespace sanscope
