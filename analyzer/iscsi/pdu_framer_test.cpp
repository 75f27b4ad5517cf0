// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/iscsi/pdu_framer.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "analyzer/iscsi/testing/every_opcode.h"
#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::operator+;
using test::pattern;
using test::PduBuilder;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// Vouches for headers of the tasks it is told.
class Witness final : public HeaderWitness {
  public:
    bool is_plausible_header(const uint8_t* bytes, size_t, uint64_t) const override {
        return any || (Bhs(bytes).itt() >= 1 && Bhs(bytes).itt() < 100);
    }
    bool wants_data_in(const Bhs& bhs) const override { return bhs.itt() == wanted; }
    bool any = false;
    uint32_t wanted = reserved_tag;
};

struct Found {
    Bytes header;
    unsigned header_captured = 0;
    Bytes ahs;
    Bytes data;
    uint64_t offset = 0;
    uint64_t first = 0;
    uint64_t first_data = 0;
    uint64_t last = 0;
    Digest header_digest = Digest::none;
    Digest data_digest = Digest::none;
    bool damaged = false;
    DigestError header_error = {};
    DigestError data_error = {};

    uint32_t itt() const { return Bhs(header.data()).itt(); }
    uint32_t data_length() const { return Bhs(header.data()).data_segment_length(); }
};

// What a PDU is, but for the packets it came in and the verdicts on its digests.
bool same_pdu(const Found& a, const Found& b) {
    return a.header == b.header && a.header_captured == b.header_captured && a.ahs == b.ahs &&
           a.data == b.data && a.offset == b.offset && a.damaged == b.damaged;
}

struct Stretch {
    uint64_t begin;
    uint64_t end;
    bool operator==(const Stretch&) const = default;
};

// Feeds a framer and keeps what it finds. Each piece is a packet more.
class Framing {
  public:
    explicit Framing(bool from_target) : framer(from_target, witness) {}

    Framing& feed(const Bytes& bytes, uint32_t cut = 0) {
        StreamPiece piece;
        // Exactly that much, so that the sanitizer sees a read beyond it.
        const Bytes exact(bytes.begin(), bytes.end() - static_cast<std::ptrdiff_t>(cut));
        piece.data = exact.data();
        piece.captured = static_cast<uint32_t>(exact.size());
        piece.length = static_cast<uint32_t>(bytes.size());
        return feed(piece);
    }
    // Bytes that no packet held.
    Framing& gap(uint32_t length) {
        StreamPiece piece;
        piece.length = length;
        piece.not_captured = true;
        return feed(piece);
    }
    // A packet of which nothing but its length is left.
    Framing& cut(uint32_t length) {
        StreamPiece piece;
        piece.length = length;
        return feed(piece);
    }
    Framing& finish() {
        if (framer.finish()) take();
        EXPECT_FALSE(framer.finish());
        return *this;
    }
    std::vector<uint32_t> tags() const {
        std::vector<uint32_t> tags;
        for (const Found& pdu : pdus) tags.push_back(pdu.itt());
        return tags;
    }

    Witness witness;
    PduFramer framer;
    std::vector<Found> pdus;
    std::vector<Stretch> stretches;
    bool lets_data_pass = false;  // what is data alone is not fed
    size_t passed = 0;            // pieces

  private:
    Framing& feed(StreamPiece& piece) {
        ++packet_;
        piece.offset = offset_;
        piece.carried = piece.delivered = {packet_, static_cast<int64_t>(packet_)};
        if (piece.not_captured) piece.delivered = {packet_ - 1, 0};
        offset_ += piece.length;
        if (lets_data_pass && framer.passes(piece)) {
            ++passed;
            return *this;
        }
        PduFramer::Cursor cursor(piece);
        for (;;) {
            switch (framer.feed(cursor)) {
                case PduFramer::Fed::more:
                    EXPECT_EQ(cursor.length, 0u);
                    return *this;
                case PduFramer::Fed::pdu:
                    take();
                    break;
                case PduFramer::Fed::resynchronised:
                    stretches.push_back({framer.stretch().begin, framer.stretch().end});
                    break;
            }
        }
    }
    void take() {
        const Pdu& pdu = framer.pdu();
        pdus.push_back({Bytes(pdu.header, pdu.header + bhs_length), pdu.header_captured,
                        Bytes(pdu.ahs.begin(), pdu.ahs.end()), Bytes(pdu.data.begin(), pdu.data.end()),
                        pdu.offset, pdu.first.packet, pdu.first_data.packet, pdu.last.packet,
                        pdu.header_digest, pdu.data_digest, pdu.damaged, pdu.header_error, pdu.data_error});
    }

    uint64_t packet_ = 0;
    uint64_t offset_ = 0;
};

struct DigestCase {
    DigestUse declared_header;
    DigestUse declared_data;
    bool header;
    bool data;
};

std::vector<DigestCase> digest_cases() {
    std::vector<DigestCase> cases;
    for (const bool header : {false, true}) {
        for (const bool data : {false, true}) {
            cases.push_back({header ? DigestUse::yes : DigestUse::no, data ? DigestUse::yes : DigestUse::no,
                             header, data});
            cases.push_back({DigestUse::unknown, DigestUse::unknown, header, data});
        }
    }
    return cases;
}

std::string describe(const DigestCase& c) {
    return std::string(c.declared_header == DigestUse::unknown ? "digests unknown, " : "digests declared, ") +
           (c.header ? "header " : "no header ") + (c.data ? "and data digest" : "and no data digest");
}

void announce_digests(Framing& framing, const DigestCase& c) {
    framing.framer.set_digests(c.declared_header, c.declared_data);
}

