// SPDX-License-Identifier: GPL-3.0-or-later

// Any bytes as segments of both sides: what is kept must stay bounded and be what came, and end with the segment that
// decided.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fuzzer/FuzzedDataProvider.h>
#include <vector>

#include "analyzer/iscsi/iscsi_probe.h"

namespace {

void require(bool claim, int line = __builtin_LINE()) {
    if (claim) return;
    std::fprintf(stderr, "The claim in line %d does not hold.\n", line);
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace sanscope;
    FuzzedDataProvider choices(data, size);
    IscsiProbe probe;
    std::vector<std::vector<uint8_t>> sent;
    uint32_t seq[2] = {choices.ConsumeIntegral<uint32_t>(), choices.ConsumeIntegral<uint32_t>()};
    while (choices.remaining_bytes() > 0) {
        const bool a = choices.ConsumeBool();
        const size_t copies = choices.ConsumeBool() ? choices.ConsumeIntegralInRange<size_t>(1, 300) : 1;
        auto bytes = choices.ConsumeBytes<uint8_t>(choices.ConsumeIntegralInRange<size_t>(0, 400));
        bytes.shrink_to_fit();
        const uint32_t cut = choices.ConsumeBool() ? choices.ConsumeIntegralInRange<uint32_t>(0, 2000) : 0;
        for (size_t i = 0; i < copies; ++i) {
            sent.push_back(bytes);
            DecodedPacket packet;
            packet.kind = DecodedPacket::Kind::tcp;
            packet.seq = seq[a];
            packet.payload = bytes.data();
            packet.payload_captured = static_cast<uint32_t>(bytes.size());
            packet.payload_length = packet.payload_captured + cut;
            seq[a] += packet.payload_length;
            IscsiProbe::worth_a_look(packet);
            const auto from = a ? Side::a : Side::b;
            const auto verdict = probe.look(from, packet, {sent.size(), 0});
            require(probe.kept().size() <= IscsiProbe::max_kept_segments);
            for (const auto& kept : probe.kept()) {
                const auto& original = sent[kept.arrival.packet - 1];
                require(kept.packet.payload_captured == original.size());
                require(std::equal(original.begin(), original.end(), kept.packet.payload));
            }
            if (verdict != IscsiProbe::Verdict::iscsi) continue;
            require(probe.kept().back().arrival.packet == sent.size());
            return 0;
        }
        if (sent.size() > 2000) return 0;
    }
    return 0;
}
