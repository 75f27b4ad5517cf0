// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fmt/core.h>
#include <span>
#include <variant>

#include "analyzer/base/crc32c.h"
#include "analyzer/base/result.h"
#include "analyzer/iscsi/bhs.h"

namespace sanscope {

// Cuts the bytes that a connection receives into PDUs (RFC 7143 §11.2), however they come. Keeps no data and takes no
// memory: what a PDU carries goes to the handler as it comes, or, where the handler wants none of it, may be left in
// the kernel.
//
// The handler has:
//     bool on_header(Bhs header)                                  whether it wants the data, if there are any
//     void on_data(std::span<const uint8_t> piece, uint32_t at)   wanted data, `at` bytes behind the segment's first
//     void on_end(Bhs header, bool intact)                        all of the PDU is there; not `intact`: its data digest is wrong
// The header is good until the handler returns.
class PduReceiver {
  public:
    struct Options {
        bool header_digest = false;
        bool data_digest = false;
        uint32_t most_data = max_data_segment_length;  // as this side declared: MaxRecvDataSegmentLength
    };

    explicit PduReceiver(const Options& options) : options_(options) {}

    // An Error where the other side breaks the rules or its header digest is wrong: PDU boundaries behind it are lost.
    template <class Handler>
    Result<std::monostate> take(std::span<const uint8_t> bytes, Handler& handler);

    // So many of the bytes that come next nobody wants: they may be thrown away where they are.
    uint32_t unwanted() const {
        return stage_ == Stage::data && !wanted_ && !options_.data_digest ? left_ : 0;
    }
    // That was done with so many of them, 0 < `bytes` <= unwanted().
    template <class Handler>
    void passed_over(uint32_t bytes, Handler& handler);

    // Of the PDUs that follow. Between PDUs only, or from on_end().
    void agree(const Options& options) { options_ = options; }

    // So many bytes at least are still to come of the PDU that has begun.
    uint32_t missing() const { return left_; }

    // A PDU has begun and is not yet all there.
    bool within_pdu() const { return stage_ != Stage::header || left_ != bhs_length; }

  private:
    enum class Stage : uint8_t { header, ahs, header_digest, data, data_digest };

    Bhs header() const { return Bhs(header_.data()); }
    uint32_t padded() const { return header().padded_data_length(); }
    template <class Handler>
    Result<std::monostate> end_stage(Handler& handler);
    template <class Handler>
    void end_pdu(bool intact, Handler& handler);
    void begin(Stage stage, uint32_t length) {
        stage_ = stage;
        left_ = length;
    }

    Options options_;
    Stage stage_ = Stage::header;
    uint32_t left_ = bhs_length;  // of the stage
    bool wanted_ = false;
    uint32_t crc_ = crc32c_init;
    std::array<uint8_t, bhs_length> header_{};
    std::array<uint8_t, digest_length> digest_{};
};

template <class Handler>
Result<std::monostate> PduReceiver::take(std::span<const uint8_t> bytes, Handler& handler) {
    while (!bytes.empty()) {
        const auto count = static_cast<uint32_t>(std::min<size_t>(left_, bytes.size()));
        const std::span<const uint8_t> piece = bytes.first(count);
        switch (stage_) {
            case Stage::header:
                std::memcpy(header_.data() + (bhs_length - left_), piece.data(), count);
                [[fallthrough]];
            case Stage::ahs:
                if (options_.header_digest) crc_ = crc32c_update(crc_, piece);
                break;
            case Stage::header_digest:
            case Stage::data_digest:
                std::memcpy(digest_.data() + (digest_length - left_), piece.data(), count);
                break;
            case Stage::data: {
                if (options_.data_digest) crc_ = crc32c_update(crc_, piece);
                const uint32_t at = padded() - left_;
                const uint32_t length = header().data_segment_length();
                if (wanted_ && at < length) handler.on_data(piece.first(std::min(count, length - at)), at);
                break;
            }
        }
        bytes = bytes.subspan(count);
        left_ -= count;
        if (left_ > 0) break;
        if (auto ended = end_stage(handler); !ended) return ended;
    }
    return std::monostate{};
}

template <class Handler>
void PduReceiver::passed_over(uint32_t bytes, Handler& handler) {
    left_ -= bytes;
    if (left_ == 0) end_pdu(true, handler);
}

template <class Handler>
Result<std::monostate> PduReceiver::end_stage(Handler& handler) {
    switch (stage_) {
        case Stage::header:
            if (header().data_segment_length() > options_.most_data) {
                return Error{
                    fmt::format("a PDU came with {} bytes of data, more than the {} that were allowed",
                                header().data_segment_length(), options_.most_data)};
            }
            begin(Stage::ahs, header().ahs_length());
            if (left_ > 0) return std::monostate{};
            [[fallthrough]];
        case Stage::ahs:
            begin(Stage::header_digest, options_.header_digest ? digest_length : 0);
            if (left_ > 0) return std::monostate{};
            break;
        case Stage::header_digest:
            if (load_le32(digest_.data()) != crc32c_final(crc_))
                return Error{"the header digest of a PDU is wrong"};
            break;
        case Stage::data:
            if (options_.data_digest) {
                begin(Stage::data_digest, digest_length);
            } else {
                end_pdu(true, handler);
            }
            return std::monostate{};
        case Stage::data_digest:
            end_pdu(load_le32(digest_.data()) == crc32c_final(crc_), handler);
            return std::monostate{};
    }
    crc_ = crc32c_init;
    wanted_ = handler.on_header(header());
    begin(Stage::data, padded());
    if (left_ == 0) end_pdu(true, handler);
    return std::monostate{};
}

template <class Handler>
void PduReceiver::end_pdu(bool intact, Handler& handler) {
    crc_ = crc32c_init;
    begin(Stage::header, bhs_length);
    handler.on_end(header(), intact);
}

}  // namespace sanscope