// Login PDUs never carry digests (RFC 7143 §6.2.3).
Bytes wire(const PduBuilder& pdu, const DigestCase& c) {
    const uint8_t opcode = pdu.header()[0] & 0x3f;
    const bool login = opcode == 0x03 || opcode == 0x23;
    return login ? pdu.bytes() : pdu.bytes(c.header, c.data);
}

void expect_is(const Found& found, const PduBuilder& sent, const DigestCase& c) {
    const Bytes plain = sent.bytes();
    const Bhs bhs(plain.data());
    const auto data_at = static_cast<std::ptrdiff_t>(bhs_length + bhs.ahs_length());
    EXPECT_EQ(found.header, sent.header());
    EXPECT_EQ(found.header_captured, bhs_length);
    EXPECT_EQ(found.ahs, Bytes(plain.begin() + bhs_length, plain.begin() + data_at));
    if (bhs.data_segment_length() <= 512) {
        EXPECT_EQ(found.data,
                  Bytes(plain.begin() + data_at, plain.begin() + data_at + bhs.data_segment_length()));
    }
    EXPECT_FALSE(found.damaged);
    if (c.declared_header == DigestUse::unknown) return;
    const bool login = bhs.opcode() == Opcode::login_request || bhs.opcode() == Opcode::login_response;
    const bool digested_data = c.data && !login && bhs.data_segment_length() > 0;
    EXPECT_EQ(found.header_digest, c.header && !login ? Digest::ok : Digest::none);
    EXPECT_EQ(found.data_digest, digested_data ? Digest::ok : Digest::none);
}

TEST(PduFramer, ReadsEveryOpcodeWithAndWithoutDigests) {
    for (const DigestCase& c : digest_cases()) {
        SCOPED_TRACE(describe(c));
        for (const bool from_target : {false, true}) {
            Framing framing(from_target);
            announce_digests(framing, c);
            std::vector<PduBuilder> sent;
            Bytes stream;
            std::vector<uint64_t> offsets;
            for (const PduBuilder& pdu : test::one_of_every_opcode()) {
                if (is_from_target(pdu.header()[0] & 0x3f) != from_target) continue;
                sent.push_back(pdu);
                offsets.push_back(stream.size());
                stream = stream + wire(pdu, c);
            }
            framing.feed(stream).finish();
            ASSERT_THAT(framing.pdus, SizeIs(sent.size()));
            for (size_t i = 0; i < sent.size(); ++i) {
                expect_is(framing.pdus[i], sent[i], c);
                EXPECT_EQ(framing.pdus[i].offset, offsets[i]);
            }
        }
    }
}

TEST(PduFramer, FindsTheSamePdusWhereverTheStreamIsSplit) {
    const std::vector<PduBuilder> sent = {
        test::scsi_response(1, 0, 1, 1),
        test::data_in(2, 0, pattern(13), 1),
        test::scsi_response(3, 0, 2, 1),
        test::r2t(4, 1, 0, 512, 1),
        test::data_in(5, 0, pattern(4), 1).flags(0x81),
        test::scsi_response(6, 2, 3, 1).data(pattern(20)),
    };
    for (const DigestCase& c : digest_cases()) {
        SCOPED_TRACE(describe(c));
        Bytes stream;
        for (const PduBuilder& pdu : sent) stream = stream + wire(pdu, c);
        Framing whole(true);
        announce_digests(whole, c);
        whole.feed(stream).finish();
        ASSERT_THAT(whole.pdus, SizeIs(sent.size()));
        for (size_t i = 1; i < stream.size(); ++i) {
            for (size_t j = i; j < stream.size(); j += 5 + j % 11) {
                Framing split(true);
                announce_digests(split, c);
                const auto at = [&](size_t n) { return stream.begin() + static_cast<std::ptrdiff_t>(n); };
                split.feed(Bytes(at(0), at(i)))
                    .feed(Bytes(at(i), at(j)))
                    .feed(Bytes(at(j), stream.end()))
                    .finish();
                ASSERT_THAT(split.pdus, SizeIs(sent.size())) << i << " " << j;
                for (size_t n = 0; n < sent.size(); ++n) {
                    ASSERT_TRUE(same_pdu(split.pdus[n], whole.pdus[n])) << i << " " << j << " PDU " << n;
                    if (c.declared_header == DigestUse::unknown) continue;
                    ASSERT_EQ(split.pdus[n].header_digest, whole.pdus[n].header_digest) << i << " " << j;
                    ASSERT_EQ(split.pdus[n].data_digest, whole.pdus[n].data_digest) << i << " " << j;
                }
                ASSERT_THAT(split.stretches, IsEmpty()) << i << " " << j;
            }
        }
    }
}

TEST(PduFramer, TellsThePacketsThatBeginAndCompleteAPduWhereverItIsSplit) {
    const DigestCase cases[] = {{DigestUse::no, DigestUse::no, false, false},
                                {DigestUse::yes, DigestUse::yes, true, true},
                                {DigestUse::unknown, DigestUse::unknown, false, false}};
    const std::vector<PduBuilder> sent = {test::scsi_response(1, 0, 1, 1), test::data_in(2, 0, pattern(9), 1),
                                          test::r2t(3, 1, 0, 512, 1), test::scsi_response(4, 0, 2, 1)};
    for (const DigestCase& c : cases) {
        SCOPED_TRACE(describe(c));
        Bytes stream;
        std::vector<size_t> ends;
        for (const PduBuilder& pdu : sent) {
            stream = stream + wire(pdu, c);
            ends.push_back(stream.size());
        }
        for (size_t i = 1; i < stream.size(); ++i) {
            Framing split(true);
            announce_digests(split, c);
            const auto middle = stream.begin() + static_cast<std::ptrdiff_t>(i);
            split.feed(Bytes(stream.begin(), middle)).feed(Bytes(middle, stream.end())).finish();
            ASSERT_THAT(split.pdus, SizeIs(sent.size()));
            for (size_t n = 0; n < sent.size(); ++n) {
                const size_t begin = n == 0 ? 0 : ends[n - 1];
                ASSERT_EQ(split.pdus[n].first, begin < i ? 1u : 2u) << "split at " << i << ", PDU " << n;
                ASSERT_EQ(split.pdus[n].last, ends[n] <= i ? 1u : 2u) << "split at " << i << ", PDU " << n;
            }
        }
    }
}

