// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/merge_buffers.h"

#include <algorithm>
#include <cstring>

namespace sanscope {
namespace {

// Enough for one system call to be cheap, and little enough to stay in a cache.
constexpr size_t merged_bytes = size_t{256} << 10;

uint32_t word(const PacketBuffer& buffer, size_t at) {
    uint32_t value;
    std::memcpy(&value, buffer.memory.get() + at, sizeof value);
    return value;
}

}  // namespace

MergeBuffers::MergeBuffers(size_t interfaces, PacketBuffers& buffers, std::chrono::milliseconds latest)
    : buffers_(buffers), latest_(latest), interfaces_(interfaces) {
    merged_.reserve(2 * merged_bytes);
}

void MergeBuffers::add(PacketBuffer* buffer) {
    Interface& interface = interfaces_[buffer->source];
    complete_until(buffer->source, buffer->last_time_ns);
    interface.buffers.push_back(buffer);
    if (interface.buffers.size() == 1) find_time(interface);
}

void MergeBuffers::complete_until(uint32_t interface, int64_t time_ns) {
    interfaces_[interface].complete_ns = std::max(interfaces_[interface].complete_ns, time_ns);
}

void MergeBuffers::forget_times() {
    for (Interface& interface : interfaces_) {
        if (interface.complete_ns != INT64_MAX) interface.complete_ns = INT64_MIN;
    }
}

void MergeBuffers::ended(uint32_t interface) {
    interfaces_[interface].complete_ns = INT64_MAX;
}

void MergeBuffers::find_time(Interface& interface) const {
    while (!interface.buffers.empty() && interface.at >= interface.buffers.front()->used) {
        buffers_.give_back(interface.buffers.front());
        interface.buffers.pop_front();
        interface.at = 0;
    }
    if (interface.buffers.empty()) return;
    const PacketBuffer& buffer = *interface.buffers.front();
    interface.next_time_ns = static_cast<int64_t>(uint64_t{word(buffer, interface.at + 12)} << 32 |
                                                  word(buffer, interface.at + 16));
}

void MergeBuffers::merge(Clock::time_point now, bool all, const Take& take) {
    uint64_t packets = 0;
    const auto flush = [&] {
        if (packets == 0) return;
        take(merged_, packets);
        merged_.clear();
        packets = 0;
    };
    int64_t until = INT64_MAX;
    for (const Interface& interface : interfaces_) until = std::min(until, interface.complete_ns);
    // When no more than a few are left, whoever waits for another must not wait for this.
    const bool scarce = buffers_.free() < buffers_.count() / 4;
    for (const Interface& interface : interfaces_) {
        for (const PacketBuffer* buffer : interface.buffers) {
            if (scarce || now - buffer->handed_over >= latest_) until = std::max(until, buffer->last_time_ns);
        }
    }
    if (all) until = INT64_MAX;

    for (;;) {
        Interface* first = nullptr;
        for (Interface& interface : interfaces_) {
            if (interface.buffers.empty() || interface.next_time_ns > until) continue;
            if (first == nullptr || interface.next_time_ns < first->next_time_ns) first = &interface;
        }
        if (first == nullptr) break;
        const PacketBuffer& buffer = *first->buffers.front();
        const uint32_t length = word(buffer, first->at + 4);
        const uint8_t* const block = buffer.memory.get() + first->at;
        merged_.insert(merged_.end(), block, block + length);
        ++packets;
        first->at += length;
        find_time(*first);
        if (merged_.size() >= merged_bytes) flush();
    }
    flush();
}

}  // namespace sanscope
