// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/pcapng_sections.h"

#include <algorithm>
#include <fmt/format.h>

namespace sanscope {

bool PcapngSections::takes(size_t bytes, uint64_t next_packet) {
    if (end_ != UINT64_MAX) return false;
    if (bytes > max_bytes - used_) {
        end_ = next_packet;
        return false;
    }
    used_ += bytes;
    return true;
}

void PcapngSections::begin_section(FileByteOrder order, uint64_t next_packet) {
    if (takes(sizeof(Section), next_packet)) sections_.push_back({next_packet, order});
}

void PcapngSections::add(Kind kind, std::span<const uint8_t> block, uint64_t next_packet) {
    const size_t bytes = sizeof(Kept) + block.size();
    if (kind == Kind::other) {
        if (bytes > max_other_bytes - other_bytes_ || bytes > max_bytes - used_) return;
        other_bytes_ += bytes;
    }
    if (!takes(bytes, next_packet)) return;
    blocks_.push_back({next_packet, bytes_.size(), static_cast<uint32_t>(block.size()),
                       static_cast<uint32_t>(sections_.size()), kind});
    bytes_.insert(bytes_.end(), block.begin(), block.end());
}

PcapngSections::Block PcapngSections::block(size_t index) const {
    const Kept& kept = blocks_[index];
    return {kept.before_packet, kept.section, kept.kind,
            std::span<const uint8_t>(bytes_).subspan(kept.begin, kept.length)};
}

std::string PcapngSections::why_ended() {
    return fmt::format("the capture describes sections and interfaces in more than {} MiB", max_bytes >> 20);
}

uint32_t PcapngSections::section_of(uint64_t packet) const {
    if (packet >= end_) return 0;
    const auto behind = std::ranges::upper_bound(sections_, packet, {}, &Section::first_packet);
    return static_cast<uint32_t>(behind - sections_.begin());
}

}  // namespace sanscope
