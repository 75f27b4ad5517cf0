// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/packet_buffers.h"

namespace sanscope {

PacketBuffers::PacketBuffers(size_t count, size_t bytes) : buffers_(count) {
    constexpr size_t page = 4096;
    free_.reserve(count);
    for (PacketBuffer& buffer : buffers_) {
        buffer.capacity = (bytes + page - 1) / page * page;
        buffer.memory.reset(static_cast<uint8_t*>(std::aligned_alloc(page, buffer.capacity)));
        if (buffer.memory) free_.push_back(&buffer);
    }
}

PacketBuffer* PacketBuffers::take(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    if (!became_free_.wait_for(lock, patience, [this] { return !free_.empty(); })) return nullptr;
    PacketBuffer* const buffer = free_.back();
    free_.pop_back();
    buffer->used = 0;
    buffer->packets = 0;
    buffer->source = 0;
    buffer->last_time_ns = 0;
    return buffer;
}

void PacketBuffers::hand_over(PacketBuffer* buffer) {
    buffer->handed_over = std::chrono::steady_clock::now();
    {
        const std::lock_guard lock(mutex_);
        handed_over_.push_back(buffer);
    }
    was_handed_over_.notify_one();
}

PacketBuffer* PacketBuffers::next(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    if (!was_handed_over_.wait_for(lock, patience, [this] { return !handed_over_.empty(); })) return nullptr;
    PacketBuffer* const buffer = handed_over_.front();
    handed_over_.pop_front();
    return buffer;
}

void PacketBuffers::give_back(PacketBuffer* buffer) {
    {
        const std::lock_guard lock(mutex_);
        free_.push_back(buffer);
    }
    became_free_.notify_one();
}

size_t PacketBuffers::free() const {
    const std::lock_guard lock(mutex_);
    return free_.size();
}

}  // namespace sanscope
