// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/anonymize/payload_anonymizer.h"

#include <algorithm>
#include <array>

#include "captures/anonymize/scsi_data_rewriter.h"
#include "captures/anonymize/text_keys_rewriter.h"

#include "analyzer/base/byte_order.h"
#include "analyzer/base/crc32c.h"
#include "analyzer/iscsi/bhs.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

// What a stretch takes besides its bytes, more or less.
constexpr size_t overhead = 256;
constexpr size_t longest_padding = 3;

bool has_names(PayloadKind kind) {
    switch (kind) {
        case PayloadKind::text:
        case PayloadKind::parameter_data:
        case PayloadKind::sense_data:
        case PayloadKind::async_data:
        case PayloadKind::reject_data:
            return true;
        default:
            return false;
    }
}

// Behind what may have been changed: digests of blocks that are read and written are many, and of no use here.
bool is_behind_names(const PayloadPart& part) {
    const bool is_behind = part.kind == PayloadKind::data_digest || part.kind == PayloadKind::padding;
    return is_behind && !is_read_opcode(part.scsi_opcode) && !is_write_opcode(part.scsi_opcode);
}

bool has_text(uint8_t opcode) {
    return opcode == static_cast<uint8_t>(Opcode::login_request) ||
           opcode == static_cast<uint8_t>(Opcode::login_response) ||
           opcode == static_cast<uint8_t>(Opcode::text_request) ||
           opcode == static_cast<uint8_t>(Opcode::text_response);
}

// The bytes of a part that its packet has, as far as they lie within the stretch.
std::span<const uint8_t> captured_of(const PayloadPart& part, std::span<const uint8_t> payload) {
    if (part.offset >= payload.size() || part.begin >= part.whole) return {};
    const size_t length = std::min<size_t>(part.length, payload.size() - part.offset);
    return payload.subspan(part.offset, std::min<size_t>(length, part.whole - part.begin));
}

uint32_t digest_of(std::span<const uint8_t> data, std::span<const uint8_t> padding) {
    return crc32c_final(crc32c_update(crc32c_update(crc32c_init, data), padding));
}

}  // namespace

bool PayloadAnonymizer::Stretch::is_whole() const {
    return std::ranges::all_of(captured, [](bool is) { return is; });
}

void PayloadAnonymizer::note(const PacketParts& packet, std::span<const uint8_t> payload) {
    if (!packet.iscsi) return;
    for (const PayloadPart& part : packet.parts) {
        const auto bytes = captured_of(part, payload);
        if (bytes.empty() || part.stream_offset < part.begin) continue;
        if (part.kind == PayloadKind::basic_header && has_text(part.opcode)) note_header(packet, part, bytes);
        if (!has_names(part.kind) && !is_behind_names(part)) continue;
        const Place place{packet.connection, packet.from_target, part.stream_offset - part.begin};
        auto found = stretches_.find(place);
        if (found == stretches_.end()) {
            if (part.whole > max_data_segment_length || held_ + part.whole + overhead > max_bytes) {
                if (has_names(part.kind)) ++not_held_;
                continue;
            }
            held_ += part.whole + overhead;
            found = stretches_
                        .emplace(place, Stretch{part, std::vector<uint8_t>(part.whole),
                                                std::vector<bool>(part.whole)})
                        .first;
        }
        Stretch& stretch = found->second;
        if (stretch.what.kind != part.kind || stretch.bytes.size() != part.whole) continue;
        // Of bytes that came twice the first stand, as in the analysis.
        for (size_t i = 0; i < bytes.size(); ++i) {
            const size_t at = part.begin + i;
            if (stretch.captured[at]) continue;
            stretch.bytes[at] = bytes[i];
            stretch.captured[at] = true;
        }
    }
}

void PayloadAnonymizer::note_header(const PacketParts& packet, const PayloadPart& part,
                                    std::span<const uint8_t> bytes) {
    constexpr uint32_t flags_at = 1;
    constexpr uint8_t continues = 0x40;
    if (part.begin > flags_at || part.begin + bytes.size() <= flags_at || held_ + overhead > max_bytes)
        return;
    const Place place{packet.connection, packet.from_target, part.stream_offset - part.begin};
    const bool is_new = text_headers_.emplace(place, (bytes[flags_at - part.begin] & continues) != 0).second;
    if (is_new) held_ += overhead;
}

bool PayloadAnonymizer::text_continues(const Place& text) const {
    const auto behind = text_headers_.upper_bound(text);
    if (behind == text_headers_.begin()) return false;
    const auto header = std::prev(behind);
    constexpr uint64_t longest_header = bhs_length + uint64_t{255} * 4 + digest_length;
    const Place& place = header->first;
    const bool is_its = place.connection == text.connection && place.from_target == text.from_target &&
                        text.offset - place.offset <= longest_header;
    return is_its && header->second;
}

