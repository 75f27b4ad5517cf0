// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/stream_sender.h"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace sanscope {
namespace {

class StreamedFile final : public BlockFile {
  public:
    explicit StreamedFile(StreamSender& sender) : sender_(sender) {}

    Written write(std::span<const uint8_t> blocks, uint64_t packets, const std::string& /*tail*/) override {
        if (!sender_.send(blocks)) return {.all = false, .error = EPIPE};
        bytes_ += blocks.size();
        return {.packets = packets};
    }
    uint64_t bytes() const override { return bytes_; }
    bool close() override { return true; }

  private:
    StreamSender& sender_;
    uint64_t bytes_ = 0;
};

}  // namespace

bool StreamSender::send(std::span<const uint8_t> blocks) {
    v1::RecordingEvent event;
    std::string& piece = *event.mutable_blocks()->mutable_zstd();
    piece = compressor_.compress(blocks);
    if (piece.empty()) return false;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || waiting_ == 0 || waiting_ + piece.size() <= most_waiting; });
    if (closed_) return false;
    waiting_ += piece.size();
    report_(std::move(event));
    return true;
}

void StreamSender::sent(size_t bytes) {
    {
        const std::lock_guard lock(mutex_);
        waiting_ -= std::min(bytes, waiting_);
    }
    changed_.notify_one();
}

void StreamSender::close() {
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
    }
    changed_.notify_one();
}

std::unique_ptr<BlockFile> StreamSender::file() {
    return std::make_unique<StreamedFile>(*this);
}

}  // namespace sanscope
