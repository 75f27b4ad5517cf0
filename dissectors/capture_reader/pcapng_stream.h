// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sanscope {

// Writes a pcapng in the byte order of this machine, with times in nanoseconds, to a descriptor that waits.
class PcapngStream {
  public:
    explicit PcapngStream(int descriptor);

    // The interface of a link type, described when it is first asked for.
    uint32_t interface_of(uint16_t link_type);
    // `before`: bytes of the packet that precede `data`.
    void put_packet(uint32_t interface, uint64_t time_ns, std::span<const uint8_t> before,
                    std::span<const uint8_t> data, uint32_t wire_length);
    // False once writing failed, for good: then nobody reads.
    bool flush();
    bool still_read() const { return !failed_; }

  private:
    void put16(uint16_t value);
    void put32(uint32_t value);
    void put(std::span<const uint8_t> bytes);

    int descriptor_;
    bool failed_ = false;
    std::vector<uint8_t> bytes_;
    std::vector<uint16_t> link_types_;  // of the interfaces
};

}  // namespace sanscope