TEST(PduFramer, ReadsDataOfEveryLengthAroundWhatItKeepsAndPads) {
    for (const DigestCase& c : digest_cases()) {
        SCOPED_TRACE(describe(c));
        for (const size_t length : {0u, 1u, 2u, 3u, 4u, 5u, 511u, 512u, 513u}) {
            Framing framing(true);
            announce_digests(framing, c);
            const PduBuilder sent = test::data_in(7, 0, pattern(length), 1).flags(0x81);
            const PduBuilder next = test::scsi_response(8, 0, 1, 1);
            framing.feed(wire(sent, c)).feed(wire(next, c)).feed(wire(sent, c)).finish();
            ASSERT_THAT(framing.pdus, SizeIs(3)) << length;
            expect_is(framing.pdus[0], sent, c);
            expect_is(framing.pdus[1], next, c);
            expect_is(framing.pdus[2], sent, c);
            EXPECT_THAT(framing.pdus[0].data, SizeIs(length <= 512 ? length : 0));
        }
    }
}

TEST(PduFramer, KeepsAllOfTheDataInThatItsWitnessWants) {
    for (const DigestCase& c : digest_cases()) {
        SCOPED_TRACE(describe(c));
        for (const size_t length : {513u, 4096u, 65535u, 65536u, 65537u}) {
            Framing framing(true);
            announce_digests(framing, c);
            framing.witness.wanted = 7;
            const PduBuilder wanted = test::data_in(7, 0, pattern(length), 1).flags(0x81);
            const PduBuilder other = test::data_in(8, 0, pattern(length), 1).flags(0x81);
            framing.feed(wire(wanted, c)).feed(wire(other, c)).finish();
            ASSERT_THAT(framing.pdus, SizeIs(2)) << length;
            EXPECT_EQ(framing.pdus[0].data, length <= 65536 ? pattern(length) : Bytes{}) << length;
            EXPECT_THAT(framing.pdus[1].data, IsEmpty()) << length;
        }
    }
}

TEST(PduFramer, FollowsTheLongestDataSegmentOverBytesThatWereCutOff) {
    for (const bool digests : {false, true}) {
        Framing framing(true);
        const DigestUse use = digests ? DigestUse::yes : DigestUse::no;
        framing.framer.set_digests(use, use);
        const Bytes header = test::data_in(1, 0, {}, 1).data_length(max_data_segment_length).bytes(digests);
        framing.feed(header);
        uint32_t left = (max_data_segment_length + 3) & ~3u;
        if (digests) left += 4;
        while (left > 0) {
            const uint32_t n = std::min(left, 1'000'000u);
            framing.cut(n);
            left -= n;
        }
        framing.feed(test::scsi_response(2, 0, 1, 1).bytes(digests)).finish();
        EXPECT_THAT(framing.tags(), ElementsAre(1, 2));
        EXPECT_FALSE(framing.pdus[0].damaged);
        EXPECT_EQ(framing.pdus[0].last, 18u);
        EXPECT_EQ(framing.pdus[0].data_digest, Digest::none);
    }
}

TEST(PduFramer, FindsTheSamePdusWhereDataPassUnread) {
    Bytes stream;
    for (uint32_t i = 1; i < 20; ++i)
        stream = stream + PduBuilder(Opcode::scsi_data_in).itt(i).data(pattern(50 * i)).bytes();
    for (const DigestUse digests : {DigestUse::no, DigestUse::unknown}) {
        for (uint32_t size = 1; size < 120; ++size) {
            Framing fed(true);
            Framing passing(true);
            passing.lets_data_pass = true;
            for (Framing* const framing : {&fed, &passing}) {
                framing->framer.set_digests(digests, digests);
                for (uint32_t at = 0; at < stream.size(); at += size) {
                    const auto length = std::min(size, static_cast<uint32_t>(stream.size()) - at);
                    const uint32_t packet = at / size;
                    const Bytes piece(stream.begin() + at, stream.begin() + at + length);
                    // Now and then a packet was cut, within its data or whole.
                    const bool in_header = at % 1000 < 60;
                    framing->feed(piece, in_header         ? 0
                                         : packet % 3 == 0 ? length / 2
                                         : packet % 7 == 0 ? length
                                                           : 0);
                }
                framing->finish();
            }
            ASSERT_EQ(fed.pdus.size(), passing.pdus.size()) << size;
            for (size_t i = 0; i < fed.pdus.size(); ++i) {
                const Found& one = fed.pdus[i];
                const Found& other = passing.pdus[i];
                EXPECT_TRUE(same_pdu(one, other)) << size;
                EXPECT_EQ(one.first_data, other.first_data) << size;
                EXPECT_EQ(one.last, other.last) << size;
                EXPECT_EQ(one.data_digest, other.data_digest) << size;
            }
            if (digests == DigestUse::no && size < 40) {
                EXPECT_GT(passing.passed, 0u) << size;
            }
        }
    }
}

