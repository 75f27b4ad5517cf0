// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace sanscope {

// Data of commands that ask for a logical unit's pages, put together from several Data-In PDUs of one command, in bounded memory
// of one session: the latest ones. They come in order of their offsets, as DataPDUInOrder=Yes (RFC 7143 §13.18) has them; of a
// command whose PDUs do not, or lack bytes, nothing is had.
class UnitDataGatherer {
  public:
    static constexpr size_t most_bytes = 65536;  // of all commands together

    // The first bytes of a command's data. What there was of the same command is forgotten.
    void begin(uint64_t command, std::span<const uint8_t> data);
    // Those behind them; empty where there are none to go on from at that offset. Valid until the next call.
    std::span<const uint8_t> go_on(uint64_t command, uint32_t offset, std::span<const uint8_t> data);
    // What there is; empty where there is none. Valid until the next call.
    std::span<const uint8_t> of(uint64_t command) const;
    void forget(uint64_t command);
    bool empty() const { return gathered_.empty(); }

  private:
    struct Gathered {
        uint64_t command;
        std::vector<uint8_t> bytes;
    };

    std::deque<Gathered>::iterator find(uint64_t command);
    bool make_room(size_t bytes, uint64_t for_command);

    std::deque<Gathered> gathered_;  // in order of beginning
    size_t bytes_ = 0;
};

}  // namespace sanscope
