// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/iscsi/iscsi_probe.h"

#include <algorithm>

#include "analyzer/iscsi/bhs.h"
#include "analyzer/iscsi/header_belief.h"

namespace sanscope {

namespace {

size_t least_header(const DecodedPacket& packet) {
    return packet.payload_captured < packet.payload_length ? least_cut_header : least_judged_header;
}

}  // namespace

bool IscsiProbe::worth_a_look(const DecodedPacket& packet) {
    if (packet.payload_captured < least_header(packet)) return false;
    return can_be_header(packet.payload, is_from_target(packet.payload[0] & 0x3f));
}

IscsiProbe::Verdict IscsiProbe::look(Side from, const DecodedPacket& packet, Arrival arrival) {
    const uint8_t* bytes = packet.payload;
    uint32_t captured = packet.payload_captured;
    Serial32 seq(packet.seq);
    bool witnessed = false;
    bool any = false;
    // Several PDUs may stand in the segment, each behind the other.
    const size_t least = least_header(packet);
    while (captured >= least) {
        const bool from_target = is_from_target(bytes[0] & 0x3f);
        if (!looks_like_header(bytes, captured, from_target)) break;
        const Bhs bhs(bytes);
        const uint32_t length =
            static_cast<uint32_t>(bhs_length) + bhs.ahs_length() + bhs.padded_data_length();
        const Header header{bhs.itt(), seq, length, from, from_target};
        any = true;
        witnessed = witnessed || bhs.opcode() == Opcode::login_request || is_witnessed(header);
        if (witnessed) initiator_ = from_target ? other_side(from) : from;
        if (headers_.size() >= max_headers) headers_.erase(headers_.begin());
        headers_.push_back(header);
        if (witnessed || length >= captured) break;
        bytes += length;
        captured -= length;
        seq += length;
    }
    if (any || !kept_.empty()) keep(from, packet, arrival);
    if (witnessed) return Verdict::iscsi;
    if (kept_.size() >= max_kept_segments || bytes_.size() >= max_kept_bytes) forget();
    return Verdict::undecided;
}

const std::vector<IscsiProbe::Kept>& IscsiProbe::kept() {
    for (Kept& segment : kept_) segment.packet.payload = bytes_.data() + segment.at;
    return kept_;
}

bool IscsiProbe::is_witnessed(const Header& header) const {
    return std::any_of(headers_.begin(), headers_.end(), [&](const Header& earlier) {
        if (earlier.from == header.from) {
            if (earlier.from_target != header.from_target) return false;
            // With neither, one or both digests between.
            const int32_t beyond = (earlier.seq + earlier.length).distance_to(header.seq);
            return beyond == 0 || beyond == 4 || beyond == 8;
        }
        return earlier.from_target != header.from_target && earlier.itt == header.itt &&
               header.itt != reserved_tag;
    });
}

void IscsiProbe::keep(Side from, const DecodedPacket& packet, Arrival arrival) {
    kept_.push_back({packet, arrival, from, bytes_.size()});
    if (packet.payload_captured > 0) {
        bytes_.insert(bytes_.end(), packet.payload, packet.payload + packet.payload_captured);
    }
    kept_.back().packet.options = nullptr;
    kept_.back().packet.options_length = 0;
}

void IscsiProbe::forget() {
    headers_.clear();
    kept_.clear();
    bytes_.clear();
}

}  // namespace sanscope
