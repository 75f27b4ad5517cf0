// SPDX-License-Identifier: GPL-3.0-or-later

// Operations: segments of a stream come in any order, overlapping, repeated, cut; acknowledgements and time pass. What
// comes out must agree with a map of bytes: in order, each once, those that were captured when first seen as they
// were, and no byte told as not captured that had come before its hole was given up. In the end, what was acknowledged
// beyond all that came is such a hole too.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fuzzer/FuzzedDataProvider.h>
#include <memory>
#include <vector>

#include "analyzer/tcp/stream_reassembler.h"

namespace {

using namespace sanscope;

void require(bool claim, int line = __builtin_LINE()) {
    if (claim) return;
    std::fprintf(stderr, "The claim in line %d does not hold.\n", line);
    std::abort();
}

// What is known of each byte of the stream, from `stream_start` on.
class ByteMap {
  public:
    enum class Seen : uint8_t { never, cut, captured };

    void segment(uint64_t begin, uint32_t length, uint32_t captured, uint8_t salt, uint64_t packet) {
        if (bytes_.size() < begin + length) bytes_.resize(begin + length);
        for (uint32_t i = 0; i < length; ++i) {
            Byte& byte = bytes_[begin + i];
            if (begin + i < taken_ || byte.seen != Seen::never) continue;
            byte = {i < captured ? Seen::captured : Seen::cut, content(begin + i, salt), packet};
        }
    }
    void take(const StreamPiece& piece) {
        require(piece.offset == taken_);
        require(piece.length > 0 && piece.captured <= piece.length);
        require(taken_ + piece.length <= bytes_.size());
        for (uint32_t i = 0; i < piece.length; ++i) {
            const Byte& byte = bytes_[taken_ + i];
            if (piece.not_captured) {
                require(byte.seen == Seen::never);
                continue;
            }
            require(byte.seen == (i < piece.captured ? Seen::captured : Seen::cut));
            require(byte.packet == piece.carried.packet);
            if (i < piece.captured) require(piece.data[i] == byte.content);
            latest_ = std::max(latest_, byte.packet);
        }
        require(piece.delivered.packet == latest_);
        taken_ += piece.length;
    }
    void acknowledged(uint64_t end) { acknowledged_ = std::max(acknowledged_, end); }
    // What was acknowledged and never captured is part of the stream in the end; one byte may be a FIN.
    void finish() {
        if (acknowledged_ > bytes_.size() + 1) bytes_.resize(acknowledged_);
    }
    bool next_is_there() const { return taken_ < bytes_.size() && bytes_[taken_].seen != Seen::never; }
    bool all_taken() const { return taken_ == bytes_.size(); }
    static uint8_t content(uint64_t offset, uint8_t salt) {
        return static_cast<uint8_t>(offset * 37 + (offset >> 8) + salt);
    }

  private:
    struct Byte {
        Seen seen = Seen::never;
        uint8_t content = 0;
        uint64_t packet = 0;
    };
    std::vector<Byte> bytes_;
    uint64_t acknowledged_ = 0;
    uint64_t taken_ = 0;
    uint64_t latest_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    FuzzedDataProvider choices(data, size);
    const auto start = choices.ConsumeIntegral<uint32_t>();
    constexpr uint64_t longest = 6000;
    ReassemblyBudget budget;
    if (choices.ConsumeBool()) budget.limit = choices.ConsumeIntegralInRange<size_t>(0, 4000);
    {
        StreamReassembler stream(budget);
        stream.begin_at(Serial32(start));
        ByteMap map;
        uint64_t packet = 0;
        int64_t time_ns = 0;
        StreamPiece piece;
        while (choices.remaining_bytes() > 0) {
            ++packet;
            time_ns += choices.ConsumeIntegralInRange<int64_t>(0, 255) * 100'000;
            const Arrival now{packet, time_ns};
            const auto offset = choices.ConsumeIntegralInRange<uint64_t>(0, longest);
            if (choices.ConsumeIntegralInRange<int>(0, 7) == 0) {
                stream.acknowledged(Serial32(start + static_cast<uint32_t>(offset)), now);
                map.acknowledged(offset);
            } else {
                const auto length = choices.ConsumeIntegralInRange<uint32_t>(0, 255);
                const auto cut =
                    choices.ConsumeBool() ? choices.ConsumeIntegralInRange<uint32_t>(0, length) : 0;
                const auto salt = static_cast<uint8_t>(choices.ConsumeBool());
                // A block of exactly that size, so that the sanitizer sees a read beyond it.
                const auto exact = std::make_unique<uint8_t[]>(length - cut);
                for (uint32_t i = 0; i < length - cut; ++i) exact[i] = ByteMap::content(offset + i, salt);
                Segment segment;
                segment.seq = Serial32(start + static_cast<uint32_t>(offset));
                segment.length = length;
                segment.captured = length - cut;
                segment.data = exact.get();
                segment.arrival = now;
                if (length > 0) map.segment(offset, length, length - cut, salt, packet);
                if (stream.add(segment, piece) == StreamReassembler::Added::in_order) map.take(piece);
            }
            while (stream.holding() && stream.next(now, piece)) map.take(piece);
            require(!map.next_is_there());
            require(stream.holding() || (stream.held_bytes() == 0 && budget.used == 0));
            require(stream.memory_bytes() < 200'000);
        }
        map.finish();
        while (stream.flush(piece)) map.take(piece);
        require(map.all_taken());
        require(budget.used == 0);
    }
    return 0;
}
