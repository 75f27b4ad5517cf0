// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/record_bytes.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <utility>

#include "analyzer/ingest/decompressor.h"

namespace sanscope {
namespace {

constexpr size_t read_length = size_t{1} << 20;

}  // namespace

Result<RecordBytes> RecordBytes::open(const std::string& path) {
    Result<OpenInput> input = open_input(path);
    if (!input) return input.error();
    RecordBytes bytes;
    bytes.stored_total_ = input->size;
    bytes.source_ = std::make_unique<FileSource>(std::move(input->descriptor));
    bytes.fill(compression_magic_length);
    const CompressionSign sign = detect_compression(bytes.held());
    if (sign.compression == Compression::none) {
        bytes.plain_file_ = input->regular_file;
        return bytes;
    }
    std::vector<uint8_t> first(bytes.held().begin(), bytes.held().end());
    bytes.end_ = 0;
    bytes.source_ = make_decompressor(sign.compression, std::move(bytes.source_), std::move(first));
    if (bytes.source_ == nullptr)
        return Error{fmt::format("compressed with {}, which is not supported", sign.name)};
    return bytes;
}

bool RecordBytes::fill(size_t length) {
    while (held().size() < length) {
        if (begin_ > 0) {
            std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
            end_ -= begin_;
            begin_ = 0;
        }
        if (buffer_.size() < std::max(length, read_length)) buffer_.resize(std::max(length, read_length));
        size_t room = buffer_.size() - end_;
        if (plain_file_) room = static_cast<size_t>(std::min<uint64_t>(room, stored_total_ - stored_read()));
        if (room == 0) return false;
        const size_t read = source_->read(std::span(buffer_).subspan(end_, room));
        if (read == 0) return false;
        end_ += read;
    }
    return true;
}

uint64_t RecordBytes::stored_read() const {
    const uint64_t read = source_->stored_bytes_read();
    return stored_total_ == 0 ? read : std::min(read, stored_total_);
}

}  // namespace sanscope
