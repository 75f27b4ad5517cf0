// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/iscsi/bhs.h"
#include "analyzer/iscsi/wrong_digest.h"
#include "analyzer/tcp/stream_reassembler.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// Whether a kind of digest is in use in one direction of a connection.
enum class DigestUse : uint8_t { unknown, no, yes };

// One iSCSI PDU as found. Valid until the framer's next call.
struct Pdu {
    const uint8_t* header = nullptr;  // the 48 bytes of the BHS, zero where the capture has none
    uint8_t header_captured = 0;      // of them, from the first on; at least 8
    std::span<const uint8_t> ahs;     // as captured
    std::span<const uint8_t> data;    // the data segment's first bytes, where they were kept
    uint64_t offset = 0;              // of the header in the stream
    Arrival first;                    // the packet that holds the header's first byte
    Arrival first_data;  // the packet that held the data segment's first byte seen, captured or cut off
    Arrival last;        // the moment of completion; packet 0 where that never came
    Digest header_digest = Digest::none;
    Digest data_digest = Digest::none;
    DigestError header_error;  // of digests that are bad: why, as far as examined
    DigestError data_error;    // likewise
    bool inferred = false;     // nobody saw the header: its bytes are what others imply
    bool end_not_captured =
        false;             // its last bytes are in no captured packet: when it completed is not known …
    Arrival behind;        // … but before this one came
    bool damaged = false;  // bytes of it are in no captured packet, or it never completed

    Bhs bhs() const { return Bhs(header); }
};

// What a framer asks of the session that its headers belong to.
class HeaderWitness {
  public:
    virtual ~HeaderWitness() = default;
    // The resynchronisation heuristic: where the framer has lost the header boundaries, whether these bytes are a plausible
    // header of this session, by its task tags and sequence numbers. They begin at this offset of the stream.
    // `captured` >= least_cut_header bytes; they have passed looks_like_header(), or are a whole header with an opcode that goes in
    // this direction, where one is expected.
    virtual bool is_plausible_header(const uint8_t* bytes, size_t captured, uint64_t offset) const = 0;
    // Whether the data of this Data-In PDU are to be kept, as far as `kept_text`: they tell of the logical unit or its paths.
    virtual bool wants_data_in(const Bhs&) const { return false; }
};

// A part of a stream in which headers may lie that the capture does not have.
struct UnseenStretch {
    struct Mark {
        uint64_t end;        // stream offset up to which …
        Arrival delivered;   // … bytes had been delivered: at this moment, or, not captured, by then …
        PacketNumber after;  // … and not before this packet
        bool not_captured;
    };
    uint64_t begin = 0;  // where a header began, or the stream's first byte
    uint64_t end = 0;    // where the next seen header begins
    bool begin_is_header = false;
    std::vector<Mark> marks;  // at most `max_marks`, in order; the last ones are missing beyond that
    static constexpr size_t max_marks = 32768;

    // A segment's captured part and the part cut off come at one moment: one mark.
    void mark(uint64_t up_to, const StreamPiece& piece) {
        const Arrival& delivered = piece.not_captured ? piece.carried : piece.delivered;
        const bool same_moment = !marks.empty() && marks.back().delivered.packet == delivered.packet &&
                                 marks.back().not_captured == piece.not_captured;
        if (same_moment) {
            marks.back().end = up_to;
        } else if (marks.size() < max_marks) {
            marks.push_back({up_to, delivered, piece.delivered.packet, piece.not_captured});
        }
    }
};

// One direction of an iSCSI connection: pieces of the stream in, PDUs out (RFC 7143 §11.2). The lengths in each header
// say where the next begins, so that bytes which the capture lacks cost no more than themselves. Where a header itself
// is missing, the framer searches what follows for a header that the witness finds plausible, and reports what lies
// between as an UnseenStretch.
//
// Digests (§11.2.3, §11.2.4) are as set_digests() says, or found out: four bytes that are the CRC32C of what they follow.
class PduFramer {
  public:
    PduFramer(bool from_target, const HeaderWitness& witness)
        : witness_(&witness), from_target_(from_target) {}

