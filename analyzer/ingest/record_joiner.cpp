// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/record_joiner.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace sanscope {
namespace {

// What was carried of a huge record is given back to the system once it is done with.
constexpr size_t carried_kept = size_t{1} << 20;

}  // namespace

void RecordJoiner::parse(PacketBatch& batch) {
    batch.packets.clear();
    batch.first_packet = next_packet_;
    if (fault_) return;

    const size_t fresh = batch.end - batch.begin;
    const uint64_t end_of_bytes = batch.file_offset + fresh;
    if (carried_.size() + fresh < wanted_) {
        carried_.insert(carried_.end(), batch.buffer.data() + batch.begin, batch.buffer.data() + batch.end);
    } else {
        prepend_carried(batch);
        const auto bytes =
            std::span<const uint8_t>(batch.buffer.data() + batch.begin, batch.end - batch.begin);
        const RecordParser::Progress progress = parser_->parse(bytes, batch.packets);
        wanted_ = progress.wanted;
        const auto rest = bytes.subspan(progress.consumed);
        carried_.assign(rest.begin(), rest.end());
        if (carried_.capacity() > carried_kept && carried_.size() < carried_kept) carried_.shrink_to_fit();
        next_packet_ += batch.packets.size();
    }

    if (parser_->fault()) {
        fault_ = parser_->fault();
    } else if (!batch.fault.empty()) {
        fault_ = FormatFault{end_of_bytes, batch.fault};
    } else if (batch.last) {
        fault_ = parser_->fault_at_end(carried_.size());
    }
}

void RecordJoiner::prepend_carried(PacketBatch& batch) {
    if (carried_.empty()) return;
    if (carried_.size() > batch.begin) {
        const size_t fresh = batch.end - batch.begin;
        const size_t begin = (carried_.size() + ByteBuffer::page - 1) / ByteBuffer::page * ByteBuffer::page;
        ByteBuffer larger(begin + fresh);
        std::memcpy(larger.data() + begin, batch.buffer.data() + batch.begin, fresh);
        batch.buffer = std::move(larger);
        batch.begin = begin;
        batch.end = begin + fresh;
    }
    batch.begin -= carried_.size();
    batch.file_offset -= carried_.size();
    std::memcpy(batch.buffer.data() + batch.begin, carried_.data(), carried_.size());
}

}  // namespace sanscope
