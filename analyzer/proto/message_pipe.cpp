// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/proto/message_pipe.h"

namespace sanscope {

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
        if (length > max_length || shift > 28) garbage_ = true;
        if (garbage_) return Outcome::garbage;
        if ((byte & 0x80) == 0) break;
    }
    if (bytes_.size() - at < length) return Outcome::incomplete;
    if (!message.ParseFromArray(bytes_.data() + at, static_cast<int>(length))) {
        garbage_ = true;
        return Outcome::garbage;
    }
    begin_ = at + length;
    return Outcome::message;
}

}  // namespace sanscope
