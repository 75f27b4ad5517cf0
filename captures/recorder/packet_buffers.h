// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "captures/recorder/written_ranges.h"

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
    WrittenRanges ranges;  // for who writes zeros

    std::span<const uint8_t> blocks() const { return {memory.get(), used}; }
    // Whole pages, at least `bytes` of them, which are the system's until they are first used. False: there is no memory.
    bool allocate(size_t bytes);
};

// Where whole blocks of packets are put, one behind the other: into a buffer, and once that is full into the next.
class BlockOutput {
  public:
    BlockOutput() = default;
    BlockOutput(const BlockOutput&) = delete;
    BlockOutput& operator=(const BlockOutput&) = delete;
    virtual ~BlockOutput() = default;

    // Room for a block of `length` bytes, no more than a buffer has; none where nobody takes blocks any more.
    uint8_t* room(size_t length) {
        const bool fits = buffer_ != nullptr && buffer_->capacity - buffer_->used >= length;
        if (!fits && !next_buffer(length)) [[unlikely]]
            return nullptr;
        return buffer_->memory.get() + buffer_->used;
    }
    // A packet's block of that length has been written there.
    void add_packet(size_t length, int64_t time_ns) {
        buffer_->used += length;
        ++buffer_->packets;
        buffer_->last_time_ns = std::max(buffer_->last_time_ns, time_ns);
    }
    // Where that room begins in its buffer, and what is known of that.
    size_t place() const { return buffer_->used; }
    WrittenRanges& ranges() { return buffer_->ranges; }
    // What is in the buffer goes to whoever takes it.
    virtual void hand_over() = 0;

  protected:
    // Hands over, and gets an empty buffer with room for a block of `length` bytes. False: there is none.
    virtual bool next_buffer(size_t length) = 0;

    PacketBuffer* buffer_ = nullptr;
};

// Blocks that are written as soon as a buffer of them is full, or handed over.
class WrittenOutput final : public BlockOutput {
  public:
    // Whole blocks, with so many packets.
    using Write = std::function<void(std::span<const uint8_t> blocks, uint64_t packets)>;

    WrittenOutput(size_t bytes, Write write);

    void hand_over() override;

  private:
    bool next_buffer(size_t length) override;

    PacketBuffer own_;
    Write write_;
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
