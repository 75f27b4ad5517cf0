// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/net/fragment_reassembler.h"

#include <algorithm>
#include <cstring>

namespace sanscope {
namespace {

constexpr uint32_t max_datagram = 65535;
constexpr int64_t mirror_copy_delay_ns = 10'000'000;
constexpr size_t completed_remembered = 64;
constexpr uint8_t ecn_congestion_experienced = 3;

// Times of a damaged capture may lie anywhere: the difference wraps instead of overflowing.
int64_t elapsed(int64_t from_ns, int64_t to_ns) {
    return static_cast<int64_t>(static_cast<uint64_t>(to_ns) - static_cast<uint64_t>(from_ns));
}

// RFC 791 §3.2, RFC 8200 §4.5: all but the last are of a multiple of 8 bytes, and none reaches beyond 64 KiB.
bool is_well_formed(const DecodedPacket& fragment) {
    const uint32_t length = fragment.payload_length;
    if (length == 0 || length > max_datagram - std::min<uint32_t>(max_datagram, fragment.fragment.offset))
        return false;
    return !fragment.fragment.more || length % 8 == 0;
}

}  // namespace

size_t FragmentReassembler::KeyHash::operator()(const Key& key) const {
    uint64_t hash = key.id ^ uint64_t { key.protocol } << 32;
    for (const uint64_t word :
         {key.source.words[0], key.source.words[1], key.destination.words[0], key.destination.words[1]}) {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 29;
    }
    return hash;
}

FragmentReassembler::FragmentReassembler() : FragmentReassembler(Limits{}) {}

FragmentReassembler::FragmentReassembler(const Limits& limits) : limits_(limits) {}

const Datagram* FragmentReassembler::add(const DecodedPacket& fragment, int64_t time_ns) {
    ++counters_.fragments;
    if (!is_well_formed(fragment)) {
        ++counters_.fragments_malformed;
        return nullptr;
    }
    expire(time_ns);

    const Key key = key_of(fragment);
    if (!by_key_.contains(key) && completed_lately(key, time_ns)) {
        ++counters_.fragments_duplicate;
        return nullptr;
    }
    auto datagram = find_or_begin(key, time_ns);
    if (datagram->contradicted_by(fragment)) {
        ++counters_.datagrams_discarded;
        remove(datagram);
        // An IPv6 sender does not use an identification again so soon; an IPv4 sender may have.
        if (!key.source.is_v4()) return nullptr;
        datagram = find_or_begin(key, time_ns);
    }

    bytes_held_ -= datagram->memory();
    const bool is_new = datagram->take(fragment);
    bytes_held_ += datagram->memory();
    if (!is_new) {
        ++counters_.fragments_duplicate;
        return nullptr;
    }
    if (datagram->length == datagram->received) return complete(datagram, time_ns);

    while (in_flight_.size() > limits_.datagrams || bytes_held_ > limits_.bytes) {
        ++counters_.datagrams_evicted;
        remove(in_flight_.begin());
    }
    return nullptr;
}

// The fragment's place, the datagram's end, and in IPv6 any overlap must agree with what came before.
bool FragmentReassembler::InFlight::contradicted_by(const DecodedPacket& fragment) const {
    const uint32_t begin = fragment.fragment.offset;
    const uint32_t end = begin + fragment.payload_length;
    if (length && (end > *length || (!fragment.fragment.more && end != *length))) return true;
    if (!fragment.fragment.more && !pieces.empty() && pieces.back().end > end) return true;
    if (key.source.is_v4()) return false;
    const auto overlapped = std::ranges::find_if(
        pieces, [&](const Piece& piece) { return piece.begin < end && begin < piece.end; });
    return overlapped != pieces.end() && (overlapped->begin != begin || overlapped->end != end);
}

// Copies what is new in the fragment; false if nothing is.
bool FragmentReassembler::InFlight::take(const DecodedPacket& fragment) {
    const uint32_t fragment_begin = fragment.fragment.offset;
    const uint32_t fragment_end = fragment_begin + fragment.payload_length;
    const uint32_t captured_end = fragment_begin + fragment.payload_captured;
    const uint32_t received_before = received;

    // The pieces before `at` end at or before `begin`.
    size_t at = static_cast<size_t>(std::ranges::upper_bound(pieces, fragment_begin, {}, &Piece::end) -
                                    pieces.begin());
    for (uint32_t begin = fragment_begin; begin < fragment_end; ++at) {
        const uint32_t gap_end = at < pieces.size() ? std::min(pieces[at].begin, fragment_end) : fragment_end;
        if (begin < gap_end) {
            const Piece piece{begin, std::clamp(captured_end, begin, gap_end), gap_end};
            if (piece.captured_end > begin) {
                if (bytes.size() < piece.captured_end) bytes.resize(piece.captured_end);
                std::memcpy(&bytes[begin], fragment.payload + (begin - fragment_begin),
                            piece.captured_end - begin);
            }
            received += gap_end - begin;
            pieces.insert(pieces.begin() + static_cast<ptrdiff_t>(at), piece);
            ++at;
        }
        if (at >= pieces.size()) break;
        begin = pieces[at].end;
    }

    if (!fragment.fragment.more) length = fragment_end;
    if (received == received_before) return false;
    if (fragment.ecn == ecn_congestion_experienced) congestion_experienced = true;
    if (fragment_begin == 0) {
        first.source = fragment.source;
        first.destination = fragment.destination;
        first.ip_id = fragment.ip_id;
        first.protocol = fragment.fragment.protocol;
        first.ecn = fragment.ecn;
        first.ttl = fragment.ttl;
    }
    return true;
}

size_t FragmentReassembler::InFlight::memory() const {
    constexpr size_t list_and_index_nodes = sizeof(InFlight) + sizeof(Key) + 8 * sizeof(void*);
    return list_and_index_nodes + bytes.capacity() + pieces.capacity() * sizeof(Piece);
}

FragmentReassembler::Key FragmentReassembler::key_of(const DecodedPacket& fragment) {
    return {.source = fragment.source,
            .destination = fragment.destination,
            .id = fragment.fragment.id,
            .protocol = fragment.source.is_v4() ? fragment.fragment.protocol : uint8_t{0}};
}

bool FragmentReassembler::timed_out(const InFlight& datagram, int64_t time_ns) const {
    const int64_t timeout = datagram.key.source.is_v4() ? limits_.ipv4_timeout_ns : limits_.ipv6_timeout_ns;
    return elapsed(datagram.begun_ns, time_ns) > timeout;
}

bool FragmentReassembler::completed_lately(const Key& key, int64_t time_ns) const {
    const size_t hash = KeyHash{}(key);
    return std::ranges::any_of(completed_, [&](const Completed& completed) {
        if (completed.hash != hash || completed.key != key) return false;
        const int64_t delay =
            elapsed(completed.time_ns, time_ns);  // of several interfaces, the copy may be earlier
        return -mirror_copy_delay_ns < delay && delay < mirror_copy_delay_ns;
    });
}

// The front began first; one behind it with a shorter timeout waits for it, or is found stale when its key
// comes.
void FragmentReassembler::expire(int64_t time_ns) {
    while (!in_flight_.empty() && timed_out(in_flight_.front(), time_ns)) {
        ++counters_.datagrams_timed_out;
        remove(in_flight_.begin());
    }
}

FragmentReassembler::InFlightList::iterator FragmentReassembler::find_or_begin(const Key& key,
                                                                               int64_t time_ns) {
    if (const auto found = by_key_.find(key); found != by_key_.end()) {
        if (!timed_out(*found->second, time_ns)) return found->second;
        ++counters_.datagrams_timed_out;
        remove(found->second);
    }
    InFlight& datagram = in_flight_.emplace_back();
    datagram.key = key;
    datagram.begun_ns = time_ns;
    bytes_held_ += datagram.memory();
    const auto begun = std::prev(in_flight_.end());
    by_key_.emplace(key, begun);
    return begun;
}

void FragmentReassembler::remove(InFlightList::iterator datagram) {
    bytes_held_ -= datagram->memory();
    by_key_.erase(datagram->key);
    in_flight_.erase(datagram);
}

const Datagram* FragmentReassembler::complete(InFlightList::iterator datagram, int64_t time_ns) {
    ++counters_.datagrams_completed;
    if (completed_.size() < completed_remembered) completed_.emplace_back();
    completed_[completed_next_] = {datagram->key, KeyHash{}(datagram->key), time_ns};
    completed_next_ = (completed_next_ + 1) % completed_remembered;

    result_ = datagram->first;
    result_.wire_length = datagram->received;
    for (const Piece& piece : datagram->pieces) {
        result_.captured_length = piece.captured_end;
        if (piece.captured_end < piece.end) break;
    }
    if (datagram->congestion_experienced) result_.ecn = ecn_congestion_experienced;

    bytes_held_ -= datagram->memory();
    result_bytes_.swap(datagram->bytes);
    bytes_held_ += datagram->memory();
    result_.data = result_bytes_.data();
    remove(datagram);
    return &result_;
}

}  // namespace sanscope