    // What is still to be consumed of a StreamPiece.
    struct Cursor {
        explicit Cursor(const StreamPiece& of)
            : data(of.data), captured(of.captured), length(of.length), piece(&of) {}
        const uint8_t* data;
        uint32_t captured;
        uint32_t length;
        const StreamPiece* piece;
    };

    enum class Fed : uint8_t {
        more,            // the piece is consumed
        pdu,             // pdu() has completed; feed() again with the same cursor
        resynchronised,  // stretch() is known; feed() again with the same cursor
    };
    Fed feed(Cursor& cursor);

    // True: the piece is data of the PDU under way, which goes on behind it, and it is consumed: as most pieces of long
    // PDUs are, at whose bytes nobody looks.
    bool passes(const StreamPiece& piece) {
        const bool is_within = expect_ == Expect::data && !emitted_ && piece.length < remaining_;
        if (!is_within || crc_whole_ || keep_ > 0 || piece.not_captured || piece.length == 0) return false;
        if (pdu_.first_data.packet == 0) pdu_.first_data = piece.carried;
        pdu_.end_not_captured = false;
        remaining_ -= piece.length;
        offset_ += piece.length;
        last_ = piece.delivered;
        return true;
    }

    // The stream has ended. True once if a PDU was under way; it is in pdu(), damaged and never completed unless all
    // that lacked was a look at whether a digest follows.
    bool finish();

    const Pdu& pdu() const { return pdu_; }
    const UnseenStretch& stretch() const { return stretch_; }
    // Whether a stretch is open; if so it is in stretch() as far as it goes by now.
    bool stretch_is_open();

    // From the next header on.
    void set_digests(DigestUse header, DigestUse data);
    DigestUse header_digest() const { return header_digest_; }
    DigestUse data_digest() const { return data_digest_; }

    // From the next header on: of data segments the capture may have zeros in the place of bytes. A data digest that does not
    // match is no bad one, then, and none is found out by trying.
    void data_are_not_kept() { data_kept_ = false; }

    // For those who follow a stream byte by byte: how far it has been read.
    uint64_t next_offset() const { return offset_ - stray_; }
    // Whether the header of a PDU is known whose data segment is being read: pdu_under_way(), from header_offset(), and the data
    // from data_begin().
    bool data_is_under_way() const { return expect_ == Expect::data && !emitted_; }
    Bhs pdu_under_way() const { return Bhs(header_.data()); }
    uint64_t header_offset() const { return pdu_.offset; }
    // Behind the header and its digest; of pdu() too.
    uint64_t data_begin() const { return data_begin_; }
    // Looking for a header: so many bytes before next_offset() may turn out to be its beginning.
    size_t header_may_lie_within() const { return synchronised() ? 0 : window_.size(); }

    // The stream's first byte is not known to begin a header: look for one.
    void begin_unsynchronised();
    bool synchronised() const { return expect_ != Expect::resync; }
    // Whether pdu() is one of a chain of headers from the stream's beginning, or from one found again to which another followed
    // where its lengths say, or whose digest is right.
    bool proven() const { return !unproven_; }

  private:
    enum class Expect : uint8_t {
        header,       // BHS, AHS and header digest, up to header_needed_
        data,         // data segment with padding, remaining_ bytes to go
        data_digest,  // up to 4 bytes that are a digest, or the next header's first
        resync,
    };
    enum class Undigested : uint8_t { nothing, header, data };
    static constexpr size_t max_ahs = size_t{255} * 4;
    static constexpr size_t header_capacity = bhs_length + max_ahs + digest_length;
    static constexpr uint32_t length_fields_end = 8;  // with this much of a header its lengths are known
    static constexpr uint32_t kept_small =
        512;  // of any data segment, as much is kept where that is all of it
    static constexpr uint32_t kept_text = 65536;  // of login and text PDUs, and of Data-In that is wanted

