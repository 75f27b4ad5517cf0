// SPDX-License-Identifier: GPL-3.0-or-later
//
// A target that sends anything: the first byte chooses digests and how the rest is cut into pieces, which must not
// matter.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "captures/iscsi_peer/pdu_receiver.h"

namespace {

using namespace sanscope;

void require(bool holds) {
    if (!holds) std::abort();
}

struct Handler {
    bool on_header(Bhs header) {
        require(!within);
        within = true;
        at_next = 0;
        length = header.data_segment_length();
        wanted = header.itt() % 2 == 0;
        told += 'h';
        told += static_cast<char>(header.opcode_value());
        return wanted;
    }
    void on_data(std::span<const uint8_t> piece, uint32_t at) {
        require(within && wanted && at == at_next && !piece.empty() && piece.size() <= length - at);
        at_next = at + static_cast<uint32_t>(piece.size());
        told.append(piece.begin(), piece.end());
    }
    void on_end(Bhs header, bool intact) {
        require(within && header.data_segment_length() == length);
        require(!wanted || at_next == length);
        within = false;
        told += intact ? 'i' : 'b';
    }

    bool within = false;
    bool wanted = false;
    uint32_t at_next = 0;
    uint32_t length = 0;
    std::string told;
};

constexpr uint32_t most_data = 100'000;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    if (size == 0) return 0;
    const uint8_t choice = *bytes;
    const std::span<const uint8_t> stream(bytes + 1, size - 1);
    const PduReceiver::Options options{
        .header_digest = (choice & 1) != 0, .data_digest = (choice & 2) != 0, .most_data = most_data};
    PduReceiver at_once(options);
    Handler whole;
    const bool whole_taken = static_cast<bool>(at_once.take(stream, whole));

    PduReceiver piecemeal(options);
    Handler pieces;
    bool taken = true;
    const size_t step = 1 + (choice >> 2);
    for (size_t at = 0; at < stream.size() && taken;) {
        const size_t left = stream.size() - at;
        const size_t unwanted = std::min<size_t>({piecemeal.unwanted(), left, step});
        if (unwanted > 0) {
            piecemeal.passed_over(static_cast<uint32_t>(unwanted), pieces);
            at += unwanted;
            continue;
        }
        const size_t count = std::min(step, left);
        taken = static_cast<bool>(piecemeal.take(stream.subspan(at, count), pieces));
        at += count;
    }
    require(taken == whole_taken);
    require(pieces.told == whole.told);
    require(!taken || piecemeal.within_pdu() == at_once.within_pdu());
    return 0;
}
