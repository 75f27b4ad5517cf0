// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sanscope {

// What explains a digest (RFC 7143 §11.2.3, §11.2.4) that does not match.
struct DigestError {
    enum class Cause : uint8_t {
        not_examined,     // the digest matches, or it was too many, or too long, or not there as a whole
        unexplained,      // by none of those that follow
        flipped_bit,      // one bit differs from what was sent
        flipped_in_byte,  // several bits of one byte do
        // The bytes are those that were sent, and their digest is one:
        never_computed,  // it is 0
        byte_swapped,    // in the other byte order
        crc32,           // by the polynomial of IEEE 802.3, not by Castagnoli's
        no_final_xor,    // not inverted at the end
        no_padding,      // without the padding bytes of the data segment
    };

    Cause cause = Cause::not_examined;
    uint8_t flipped = 0;       // of flips: the bits of `byte` that differ; the least significant is 1
    bool in_digest = false;    // of flips: it is the digest itself that was changed
    bool crc32_known = false;  // whether `crc32` was among what was tried
    uint32_t byte =
        0;  // of flips: from the first byte that the digest covers; its own follow those it covers

    bool is_flip() const { return cause == Cause::flipped_bit || cause == Cause::flipped_in_byte; }
    // The sender made it wrong: no accident on the way gives such a digest, but for `never_computed`.
    bool is_senders() const { return cause >= Cause::never_computed; }
};

}  // namespace sanscope