    void begin_header();
    Fed feed_header(Cursor& cursor);
    void settle_undigested();
    void drop_leading_digest();
    bool bhs_collected();
    bool proves_the_one_before();
    bool digest_to_come();
    Fed header_collected(Cursor& cursor);
    Fed after_probe(const Cursor& cursor, uint32_t n);
    Fed header_absent(Cursor& cursor);
    Fed after_header();
    bool is_wanted_data_in(const Bhs& bhs) const;
    Fed feed_data(Cursor& cursor);
    void examine_header(uint32_t computed, uint32_t received);
    void examine_data(uint32_t received);
    void pass_data(const uint8_t* bytes, uint32_t n, Arrival carried);
    Fed after_data(const Cursor& cursor);
    Fed feed_data_digest(Cursor& cursor);
    Fed complete();
    void lose_header(bool begin_is_header);
    Fed feed_resync(Cursor& cursor);
    bool header_at(const uint8_t* bytes, size_t captured, uint64_t offset) const;
    bool may_follow(const uint8_t* bytes, size_t captured, uint64_t offset) const;
    bool leads_to_another(const uint8_t* bytes, size_t captured, uint64_t offset) const;
    Fed found_header(Arrival carried);
    void take(Cursor& cursor, uint32_t n);
    void take_absent(Cursor& cursor, uint32_t n);
    bool is_login() const;
    uint32_t ahs_end() const { return static_cast<uint32_t>(bhs_length) + header_[4] * 4u; }

    const HeaderWitness* witness_;
    Expect expect_ = Expect::header;
    bool from_target_;
    bool unproven_ = false;    // a header was found again, and nothing has shown yet that it is one
    bool negotiated_ = false;  // the digests in use were reported, not found out
    bool emitted_ = false;     // pdu_ was handed out: the next call begins a new header
    DigestUse header_digest_ = DigestUse::unknown;
    DigestUse data_digest_ = DigestUse::unknown;
    bool before_had_data_ = false;  // the PDU before had a data segment
    bool probing_header_digest_ = false;
    bool data_kept_ = true;
    bool crc_whole_ = false;   // data_crc_ covers every byte of the data segment so far
    bool crc32_runs_ = false;  // data_crc32_ does as well
    // What ended its segment before it was known whether a digest follows.
    Undigested undigested_ = Undigested::nothing;
    uint32_t undigested_crc_ =
        0;                      // CRC of the header before, of which it is unknown whether a digest followed
    uint32_t stray_ = 0;        // bytes in stray_bytes_
    uint32_t header_have_ = 0;  // bytes of the header passed, captured or not
    uint32_t header_captured_ = 0;  // captured from the first on
    uint32_t header_needed_ = bhs_length;
    uint32_t remaining_ = 0;  // of the padded data segment
    uint32_t data_crc_ = 0;
    uint32_t data_crc32_ = 0;
    uint32_t digest_passed_ = 0;  // bytes of the data digest passed, captured or not
    uint32_t keep_ = 0;           // bytes of this data segment still to keep
    uint64_t offset_ = 0;         // stream offset of the next byte
    uint64_t data_begin_ = 0;     // stream offset
    Arrival last_of_header_;      // while probing: as last_ was before the four bytes
    Arrival probe_carried_;       // the packet that holds the first of them
    Arrival last_;                // the moment of the last byte of this PDU that some packet held
    Arrival stray_carried_;
    std::array<uint8_t, digest_length> stray_bytes_{};
    std::array<uint8_t, header_capacity> header_{};
    std::vector<uint8_t> data_;
    std::vector<uint8_t> window_;  // looking for a header: the last captured bytes where they are contiguous
    std::vector<Arrival> window_carried_;  // the packet that holds each of them
    UnseenStretch stretch_;
    DigestExaminer examiner_;
    Pdu pdu_;
};

}  // namespace sanscope
