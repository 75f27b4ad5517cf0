// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "captures/recorder/block_file.h"

#include "analyzer/base/file_descriptor.h"
#include "analyzer/base/result.h"

namespace sanscope {

// A file of whole pcapng blocks that stays one, whatever happens to the disk.
class OutputFile final : public BlockFile {
  public:
    // Makes or empties the file, with the permissions 0600. A symbolic link in a folder where everybody may make files
    // is followed only if it belongs to this user; a file that is there already is taken only if it does.
    static Result<OutputFile> create(const std::string& path);
    // Takes a descriptor that was opened by others, a pipe perhaps.
    explicit OutputFile(FileDescriptor descriptor);

    // Where it fails, the file is cut back to the end of a block, such that `tail` fits in behind it if it can.
    Written write(std::span<const uint8_t> blocks, uint64_t packets, const std::string& tail) override;
    uint64_t bytes() const override { return bytes_; }
    bool close() override;

  private:
    bool put(std::span<const uint8_t> bytes, size_t& done);

    FileDescriptor descriptor_;
    bool regular_ = false;
    uint64_t bytes_ = 0;
};

}  // namespace sanscope