void PayloadAnonymizer::rewrite(const PayloadPart& what, std::span<uint8_t> bytes, bool behind_hole) {
    if (what.kind == PayloadKind::text) {
        return behind_hole ? rewrite_text_keys_behind_hole(bytes, *anonymizer_)
                           : rewrite_text_keys(bytes, *anonymizer_);
    }
    const bool begins_its_data = what.buffer_offset == 0 && !behind_hole;
    if (begins_its_data && what.kind == PayloadKind::parameter_data && what.scsi_opcode <= 0xff) {
        return rewrite_parameter_data(static_cast<uint8_t>(what.scsi_opcode), what.cdb_byte_1,
                                      what.cdb_byte_2, bytes, *anonymizer_);
    }
    if (begins_its_data && what.kind == PayloadKind::sense_data) return rewrite_sense_segment(bytes);
    if (begins_its_data && what.kind == PayloadKind::async_data) return rewrite_async_segment(bytes);
    // The header that was rejected says no more than it did when it was sent.
    const size_t stays =
        begins_its_data && what.kind == PayloadKind::reject_data ? std::min(bytes.size(), bhs_length) : 0;
    std::ranges::fill(bytes.subspan(stays), uint8_t{0});
}

void PayloadAnonymizer::rewrite_runs(const PayloadPart& what, std::vector<uint8_t>& bytes,
                                     const std::vector<bool>& captured) {
    for (size_t at = 0; at < bytes.size();) {
        if (!captured[at]) {
            ++at;
            continue;
        }
        size_t end = at;
        while (end < bytes.size() && captured[end]) ++end;
        rewrite(what, std::span(bytes).subspan(at, end - at), at > 0);
        at = end;
    }
}

PayloadAnonymizer::Stretches::iterator PayloadAnonymizer::settle_text(Stretches::iterator first) {
    std::vector<uint8_t> bytes;
    std::vector<bool> captured;
    auto end = first;
    bool goes_on = true;
    for (; goes_on && end != stretches_.end(); ++end) {
        const bool is_same = end->first.connection == first->first.connection &&
                             end->first.from_target == first->first.from_target;
        if (!is_same) break;
        if (end->second.what.kind != PayloadKind::text) continue;
        bytes.insert(bytes.end(), end->second.bytes.begin(), end->second.bytes.end());
        captured.insert(captured.end(), end->second.captured.begin(), end->second.captured.end());
        goes_on = text_continues(end->first);
    }
    rewrite_runs(first->second.what, bytes, captured);
    size_t at = 0;
    for (auto each = first; each != end; ++each) {
        Stretch& stretch = each->second;
        if (stretch.what.kind != PayloadKind::text) continue;
        const std::span<const uint8_t> now = std::span(bytes).subspan(at, stretch.bytes.size());
        if (stretch.is_whole()) settle_digest(each->first, stretch.bytes, now);
        stretch.bytes.assign(now.begin(), now.end());
        at += now.size();
    }
    return end;
}

void PayloadAnonymizer::settle() {
    for (auto& [place, stretch] : stretches_) {
        if (stretch.what.kind == PayloadKind::text || !has_names(stretch.what.kind)) continue;
        std::vector<uint8_t> now = stretch.bytes;
        rewrite_runs(stretch.what, now, stretch.captured);
        if (stretch.is_whole()) settle_digest(place, stretch.bytes, now);
        stretch.bytes = std::move(now);
    }
    for (auto each = stretches_.begin(); each != stretches_.end();)
        each = each->second.what.kind == PayloadKind::text ? settle_text(each) : std::next(each);
    text_headers_.clear();
}

void PayloadAnonymizer::settle_digest(const Place& data, std::span<const uint8_t> before,
                                      std::span<const uint8_t> now) {
    const size_t padding_length = (4 - before.size() % 4) % 4;
    Place place = data;
    place.offset += before.size();
    std::span<const uint8_t> padding;
    if (padding_length > 0) {
        const auto found = stretches_.find(place);
        const bool good = found != stretches_.end() && found->second.what.kind == PayloadKind::padding &&
                          found->second.bytes.size() == padding_length && found->second.is_whole();
        if (!good) return;
        padding = found->second.bytes;
    }
    place.offset += padding_length;
    const auto found = stretches_.find(place);
    if (found == stretches_.end()) return;
    Stretch& digest = found->second;
    const bool good = digest.what.kind == PayloadKind::data_digest && digest.bytes.size() == digest_length &&
                      digest.is_whole() && load_le32(digest.bytes.data()) == digest_of(before, padding);
    if (!good) return;
    constexpr std::array<uint8_t, longest_padding> zeros{};
    const uint32_t crc = digest_of(now, std::span(zeros).first(padding_length));
    for (unsigned i = 0; i < digest_length; ++i) digest.bytes[i] = static_cast<uint8_t>(crc >> 8 * i);
}

void PayloadAnonymizer::apply(const PacketParts& packet, std::span<uint8_t> payload) const {
    if (!packet.iscsi) return;
    for (const PayloadPart& part : packet.parts) {
        const bool is_digest = part.kind == PayloadKind::data_digest;
        if (!is_digest && !has_names(part.kind)) continue;
        if (part.offset >= payload.size()) continue;
        const auto bytes =
            payload.subspan(part.offset, std::min<size_t>(part.length, payload.size() - part.offset));
        const Place place{packet.connection, packet.from_target, part.stream_offset - part.begin};
        const auto found = stretches_.find(place);
        const bool is_known = found != stretches_.end() && found->second.what.kind == part.kind &&
                              part.begin + bytes.size() <= found->second.bytes.size();
        if (is_known) {
            std::copy_n(found->second.bytes.begin() + part.begin, bytes.size(), bytes.begin());
        } else if (!is_digest) {
            std::ranges::fill(bytes, uint8_t{0});
        }
    }
}

}  // namespace sanscope
