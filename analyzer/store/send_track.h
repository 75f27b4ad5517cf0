// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/base/serial32.h"
#include "analyzer/store/word_pool.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// What a sender had sent, and what kept it from sending more, from one moment to the next: of a WindowRow what time budgets
// need.
class SendStep {
  public:
    // What does not fit is told as the most that does; of a made-up capture only.
    static constexpr uint32_t most_outstanding = (uint32_t{1} << 26) - 1;

    SendStep() = default;
    explicit SendStep(const WindowRow& row)
        : time_ns_(row.time_ns),
          snd_nxt_(row.snd_nxt),
          packed_(std::min(row.snd_nxt - row.snd_una, most_outstanding) << kind_bits |
                  static_cast<uint32_t>(row.limit) << 3 | static_cast<uint32_t>(row.ca_state)) {}

    int64_t time_ns() const { return time_ns_; }  // at the sender
    Serial32 snd_nxt() const { return Serial32(snd_nxt_); }
    uint32_t outstanding() const { return packed_ >> kind_bits; }  // bytes sent and not acknowledged
    SendLimit limit() const { return static_cast<SendLimit>(kind() >> 3); }
    CaState state() const { return static_cast<CaState>(kind() & 7); }

    bool operator==(const SendStep&) const = default;

  private:
    friend class SendTrack;
    friend class SendBlock;
    static constexpr unsigned kind_bits = 6;

    SendStep(int64_t time_ns, uint32_t snd_nxt, uint32_t outstanding, uint32_t kind)
        : time_ns_(time_ns), snd_nxt_(snd_nxt), packed_(outstanding << kind_bits | kind) {}
    uint32_t kind() const { return packed_ & ((uint32_t{1} << kind_bits) - 1); }

    int64_t time_ns_ = 0;
    uint32_t snd_nxt_ = 0;
    uint32_t packed_ = 0;
};
static_assert(sizeof(SendStep) == 16);

// 64 steps as they lie in memory: of time, SND.NXT and what is outstanding the least, or first, value, then step by step the differences
// from these and what kind it is of, each in as many bits as the greatest takes.
class SendBlock {
  public:
    static constexpr size_t steps = 64;

    // Which must outlive it.
    static SendBlock pack(std::span<const SendStep, steps> from, WordPool& words);

    // `at` < steps.
    int64_t time_ns(size_t at) const {
        return static_cast<int64_t>(words_[0] + bits_at(codes(), at * layout().width, layout().snd_nxt_at));
    }
    Serial32 snd_nxt(size_t at) const {
        const Layout l = layout();
        return Serial32(first_snd_nxt() + static_cast<uint32_t>(bits_at(codes(), at * l.width + l.snd_nxt_at,
                                                                        l.outstanding_at - l.snd_nxt_at)));
    }
    uint32_t outstanding(size_t at) const {
        const Layout l = layout();
        return least_outstanding() + static_cast<uint32_t>(bits_at(codes(), at * l.width + l.outstanding_at,
                                                                   l.kind_at - l.outstanding_at));
    }
    SendStep step(size_t at) const {
        const Layout l = layout();
        const auto code =
            static_cast<uint32_t>(bits_at(codes(), at * l.width + l.kind_at, l.width - l.kind_at));
        return {time_ns(at), snd_nxt(at).value, outstanding(at), kind_of(l, code)};
    }
    void unpack(std::span<SendStep, steps> into) const;

  private:
    explicit SendBlock(const uint64_t* words) : words_(words) {}

    static constexpr size_t head_words = 3;
    static constexpr unsigned most_listed_bits = 2;  // of kinds: four of them, each in a code
    // Where in a step's bits each begins; time at 0.
    struct Layout {
        unsigned snd_nxt_at;
        unsigned outstanding_at;
        unsigned kind_at;
        unsigned width;  // of a step
        uint32_t kinds;  // those listed
    };
    Layout layout() const {
        const uint64_t word = words_[2];
        return {static_cast<unsigned>(word & 0xff), static_cast<unsigned>(word >> 8 & 0xff),
                static_cast<unsigned>(word >> 16 & 0xff), static_cast<unsigned>(word >> 24 & 0xff),
                static_cast<uint32_t>(word >> 32)};
    }
    static uint32_t kind_of(const Layout& layout, uint32_t code) {
        if (layout.width - layout.kind_at > most_listed_bits) return code;
        return layout.kinds >> (code * SendStep::kind_bits) & ((uint32_t{1} << SendStep::kind_bits) - 1);
    }
    uint32_t first_snd_nxt() const { return static_cast<uint32_t>(words_[1]); }
    uint32_t least_outstanding() const { return static_cast<uint32_t>(words_[1] >> 32); }
    const uint64_t* codes() const { return words_ + head_words; }

