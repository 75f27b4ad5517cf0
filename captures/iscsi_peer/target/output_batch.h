// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <sys/uio.h>
#include <utility>
#include <vector>

#include "analyzer/base/crc32c.h"
#include "analyzer/iscsi/bhs_writer.h"

namespace sanscope {

// PDUs on their way to a socket, as what sendmsg() takes: headers are copied, data stay where they are until they are
// sent. Takes no memory but for what is given to keep() or copy().
class OutputBatch {
  public:
    static constexpr size_t most_pdus = 128;

    struct Digests {
        bool header = false;
        bool data = false;
        // What one bit of them becomes wrong with, for tests of initiators.
        bool wrong_header = false;
        bool wrong_data = false;
    };

    OutputBatch() = default;
    OutputBatch(const OutputBatch&) = delete;  // the iovecs point into it
    OutputBatch& operator=(const OutputBatch&) = delete;

    bool empty() const { return first_ == count_; }
    bool full() const { return pdus_ == most_pdus; }
    size_t room() const { return most_pdus - pdus_; }

    // The data's length goes into the header. Not when full().
    void add(BhsWriter header, std::span<const uint8_t> data, Digests digests) {
        Frame& frame = frames_[pdus_++];
        header.data_segment_length(static_cast<uint32_t>(data.size()));
        std::copy_n(header.bytes().begin(), bhs_length, frame.head.begin());
        size_t head = bhs_length;
        if (digests.header) {
            store_digest(digest_of(header.bytes()) ^ (digests.wrong_header ? 1u : 0u),
                         frame.head.data() + head);
            head += digest_length;
        }
        push(frame.head.data(), head);
        if (data.empty()) return;
        // The kernel only reads it.
        push(const_cast<uint8_t*>(data.data()), data.size());
        const size_t padding = (4 - data.size() % 4) % 4;
        if (padding == 0 && !digests.data) return;
        frame.tail.fill(0);
        size_t tail = padding;
        if (digests.data) {
            uint32_t crc = crc32c_update(crc32c_init, data);
            crc = crc32c_update(crc, std::span(frame.tail).first(padding));
            store_digest(crc32c_final(crc) ^ (digests.wrong_data ? 1u : 0u), frame.tail.data() + tail);
            tail += digest_length;
        }
        push(frame.tail.data(), tail);
    }

    // Data that nobody else keeps for so long.
    std::span<const uint8_t> keep(std::vector<uint8_t> bytes) {
        if (bytes.empty()) return {};
        kept_bytes_ += bytes.size();
        return kept_.emplace_back(std::move(bytes));
    }
    // Data that others may write to until they are sent, though a digest is made of them now. Only where there is
    // room_to_copy().
    std::span<const uint8_t> copy(std::span<const uint8_t> bytes) {
        if (copies_.empty()) copies_.reserve(std::max(copied_at_once, bytes.size()));
        const size_t at = copies_.size();
        copies_.insert(copies_.end(), bytes.begin(), bytes.end());
        return std::span(copies_).subspan(at);
    }
    bool room_to_copy(size_t bytes) const {
        return copies_.empty() || bytes <= copies_.capacity() - copies_.size();
    }
    size_t kept_bytes() const { return kept_bytes_ + copies_.size(); }

    std::span<iovec> pieces() { return std::span(pieces_).subspan(first_, count_ - first_); }
    void sent(size_t bytes) {
        while (bytes > 0) {
            iovec& piece = pieces_[first_];
            if (bytes < piece.iov_len) {
                piece.iov_base = static_cast<uint8_t*>(piece.iov_base) + bytes;
                piece.iov_len -= bytes;
                return;
            }
            bytes -= piece.iov_len;
            ++first_;
        }
        if (!empty()) return;
        first_ = count_ = pdus_ = 0;
        kept_.clear();
        kept_bytes_ = 0;
        copies_.clear();
        if (copies_.capacity() > copied_at_once) copies_.shrink_to_fit();
    }

  private:
    static constexpr size_t copied_at_once = size_t{64} * 1024;  // or one PDU

    struct Frame {
        std::array<uint8_t, bhs_length + digest_length> head;
        std::array<uint8_t, 4 + digest_length> tail;
    };

    static uint32_t digest_of(std::span<const uint8_t> bytes) {
        return crc32c_final(crc32c_update(crc32c_init, bytes));
    }
    static void store_digest(uint32_t digest, uint8_t* to) { std::memcpy(to, &digest, sizeof digest); }
    void push(uint8_t* bytes, size_t length) { pieces_[count_++] = {bytes, length}; }

    std::array<Frame, most_pdus> frames_;
    std::array<iovec, 3 * most_pdus> pieces_;
    size_t pdus_ = 0;
    size_t first_ = 0;
    size_t count_ = 0;
    std::vector<std::vector<uint8_t>> kept_;
    size_t kept_bytes_ = 0;
    std::vector<uint8_t> copies_;  // never beyond what was reserved: the iovecs point into it
};

}  // namespace sanscope
