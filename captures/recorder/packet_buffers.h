// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace sanscope {

// Whole pcapng blocks of packets on their way from a capturing thread to the writer.
struct PacketBuffer {
    struct Free {
        void operator()(uint8_t* owned) const { std::free(owned); }
    };
    std::unique_ptr<uint8_t[], Free> memory;
    size_t capacity = 0;
    size_t used = 0;
    uint64_t packets = 0;
    uint32_t source = 0;       // the interface's number in the file
    int64_t last_time_ns = 0;  // of the latest packet in it
    std::chrono::steady_clock::time_point handed_over;

    std::span<const uint8_t> blocks() const { return {memory.get(), used}; }
};

// A fixed number of buffers that go round between the threads that fill them and one that writes them. A buffer belongs
// to whoever has taken it. The one used last is the first to be used again, for the caches may still have it.
class PacketBuffers {
  public:
    // Each has `bytes` bytes. The memory is the system's until it is first used.
    PacketBuffers(size_t count, size_t bytes);

    // An empty one, or none when none became free within `patience`.
    PacketBuffer* take(std::chrono::milliseconds patience);
    void hand_over(PacketBuffer* buffer);

    // For the writer: what was handed over, in that order; none when nothing was within `patience`.
    PacketBuffer* next(std::chrono::milliseconds patience);
    void give_back(PacketBuffer* buffer);

    // How many are not in use.
    size_t free() const;
    size_t count() const { return buffers_.size(); }

  private:
    std::vector<PacketBuffer> buffers_;
    mutable std::mutex mutex_;
    std::condition_variable became_free_;
    std::condition_variable was_handed_over_;
    std::vector<PacketBuffer*> free_;
    std::deque<PacketBuffer*> handed_over_;
};

}  // namespace sanscope
