// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>

#include "captures/recorder/block_compression.h"
#include "captures/recorder/block_file.h"
#include "sanscope/v1/recording.pb.h"

namespace sanscope {

// Sends the blocks of a recording among its events. What waits to be sent is bounded: on a slow line the writer of
// blocks waits here, as it would for a slow disk.
class StreamSender {
  public:
    // `tell` takes events from any thread, in order.
    explicit StreamSender(std::function<void(v1::RecordingEvent)> report) : report_(std::move(report)) {}

    // On the writer's thread. False: nobody reads any more.
    bool send(std::span<const uint8_t> blocks);
    // So many of the bytes that events announced are on their way.
    void sent(size_t bytes);
    // Nobody reads any more.
    void close();

    // One for each file of the recording; this must outlive it.
    std::unique_ptr<BlockFile> file();

  private:
    static constexpr size_t most_waiting = size_t{4} << 20;

    std::function<void(v1::RecordingEvent)> report_;
    BlockCompressor compressor_;
    std::mutex mutex_;
    std::condition_variable changed_;
    size_t waiting_ = 0;
    bool closed_ = false;
};

}  // namespace sanscope
