// SPDX-License-Identifier: GPL-3.0-or-later

// Operations: several datagrams are cut into fragments, which are delivered in any order, repeated, dropped, cut by a
// snap length, copied by a mirror port, and mixed with fragments that nobody sent. A datagram that comes out must be
// one of those sent, byte for byte; where nothing was dropped or invented, each must come out.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fuzzer/FuzzedDataProvider.h>
#include <memory>
#include <vector>

#include "analyzer/net/decode_frame.h"
#include "analyzer/net/fragment_reassembler.h"
#include "analyzer/net/testing/frame_builder.h"

namespace {

using namespace sanscope;
using namespace sanscope::frames;

void require(bool claim) {
    if (!claim) std::abort();
}

struct Sent {
    ByteVector bytes;
    std::vector<Layer> fragments;
    std::vector<bool> delivered;
    bool came_out = false;
};

Sent make_datagram(FuzzedDataProvider& choices, uint16_t id) {
    Sent sent;
    const size_t length = choices.ConsumeIntegralInRange<size_t>(2, 3000);
    sent.bytes = pattern(length, id * 7919u);
    const size_t units = choices.ConsumeIntegralInRange<size_t>(1, (length - 1) / 8 + 1);
    const Layer inside{.bytes = sent.bytes, .ip_protocol = ip_protocol_tcp};
    // An atomic datagram is no fragment: it is not sent.
    sent.fragments = choices.ConsumeBool() ? ipv4_fragments({.id = id}, inside, units * 8)
                                           : ipv6_fragments({}, id, inside, units * 8);
    if (sent.fragments.size() == 1) sent.fragments.clear();
    sent.delivered.resize(sent.fragments.size());
    return sent;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    FuzzedDataProvider choices(data, size);
    const bool hostile = choices.ConsumeBool();
    FragmentReassembler::Limits limits;
    if (hostile) {
        limits.datagrams = choices.ConsumeIntegralInRange<size_t>(1, 8);
        limits.bytes = choices.ConsumeIntegralInRange<size_t>(0, 20'000);
    }
    FragmentReassembler reassembler(limits);
    std::vector<Sent> sent;
    for (uint16_t id = 0; id < 4; ++id) sent.push_back(make_datagram(choices, id));

    int64_t time_ns = 0;
    const auto deliver = [&](const Layer& packet, size_t captured) {
        const auto exact = std::make_unique<uint8_t[]>(captured);
        std::copy_n(packet.bytes.begin(), captured, exact.get());
        DecodedPacket decoded;
        decode_frame(LinkType::raw, exact.get(), static_cast<uint32_t>(captured),
                     static_cast<uint32_t>(packet.bytes.size()), decoded);
        if (decoded.kind != DecodedPacket::Kind::ip_fragment) return;
        const Datagram* const datagram = reassembler.add(decoded, time_ns);
        require(reassembler.bytes_held() <= limits.bytes);
        require(reassembler.datagrams_in_flight() <= limits.datagrams);
        if (datagram == nullptr) return;
        require(datagram->captured_length <= datagram->wire_length);
        DecodedPacket inside;
        decode_datagram(*datagram, inside);
        if (hostile) return;
        const uint32_t id = decoded.fragment.id;
        require(id < sent.size() && !sent[id].came_out);
        require(datagram->wire_length == sent[id].bytes.size());
        require(
            std::equal(datagram->data, datagram->data + datagram->captured_length, sent[id].bytes.begin()));
        sent[id].came_out = true;
    };

    for (int step = 0; step < 400 && choices.remaining_bytes() > 0; ++step) {
        Sent& one = sent[choices.ConsumeIntegralInRange<size_t>(0, sent.size() - 1)];
        if (one.fragments.empty()) continue;
        const size_t index = choices.ConsumeIntegralInRange<size_t>(0, one.fragments.size() - 1);
        Layer packet = one.fragments[index];
        size_t captured = packet.bytes.size();
        switch (choices.ConsumeIntegralInRange<int>(0, hostile ? 5 : 3)) {
            case 0:
            case 1:
                break;
            case 2:
                captured = choices.ConsumeIntegralInRange<size_t>(48, std::max<size_t>(48, captured));
                captured = std::min(captured, packet.bytes.size());
                break;
            case 3:
                time_ns += choices.ConsumeIntegralInRange<int64_t>(0, 10'000);
                break;
            case 4:  // any byte of the packet changed: other offsets, lengths, identifications
                packet.bytes[choices.ConsumeIntegralInRange<size_t>(0, packet.bytes.size() - 1)] ^=
                    choices.ConsumeIntegral<uint8_t>();
                break;
            case 5:
                time_ns = choices.ConsumeIntegral<int64_t>();
                break;
        }
        one.delivered[index] = true;
        deliver(packet, captured);
    }
    if (hostile) return 0;

    // What was not delivered yet comes now, whole: nothing is missing.
    for (Sent& one : sent) {
        for (size_t i = 0; i < one.fragments.size(); ++i) {
            if (!one.delivered[i]) {
                one.delivered[i] = true;
                deliver(one.fragments[i], one.fragments[i].bytes.size());
            }
        }
        require(one.came_out || one.fragments.empty());
    }
    require(reassembler.datagrams_in_flight() == 0);
    require(reassembler.bytes_held() == 0);
    require(reassembler.counters().fragments_malformed == 0);
    return 0;
}
