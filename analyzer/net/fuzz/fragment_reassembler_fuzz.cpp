// SPDX-License-Identifier: GPL-3.0-or-later

// Operations: several datagrams are cut into fragments, which are delivered in any order, repeated, cut by a snap
// length, copied by a mirror port. A datagram that comes out must be one of those sent, byte for byte, and once all
// fragments were delivered each must have come out, once. In the hostile half fragments are left out, changed and
// sent at any time, under tight limits: then the limits must hold.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fuzzer/FuzzedDataProvider.h>
#include <memory>
#include <vector>

#include "analyzer/net/decode_frame.h"
#include "analyzer/net/fragment_reassembler.h"

namespace {

using namespace sanscope;

void require(bool claim) {
    if (!claim) std::abort();
}

struct Sent {
    std::vector<uint8_t> bytes;
    std::vector<DecodedPacket> fragments;  // as decode_frame() gives them
    std::vector<bool> delivered;
    bool came_out = false;
};

Sent make_datagram(FuzzedDataProvider& choices, uint8_t id) {
    Sent sent;
    const size_t length = choices.ConsumeIntegralInRange<size_t>(2, 400);
    for (size_t i = 0; i < length; ++i) sent.bytes.push_back(static_cast<uint8_t>(i * 89 + id));
    const size_t step = choices.ConsumeIntegralInRange<size_t>(1, 16) * 8;
    const bool v4 = choices.ConsumeBool();
    const uint8_t wire_address[16] = {10, 0, 0, 1};
    for (size_t begin = 0; begin < length; begin += step) {
        DecodedPacket fragment;
        fragment.kind = DecodedPacket::Kind::ip_fragment;
        fragment.source = v4 ? IpAddress::from_v4(wire_address) : IpAddress::from_v6(wire_address);
        fragment.destination = fragment.source;
        fragment.payload = &sent.bytes[begin];
        fragment.payload_length = static_cast<uint32_t>(std::min(step, length - begin));
        fragment.payload_captured = fragment.payload_length;
        fragment.fragment = {
            .id = id, .offset = static_cast<uint16_t>(begin), .more = begin + step < length, .protocol = 6};
        sent.fragments.push_back(fragment);
    }
    sent.delivered.resize(sent.fragments.size());
    return sent;
}

void change(DecodedPacket& fragment, FuzzedDataProvider& choices) {
    switch (choices.ConsumeIntegralInRange<int>(0, 4)) {
        case 0:
            fragment.fragment.id = choices.ConsumeIntegralInRange<uint32_t>(0, 20);
            break;
        case 1:
            fragment.fragment.offset = choices.ConsumeIntegral<uint16_t>() & 0xfff8;
            break;
        case 2:
            fragment.fragment.offset = choices.ConsumeIntegralInRange<uint16_t>(0, 50) * 8;
            break;
        case 3:
            fragment.fragment.more = !fragment.fragment.more;
            break;
        case 4:
            fragment.payload_length = choices.ConsumeIntegralInRange<uint32_t>(0, 100'000);
            fragment.payload_captured = std::min(fragment.payload_captured, fragment.payload_length);
            break;
    }
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
    for (uint8_t id = 0; id < 4; ++id) sent.push_back(make_datagram(choices, id));
    int64_t time_ns = 0;

    bool cut_any = false;

    const auto deliver = [&](DecodedPacket fragment) {
        // A block of exactly that size, so that the sanitizer sees a read beyond it.
        const auto exact = std::make_unique<uint8_t[]>(fragment.payload_captured);
        std::copy_n(fragment.payload, fragment.payload_captured, exact.get());
        fragment.payload = exact.get();
        const Datagram* const datagram = reassembler.add(fragment, time_ns);
        require(reassembler.bytes_held() <= limits.bytes);
        require(reassembler.datagrams_in_flight() <= limits.datagrams);
        if (datagram == nullptr) return;
        require(datagram->captured_length <= datagram->wire_length);
        DecodedPacket inside;
        decode_datagram(*datagram, inside);
        if (hostile) return;
        Sent& one = sent[fragment.fragment.id];
        require(!one.came_out);
        require(datagram->wire_length == one.bytes.size());
        require(cut_any || datagram->captured_length == datagram->wire_length);
        require(std::equal(datagram->data, datagram->data + datagram->captured_length, one.bytes.begin()));
        one.came_out = true;
    };

    for (int step = 0; step < 400 && choices.remaining_bytes() > 0; ++step) {
        Sent& one = sent[choices.ConsumeIntegralInRange<size_t>(0, sent.size() - 1)];
        const size_t index = choices.ConsumeIntegralInRange<size_t>(0, one.fragments.size() - 1);
        DecodedPacket fragment = one.fragments[index];
        switch (choices.ConsumeIntegralInRange<int>(0, 4)) {
            case 0:
                fragment.payload_captured =
                    choices.ConsumeIntegralInRange<uint32_t>(0, fragment.payload_captured);
                cut_any = true;
                break;
            case 1:
                if (hostile) time_ns = choices.ConsumeIntegral<int64_t>();
                break;
            case 2:
                if (hostile) change(fragment, choices);
                break;
            default:
                break;
        }
        one.delivered[index] = true;
        deliver(fragment);
    }
    if (hostile) return 0;

    for (Sent& one : sent) {
        for (size_t i = 0; i < one.fragments.size(); ++i) {
            if (!one.delivered[i]) deliver(one.fragments[i]);
        }
        require(one.came_out);
    }
    require(reassembler.datagrams_in_flight() == 0);
    require(reassembler.bytes_held() == 0);
    require(reassembler.counters().datagrams_completed == sent.size());
    return 0;
}
