// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/send_track.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace sanscope {
namespace {

unsigned bits_of(uint64_t greatest) {
    return static_cast<unsigned>(std::bit_width(greatest));
}

// The first few kinds of steps, each with a code.
class Kinds {
  public:
    explicit Kinds(unsigned most_bits) : most_(1u << most_bits) {}

    void take(uint32_t kind) {
        if (too_many_ || code_of(kind) < count_) return;
        too_many_ = count_ == most_;
        if (!too_many_) kinds_[count_++] = kind;
    }
    bool too_many() const { return too_many_; }
    unsigned code_bits() const { return bits_of(count_ - 1); }
    uint32_t code_of(uint32_t kind) const {
        const auto end = kinds_.begin() + count_;
        return static_cast<uint32_t>(std::find(kinds_.begin(), end, kind) - kinds_.begin());
    }
    uint32_t operator[](size_t code) const { return kinds_[code]; }
    uint32_t size() const { return count_; }

  private:
    uint32_t most_;
    std::array<uint32_t, 4> kinds_{};
    uint32_t count_ = 0;
    bool too_many_ = false;
};

}  // namespace

SendBlock SendBlock::pack(std::span<const SendStep, steps> from, WordPool& words) {
    const auto first_ns = static_cast<uint64_t>(from.front().time_ns_);
    const uint32_t first_snd_nxt = from.front().snd_nxt_;
    uint32_t least_outstanding = UINT32_MAX;
    uint32_t most_outstanding = 0;
    uint32_t farthest = 0;
    Kinds kinds(most_listed_bits);
    for (const SendStep& step : from) {
        least_outstanding = std::min(least_outstanding, step.outstanding());
        most_outstanding = std::max(most_outstanding, step.outstanding());
        farthest = std::max(farthest, step.snd_nxt_ - first_snd_nxt);
        kinds.take(step.kind());
    }
    const unsigned time_bits = bits_of(static_cast<uint64_t>(from.back().time_ns_) - first_ns);
    const unsigned snd_nxt_bits = bits_of(farthest);
    const unsigned outstanding_bits = bits_of(most_outstanding - least_outstanding);
    const unsigned kind_bits = kinds.too_many() ? SendStep::kind_bits : kinds.code_bits();
    const unsigned outstanding_at = time_bits + snd_nxt_bits;
    const unsigned kind_at = outstanding_at + outstanding_bits;
    const unsigned width = kind_at + kind_bits;

    uint64_t* const block = words.take(head_words + steps * width / 64);
    block[0] = first_ns;
    block[1] = first_snd_nxt | uint64_t{least_outstanding} << 32;
    block[2] = time_bits | outstanding_at << 8 | kind_at << 16 | uint64_t{width} << 24;
    if (!kinds.too_many()) {
        for (size_t i = 0; i < kinds.size(); ++i)
            block[2] |= uint64_t{kinds[i]} << (32 + i * SendStep::kind_bits);
    }
    BitWriter writer(block + head_words);
    for (const SendStep& step : from) {
        writer.add(static_cast<uint64_t>(step.time_ns_) - first_ns, time_bits);
        writer.add(step.snd_nxt_ - first_snd_nxt, snd_nxt_bits);
        writer.add(step.outstanding() - least_outstanding, outstanding_bits);
        writer.add(kinds.too_many() ? step.kind() : kinds.code_of(step.kind()), kind_bits);
    }
    writer.finish();
    return SendBlock(block);
}

void SendBlock::unpack(std::span<SendStep, steps> into) const {
    const Layout l = layout();
    if (l.width > 64) {
        for (size_t i = 0; i < steps; ++i) into[i] = step(i);
        return;
    }
    const auto mask = [](unsigned width) { return width == 0 ? 0 : UINT64_MAX >> (64 - width); };
    const uint64_t time_mask = mask(l.snd_nxt_at);
    const uint64_t snd_nxt_mask = mask(l.outstanding_at - l.snd_nxt_at);
    const uint64_t outstanding_mask = mask(l.kind_at - l.outstanding_at);
    // Where nothing is in it, its place may be 64.
    const auto part = [](uint64_t bits, unsigned from, uint64_t of) {
        return of == 0 ? 0 : bits >> from & of;
    };
    const uint64_t kind_mask = mask(l.width - l.kind_at);
    for (size_t i = 0; i < steps; ++i) {
        const uint64_t bits = bits_at(codes(), i * l.width, l.width);
        into[i] = SendStep(
            static_cast<int64_t>(words_[0] + (bits & time_mask)),
            first_snd_nxt() + static_cast<uint32_t>(part(bits, l.snd_nxt_at, snd_nxt_mask)),
            least_outstanding() + static_cast<uint32_t>(part(bits, l.outstanding_at, outstanding_mask)),
            kind_of(l, static_cast<uint32_t>(part(bits, l.kind_at, kind_mask))));
    }
}

void SendTrack::pack_waiting() {
    blocks_.push_back(SendBlock::pack(std::span<const SendStep, SendBlock::steps>(waiting_), *words_));
    waiting_.clear();
}

}  // namespace sanscope