TEST(PduFramer, KeepsTheWholeTextOfALogin) {
    Framing framing(false);
    const Bytes keys = pattern(8000);
    framing.feed(test::login_request(keys).bytes());
    ASSERT_THAT(framing.pdus, SizeIs(1));
    EXPECT_EQ(framing.pdus[0].data, keys);
}

TEST(PduFramer, FollowsTheLengthsOfAHeaderTheSnapLengthCut) {
    for (const bool digests : {false, true}) {
        const DigestUse use = digests ? DigestUse::yes : DigestUse::no;
        const Bytes first = test::data_in(1, 0, pattern(100), 1).flags(0x80).bytes(digests, digests);
        const Bytes second = test::scsi_response(2, 0, 1, 1).bytes(digests, digests);
        for (uint32_t captured = 8; captured < bhs_length; ++captured) {
            Framing framing(true);
            framing.framer.set_digests(use, use);
            framing.feed(first, static_cast<uint32_t>(first.size()) - captured).feed(second).finish();
            ASSERT_THAT(framing.pdus, SizeIs(2)) << captured;
            const Found& cut = framing.pdus[0];
            EXPECT_EQ(cut.header_captured, captured);
            EXPECT_EQ(Bytes(cut.header.begin(), cut.header.begin() + captured),
                      Bytes(first.begin(), first.begin() + captured));
            EXPECT_EQ(Bytes(cut.header.begin() + captured, cut.header.end()), Bytes(bhs_length - captured));
            EXPECT_THAT(cut.data, IsEmpty());
            EXPECT_EQ(cut.last, 1u);
            EXPECT_FALSE(cut.damaged);
            EXPECT_EQ(cut.header_digest, Digest::none);
            EXPECT_EQ(framing.pdus[1].itt(), 2u);
        }
    }
}

TEST(PduFramer, LooksForTheNextHeaderWhereTheCutTookTheLengths) {
    const Bytes first = test::data_in(1, 0, pattern(100), 1).flags(0x80).bytes();
    const Bytes second = test::scsi_response(2, 0, 1, 1).bytes();
    for (uint32_t captured = 0; captured < 8; ++captured) {
        Framing framing(true);
        framing.framer.set_digests(DigestUse::no, DigestUse::no);
        framing.feed(second)
            .feed(first, static_cast<uint32_t>(first.size()) - captured)
            .feed(second)
            .finish();
        EXPECT_THAT(framing.tags(), ElementsAre(2, 2)) << captured;
        EXPECT_THAT(framing.stretches, ElementsAre(Stretch{48, 48 + first.size()})) << captured;
    }
}

TEST(PduFramer, LosesNothingButTheBytesOfAGapInData) {
    Bytes first = test::data_in(1, 0, pattern(400), 1).flags(0x80).bytes();
    const Bytes second = test::scsi_response(2, 0, 1, 1).bytes();
    Framing framing(true);
    framing.framer.set_digests(DigestUse::no, DigestUse::no);
    framing.feed(Bytes(first.begin(), first.begin() + 100))
        .gap(200)
        .feed(Bytes(first.begin() + 300, first.end()));
    framing.feed(second).finish();
    EXPECT_THAT(framing.tags(), ElementsAre(1, 2));
    EXPECT_TRUE(framing.pdus[0].damaged);
    EXPECT_EQ(framing.pdus[0].data, pattern(52));
    EXPECT_EQ(framing.pdus[0].last, 3u);
    EXPECT_FALSE(framing.pdus[1].damaged);
    EXPECT_THAT(framing.stretches, IsEmpty());
}

TEST(PduFramer, CompletesWithTheLastCapturedPacketWhereTheEndOfAPduIsInAGap) {
    const Bytes first = test::data_in(1, 0, pattern(400), 1).flags(0x80).bytes();
    Framing framing(true);
    framing.framer.set_digests(DigestUse::no, DigestUse::no);
    framing.feed(Bytes(first.begin(), first.begin() + 100))
        .feed(Bytes(first.begin() + 100, first.begin() + 200));
    framing.gap(static_cast<uint32_t>(first.size() - 200)).feed(test::scsi_response(2, 0, 1, 1).bytes());
    EXPECT_THAT(framing.tags(), ElementsAre(1, 2));
    EXPECT_TRUE(framing.pdus[0].damaged);
    EXPECT_EQ(framing.pdus[0].last, 2u);
}

TEST(PduFramer, FindsTheNextVouchedHeaderBehindAGapOverAHeader) {
    const Bytes first = test::data_in(1, 0, pattern(400), 1).flags(0x80).bytes();
    const Bytes stranger = test::scsi_response(1000, 0, 1, 1).bytes();
    const Bytes third = test::scsi_response(3, 0, 2, 1).bytes();
    for (uint32_t gap = 1; gap <= 200; ++gap) {
        Framing framing(true);
        framing.framer.set_digests(DigestUse::no, DigestUse::no);
        framing.feed(stranger)
            .gap(gap)
            .feed(Bytes(first.begin() + gap, first.end()))
            .feed(stranger)
            .feed(third);
        framing.finish();
        const uint64_t end = 48 + first.size() + 48;
        EXPECT_THAT(framing.tags(), ElementsAre(1000, 3)) << gap;
        EXPECT_THAT(framing.stretches, ElementsAre(Stretch{48, end})) << gap;
        EXPECT_EQ(framing.pdus[1].offset, end);
        EXPECT_FALSE(framing.pdus[1].damaged);
    }
}

