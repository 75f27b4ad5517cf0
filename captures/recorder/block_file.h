// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace sanscope {

// Where a file of whole pcapng blocks goes.
class BlockFile {
  public:
    virtual ~BlockFile() = default;

    // What became of the blocks given to write().
    struct Written {
        bool all = true;
        int error = 0;         // an errno value, where not all; EPIPE: nobody reads any more
        uint64_t packets = 0;  // in the file now
    };
    // Writes whole blocks with so many packets. Where that fails, nothing can be written after that; the file ends with
    // whole blocks then, and with `tail`, where that can be.
    virtual Written write(std::span<const uint8_t> blocks, uint64_t packets, const std::string& tail) = 0;
    virtual uint64_t bytes() const = 0;
    // False where only now it shows that something was not written.
    virtual bool close() = 0;
};

}  // namespace sanscope
