// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/arrow/column_buffers.h"

#include <algorithm>
#include <cstring>

#include "analyzer/base/utf8.h"

namespace sanscope {

void Bits::assign(std::span<const uint8_t> values) {
    bytes_.assign((values.size() + 7) / 8, 0);
    size_t i = 0;
    for (; i + 8 <= values.size(); i += 8) {
        uint64_t eight;
        std::memcpy(&eight, values.data() + i, sizeof eight);
        // Of bytes that are 0 or 1 the product has byte k as bit 56 + k.
        bytes_[i / 8] = static_cast<char>(eight * 0x0102040810204080 >> 56);
    }
    for (; i < values.size(); i++) {
        bytes_[i / 8] = static_cast<char>(bytes_[i / 8] | values[i] << (i % 8));
    }
}

void Validity::assign(std::span<const uint8_t> known) {
    null_count_ = static_cast<size_t>(std::ranges::count(known, 0));
    if (null_count_ > 0) bits_.assign(known);
}

std::span<const char> Validity::bytes() const {
    return null_count_ > 0 ? bits_.bytes() : std::span<const char>();
}

void Utf8Values::clear() {
    offsets_.assign(1, 0);
    bytes_.clear();
}

void Utf8Values::append(std::string_view text) {
    if (is_printable_ascii(text)) {
        bytes_.append(text);
    } else {
        while (!text.empty()) {
            const size_t length = utf8_sequence_length(text);
            bytes_.append(length == 0 ? utf8_replacement : text.substr(0, length));
            text.remove_prefix(std::max<size_t>(length, 1));
        }
    }
    offsets_.push_back(static_cast<int32_t>(bytes_.size()));
}

std::span<const char> Utf8Values::offsets() const {
    return {reinterpret_cast<const char*>(offsets_.data()), offsets_.size() * sizeof(int32_t)};
}

ArrowArray Utf8Values::array() const {
    return {.length = size(), .null_count = 0, .buffers = {{}, offsets(), text()}};
}

int32_t Dictionary::index_of(std::string_view word) {
    if (last_index_ >= 0 && word == last_) return last_index_;
    auto found = indices_.find(word);
    if (found == indices_.end()) {
        found = indices_.emplace(word, static_cast<int32_t>(words_.size())).first;
        words_.append(word);
    }
    last_ = word;
    last_index_ = found->second;
    return last_index_;
}

}  // namespace sanscope