TEST(PduFramer, FindsAHeaderThatIsSplitAnywhereWhileLookingForOne) {
    const Bytes before = pattern(77);
    const Bytes header = test::scsi_response(3, 0, 2, 1).bytes();
    const Bytes after = test::r2t(4, 1, 0, 512, 1).bytes();
    const Bytes stream = before + header + after;
    for (size_t i = 1; i < stream.size(); ++i) {
        for (size_t j = i; j <= stream.size(); j += 1 + j % 3) {
            Framing framing(true);
            framing.framer.set_digests(DigestUse::no, DigestUse::no);
            framing.framer.begin_unsynchronised();
            const auto at = [&](size_t n) { return stream.begin() + static_cast<std::ptrdiff_t>(n); };
            framing.feed(Bytes(at(0), at(i)));
            if (j > i) framing.feed(Bytes(at(i), at(j)));
            if (j < stream.size()) framing.feed(Bytes(at(j), stream.end()));
            framing.finish();
            ASSERT_THAT(framing.tags(), ElementsAre(3, 4)) << i << " " << j;
            ASSERT_EQ(framing.pdus[0].header, header) << i << " " << j;
            ASSERT_EQ(framing.pdus[0].offset, before.size()) << i << " " << j;
            ASSERT_THAT(framing.stretches, ElementsAre(Stretch{0, before.size()})) << i << " " << j;
            const uint64_t first =
                1u + (before.size() >= i ? 1u : 0u) + (j > i && before.size() >= j ? 1u : 0u);
            ASSERT_EQ(framing.pdus[0].first, first) << i << " " << j;
        }
    }
}

TEST(PduFramer, FindsAHeaderThatBytewisePiecesBring) {
    Framing framing(true);
    framing.framer.begin_unsynchronised();
    for (const uint8_t byte : pattern(100) + test::scsi_response(3, 0, 2, 1).bytes())
        framing.feed(Bytes{byte});
    framing.finish();
    EXPECT_THAT(framing.tags(), ElementsAre(3));
    EXPECT_EQ(framing.pdus[0].first, 101u);
    EXPECT_EQ(framing.pdus[0].last, 148u);
}

// Data that begin with an answer of another day: all that shows it is that no header follows where its lengths say.
TEST(PduFramer, LooksOnWhereWhatItFoundLeadsToNoHeader) {
    const Bytes found = test::data_in(7, 0, pattern(64), 1).bytes();
    const Bytes after = test::scsi_response(8, 0, 1, 1).bytes();
    const Bytes no_header(bhs_length, static_cast<uint8_t>(Opcode::nop_in));
    Framing framing(true);
    framing.framer.set_digests(DigestUse::no, DigestUse::no);
    framing.gap(100).feed(found).feed(no_header + pattern(200) + after + after).finish();
    EXPECT_THAT(framing.tags(), ElementsAre(7, 8, 8));
    const uint64_t lost = 100 + found.size();
    EXPECT_THAT(framing.stretches, ElementsAre(Stretch{0, 100}, Stretch{lost, lost + bhs_length + 200}));
}

// In one packet they are looked at before.
TEST(PduFramer, FindsNoneBehindWhichItsPacketHasNoHeader) {
    const Bytes none = test::data_in(7, 0, pattern(64), 1).bytes();
    const Bytes after = test::scsi_response(8, 0, 1, 1).bytes();
    Framing framing(true);
    framing.framer.set_digests(DigestUse::no, DigestUse::no);
    framing.gap(100).feed(none + pattern(200) + after + after).finish();
    EXPECT_THAT(framing.tags(), ElementsAre(8, 8));
    EXPECT_THAT(framing.stretches, ElementsAre(Stretch{0, 300 + none.size()}));
}

// … but some targets put something into fields that are reserved.
TEST(PduFramer, GoesOnBehindWhatItFoundWithAHeaderThatIsTheSessionsByItsTag) {
    const Bytes found = test::data_in(7, 0, pattern(64), 1).bytes();
    const Bytes with_lun = test::scsi_response(8, 0, 1, 1).lun(3).bytes();
    Framing framing(true);
    framing.framer.set_digests(DigestUse::no, DigestUse::no);
    framing.gap(100).feed(found + with_lun + found).finish();
    EXPECT_THAT(framing.tags(), ElementsAre(7, 8, 7));
}

TEST(PduFramer, LooksForTheNextHeaderWhereWhatStandsInItsPlaceIsNone) {
    Framing framing(true);
    framing.framer.set_digests(DigestUse::no, DigestUse::no);
    const Bytes header = test::scsi_response(1, 0, 1, 1).bytes();
    framing.feed(header).feed(Bytes(33, 0xff)).feed(header).finish();
    EXPECT_THAT(framing.tags(), ElementsAre(1, 1));
    EXPECT_THAT(framing.stretches, ElementsAre(Stretch{48, 81}));
}

TEST(PduFramer, ReportsBadDigestsAndGoesOn) {
    for (const size_t flipped : {20u, 49u, 60u, 163u}) {
        Bytes stream = test::data_in(1, 0, pattern(107), 1).flags(0x80).bytes(true, true);
        ASSERT_EQ(stream.size(), 164u);
        stream[flipped] ^= 0x10;
        Framing framing(true);
        framing.framer.set_digests(DigestUse::yes, DigestUse::yes);
        framing.feed(stream).feed(test::scsi_response(2, 0, 1, 1).bytes(true, true));
        ASSERT_THAT(framing.pdus, SizeIs(2));
        EXPECT_EQ(framing.pdus[0].header_digest, flipped < 52 ? Digest::bad : Digest::ok);
        EXPECT_EQ(framing.pdus[0].data_digest, flipped < 52 ? Digest::ok : Digest::bad);
        EXPECT_TRUE(framing.pdus[0].damaged);
        EXPECT_EQ(framing.pdus[1].header_digest, Digest::ok);
        EXPECT_FALSE(framing.pdus[1].damaged);
    }
}

