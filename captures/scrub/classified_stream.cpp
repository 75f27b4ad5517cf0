// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/scrub/classified_stream.h"

#include <algorithm>

#include "analyzer/base/crc32c.h"

namespace sanscope {
namespace {

template <class List>
auto first_behind(List& list, uint64_t offset) {
    return std::partition_point(list.begin(), list.end(),
                                [&](const auto& entry) { return entry.end <= offset; });
}

PayloadPart unknown_part(uint64_t begin, uint64_t end, uint64_t payload_begin) {
    PayloadPart part;
    part.offset = static_cast<uint32_t>(begin - payload_begin);
    part.length = static_cast<uint32_t>(end - begin);
    part.whole = part.length;
    part.stream_offset = begin;
    return part;
}

void append(std::vector<PayloadPart>& parts, const PayloadPart& part) {
    const bool goes_on = !parts.empty() && parts.back().kind == PayloadKind::unknown &&
                         part.kind == PayloadKind::unknown &&
                         parts.back().offset + parts.back().length == part.offset;
    if (!goes_on) return parts.push_back(part);
    parts.back().length += part.length;
    parts.back().whole += part.length;
}

}  // namespace

// Half of the lists at once, so that it costs little a time.
void ClassifiedStream::forget_oldest(PacketNumber awaited) {
    if (brought_.size() < 2 * remembered && (ranges_.size() < most_ranges || brought_.empty())) return;
    const size_t stay = std::min(remembered, brought_.size() / 2);
    const auto most = brought_.end() - static_cast<std::ptrdiff_t>(stay);
    const auto needed = std::find_if(brought_.begin(), most, [&](const Brought& entry) {
        return !entry.looked_up && entry.packet >= awaited;
    });
    brought_.erase(brought_.begin(), needed);
    const uint64_t from = brought_.empty() ? end_ : brought_.front().begin;
    ranges_.erase(ranges_.begin(), first_behind(ranges_, from));
}

void ClassifiedStream::classify(uint64_t end, const PayloadPart& part, uint64_t stretch_begin) {
    if (end <= end_) return;
    const bool goes_on = !ranges_.empty() && ranges_.back().part.kind == part.kind &&
                         (ranges_.back().stretch_begin == stretch_begin || part.kind == PayloadKind::unknown);
    if (goes_on) {
        ranges_.back().end = end;
    } else {
        ranges_.push_back({end_, end, stretch_begin, part});
    }
    end_ = end;
}

void ClassifiedStream::bring(uint64_t begin, uint64_t end, PacketNumber packet, PacketNumber awaited) {
    if (!brought_.empty() && brought_.back().packet == packet && brought_.back().end == begin) {
        brought_.back().end = end;
        return;
    }
    forget_oldest(awaited);
    brought_.push_back({begin, end, packet});
}

uint32_t ClassifiedStream::kept_crc(uint64_t begin, uint64_t end, uint64_t payload_begin,
                                    std::span<const uint8_t> payload) const {
    uint32_t crc = crc32c_init;
    const uint64_t captured_end = payload_begin + payload.size();
    for (auto range = first_behind(ranges_, begin); range != ranges_.end() && range->begin < end; ++range) {
        if (!is_kept_with_headers(range->part.kind)) continue;
        const uint64_t from = std::max(begin, range->begin);
        const uint64_t to = std::min({end, range->end, captured_end});
        if (from < to) crc = crc32c_update(crc, payload.subspan(from - payload_begin, to - from));
    }
    return crc32c_final(crc);
}

void ClassifiedStream::add_parts(uint64_t begin, uint64_t end, uint64_t payload_begin, bool unknown,
                                 std::vector<PayloadPart>& parts) const {
    uint64_t at = begin;
    for (auto range = first_behind(ranges_, begin); !unknown && range != ranges_.end() && range->begin < end;
         ++range) {
        if (at < range->begin) append(parts, unknown_part(at, range->begin, payload_begin));
        at = std::max(at, range->begin);
        PayloadPart part = range->part;
        const uint64_t to = std::min(end, range->end);
        part.offset = static_cast<uint32_t>(at - payload_begin);
        part.length = static_cast<uint32_t>(to - at);
        part.stream_offset = at;
        if (part.kind == PayloadKind::unknown) {
            part = unknown_part(at, to, payload_begin);
        } else {
            part.begin = static_cast<uint32_t>(at - range->stretch_begin);
        }
        append(parts, part);
        at = to;
    }
    if (at < end) append(parts, unknown_part(at, end, payload_begin));
}

void ClassifiedStream::look_up(int64_t begin, uint32_t length, std::span<const uint8_t> payload,
                               PacketNumber packet, std::vector<PayloadPart>& parts, bool& seen_before) {
    parts.clear();
    seen_before = false;
    // Before the stream's first byte.
    const uint32_t before = begin >= 0 ? 0 : static_cast<uint32_t>(std::min<int64_t>(-begin, length));
    if (before > 0) {
        PayloadPart part;
        part.length = part.whole = before;
        parts.push_back(part);
        if (before == length) return;
        std::vector<PayloadPart> rest;
        look_up(0, length - before, payload.subspan(std::min<size_t>(before, payload.size())), packet, rest,
                seen_before);
        for (PayloadPart& each : rest) {
            each.offset += before;
            append(parts, each);
        }
        return;
    }

    const auto payload_begin = static_cast<uint64_t>(begin);
    const uint64_t payload_end = payload_begin + length;
    uint64_t at = payload_begin;
    seen_before = length > 0;
    for (auto entry = first_behind(brought_, at); entry != brought_.end() && entry->begin < payload_end;
         ++entry) {
        const uint64_t from = std::max(at, entry->begin);
        const uint64_t to = std::min(payload_end, entry->end);
        if (at < from) append(parts, unknown_part(at, from, payload_begin));
        if (entry->packet == packet) {
            seen_before = false;
            entry->kept_crc = kept_crc(entry->begin, entry->end, payload_begin, payload);
            entry->looked_up = true;
            add_parts(from, to, payload_begin, false, parts);
        } else {
            const bool all_here = entry->begin >= payload_begin && entry->end <= payload_end;
            const bool same = all_here && entry->looked_up && entry->packet != 0 &&
                              kept_crc(entry->begin, entry->end, payload_begin, payload) == entry->kept_crc;
            add_parts(from, to, payload_begin, !same, parts);
        }
        at = to;
    }
    if (at < payload_end) {
        append(parts, unknown_part(at, payload_end, payload_begin));
        seen_before = false;
    }
}

}  // namespace sanscope
