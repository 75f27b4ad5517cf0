// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/ingest/byte_source.h"
#include "analyzer/ingest/packet_source.h"

namespace sanscope::test {

// A packet and its bytes, kept beyond its batch. For tests and fuzzers.
struct FoundPacket {
    uint64_t number = 0;
    int64_t time_ns = 0;
    std::vector<uint8_t> data;
    uint32_t wire_length = 0;
    LinkType link_type = LinkType::ethernet;
    uint16_t interface = 0;

    bool operator==(const FoundPacket&) const = default;
};

inline void keep_packets(const PacketBatch& batch, std::vector<FoundPacket>& found) {
    uint64_t number = batch.first_packet;
    for (const RawPacket& packet : batch.packets) {
        found.push_back({number++,
                         packet.time_ns,
                         {packet.data, packet.data + packet.captured_length},
                         packet.wire_length,
                         packet.link_type,
                         packet.interface});
    }
}

inline std::vector<FoundPacket> read_all(PacketSource& source) {
    std::vector<FoundPacket> found;
    PacketBatch batch;
    while (source.claim(batch)) {
        source.load(batch);
        source.parse(batch);
        keep_packets(batch, found);
    }
    return found;
}

// A copy of bytes, given out in pieces of the lengths that `next_length` says.
template <class NextLength>
class PieceSource final : public ByteSource {
  public:
    PieceSource(std::span<const uint8_t> bytes, NextLength next_length)
        : bytes_(bytes.begin(), bytes.end()), next_length_(std::move(next_length)) {}

    size_t read(std::span<uint8_t> into) override {
        const size_t length =
            std::min({into.size(), bytes_.size() - at_, std::max<size_t>(next_length_(), 1)});
        std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), length, into.begin());
        at_ += length;
        return length;
    }
    const std::string& fault() const override { return no_fault_; }
    uint64_t stored_bytes_read() const override { return at_; }

  private:
    std::vector<uint8_t> bytes_;
    NextLength next_length_;
    size_t at_ = 0;
    std::string no_fault_;
};

template <class NextLength>
std::unique_ptr<ByteSource> make_piece_source(std::span<const uint8_t> bytes, NextLength next_length) {
    return std::make_unique<PieceSource<NextLength>>(bytes, std::move(next_length));
}
inline std::unique_ptr<ByteSource> make_piece_source(std::span<const uint8_t> bytes, size_t length) {
    return make_piece_source(bytes, [length] { return length; });
}

}  // namespace sanscope::test
