// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/proto/message_pipe.h"

#include <google/protobuf/stubs/common.h>

namespace sanscope {
namespace {

// Takes a number off the beginning; false where there is none.
bool take_varint(std::span<const uint8_t>& bytes, uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (bytes.empty()) return false;
        const uint8_t byte = bytes.front();
        bytes = bytes.subspan(1);
        value |= uint64_t{byte & 0x7fu} << shift;
        if ((byte & 0x80) == 0) return true;
    }
    return false;
}

// Takes a field off the beginning, and gives what it holds where that has a length; false where there is none.
bool take_field(std::span<const uint8_t>& bytes, std::span<const uint8_t>& inside) {
    enum WireType : uint8_t { varint = 0, fixed64 = 1, with_length = 2, fixed32 = 5 };
    uint64_t tag = 0;
    uint64_t length = 0;
    inside = {};
    if (!take_varint(bytes, tag)) return false;
    switch (tag & 7) {
        case varint:
            return take_varint(bytes, length);
        case fixed64:
            length = 8;
            break;
        case fixed32:
            length = 4;
            break;
        case with_length:
            if (!take_varint(bytes, length)) return false;
            break;
        default:
            return false;
    }
    if (length > bytes.size()) return false;
    if ((tag & 7) == with_length) inside = bytes.first(length);
    bytes = bytes.subspan(length);
    return true;
}

// Whether there are no more than `most` fields in a message and in those of its fields that have a length, which may be
// messages. What is no field at all, the parser is to tell.
bool few_parts(std::span<const uint8_t> message, uint64_t most) {
    if (message.size() <= most) return true;
    uint64_t parts = 0;
    std::span<const uint8_t> inside;
    while (!message.empty() && take_field(message, inside)) {
        std::span<const uint8_t> deeper;
        for (++parts; !inside.empty() && take_field(inside, deeper); ++parts) {
            if (parts > most) return false;
        }
        if (parts > most) return false;
    }
    return true;
}

}  // namespace

void append_message(const google::protobuf::MessageLite& message, std::vector<uint8_t>& bytes) {
    const size_t length = message.ByteSizeLong();
    for (size_t rest = length;;) {
        const auto low = static_cast<uint8_t>(rest & 0x7f);
        rest >>= 7;
        bytes.push_back(rest == 0 ? low : low | 0x80);
        if (rest == 0) break;
    }
    const size_t begin = bytes.size();
    bytes.resize(begin + length);
    message.SerializeWithCachedSizesToArray(bytes.data() + begin);
}

void MessageDecoder::add(std::span<const uint8_t> bytes) {
    if (begin_ == bytes_.size()) {
        bytes_.clear();
        begin_ = 0;
    } else if (begin_ > bytes_.size() / 2) {
        bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(begin_));
        begin_ = 0;
    }
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

MessageDecoder::Outcome MessageDecoder::next(google::protobuf::MessageLite& message) {
    if (garbage_) return Outcome::garbage;
    uint64_t length = 0;
    size_t at = begin_;
    for (unsigned shift = 0;; shift += 7) {
        if (at == bytes_.size()) return Outcome::incomplete;
        const uint8_t byte = bytes_[at++];
        length |= uint64_t{byte & 0x7fu} << shift;
        if (length > limits_.length || shift > 28) garbage_ = true;
        if (garbage_) return Outcome::garbage;
        if ((byte & 0x80) == 0) break;
    }
    if (bytes_.size() - at < length) return Outcome::incomplete;
    const auto whole = std::span<const uint8_t>(bytes_).subspan(at, length);
    if (!few_parts(whole, limits_.parts) || !message.ParseFromArray(whole.data(), static_cast<int>(length))) {
        garbage_ = true;
        return Outcome::garbage;
    }
    begin_ = at + length;
    return Outcome::message;
}

std::string message_library_version() {
    return google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION);
}

}  // namespace sanscope