using Cause = DigestError::Cause;

// What the data digest is of, and the digest.
void set_data_digest(Bytes& pdu, size_t data_at, uint32_t (*of)(std::span<const uint8_t>)) {
    const uint32_t digest = of(std::span(pdu).subspan(data_at, pdu.size() - data_at - digest_length));
    for (size_t i = 0; i < digest_length; ++i)
        pdu[pdu.size() - digest_length + i] = static_cast<uint8_t>(digest >> 8 * i);
}

TEST(PduFramer, TellsWhereABitWasFlippedHoweverTheStreamIsSplit) {
    const Bytes whole = test::data_in(1, 0, pattern(1021), 1).flags(0x80).bytes(true, true);
    for (const size_t flipped : {19u, 40u, 51u, 52u, 1000u, 1075u, 1079u}) {
        for (const size_t split : {20u, 50u, 200u, 1070u, 1078u}) {
            Bytes stream = whole;
            ASSERT_EQ(stream.size(), 1080u);
            stream[flipped] ^= 0x04;
            Framing framing(true);
            framing.framer.set_digests(DigestUse::yes, DigestUse::yes);
            const auto middle = stream.begin() + static_cast<std::ptrdiff_t>(split);
            framing.feed(Bytes(stream.begin(), middle)).feed(Bytes(middle, stream.end()));
            ASSERT_THAT(framing.pdus, SizeIs(1));
            const bool of_header = flipped < 52;
            const Found& pdu = framing.pdus[0];
            const DigestError& error = of_header ? pdu.header_error : pdu.data_error;
            EXPECT_EQ(error.cause, Cause::flipped_bit);
            EXPECT_EQ(error.byte, of_header ? flipped : flipped - 52);
            EXPECT_EQ(error.flipped, 0x04);
            EXPECT_EQ((of_header ? pdu.data_error : pdu.header_error).cause, Cause::not_examined);
        }
    }
}

TEST(PduFramer, TellsByWhichRuleDataDigestsAreMade) {
    Framing framing(true);
    framing.framer.set_digests(DigestUse::yes, DigestUse::yes);
    for (uint32_t i = 1; i <= 3; ++i) {
        Bytes pdu = test::data_in(i, 0, pattern(1021), 1).flags(0x80).bytes(true, true);
        set_data_digest(pdu, 52, [](std::span<const uint8_t> bytes) {
            return crc32_final(crc32_update(crc32_init, bytes));
        });
        framing.feed(pdu);
    }
    Bytes unpadded = test::data_in(4, 0, pattern(1021), 1).flags(0x80).bytes(true, true);
    set_data_digest(unpadded, 52, [](std::span<const uint8_t> bytes) {
        return crc32c_final(crc32c_update(crc32c_init, bytes.first(1021)));
    });
    framing.feed(unpadded);
    ASSERT_THAT(framing.pdus, SizeIs(4));
    EXPECT_EQ(framing.pdus[0].data_error.cause, Cause::unexplained);
    EXPECT_FALSE(framing.pdus[0].data_error.crc32_known) << "of the first one it was not computed";
    EXPECT_EQ(framing.pdus[1].data_error.cause, Cause::crc32);
    EXPECT_EQ(framing.pdus[2].data_error.cause, Cause::crc32);
    EXPECT_EQ(framing.pdus[3].data_error.cause, Cause::no_padding);
}

TEST(PduFramer, TellsNothingOfDigestsOfWhichBytesWereNotCaptured) {
    Bytes pdu = test::data_in(1, 0, pattern(1024), 1).flags(0x80).bytes(true, true);
    pdu[400] ^= 1;
    Framing framing(true);
    framing.framer.set_digests(DigestUse::yes, DigestUse::yes);
    framing.feed(Bytes(pdu.begin(), pdu.begin() + 600), 100).feed(Bytes(pdu.begin() + 600, pdu.end()));
    ASSERT_THAT(framing.pdus, SizeIs(1));
    EXPECT_EQ(framing.pdus[0].data_digest, Digest::none);
    EXPECT_EQ(framing.pdus[0].data_error.cause, Cause::not_examined);
}

TEST(PduFramer, DoesNotExamineDataWhoseLengthAWrongHeaderTells) {
    Bytes pdu = test::data_in(1, 0, pattern(64), 1).flags(0x80).bytes(true, true);
    pdu[7] ^= 0x20;
    Framing framing(true);
    framing.framer.set_digests(DigestUse::yes, DigestUse::yes);
    framing.feed(pdu).feed(test::scsi_response(2, 0, 1, 1).bytes(true, true)).finish();
    ASSERT_FALSE(framing.pdus.empty());
    EXPECT_EQ(framing.pdus[0].header_error.cause, Cause::flipped_bit);
    EXPECT_EQ(framing.pdus[0].header_error.byte, 7u);
    EXPECT_EQ(framing.pdus[0].data_error.cause, Cause::not_examined);
}

