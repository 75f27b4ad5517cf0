// SPDX-License-Identifier: GPL-3.0-or-later

// Time of decode_frame() by encapsulation, over frames that lie in the cache, and over frames that do not (as with
// a batch that was just read: only their headers are touched).

#include <benchmark/benchmark.h>
#include <cstdint>
#include <vector>

#include "analyzer/net/decode_frame.h"
#include "analyzer/net/tcp_options.h"
#include "analyzer/net/testing/frame_builder.h"

namespace sanscope {
namespace {

using namespace frames;  // NOLINT(google-build-using-namespace)

Layer segment(uint32_t seq) {
    return tcp({.seq = seq, .options = {1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2}}, ByteVector(1448));
}
Layer in_ipv4(uint32_t seq) {
    return ipv4({}, segment(seq));
}

Layer plain_ipv4(uint32_t seq) {
    return ethernet(in_ipv4(seq));
}
Layer plain_ipv6(uint32_t seq) {
    return ethernet(ipv6({}, segment(seq)));
}
Layer vlan_ipv4(uint32_t seq) {
    return ethernet(vlan(100, in_ipv4(seq)));
}
Layer vxlan_ipv4(uint32_t seq) {
    return ethernet(ipv4({}, vxlan(42, ethernet(in_ipv4(seq)))));
}
Layer gre_ipv4(uint32_t seq) {
    return ethernet(ipv4({}, gre({.key = 1}, in_ipv4(seq))));
}
Layer cooked_ipv4(uint32_t seq) {
    return linux_cooked_2(in_ipv4(seq));
}

// Frames one behind the other, as a batch holds them.
struct Batch {
    std::vector<uint8_t> bytes;
    std::vector<size_t> begin;

    Batch(Layer (*make)(uint32_t), size_t count) {
        for (uint32_t i = 0; i < count; ++i) {
            begin.push_back(bytes.size());
            const ByteVector frame = make(i * 1448).bytes;
            bytes.insert(bytes.end(), frame.begin(), frame.end());
        }
        begin.push_back(bytes.size());
    }
};

void decode(benchmark::State& state, LinkType link_type, Layer (*make)(uint32_t), size_t frames_in_batch,
            size_t prefetch_ahead = 0) {
    const Batch batch(make, frames_in_batch);
    DecodedPacket packet;
    while (state.KeepRunning()) {
        for (size_t i = 0; i < frames_in_batch; ++i) {
            if (prefetch_ahead != 0 && i + prefetch_ahead < frames_in_batch) {
                __builtin_prefetch(&batch.bytes[batch.begin[i + prefetch_ahead]]);
                __builtin_prefetch(&batch.bytes[batch.begin[i + prefetch_ahead] + 64]);
            }
            const auto length = static_cast<uint32_t>(batch.begin[i + 1] - batch.begin[i]);
            decode_frame(link_type, &batch.bytes[batch.begin[i]], length, length, packet);
            benchmark::DoNotOptimize(packet);
        }
    }
    if (packet.kind != DecodedPacket::Kind::tcp) state.SkipWithError("not decoded as TCP");
    state.counters["packet"] =
        benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(frames_in_batch),
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

constexpr size_t in_cache = 16;           // 24 KB
constexpr size_t out_of_cache = 100'000;  // 150 MB

BENCHMARK_CAPTURE(decode, ipv4, LinkType::ethernet, plain_ipv4, in_cache);
BENCHMARK_CAPTURE(decode, ipv6, LinkType::ethernet, plain_ipv6, in_cache);
BENCHMARK_CAPTURE(decode, vlan_ipv4, LinkType::ethernet, vlan_ipv4, in_cache);
BENCHMARK_CAPTURE(decode, gre_ipv4, LinkType::ethernet, gre_ipv4, in_cache);
BENCHMARK_CAPTURE(decode, vxlan_ipv4, LinkType::ethernet, vxlan_ipv4, in_cache);
BENCHMARK_CAPTURE(decode, cooked_ipv4, LinkType::linux_sll2, cooked_ipv4, in_cache);
BENCHMARK_CAPTURE(decode, ipv4_out_of_cache, LinkType::ethernet, plain_ipv4, out_of_cache);
BENCHMARK_CAPTURE(decode, ipv4_prefetched, LinkType::ethernet, plain_ipv4, out_of_cache, 8);

void timestamps_option(benchmark::State& state) {
    const Layer frame = plain_ipv4(1);
    DecodedPacket packet;
    decode_frame(LinkType::ethernet, frame.bytes.data(), static_cast<uint32_t>(frame.bytes.size()), 0,
                 packet);
    TcpOptions options;
    while (state.KeepRunning()) {
        parse_tcp_options(packet, options);
        benchmark::DoNotOptimize(options);
    }
}
BENCHMARK(timestamps_option);

}  // namespace
}  // namespace sanscope
