// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as an input of any format, compressed or not, that comes in reads of any lengths: as far as both read, the
// packets found must not depend on the lengths. The first bytes of the input choose those.
//
// Where a compressed stream is corrupt, how much of it the libraries can still decode may depend on the reads; so the
// packets of one must then begin with those of the other.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "analyzer/ingest/capture_builder.h"
#include "analyzer/ingest/capture_file.h"
#include "analyzer/ingest/compress.h"
#include "analyzer/ingest/found_packets.h"

using namespace sanscope;

namespace {

struct Outcome {
    bool opened = false;
    std::vector<test::FoundPacket> packets;
    std::vector<Damage> damage;
};

template <class NextLength>
Outcome read(std::span<const uint8_t> bytes, size_t block_length, NextLength next_length) {
    auto source = open_capture_stream(test::make_piece_source(bytes, next_length), "fuzz", 0, block_length);
    if (!source) return {};
    Outcome outcome{.opened = true, .packets = test::read_all(**source), .damage = {}};
    outcome.damage = (*source)->damage();
    return outcome;
}

bool is_compressed(std::span<const uint8_t> bytes) {
    return bytes.size() >= 4 && bytes[0] != 0x0a && bytes[0] != 0xd4 && bytes[0] != 0x4d && bytes[0] != 0xa1;
}

void demand_agreement(const Outcome& a, const Outcome& b, bool compressed) {
    const bool damaged = !a.damage.empty() || !b.damage.empty();
    if (compressed && damaged) {
        const size_t common = std::min(a.packets.size(), b.packets.size());
        if (!std::equal(a.packets.begin(), a.packets.begin() + static_cast<std::ptrdiff_t>(common),
                        b.packets.begin())) {
            std::abort();
        }
        return;
    }
    if (compressed && a.opened != b.opened) return;
    if (a.opened != b.opened || a.packets != b.packets || a.damage.size() != b.damage.size()) std::abort();
    for (size_t i = 0; i < a.damage.size(); ++i) {
        if (a.damage[i].at_byte != b.damage[i].at_byte || a.damage[i].message != b.damage[i].message)
            std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < 3) return 0;
    const size_t largest_piece = size_t{data[0]} + 1;
    const size_t block_length = size_t{data[1]} * 4 + 1;
    const uint8_t packing = data[2] % 4;
    std::span<const uint8_t> bytes(data + 3, size - 3);
    test::Bytes packed;
    if (packing == 1) packed = test::gzip(bytes);
    if (packing == 2) packed = test::zstd(bytes);
    if (packing == 3) packed = test::lz4(bytes);
    if (packing != 0) bytes = packed;

    uint32_t state = data[0];
    const auto pieces = [&state, largest_piece] {
        state = state * 1'664'525 + 1'013'904'223;
        return size_t{state >> 16} % largest_piece;
    };
    const Outcome whole = read(bytes, default_block_length, [] { return size_t{1} << 30; });
    const Outcome cut = read(bytes, block_length, pieces);
    demand_agreement(whole, cut, is_compressed(bytes));
    return 0;
}