TEST(PduFramer, LooksForTheNextHeaderWhereOneIsNeitherBelievableNorDigested) {
    const Bytes pdu = test::scsi_response(1, 0, 1, 1).bytes(true);
    for (const size_t garbage : {52u, 56u, 52u + 1020u}) {
        Framing framing(true);
        framing.framer.set_digests(DigestUse::yes, DigestUse::yes);
        // It could be a NOP-In, by its opcode; the last also has as many additional segments as there can be.
        Bytes zeros(garbage);
        zeros[0] = 0x20;
        zeros[4] = garbage > 1000 ? 255 : 0;
        framing.feed(pdu).feed(zeros + pdu + pdu).finish();
        EXPECT_THAT(framing.tags(), ElementsAre(1, 1, 1)) << garbage;
        EXPECT_THAT(framing.stretches, ElementsAre(Stretch{52, 52 + garbage})) << garbage;
    }
}

// Behind data, four unseen bytes may be the digest of the data, or the header before had one.
TEST(PduFramer, DoesNotGuessWhichDigestFourUnseenBytesAre) {
    for (const bool header_digest : {false, true}) {
        Framing framing(true);
        const Bytes first =
            test::data_in(1, 0, pattern(100), 1).flags(0x80).bytes(header_digest, !header_digest);
        const Bytes second = test::scsi_response(2, 0, 1, 1).bytes(header_digest);
        framing.feed(first, static_cast<uint32_t>(first.size()) - 48).feed(second).feed(second).finish();
        EXPECT_THAT(framing.tags(), ElementsAre(1, 2, 2)) << header_digest;
        EXPECT_EQ(framing.framer.header_digest(), header_digest ? DigestUse::yes : DigestUse::no);
        EXPECT_EQ(framing.framer.data_digest(), DigestUse::unknown);
    }
}

TEST(PduFramer, DigestsAdditionalHeaderSegmentsWithTheHeader) {
    Bytes pdu = test::scsi_command(1, 1, test::Moves::in, 8, {0x7f}).ahs(pattern(20)).bytes(true);
    Framing framing(false);
    framing.framer.set_digests(DigestUse::yes, DigestUse::no);
    framing.feed(pdu);
    pdu[50] ^= 1;
    framing.feed(pdu);
    ASSERT_THAT(framing.pdus, SizeIs(2));
    EXPECT_EQ(framing.pdus[0].header_digest, Digest::ok);
    EXPECT_EQ(framing.pdus[1].header_digest, Digest::bad);
}

TEST(PduFramer, FindsOutWhichDigestsAreInUse) {
    for (const bool header : {false, true}) {
        for (const bool data : {false, true}) {
            Framing framing(true);
            const PduBuilder with_data = test::data_in(1, 0, pattern(64), 1).flags(0x80);
            for (int i = 0; i < 3; ++i) framing.feed(with_data.bytes(header, data));
            EXPECT_THAT(framing.tags(), ElementsAre(1, 1, 1));
            EXPECT_EQ(framing.framer.header_digest(), header ? DigestUse::yes : DigestUse::no);
            EXPECT_EQ(framing.framer.data_digest(), data ? DigestUse::yes : DigestUse::no);
            EXPECT_EQ(framing.pdus[2].header_digest, header ? Digest::ok : Digest::none);
            EXPECT_EQ(framing.pdus[2].data_digest, data ? Digest::ok : Digest::none);
        }
    }
}

// Packets cut right behind a header say nothing of digests, and must not be taken to.
// With zeros in the place of the data.
Bytes without_data(const PduBuilder& builder, bool header_digest, bool data_digest) {
    Bytes bytes = builder.bytes(header_digest, data_digest);
    const Bytes header = builder.header();
    const size_t begin = bhs_length + (header_digest ? digest_length : 0);
    const uint32_t length = Bhs(header.data()).padded_data_length();
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(begin), length, uint8_t{0});
    return bytes;
}

TEST(PduFramer, CallsNoDataDigestBadWhereDataAreNotKept) {
    const PduBuilder first = PduBuilder(Opcode::scsi_data_in).flags(0x80).itt(1).data(pattern(500));
    const PduBuilder second = PduBuilder(Opcode::scsi_data_in).flags(0x80).itt(2).data(pattern(100));
    for (const bool kept : {true, false}) {
        Framing framing(true);
        framing.framer.set_digests(DigestUse::yes, DigestUse::yes);
        if (!kept) framing.framer.data_are_not_kept();
        framing.feed(without_data(first, true, true) + second.bytes(true, true));
        ASSERT_THAT(framing.tags(), ElementsAre(1, 2));
        EXPECT_EQ(framing.pdus[0].header_digest, Digest::ok);
        EXPECT_EQ(framing.pdus[0].data_digest, kept ? Digest::bad : Digest::none);
        EXPECT_EQ(framing.pdus[0].damaged, kept);
        EXPECT_EQ(framing.pdus[1].data_digest, Digest::ok) << "its data are there";
    }
}

TEST(PduFramer, FindsOutByHeadersWhetherDataThatAreNotKeptHaveDigests) {
    for (const bool digests : {false, true}) {
        Framing framing(true);
        framing.framer.data_are_not_kept();
        Bytes stream;
        for (const uint32_t itt : {1u, 2u, 3u}) {
            const PduBuilder pdu = PduBuilder(Opcode::scsi_data_in)
                                       .flags(0x80)
                                       .itt(itt)
                                       .ttt(reserved_tag)
                                       .exp_cmd_sn(9)
                                       .data(pattern(64));
            stream = stream + without_data(pdu, false, digests);
        }
        framing.feed(stream);
        framing.finish();
        EXPECT_THAT(framing.tags(), ElementsAre(1, 2, 3));
        EXPECT_THAT(framing.stretches, IsEmpty());
        EXPECT_EQ(framing.framer.data_digest(), digests ? DigestUse::yes : DigestUse::no);
    }
}