    const uint64_t* words_;
};

// One sender's steps, in order of time: a clock that is set back makes none earlier than the one before, and what is sent
// again moves SND.NXT not back. Each 64 are packed, the last ones wait as they are.
class SendTrack {
  public:
    // What is packed lies in `words`, which must outlive this.
    SendTrack(ConnectionNumber connection, Side side, WordPool& words)
        : words_(&words), connection_(connection), side_(side) {}
    SendTrack(const SendTrack&) = delete;
    SendTrack& operator=(const SendTrack&) = delete;

    void add(const WindowRow& row) {
        SendStep step(row);
        if (!empty()) {
            const SendStep& last = waiting_.back();
            step.time_ns_ = std::max(step.time_ns_, last.time_ns_);
            if (step.snd_nxt().before(last.snd_nxt())) step.snd_nxt_ = last.snd_nxt_;
            if (step.snd_nxt_ == last.snd_nxt_ && step.packed_ == last.packed_) return;
            if (step.time_ns_ - last.time_ns_ >= long_silence_ns) silences_.push_back(size() - 1);
            if (waiting_.size() == SendBlock::steps) [[unlikely]]
                pack_waiting();
        }
        waiting_.push_back(step);
    }

    ConnectionNumber connection() const { return connection_; }
    Side side() const { return side_; }

    size_t size() const { return blocks_.size() * SendBlock::steps + waiting_.size(); }
    bool empty() const { return waiting_.empty(); }
    // `index` < size().
    SendStep operator[](size_t index) const {
        return is_packed(index) ? block_of(index).step(within(index)) : waiting_[within(index)];
    }
    // One figure of a step.
    int64_t time_ns(size_t index) const {
        return is_packed(index) ? block_of(index).time_ns(within(index)) : waiting_[within(index)].time_ns();
    }
    Serial32 snd_nxt(size_t index) const {
        return is_packed(index) ? block_of(index).snd_nxt(within(index)) : waiting_[within(index)].snd_nxt();
    }
    uint32_t outstanding(size_t index) const {
        return is_packed(index) ? block_of(index).outstanding(within(index))
                                : waiting_[within(index)].outstanding();
    }

    // Calls `visit(const SendStep&)` for all of them, in order.
    template <class Visit>
    void for_each(Visit&& visit) const {
        all_of([&](const SendStep& step) {
            visit(step);
            return true;
        });
    }
    // Until it gives false; whether it never did.
    template <class Visit>
    bool all_of(Visit&& visit) const {
        std::array<SendStep, SendBlock::steps> room;
        for (const SendBlock& block : blocks_) {
            block.unpack(room);
            for (const SendStep& step : room) {
                if (!visit(step)) return false;
            }
        }
        for (const SendStep& step : waiting_) {
            if (!visit(step)) return false;
        }
        return true;
    }

    // The steps behind which nothing was sent or acknowledged for so long: tcp_rto_min of Linux, sooner than which no
    // retransmission timer expires.
    static constexpr int64_t long_silence_ns = 200'000'000;
    const std::vector<size_t>& silences() const { return silences_; }

  private:
    static size_t within(size_t index) { return index % SendBlock::steps; }
    bool is_packed(size_t index) const { return index / SendBlock::steps < blocks_.size(); }
    const SendBlock& block_of(size_t index) const { return blocks_[index / SendBlock::steps]; }
    void pack_waiting();

    WordPool* words_;
    std::vector<SendBlock> blocks_;
    std::vector<SendStep> waiting_;  // empty only where there are no steps
    std::vector<size_t> silences_;
    ConnectionNumber connection_;
    Side side_;
};

}  // namespace sanscope
