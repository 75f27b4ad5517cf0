// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "analyzer/base/serial32.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// What a sender had sent, and what kept it from sending more, from one moment to the next: of a WindowRow what time budgets
// need, in a fifth of its room.
class SendStep {
  public:
    // What does not fit is told as the most that does; of a made-up capture only.
    static constexpr uint32_t most_outstanding = (uint32_t{1} << 26) - 1;

    SendStep() = default;
    explicit SendStep(const WindowRow& row)
        : time_ns_(row.time_ns),
          snd_nxt_(row.snd_nxt),
          packed_(std::min(row.snd_nxt - row.snd_una, most_outstanding) << 6 |
                  static_cast<uint32_t>(row.limit) << 3 | static_cast<uint32_t>(row.ca_state)) {}

    int64_t time_ns() const { return time_ns_; }  // at the sender
    Serial32 snd_nxt() const { return Serial32(snd_nxt_); }
    uint32_t outstanding() const { return packed_ >> 6; }  // bytes sent and not acknowledged
    SendLimit limit() const { return static_cast<SendLimit>(packed_ >> 3 & 7); }
    CaState state() const { return static_cast<CaState>(packed_ & 7); }

  private:
    friend class SendTrack;
    int64_t time_ns_ = 0;
    uint32_t snd_nxt_ = 0;
    uint32_t packed_ = 0;
};
static_assert(sizeof(SendStep) == 16);

// One sender's steps, in order of time: a clock that is set back makes none earlier than the one before, and what is sent
// again moves SND.NXT not back. They lie in chunks that never move: of a short connection in small ones.
class SendTrack {
  public:
    SendTrack(ConnectionNumber connection, Side side, std::pmr::memory_resource* memory)
        : memory_(memory), connection_(connection), side_(side) {}
    ~SendTrack() {
        for (size_t chunk = 0; chunk < chunks_.size(); ++chunk) {
            if (chunks_[chunk] != nullptr)
                memory_->deallocate(chunks_[chunk], chunk_size(chunk) * sizeof(SendStep), alignof(SendStep));
        }
    }
    SendTrack(const SendTrack&) = delete;
    SendTrack& operator=(const SendTrack&) = delete;

    void add(const WindowRow& row) {
        SendStep step(row);
        if (last_ != nullptr) {
            step.time_ns_ = std::max(step.time_ns_, last_->time_ns_);
            if (step.snd_nxt().before(last_->snd_nxt())) step.snd_nxt_ = last_->snd_nxt_;
            if (step.snd_nxt_ == last_->snd_nxt_ && step.packed_ == last_->packed_) return;
            if (step.time_ns_ - last_->time_ns_ >= long_silence_ns) silences_.push_back(size_ - 1);
        }
        if (next_ == end_) add_chunk();
        last_ = next_++;
        *last_ = step;
        ++size_;
    }

    ConnectionNumber connection() const { return connection_; }
    Side side() const { return side_; }

    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    // `index` < size().
    const SendStep& operator[](size_t index) const {
        const size_t place = index + least_chunk;
        if (place >= full_chunk) return chunks_[place / full_chunk + small_chunks - 1][place % full_chunk];
        const size_t begin = std::bit_floor(place);
        return chunks_[static_cast<size_t>(std::bit_width(begin / least_chunk)) - 1][place - begin];
    }
    // The steps lie in memory behind each other within a chunk: so many chunks, and the steps of each.
    size_t chunks() const { return chunks_.size(); }
    std::span<const SendStep> chunk(size_t number) const {
        const size_t begin = chunk_begin(number);
        return {chunks_[number], std::min(chunk_size(number), size_ - begin)};
    }
    // The steps behind which nothing was sent or acknowledged for so long: tcp_rto_min of Linux, sooner than which no
    // retransmission timer expires.
    static constexpr int64_t long_silence_ns = 200'000'000;
    const std::vector<size_t>& silences() const { return silences_; }

  private:
    static constexpr size_t least_chunk = 64;
    static constexpr size_t small_chunks = 8;  // each as large as all before it and 64 more
    static constexpr size_t full_chunk = least_chunk << small_chunks;

    static constexpr size_t chunk_size(size_t chunk) {
        return chunk < small_chunks ? least_chunk << chunk : full_chunk;
    }
    static constexpr size_t chunk_begin(size_t chunk) {
        if (chunk < small_chunks) return (least_chunk << chunk) - least_chunk;
        return full_chunk * (chunk - small_chunks + 1) - least_chunk;
    }

    void add_chunk() {
        const size_t size = chunk_size(chunks_.size());
        SendStep*& chunk = chunks_.emplace_back(nullptr);
        chunk = static_cast<SendStep*>(memory_->allocate(size * sizeof(SendStep), alignof(SendStep)));
        next_ = chunk;
        end_ = next_ + size;
    }

    std::pmr::memory_resource* memory_;
    SendStep* last_ = nullptr;
    SendStep* next_ = nullptr;
    SendStep* end_ = nullptr;
    size_t size_ = 0;
    std::vector<SendStep*> chunks_;
    std::vector<size_t> silences_;
    ConnectionNumber connection_;
    Side side_;
};

}  // namespace sanscope
