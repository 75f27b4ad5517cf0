// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <variant>

#include "analyzer/base/result.h"

namespace sanscope {

// Takes whole pcapng blocks into the file that is being recorded, from any thread.
class BlockSink {
  public:
    virtual ~BlockSink() = default;
    // What it takes is written within moments, behind the packets that were handed over before. Waits while the disk is
    // behind. False: the recording is over, and the blocks are not in it.
    virtual bool take(std::string blocks) = 0;
};

// Whatever else a recording holds beside packets, such as what the kernel reports of its connections.
class BlockSource {
  public:
    virtual ~BlockSource() = default;

    // While the process still has its rights. An Error is reported, and the recording goes on without.
    virtual Result<std::monostate> open() = 0;
    // When the first file is there; threads of its own hand over blocks from here on.
    virtual void start(BlockSink& sink) = 0;
    // Hands over what there is; nothing afterwards.
    virtual void stop() = 0;
    // On the writer's thread, behind the interfaces of each file: appends the blocks that others rest on, such as names
    // that were written to an earlier file.
    virtual void file_begins(std::string& blocks) = 0;
};

}  // namespace sanscope
