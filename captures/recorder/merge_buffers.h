// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "captures/recorder/packet_buffers.h"

namespace sanscope {

// Brings the packets of several interfaces into the order of their times: both ways of a connection may take different
// ones. Each interface's own packets stay in the order they came in.
class MergeBuffers {
  public:
    using Clock = std::chrono::steady_clock;

    // A buffer is given back once all of it is merged. `latest`: however little the other interfaces bring, a buffer is
    // not kept for longer than this after it was handed over.
    MergeBuffers(size_t interfaces, PacketBuffers& buffers, std::chrono::milliseconds latest);

    void add(PacketBuffer* buffer);
    // Nothing of this interface from before this time is still to come.
    void complete_until(uint32_t interface, int64_t time_ns);
    // The clock was set: what comes of later times from here on says nothing of earlier ones. All there is should have
    // been merged.
    void forget_times();
    // Nothing will come of the interface any more.
    void ended(uint32_t interface);

    // Takes pieces of whole blocks and their number of packets, in order.
    using Take = std::function<void(std::span<const uint8_t> blocks, uint64_t packets)>;
    // Gives out whatever is in order. With `all`, everything there is.
    void merge(Clock::time_point now, bool all, const Take& take);

  private:
    struct Interface {
        std::deque<PacketBuffer*> buffers;
        size_t at = 0;             // in the first of them
        int64_t next_time_ns = 0;  // of the packet there
        int64_t complete_ns = INT64_MIN;
    };

    void find_time(Interface& interface) const;

    PacketBuffers& buffers_;
    std::chrono::milliseconds latest_;
    std::vector<Interface> interfaces_;
    std::vector<uint8_t> merged_;
};

}  // namespace sanscope
