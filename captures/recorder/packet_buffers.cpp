// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/packet_buffers.h"

#include <utility>

namespace sanscope {

bool PacketBuffer::allocate(size_t bytes) {
    constexpr size_t page = 4096;
    capacity = (bytes + page - 1) / page * page;
    memory.reset(static_cast<uint8_t*>(std::aligned_alloc(page, capacity)));
    ranges = WrittenRanges(capacity);
    return memory != nullptr;
}

WrittenOutput::WrittenOutput(size_t bytes, Write write) : write_(std::move(write)) {
    if (own_.allocate(bytes)) buffer_ = &own_;
}

void WrittenOutput::hand_over() {
    if (own_.used > 0) write_(own_.blocks(), own_.packets);
    own_.used = 0;
    own_.packets = 0;
    own_.ranges.begin_again();
}

bool WrittenOutput::next_buffer(size_t length) {
    hand_over();
    return buffer_ != nullptr && length <= own_.capacity;
}

PacketBuffers::PacketBuffers(size_t count, size_t bytes) : buffers_(count) {
    free_.reserve(count);
    for (PacketBuffer& buffer : buffers_) {
        if (buffer.allocate(bytes)) free_.push_back(&buffer);
    }
}

PacketBuffer* PacketBuffers::take(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    if (!became_free_.wait_for(lock, patience, [this] { return !free_.empty(); })) return nullptr;
    PacketBuffer* const buffer = free_.back();
    free_.pop_back();
    buffer->used = 0;
    buffer->packets = 0;
    buffer->ranges.begin_again();
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
