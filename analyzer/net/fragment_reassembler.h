// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analyzer/net/datagram.h"
#include "analyzer/net/decoded_packet.h"

namespace sanscope {

// Puts IPv4 (RFC 791 §3.2) and IPv6 (RFC 8200 §4.5) fragments together. A datagram comes out when every byte
// of it was on the wire in some fragment; where the capture cut fragments (snap length) its captured bytes
// end at the first cut. What it holds is bounded: past a limit the datagram begun first is given up and
// counted.
//
//     for (decode_frame(…, packet); packet.kind == DecodedPacket::Kind::ip_fragment;) {
//         const Datagram* datagram = reassembler.add(packet, time_ns);
//         if (!datagram) break;
//         decode_datagram(*datagram, packet);   // a tunnel may hold a fragment again
//     }
//
// Overlaps: in IPv4 the byte that came first stays; an IPv6 datagram with an overlap is discarded (RFC 5722),
// exact repetitions apart. A fragment of a datagram that was completed less than 10 ms ago is the copy a
// mirror port made and is ignored: kept, it would wait to be joined to a later datagram that has the same
// identification.
class FragmentReassembler {
  public:
    struct Limits {
        size_t datagrams = 4096;   // in flight
        size_t bytes = 16u << 20;  // held for them, bookkeeping included
        int64_t ipv4_timeout_ns =
            15'000'000'000;  // RFC 791 §3.2; 16-bit identifications come round soon (RFC 4963)
        int64_t ipv6_timeout_ns = 60'000'000'000;  // RFC 8200 §4.5
    };

    // Every fragment added ends in exactly one of: a completed datagram, one given up, one still in flight,
    // ignored.
    struct Counters {
        uint64_t fragments = 0;            // added
        uint64_t fragments_duplicate = 0;  // ignored: nothing new in them
        uint64_t fragments_malformed =
            0;  // ignored: no bytes, beyond 64 KiB, or not of a multiple of 8 bytes
        uint64_t datagrams_completed = 0;
        uint64_t datagrams_timed_out = 0;
        uint64_t datagrams_evicted = 0;    // given up past a limit
        uint64_t datagrams_discarded = 0;  // contradictory: overlap in IPv6, two different ends
    };

    FragmentReassembler();
    explicit FragmentReassembler(const Limits& limits);

    // `fragment` is of Kind::ip_fragment; its bytes are copied (they may be those of the datagram returned
    // last). Time is the packet's. The datagram this fragment completes, or nullptr; it lives until the next
    // add().
    const Datagram* add(const DecodedPacket& fragment, int64_t time_ns);

    const Counters& counters() const { return counters_; }
    size_t datagrams_in_flight() const { return in_flight_.size(); }
    // For the datagrams in flight; besides, the datagram returned last is held, at most 64 KiB.
    size_t bytes_held() const { return bytes_held_; }

  private:
    struct Key {
        IpAddress source;
        IpAddress destination;
        uint32_t id = 0;
        uint8_t protocol = 0;  // IPv4 only: IPv6's fragments may name different ones
        bool operator==(const Key&) const = default;
    };
    struct KeyHash {
        size_t operator()(const Key& key) const;
    };

    // Bytes of the datagram that one fragment brought. Pieces do not overlap.
    struct Piece {
        uint32_t begin = 0;
        uint32_t captured_end = 0;  // [begin, captured_end) is in `bytes`
        uint32_t end = 0;
    };

    struct InFlight {
        Key key;
        int64_t begun_ns = 0;
        std::vector<Piece> pieces;  // in order of `begin`
        std::vector<uint8_t> bytes;
        std::optional<uint32_t> length;  // known once the last fragment came
        uint32_t received = 0;           // sum of the pieces
        bool congestion_experienced = false;
        Datagram first;  // what the fragment at offset 0 shows; data is not set

        bool contradicted_by(const DecodedPacket& fragment) const;
        bool take(const DecodedPacket& fragment);
        size_t memory() const;
    };
    using InFlightList = std::list<InFlight>;  // in the order they began

    struct Completed {
        Key key;
        size_t hash = 0;
        int64_t time_ns = 0;
    };

    static Key key_of(const DecodedPacket& fragment);
    bool timed_out(const InFlight& datagram, int64_t time_ns) const;
    bool completed_lately(const Key& key, int64_t time_ns) const;
    void expire(int64_t time_ns);
    // The datagram the fragment belongs to, begun if need be.
    InFlightList::iterator find_or_begin(const Key& key, int64_t time_ns);
    void remove(InFlightList::iterator datagram);
    const Datagram* complete(InFlightList::iterator datagram, int64_t time_ns);

    Limits limits_;
    Counters counters_;
    InFlightList in_flight_;
    std::unordered_map<Key, InFlightList::iterator, KeyHash> by_key_;
    size_t bytes_held_ = 0;
    std::vector<Completed> completed_;  // a ring of the last ones
    size_t completed_next_ = 0;
    Datagram result_;
    std::vector<uint8_t> result_bytes_;
};

}  // namespace sanscope
