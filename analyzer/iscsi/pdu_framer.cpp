// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/iscsi/pdu_framer.h"

#include <algorithm>
#include <cstring>

#include "analyzer/base/crc32c.h"
#include "analyzer/iscsi/header_belief.h"

namespace sanscope {

PduFramer::Fed PduFramer::feed(Cursor& cursor) {
    if (emitted_) begin_header();
    while (cursor.length > 0) {
        Fed fed = Fed::more;
        switch (expect_) {
            case Expect::header:
                fed = feed_header(cursor);
                break;
            case Expect::data:
                fed = feed_data(cursor);
                break;
            case Expect::data_digest:
                fed = feed_data_digest(cursor);
                break;
            case Expect::resync:
                fed = feed_resync(cursor);
                break;
        }
        if (fed != Fed::more) return fed;
    }
    return Fed::more;
}

bool PduFramer::finish() {
    if (emitted_) begin_header();
    const bool nothing_read =
        expect_ == Expect::resync || (expect_ == Expect::header && header_captured_ < length_fields_end);
    if (nothing_read) return false;
    const bool header_whole = probing_header_digest_ && Bhs(header_.data()).data_segment_length() == 0;
    const bool whole = header_whole || (expect_ == Expect::data_digest && data_digest_ == DigestUse::unknown);
    if (header_whole) last_ = last_of_header_;
    stray_ = 0;
    complete();
    if (!whole) {
        pdu_.last = {};
        pdu_.damaged = true;
    }
    return true;
}

bool PduFramer::stretch_is_open() {
    if (expect_ != Expect::resync || emitted_) return false;
    stretch_.end = offset_;
    return true;
}

void PduFramer::set_digests(DigestUse header, DigestUse data) {
    header_digest_ = header;
    data_digest_ = data;
    negotiated_ = header != DigestUse::unknown;
}

void PduFramer::begin_unsynchronised() {
    expect_ = Expect::resync;
    unproven_ = true;
    stretch_.begin = offset_;
    stretch_.begin_is_header = false;
    stretch_.marks.clear();
    window_.clear();
}

void PduFramer::begin_header() {
    emitted_ = false;
    expect_ = Expect::header;
    probing_header_digest_ = false;
    pdu_ = Pdu{};
    pdu_.offset = offset_ - stray_;
    pdu_.first = stray_carried_;
    std::memcpy(header_.data(), stray_bytes_.data(), stray_);
    header_have_ = header_captured_ = stray_;
    header_needed_ = bhs_length;
    stray_ = 0;
}

PduFramer::Fed PduFramer::feed_header(Cursor& cursor) {
    if (cursor.captured == 0) return header_absent(cursor);
    if (header_have_ == 0) pdu_.first = cursor.piece->carried;
    if (probing_header_digest_ && header_have_ == ahs_end()) probe_carried_ = cursor.piece->carried;
    const uint32_t n = std::min(cursor.captured, header_needed_ - header_have_);
    if (header_captured_ == header_have_) {
        std::memcpy(header_.data() + header_have_, cursor.data, n);
        header_captured_ += n;
    }
    header_have_ += n;
    take(cursor, n);
    if (undigested_ != Undigested::nothing && header_captured_ >= digest_length) settle_undigested();
    if (header_have_ < header_needed_) return Fed::more;
    if (header_needed_ == bhs_length && !bhs_collected()) {
        lose_header(false);
        return Fed::more;
    }
    return header_have_ < header_needed_ ? Fed::more : header_collected(cursor);
}

// Do these first bytes of a header turn out to be the digest of what was before? It may have been reported since.
void PduFramer::settle_undigested() {
    DigestUse& use = undigested_ == Undigested::header ? header_digest_ : data_digest_;
    undigested_ = Undigested::nothing;
    if (use == DigestUse::unknown)
        use = load_le32(header_.data()) == undigested_crc_ ? DigestUse::yes : DigestUse::no;
    if (use == DigestUse::yes) drop_leading_digest();
}

void PduFramer::drop_leading_digest() {
    header_have_ = header_captured_ -= static_cast<uint32_t>(digest_length);
    std::memmove(header_.data(), header_.data() + digest_length, header_captured_);
    pdu_.offset += digest_length;
}

// The BHS has passed: is it one, and how much header comes after it? False if it is none.
bool PduFramer::bhs_collected() {
    if (header_captured_ >= bhs_length && data_digest_ == DigestUse::unknown &&
        !looks_like_header(header_.data(), bhs_length, from_target_) &&
        can_be_header(header_.data() + digest_length, from_target_) &&
        looks_like_header(header_.data() + digest_length, bhs_length - digest_length, from_target_)) {
        data_digest_ = DigestUse::yes;
        drop_leading_digest();
        return true;
    }
    if (header_captured_ < length_fields_end || !can_be_header(header_.data(), from_target_)) return false;
    if (unproven_ && !proves_the_one_before()) return false;
    // Where no digest can be tried, a header in its place shows that there is none.
    const bool follows_data = before_had_data_ && pdu_.offset != stretch_.end;
    if (!data_kept_ && follows_data && data_digest_ == DigestUse::unknown && header_captured_ >= bhs_length &&
        looks_like_header(header_.data(), bhs_length, from_target_))
        data_digest_ = DigestUse::no;
    header_needed_ = ahs_end();
    if (header_digest_ == DigestUse::yes && !is_login())
        header_needed_ += static_cast<uint32_t>(digest_length);
    return true;
}

// Behind a header that was found again its lengths must lead to another one; else it was none. False: that it was none.
bool PduFramer::proves_the_one_before() {
    const bool is_the_found_one = pdu_.offset == stretch_.end;
    if (is_the_found_one || header_captured_ < least_cut_header) return true;
    const uint32_t captured = std::min<uint32_t>(header_captured_, bhs_length);
    if (!may_follow(header_.data(), captured, pdu_.offset)) return false;
    unproven_ = captured < bhs_length;
    return true;
}

// A digest that was not reckoned with when the header began.
bool PduFramer::digest_to_come() {
    const uint32_t end = ahs_end() + static_cast<uint32_t>(digest_length);
    if (header_digest_ != DigestUse::yes || is_login() || header_have_ >= end) return false;
    header_needed_ = end;
    return true;
}

PduFramer::Fed PduFramer::header_collected(Cursor& cursor) {
    if (digest_to_come()) return Fed::more;
    const uint32_t digested = ahs_end();
    const bool whole = header_captured_ == header_have_;
    const bool wants_digest = header_digest_ != DigestUse::no && !is_login() && whole;
    if (!wants_digest) {
        // It may have been reported while it was being found out.
        return probing_header_digest_ ? after_probe(cursor, header_have_ - digested) : after_header();
    }

    const uint32_t crc = crc32c_final(crc32c_update(crc32c_init, {header_.data(), digested}));
    if (header_digest_ == DigestUse::yes) {
        const bool good = load_le32(header_.data() + digested) == crc;
        // These bytes are no header, then, and the lengths in them are no lengths.
        if (!good && !looks_like_header(header_.data(), bhs_length, from_target_)) {
            lose_header(false);
            return Fed::more;
        }
        pdu_.header_digest = good ? Digest::ok : Digest::bad;
        if (good) unproven_ = false;
        if (!good) examine_header(crc, load_le32(header_.data() + digested));
        return after_header();
    }
    if (probing_header_digest_) {
        if (load_le32(header_.data() + digested) == crc) {
            probing_header_digest_ = false;
            header_digest_ = DigestUse::yes;
            pdu_.header_digest = Digest::ok;
            return after_header();
        }
        header_digest_ = DigestUse::no;
        return after_probe(cursor, digest_length);
    }
    const bool nothing_follows = cursor.length == 0;
    const bool has_data = Bhs(header_.data()).data_segment_length() != 0;
    if (cursor.captured == 0 && !nothing_follows) return after_header();
    if (nothing_follows && !has_data) {
        undigested_ = Undigested::header;
        undigested_crc_ = crc;
        return after_header();
    }
    probing_header_digest_ = true;
    last_of_header_ = last_;
    header_needed_ += static_cast<uint32_t>(digest_length);
    return Fed::more;
}

// What was taken for a digest is no such thing, as far as can be seen: of those four bytes, `n` were captured, and are
// data or the next header's beginning.
PduFramer::Fed PduFramer::after_probe(const Cursor& cursor, uint32_t n) {
    probing_header_digest_ = false;
    const uint8_t* bytes = header_.data() + ahs_end();
    if (Bhs(header_.data()).data_segment_length() == 0) {
        std::memcpy(stray_bytes_.data(), bytes, n);
        stray_ = n;
        stray_carried_ = probe_carried_;
        last_ = last_of_header_;
        const Fed fed = after_header();
        data_begin_ -= n;
        return fed;
    }
    after_header();
    data_begin_ -= n;
    pass_data(bytes, n, probe_carried_);
    return remaining_ == 0 ? after_data(cursor) : Fed::more;
}

// The next bytes of the header are not in the capture.
PduFramer::Fed PduFramer::header_absent(Cursor& cursor) {
    if (probing_header_digest_) {
        // Whether a digest follows stays unknown.
        return after_probe(cursor, header_have_ - ahs_end());
    }
    if (header_captured_ < length_fields_end) {
        lose_header(true);
        return Fed::more;
    }
    if (header_needed_ == bhs_length && !bhs_collected()) {
        lose_header(false);
        return Fed::more;
    }
    const uint32_t n = std::min(cursor.length, header_needed_ - header_have_);
    header_have_ += n;
    take_absent(cursor, n);
    return header_have_ < header_needed_ || digest_to_come() ? Fed::more : after_header();
}

PduFramer::Fed PduFramer::after_header() {
    if (header_captured_ < bhs_length) {
        std::memset(header_.data() + header_captured_, 0, bhs_length - header_captured_);
    }
    const Bhs bhs(header_.data());
    data_begin_ = offset_;
    remaining_ = bhs.padded_data_length();
    data_.clear();
    keep_ = 0;
    if (remaining_ == 0) return complete();

    const uint32_t length = bhs.data_segment_length();
    const bool text =
        bhs.opcode() == Opcode::text_request || bhs.opcode() == Opcode::text_response || is_login();
    if (text) {
        keep_ = std::min(length, kept_text);
    } else if (length <= kept_small || is_wanted_data_in(bhs)) {
        keep_ = length;
    }
    crc_whole_ = !is_login() && (data_kept_ ? data_digest_ != DigestUse::no : data_digest_ == DigestUse::yes);
    data_crc_ = crc32c_init;
    crc32_runs_ = crc_whole_ && examiner_.wants_crc32(remaining_);
    data_crc32_ = crc32_init;
    expect_ = Expect::data;
    return Fed::more;
}

// What would be cut tells nothing, and is not kept.
bool PduFramer::is_wanted_data_in(const Bhs& bhs) const {
    return bhs.opcode() == Opcode::scsi_data_in && bhs.data_segment_length() <= kept_text &&
           witness_->wants_data_in(bhs);
}

PduFramer::Fed PduFramer::feed_data(Cursor& cursor) {
    if (cursor.captured > 0) {
        const uint32_t n = std::min(cursor.captured, remaining_);
        pass_data(cursor.data, n, cursor.piece->carried);
        take(cursor, n);
    } else {
        const uint32_t n = std::min(cursor.length, remaining_);
        const bool cut_off = !cursor.piece->not_captured;
        if (cut_off && pdu_.first_data.packet == 0) pdu_.first_data = cursor.piece->carried;
        crc_whole_ = false;
        keep_ = 0;
        remaining_ -= n;
        take_absent(cursor, n);
    }
    return remaining_ == 0 ? after_data(cursor) : Fed::more;
}

void PduFramer::pass_data(const uint8_t* bytes, uint32_t n, Arrival carried) {
    if (pdu_.first_data.packet == 0) pdu_.first_data = carried;
    if (crc_whole_) data_crc_ = crc32c_update(data_crc_, {bytes, n});
    if (crc32_runs_) [[unlikely]]
        data_crc32_ = crc32_update(data_crc32_, {bytes, n});
    if (keep_ > 0) {
        const uint32_t kept = std::min(n, keep_);
        data_.insert(data_.end(), bytes, bytes + kept);
        keep_ -= kept;
    }
    remaining_ -= n;
}

PduFramer::Fed PduFramer::after_data(const Cursor& cursor) {
    const bool digest_may_follow =
        !is_login() && (data_digest_ == DigestUse::yes || (data_digest_ == DigestUse::unknown && crc_whole_));
    if (!digest_may_follow) return complete();
    if (data_digest_ == DigestUse::unknown && cursor.length == 0) {
        undigested_ = Undigested::data;
        undigested_crc_ = crc32c_final(data_crc_);
        return complete();
    }
    expect_ = Expect::data_digest;
    digest_passed_ = 0;
    stray_ = 0;
    return Fed::more;
}

PduFramer::Fed PduFramer::feed_data_digest(Cursor& cursor) {
    if (data_digest_ == DigestUse::no) return complete();  // told since
    const bool probing = data_digest_ == DigestUse::unknown;
    if (cursor.captured == 0) {
        if (probing) return complete();
        const uint32_t n = std::min(cursor.length, static_cast<uint32_t>(digest_length) - digest_passed_);
        digest_passed_ += n;
        take_absent(cursor, n);
    } else {
        const uint32_t n = std::min(cursor.captured, static_cast<uint32_t>(digest_length) - digest_passed_);
        const Arrival last_of_data = last_;
        if (stray_ == 0) stray_carried_ = cursor.piece->carried;
        if (stray_ == digest_passed_) {
            std::memcpy(stray_bytes_.data() + stray_, cursor.data, n);
            stray_ += n;
        }
        digest_passed_ += n;
        take(cursor, n);
        if (probing &&
            (stray_ < digest_length || load_le32(stray_bytes_.data()) != crc32c_final(data_crc_))) {
            last_ = last_of_data;
        }
    }
    if (digest_passed_ < digest_length) return Fed::more;

    const bool whole = stray_ == digest_length;
    const bool matches = whole && load_le32(stray_bytes_.data()) == crc32c_final(data_crc_);
    if (probing) {
        data_digest_ = matches ? DigestUse::yes : DigestUse::no;
        if (!matches) return complete();
    }
    const bool is_known = whole && crc_whole_ && (matches || data_kept_);
    if (is_known) pdu_.data_digest = matches ? Digest::ok : Digest::bad;
    if (pdu_.data_digest == Digest::bad) examine_data(load_le32(stray_bytes_.data()));
    stray_ = 0;
    return complete();
}

void PduFramer::examine_header(uint32_t computed, uint32_t received) {
    const uint32_t length = ahs_end();
    const uint32_t crc32 = crc32_final(crc32_update(crc32_init, {header_.data(), length}));
    pdu_.header_error = examiner_.examine({length, 0, computed, received, crc32});
}

// Where the header's lengths may be wrong, what stands behind it is not known to be data and their digest.
void PduFramer::examine_data(uint32_t received) {
    const DigestError& header = pdu_.header_error;
    constexpr uint32_t lengths_begin = 4;
    const bool lengths_hold =
        pdu_.header_digest != Digest::bad || header.is_senders() ||
        (header.is_flip() && (header.byte < lengths_begin || header.byte >= length_fields_end));
    if (!lengths_hold) return;
    const Bhs bhs(header_.data());
    WrongDigest wrong;
    wrong.length = bhs.padded_data_length();
    wrong.padding = wrong.length - bhs.data_segment_length();
    wrong.computed = crc32c_final(data_crc_);
    wrong.received = received;
    if (crc32_runs_) wrong.crc32 = crc32_final(data_crc32_);
    pdu_.data_error = examiner_.examine(wrong);
}

PduFramer::Fed PduFramer::complete() {
    if (header_captured_ < bhs_length) {
        std::memset(header_.data() + header_captured_, 0, bhs_length - header_captured_);
    }
    pdu_.header = header_.data();
    pdu_.header_captured = static_cast<uint8_t>(std::min<uint32_t>(header_captured_, bhs_length));
    const uint32_t ahs_captured = std::min(header_captured_, ahs_end());
    if (ahs_captured > bhs_length) pdu_.ahs = {header_.data() + bhs_length, ahs_captured - bhs_length};
    pdu_.data = data_;
    pdu_.last = last_;
    if (pdu_.header_digest == Digest::bad || pdu_.data_digest == Digest::bad) pdu_.damaged = true;
    emitted_ = true;
    before_had_data_ = Bhs(header_.data()).data_segment_length() != 0;
    return Fed::pdu;
}

// A header begins, or should, at pdu_.offset, and is not there to be read: look for the next one.
void PduFramer::lose_header(bool begin_is_header) {
    expect_ = Expect::resync;
    unproven_ = true;
    stretch_.begin = pdu_.offset;
    stretch_.begin_is_header = begin_is_header;
    stretch_.marks.clear();
    if (!negotiated_ && !begin_is_header) header_digest_ = data_digest_ = DigestUse::unknown;
    undigested_ = Undigested::nothing;
    window_.clear();
    if (header_captured_ > 1 && header_captured_ == header_have_) {
        const uint32_t kept = std::min(header_captured_, static_cast<uint32_t>(bhs_length)) - 1;
        window_.assign(header_.begin() + header_captured_ - kept, header_.begin() + header_captured_);
        window_carried_.assign(window_.size(), pdu_.first);
    }
}

PduFramer::Fed PduFramer::feed_resync(Cursor& cursor) {
    if (cursor.captured == 0) {
        window_.clear();
        take_absent(cursor, cursor.length);
        return Fed::more;
    }
    const bool cut_follows = cursor.captured < cursor.length;
    const uint32_t step = stretch_.begin_is_header ? 4 : 1;

    // Candidates that begin in an earlier piece.
    if (!window_.empty()) {
        const auto before = static_cast<uint32_t>(window_.size());
        const uint32_t borrowed = std::min(cursor.captured, static_cast<uint32_t>(bhs_length));
        window_.insert(window_.end(), cursor.data, cursor.data + borrowed);
        const uint64_t window_offset = offset_ - before;
        auto skip = static_cast<uint32_t>((step - (window_offset - stretch_.begin) % step) % step);
        for (uint32_t i = skip; i < before; i += step) {
            const size_t captured = window_.size() - i;
            if (captured < bhs_length && !(cut_follows && captured >= least_cut_header)) break;
            if (!header_at(window_.data() + i, captured, window_offset + i)) continue;
            stray_ = 0;
            std::memcpy(header_.data(), window_.data() + i, before - i);
            offset_ -= before - i;
            const Fed fed = found_header(window_carried_[i]);
            offset_ += before - i;
            header_have_ = header_captured_ = before - i;
            return fed;
        }
        if (cursor.captured < bhs_length && !cut_follows) {
            window_carried_.resize(window_.size(), cursor.piece->carried);
            if (window_.size() >= bhs_length) {
                window_.erase(window_.begin(), window_.end() - (bhs_length - 1));
                window_carried_.erase(window_carried_.begin(), window_carried_.end() - (bhs_length - 1));
            }
            take(cursor, cursor.captured);
            return Fed::more;
        }
    }

    uint32_t i = static_cast<uint32_t>((step - (offset_ - stretch_.begin) % step) % step);
    for (; i < cursor.captured; i += step) {
        const size_t captured = cursor.captured - i;
        if (captured < bhs_length && !(cut_follows && captured >= least_cut_header)) break;
        if (!header_at(cursor.data + i, captured, offset_ + i)) continue;
        if (!leads_to_another(cursor.data + i, captured, offset_ + i)) continue;
        take(cursor, i);
        return found_header(cursor.piece->carried);
    }

    if (cut_follows) {
        window_.clear();
        cursor.captured = 0;
        take_absent(cursor, cursor.length);
        return Fed::more;
    }
    const uint32_t kept = std::min(cursor.captured, static_cast<uint32_t>(bhs_length) - 1);
    window_.assign(cursor.data + cursor.captured - kept, cursor.data + cursor.captured);
    window_carried_.assign(kept, cursor.piece->carried);
    take(cursor, cursor.captured);
    return Fed::more;
}

bool PduFramer::header_at(const uint8_t* bytes, size_t captured, uint64_t offset) const {
    if (!can_begin_header(bytes[0], from_target_)) return false;
    return looks_like_header(bytes, captured, from_target_) &&
           witness_->is_plausible_header(bytes, captured, offset);
}

// Whether these bytes are another header, behind one that was found again. With something in a reserved field it is still one of
// this session by its tag and its numbers.
bool PduFramer::may_follow(const uint8_t* bytes, size_t captured, uint64_t offset) const {
    if (looks_like_header(bytes, captured, from_target_)) return true;
    return captured == bhs_length && can_be_header(bytes, from_target_) &&
           witness_->is_plausible_header(bytes, captured, offset);
}

// Of a PDU at this offset that ends before the captured bytes do: whether another follows it, or its digests.
bool PduFramer::leads_to_another(const uint8_t* bytes, size_t captured, uint64_t offset) const {
    if (captured < bhs_length) return true;
    const Bhs bhs(bytes);
    const size_t end = bhs_length + bhs.ahs_length() + bhs.padded_data_length();
    for (size_t next = end; next <= end + 2 * digest_length; next += digest_length) {
        if (next + bhs_length > captured || may_follow(bytes + next, bhs_length, offset + next)) return true;
    }
    return false;
}

// The next header begins at offset_.
PduFramer::Fed PduFramer::found_header(Arrival carried) {
    stretch_.end = offset_;
    // Just the length of a digest, unseen: there are digests, then, and no header was missed. Behind data it may be the
    // digest of the header as well, unless that is known.
    if (stretch_.begin_is_header && stretch_.end - stretch_.begin == digest_length) {
        const bool known_which = !before_had_data_ || header_digest_ != DigestUse::unknown;
        DigestUse& use = before_had_data_ ? data_digest_ : header_digest_;
        if (use == DigestUse::unknown) {
            if (known_which) use = DigestUse::yes;
            stretch_.begin = stretch_.end;
        }
    }
    window_.clear();
    stray_ = 0;
    begin_header();
    pdu_.first = carried;
    return Fed::resynchronised;
}

void PduFramer::take(Cursor& cursor, uint32_t n) {
    cursor.data += n;
    cursor.captured -= n;
    cursor.length -= n;
    offset_ += n;
    last_ = cursor.piece->delivered;
    if (n > 0) pdu_.end_not_captured = false;
    if (expect_ == Expect::resync && n > 0) stretch_.mark(offset_, *cursor.piece);
}

void PduFramer::take_absent(Cursor& cursor, uint32_t n) {
    cursor.length -= n;
    offset_ += n;
    const bool not_captured = cursor.piece->not_captured;
    pdu_.end_not_captured = not_captured;
    if (not_captured) {
        pdu_.damaged = true;
        pdu_.behind = cursor.piece->carried;
    } else {
        last_ = cursor.piece->delivered;
    }
    if (expect_ == Expect::resync) stretch_.mark(offset_, *cursor.piece);
}

bool PduFramer::is_login() const {
    const uint8_t opcode = header_[0] & 0x3f;
    return opcode == static_cast<uint8_t>(Opcode::login_request) ||
           opcode == static_cast<uint8_t>(Opcode::login_response);
}

}  // namespace sanscope
