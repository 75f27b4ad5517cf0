// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/net/decoded_packet.h"
#include "analyzer/tcp/tcp_connection.h"

namespace sanscope {

// Shows by login or by shape, never by port, whether a TCP connection carries iSCSI.
//
// A login request's header, with its many reserved fields, is proof enough. Any other header that stands at the start
// of a segment makes a candidate, and needs a second witness: the next header where the first one's lengths put it, or
// an answer with the same Initiator Task Tag from the other side. The segments from the candidate on are kept until
// then, so that nothing is lost when the answer is yes; without it in time they are let go, and the next candidate
// may come.
class IscsiProbe {
  public:
    static constexpr size_t max_kept_segments = 256;
    static constexpr size_t max_kept_bytes = 256u << 10;

    // A segment with payload as it was when it came. `packet.payload` is set by packets() to the kept copy.
    struct Kept {
        DecodedPacket packet;
        Arrival arrival;
        Side from;
        size_t at;
    };

    enum class Verdict : uint8_t { undecided, iscsi };

    // Whether a header may stand at the start of the segment: cheap, for all the connections that carry something else.
    static bool worth_a_look(const DecodedPacket& packet);

    // A segment with payload.
    Verdict look(Side from, const DecodedPacket& packet, Arrival arrival);

    // Whether segments are kept for which the verdict is still to come.
    bool keeps_some() const { return !kept_.empty(); }

    // After the verdict `iscsi`: which side is the initiator, and the segments kept, the last look()'s included.
    Side initiator() const { return initiator_; }
    const std::vector<Kept>& kept();

  private:
    struct Header {
        uint32_t itt;
        Serial32 seq;     // of its first byte
        uint32_t length;  // with data segment, without digests
        Side from;
        bool from_target;
    };
    static constexpr size_t max_headers = 16;

    bool is_witnessed(const Header& header) const;
    void keep(Side from, const DecodedPacket& packet, Arrival arrival);
    void forget();

    std::vector<Header> headers_;
    std::vector<Kept> kept_;
    std::vector<uint8_t> bytes_;
    Side initiator_ = Side::a;
};

}  // namespace sanscope
