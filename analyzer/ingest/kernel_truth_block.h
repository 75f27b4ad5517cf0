// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sanscope {

// How what a kernel reported of its connections (the message KernelTruth of sanscope/v1/kernel_truth.proto) stands in a pcapng:
// one message a Custom Block, in the byte order of the section. Wireshark passes such blocks over.
//
//     uint32   block type      0x00000BAD
//     uint32   block length
//     uint32   PEN             32473, the number that RFC 5612 reserves for examples
//     8 bytes                  "sanscope"
//     uint16   kind            1: KernelTruth
//     uint16   version         1
//     uint32   payload length
//     payload, padded with zeros to 32 bits; no options
//     uint32   block length
//
// A recorder begins each file with a block, though it reports no event yet: its readers then know from the first packet on
// that there will be some.

// A longer payload is not believed: more is reported in several blocks.
constexpr size_t max_kernel_truth_payload = size_t{1} << 20;

// The whole block around a serialized message of at most max_kernel_truth_payload bytes.
std::vector<uint8_t> make_kernel_truth_block(std::span<const uint8_t> payload, bool big_endian = false);
// For those who serialize into a string.
std::vector<uint8_t> make_kernel_truth_block(const std::string& payload, bool big_endian = false);

// What a custom block turned out to be.
struct KernelTruthBlock {
    enum class Kind : uint8_t {
        other,    // somebody else's, or of a kind or version that is not known: to be passed over
        damaged,  // its lengths contradict each other
        kernel_truth,
    };
    Kind kind = Kind::other;
    std::span<const uint8_t> payload;  // of a kernel_truth, pointing into what was read
};

// `body` is what stands between the two lengths. The number in it shows the byte order.
KernelTruthBlock read_kernel_truth_block(std::span<const uint8_t> body);

}  // namespace sanscope