TEST(PduFramer, TellsThePacketOfDataThatWereCutOff) {
    Framing framing(true);
    const Bytes pdu = PduBuilder(Opcode::scsi_data_in).flags(0x80).itt(1).data(pattern(300)).bytes();
    framing.feed({pdu.begin(), pdu.begin() + 148}, 100);
    framing.feed({pdu.begin() + 148, pdu.end()});
    ASSERT_THAT(framing.pdus, SizeIs(1));
    EXPECT_EQ(framing.pdus[0].first_data, framing.pdus[0].first);
}

TEST(PduFramer, StaysInStepWhereTheCutComesWithinWhatMayBeADigest) {
    const Bytes first = test::data_in(1, 0, pattern(100), 1).flags(0x80).bytes();
    for (uint32_t captured = 48; captured <= 60; ++captured) {
        Framing framing(true);
        for (int i = 0; i < 3; ++i) framing.feed(first, static_cast<uint32_t>(first.size()) - captured);
        framing.finish();
        EXPECT_THAT(framing.tags(), ElementsAre(1, 1, 1)) << captured;
        EXPECT_THAT(framing.stretches, IsEmpty()) << captured;
    }
}

TEST(PduFramer, TakesTheDigestOfThePduBeforeItWasTold) {
    for (const bool data : {false, true}) {
        Framing framing(true);
        const PduBuilder pdu =
            data ? test::data_in(1, 0, pattern(20), 1).flags(0x80) : test::scsi_response(1, 0, 1, 1);
        const Bytes bytes = pdu.bytes(!data, data);
        const Bytes digest(bytes.end() - 4, bytes.end());
        // The digest comes with the next packet, and the negotiation's end is seen in between.
        framing.feed(Bytes(bytes.begin(), bytes.end() - 4));
        framing.framer.set_digests(data ? DigestUse::no : DigestUse::yes,
                                   data ? DigestUse::yes : DigestUse::no);
        framing.feed(digest + bytes).finish();
        EXPECT_THAT(framing.tags(), ElementsAre(1, 1)) << data;
        EXPECT_THAT(framing.stretches, IsEmpty()) << data;
    }
}

TEST(PduFramer, StaysInStepWhereverItIsToldWhichDigestsAreInUse) {
    const std::vector<PduBuilder> answers = {test::data_in(1, 0, pattern(8), 1).flags(0x80),
                                             test::scsi_response(2, 0, 1, 1), test::scsi_response(3, 0, 2, 1),
                                             test::data_in(4, 0, pattern(8), 1).flags(0x80)};
    const std::vector<PduBuilder> requests = {
        test::data_out(1, 1, 0, pattern(8)),
        test::scsi_command(2, 1, test::Moves::in, 8, {0x7f}).ahs(pattern(20)),
        test::scsi_command(3, 2, test::Moves::in, 8, {0x7f}).ahs(pattern(20)),
        test::data_out(4, 1, 0, pattern(8))};
    for (const unsigned which : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u}) {
        const bool from_target = (which & 1) != 0;
        const bool header = (which & 2) != 0;
        const bool data = (which & 4) != 0;
        Bytes stream;
        for (const PduBuilder& pdu : from_target ? answers : requests)
            stream = stream + pdu.bytes(header, data);
        for (size_t i = 0; i <= stream.size(); ++i) {
            for (size_t j = i; j <= std::min(i + 6, stream.size()); ++j) {
                Framing framing(from_target);
                const auto at = [&](size_t n) { return stream.begin() + static_cast<std::ptrdiff_t>(n); };
                framing.feed(Bytes(at(0), at(i)));
                framing.feed(Bytes(at(i), at(j)));
                framing.framer.set_digests(header ? DigestUse::yes : DigestUse::no,
                                           data ? DigestUse::yes : DigestUse::no);
                framing.feed(Bytes(at(j), stream.end())).finish();
                ASSERT_THAT(framing.tags(), ElementsAre(1, 2, 3, 4)) << which << " " << i << " " << j;
                ASSERT_THAT(framing.stretches, IsEmpty()) << which << " " << i << " " << j;
                for (const Found& pdu : framing.pdus)
                    ASSERT_FALSE(pdu.damaged) << which << " " << i << " " << j;
            }
        }
    }
}

TEST(PduFramer, TellsAPduThatTheEndOfTheStreamCutOff) {
    const Bytes pdu = test::data_in(1, 0, pattern(100), 1).flags(0x80).bytes();
    for (size_t end = 0; end <= pdu.size(); ++end) {
        Framing framing(true);
        framing.framer.set_digests(DigestUse::no, DigestUse::no);
        framing.feed(Bytes(pdu.begin(), pdu.begin() + static_cast<std::ptrdiff_t>(end))).finish();
        ASSERT_THAT(framing.pdus, SizeIs(end < 8 ? 0 : 1)) << end;
        if (end < 8) continue;
        EXPECT_EQ(framing.pdus[0].damaged, end < pdu.size()) << end;
        EXPECT_EQ(framing.pdus[0].last, end < pdu.size() ? 0u : 1u) << end;
    }
}

TEST(PduFramer, TakesThePduAtTheStreamsEndAsWholeWhereOnlyADigestMightHaveFollowed) {
    const Bytes more(2, 0x21);
    for (const PduBuilder& pdu :
         {test::data_in(1, 0, pattern(100), 1).flags(0x80), test::scsi_response(1, 0, 1, 1)}) {
        Framing framing(true);
        framing.feed(pdu.bytes() + more).finish();
        ASSERT_THAT(framing.pdus, SizeIs(1));
        EXPECT_FALSE(framing.pdus[0].damaged);
        EXPECT_EQ(framing.pdus[0].last, 1u);
    }
}

}  // namespace
}  // namespace sanscope
