// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "captures/anonymize/frame_rewriter.h"

#include "analyzer/net/decode_frame.h"

// The first byte chooses the link type, the second what the snap length cut off, as of decode_frame_fuzz. The frame that comes
// out is no longer than the one that went in, and comes out the same once more.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace sanscope;
    static const std::unique_ptr<Anonymizer> anonymizer = std::move(*Anonymizer::create(MappingKey{1, 2, 3}));
    constexpr std::array<LinkType, 10> links = {
        LinkType::ethernet,   LinkType::null,        LinkType::raw,       LinkType::loop,
        LinkType::ipv4,       LinkType::ipv6,        LinkType::linux_sll, LinkType::raw_bsd,
        LinkType::linux_sll2, LinkType::not_a_packet};
    if (size < 2) return 0;
    const LinkType link = links[data[0] % links.size()];
    const std::vector<uint8_t> original(data + 2, data + size);
    const auto captured = static_cast<uint32_t>(original.size());
    const uint32_t wire = captured + data[1];
    DecodedPacket packet;
    decode_frame(link, original.data(), captured, wire, packet);
    FrameRewriter::Payload payload;
    if (packet.kind == DecodedPacket::Kind::tcp) {
        payload.at = static_cast<size_t>(packet.payload - original.data());
        payload.kept = packet.payload_captured;
    }
    FrameRewriter rewriter(*anonymizer);
    const auto rewrite = [&] {
        std::vector<uint8_t> frame = original;
        const uint32_t left = rewriter.rewrite(link, original, frame, wire, payload);
        if (left > captured) std::abort();
        frame.resize(left);
        return frame;
    };
    const std::vector<uint8_t> frame = rewrite();
    if (frame != rewrite()) std::abort();
    // What the analysis follows is followed here: the segment is still there.
    DecodedPacket after;
    decode_frame(link, frame.data(), static_cast<uint32_t>(frame.size()), wire, after);
    if (packet.kind == DecodedPacket::Kind::tcp && after.kind == DecodedPacket::Kind::tcp &&
        (after.seq != packet.seq || after.payload_length != packet.payload_length))
        std::abort();
    return 0;
}
