// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/capture_notes.h"

#include <string_view>
#include <utility>

#include "analyzer/base/utf8.h"

namespace sanscope {
namespace {

std::string text_of(std::span<const uint8_t> comment) {
    if (comment.empty()) return {};
    return cleaned_text(std::string_view(reinterpret_cast<const char*>(comment.data()), comment.size()));
}

}  // namespace

bool CaptureNotes::takes(const std::string& text) {
    if (of_packets_.size() + of_capture_.size() == max_notes || text.size() > max_bytes - bytes_) {
        left_out_++;
        return false;
    }
    bytes_ += text.size();
    return true;
}

void CaptureNotes::add(uint64_t packet, std::span<const uint8_t> comment) {
    std::string text = text_of(comment);
    if (takes(text)) of_packets_.push_back({packet, std::move(text)});
}

void CaptureNotes::add_of_capture(std::span<const uint8_t> comment) {
    std::string text = text_of(comment);
    if (takes(text)) of_capture_.push_back(std::move(text));
}

}  // namespace sanscope
