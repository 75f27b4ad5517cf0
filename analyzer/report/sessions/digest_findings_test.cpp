// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/ingest/capture_file.h"
#include "analyzer/report/testing/findings_fixture.h"
#include "analyzer/report/testing/made_up_capture.h"

namespace sanscope {
namespace {

using test::Findings;
using test::MadeUpCapture;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

using Kind = Finding::Kind;
using Cause = DigestError::Cause;

// Three connections with digests, captured at the initiator.
class DigestedCapture : public MadeUpCapture {
  public:
    static constexpr uint8_t data_in = 0x25;
    static constexpr uint8_t data_out = 0x05;
    static constexpr uint8_t nop_in = 0x20;

    DigestedCapture() {
        for (int i = 0; i < 3; ++i) {
            add_connection();
            store.session(static_cast<uint32_t>(i + 1)).data_digest = "CRC32C";
        }
    }
    void add(uint8_t opcode, uint32_t connection, bool header = false, DigestError error = {}) {
        ++packet_;
        issues.add(header ? Issue::header_digests_bad : Issue::data_digests_bad, packet_);
        add_event({.packet = packet_,
                   .time_ns = 0,
                   .connection = connection,
                   .opcode = opcode,
                   .bad_digest = true,
                   .bad_header_digest = header,
                   .header_error = header ? error : DigestError{},
                   .data_error = header ? DigestError{} : error});
    }
    static DigestError flip(uint32_t byte, unsigned bit) {
        return {.cause = Cause::flipped_bit, .flipped = static_cast<uint8_t>(1u << bit), .byte = byte};
    }
    static DigestError of(Cause cause, bool crc32_known = true) {
        return {.cause = cause, .crc32_known = crc32_known};
    }

  private:
    PacketNumber packet_ = 10;
};

class WrongDigests : public testing::Test, protected DigestedCapture {};

TEST_F(WrongDigests, at_the_receiver_are_the_paths_or_the_senders) {
    for (int i = 0; i < 5; ++i) add(data_in, 2);
    const Finding finding = find_one(Kind::bad_digest);
    EXPECT_EQ(finding.side, Finding::Side::path);
    EXPECT_EQ(finding.sender, Finding::Sender::target);
    EXPECT_NE(finding.confidence, Finding::Confidence::firm);
    EXPECT_THAT(finding.evidence, Contains("all are of the target: 5 SCSI Data-In"));
    EXPECT_THAT(finding.evidence, Contains("on 1 of 3 connections with digests"));
    EXPECT_THAT(finding.explanation, testing::Not(HasSubstr("the TCP checksum held")));
}

TEST_F(WrongDigests, at_the_sender_are_not_the_paths) {
    for (int i = 0; i < 5; ++i) add(data_out, 1);
    const Finding finding = find_one(Kind::bad_digest);
    EXPECT_EQ(finding.side, Finding::Side::initiator);
    EXPECT_THAT(finding.evidence, Contains("captured at the initiator, before the path"));
}

TEST_F(WrongDigests, of_both_sides_are_not_one_senders) {
    add(data_out, 1);
    add(data_in, 1);
    const Finding finding = find_one(Kind::bad_digest);
    EXPECT_EQ(finding.side, Finding::Side::path);
    EXPECT_EQ(finding.sender, Finding::Sender::unknown);
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("1 of the target, 1 of the initiator")));
}

TEST_F(WrongDigests, of_rare_short_pdus_alone_are_the_softwares) {
    store.add_digested(Role::target, 1'000'000, 100'000'000);
    for (int i = 0; i < 4; ++i) add(nop_in, 1, true);
    EXPECT_EQ(find_one(Kind::bad_digest).side, Finding::Side::target);
}

// Nothing but pings passed that could have been hit.
TEST_F(WrongDigests, of_an_idle_connections_pings_are_not_said_to_be_the_softwares) {
    store.add_digested(Role::target, 52'000, 0);
    for (int i = 0; i < 4; ++i) add(nop_in, 1, true);
    EXPECT_EQ(find_one(Kind::bad_digest).side, Finding::Side::path);
}

TEST_F(WrongDigests, of_header_and_data_of_one_pdu_are_of_one) {
    issues.add(Issue::header_digests_bad, 20);
    issues.add(Issue::data_digests_bad, 20);
    add_event({.packet = 20,
               .time_ns = 0,
               .connection = 1,
               .opcode = data_in,
               .bad_digest = true,
               .bad_header_digest = true});
    EXPECT_THAT(find_one(Kind::bad_digest).title,
                HasSubstr("1 PDU with a wrong digest: 1 of headers, 1 of data"));
}

// The direction's bit of the opcode is what was flipped.
TEST_F(WrongDigests, of_opcodes_are_of_the_side_that_sent_them) {
    issues.add(Issue::header_digests_bad, 20);
    add_event({.packet = 20,
               .time_ns = 0,
               .connection = 1,
               .opcode = data_out,
               .bad_digest = true,
               .bad_header_digest = true,
               .header_error = flip(0, 5),
               .sender = Role::target});
    const Finding finding = find_one(Kind::bad_digest);
    EXPECT_EQ(finding.sender, Finding::Sender::target);
    EXPECT_THAT(finding.evidence, Contains("all are of the target: 1 SCSI Data-In"));
}

TEST_F(WrongDigests, of_an_opcode_that_nothing_explains_are_of_none_known) {
    issues.add(Issue::header_digests_bad, 20);
    add_event({.packet = 20,
               .time_ns = 0,
               .connection = 1,
               .opcode = data_out,
               .bad_digest = true,
               .bad_header_digest = true,
               .sender = Role::target});
    EXPECT_THAT(find_one(Kind::bad_digest).evidence,
                Contains("all are of the target: 1 of an opcode not known"));
}

TEST_F(WrongDigests, of_which_not_all_are_kept_are_said_to_be_the_first) {
    for (size_t i = 0; i <= SessionEvents::most_kept; ++i) add(data_in, 2);
    const Finding finding = find_one(Kind::bad_digest);
    EXPECT_THAT(finding.title, HasSubstr("4097 PDUs"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("of the first 4096, all are of the target")));
}

TEST_F(WrongDigests, that_are_themselves_what_was_flipped_are_no_field) {
    for (int i = 0; i < 4; ++i) {
        DigestError error = flip(49, 0);
        error.in_digest = true;
        add(data_in, 2, true, error);
    }
    const Finding finding = find_one(Kind::bad_digest);
    EXPECT_THAT(finding.explanation, testing::Not(HasSubstr("after it made the digest")));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("bit 0 of a byte of the digest of the header")));
}

TEST_F(WrongDigests, of_one_short_pdu_tell_nothing_of_software) {
    add(nop_in, 1, true);
    EXPECT_EQ(find_one(Kind::bad_digest).side, Finding::Side::path);
}

TEST_F(WrongDigests, by_a_single_bit_name_its_place) {
    add(data_in, 2, false, flip(1032, 3));
    add(data_in, 2, false, of(Cause::unexplained));
    add(data_in, 2);
    const Finding finding = find_one(Kind::bad_digest);
    EXPECT_THAT(finding.evidence,
                Contains("1 of 2 differ from what was sent in a single bit: byte 1032, bit 3 of "
                         "data in packet 11"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("1 of 2 are explained neither")));
    EXPECT_EQ(finding.side, Finding::Side::path);
    EXPECT_NE(finding.confidence, Finding::Confidence::firm);
}

TEST_F(WrongDigests, of_the_same_bit_of_each_word_are_a_data_paths) {
    for (const uint32_t byte : {2u, 10u, 1002u, 4090u}) add(data_in, 2, false, flip(byte, 5));
    const Finding finding = find_one(Kind::bad_digest);
    EXPECT_THAT(finding.evidence, Contains("all 4 flipped bits of data are bit 21 of a word of 64 bits"));
    EXPECT_THAT(finding.explanation, HasSubstr("memory, a bus, or a card"));
}

TEST_F(WrongDigests, of_the_same_bit_of_narrower_words_are_a_narrower_paths) {
    for (const uint32_t byte : {2u, 6u, 1002u, 4090u}) add(data_in, 2, false, flip(byte, 5));
    EXPECT_THAT(find_one(Kind::bad_digest).evidence, Contains(HasSubstr("bit 21 of a word of 32 bits")));
    for (const uint32_t byte : {3u, 5u}) add(data_in, 2, false, flip(byte, 5));
    EXPECT_THAT(find_one(Kind::bad_digest).evidence, Contains(HasSubstr("bit 5 of a word of 8 bits")));
    add(data_in, 2, false, flip(3, 6));
    EXPECT_THAT(find_one(Kind::bad_digest).evidence, testing::Not(Contains(HasSubstr("of a word of"))));
}

TEST_F(WrongDigests, of_three_alike_bits_are_too_few_for_a_data_path) {
    for (const uint32_t byte : {2u, 10u, 1002u}) add(data_in, 2, false, flip(byte, 5));
    EXPECT_THAT(find_one(Kind::bad_digest).evidence, testing::Not(Contains(HasSubstr("of a word of"))));
}

TEST_F(WrongDigests, of_one_bit_of_all_headers_may_be_a_field_that_changes) {
    for (int i = 0; i < 4; ++i) add(data_in, 2, true, flip(1, 0));
    const Finding finding = find_one(Kind::bad_digest);
    EXPECT_THAT(finding.evidence, Contains("always bit 0 of byte 1 of the header"));
    EXPECT_THAT(finding.explanation, HasSubstr("after it made the digest"));
}

TEST_F(WrongDigests, anywhere_in_headers_and_data_are_a_links) {
    store.add_digested(Role::target, 52'000, 156'000);
    for (uint32_t i = 0; i < 3; ++i) add(data_in, 2, true, flip(i * 13, i));
    for (uint32_t i = 0; i < 7; ++i) add(data_in, 2, false, flip(i * 131, i));
    EXPECT_THAT(find_one(Kind::bad_digest).evidence, Contains(HasSubstr("in proportion to their bytes")));
}

TEST_F(WrongDigests, in_data_alone_are_not_said_to_be_in_proportion) {
    store.add_digested(Role::target, 52'000, 156'000);
    for (uint32_t i = 0; i < 20; ++i) add(data_in, 2, false, flip(i * 131, i % 7));
    EXPECT_THAT(find_one(Kind::bad_digest).evidence, testing::Not(Contains(HasSubstr("in proportion"))));
}

TEST_F(WrongDigests, by_another_rule_are_certainly_the_senders) {
    for (const Cause cause : {Cause::byte_swapped, Cause::no_final_xor, Cause::no_padding}) {
        SCOPED_TRACE(static_cast<int>(cause));
        DigestedCapture other;
        other.add(data_in, 2, false, of(cause));
        other.add(data_in, 3, false, of(cause));
        const Finding finding = other.find_one(Kind::bad_digest);
        EXPECT_EQ(finding.side, Finding::Side::target);
        EXPECT_EQ(finding.confidence, Finding::Confidence::firm);
        EXPECT_THAT(finding.evidence, Contains(HasSubstr("2 of 2 are the CRC32C ")));
    }
}

TEST_F(WrongDigests, by_crc32_are_so_though_the_first_one_was_not_tried) {
    add(data_in, 2, false, of(Cause::unexplained, false));
    for (int i = 0; i < 3; ++i) add(data_in, 2, false, of(Cause::crc32));
    EXPECT_EQ(find_one(Kind::bad_digest).confidence, Finding::Confidence::firm);
    EXPECT_EQ(find_one(Kind::bad_digest).side, Finding::Side::target);
    add(data_in, 2, false, of(Cause::unexplained));
    EXPECT_NE(find_one(Kind::bad_digest).confidence, Finding::Confidence::firm) << "one was tried in vain";
}

TEST_F(WrongDigests, of_zero_are_certain_only_where_they_are_several_and_no_card_fills_them_in) {
    for (int i = 0; i < 3; ++i) add(data_in, 2, false, of(Cause::never_computed));
    EXPECT_NE(find_one(Kind::bad_digest).confidence, Finding::Confidence::firm);
    add(data_in, 2, false, of(Cause::never_computed));
    EXPECT_EQ(find_one(Kind::bad_digest).confidence, Finding::Confidence::firm);
    DigestedCapture at_sender;
    for (int i = 0; i < 8; ++i) at_sender.add(data_out, 1, false, of(Cause::never_computed));
    const Finding finding = at_sender.find_one(Kind::bad_digest);
    EXPECT_EQ(finding.side, Finding::Side::initiator);
    EXPECT_EQ(finding.confidence, Finding::Confidence::likely);
    EXPECT_THAT(finding.explanation, HasSubstr("its card fills in later"));
}

TEST_F(WrongDigests, that_nothing_explains_are_no_flipped_bits) {
    for (int i = 0; i < 4; ++i) add(data_in, 2, false, of(Cause::unexplained));
    const Finding finding = find_one(Kind::bad_digest);
    EXPECT_THAT(finding.explanation, HasSubstr("No flipped bit explains any of them"));
    EXPECT_EQ(finding.side, Finding::Side::path);
}

TEST_F(WrongDigests, of_data_alone_may_be_of_what_was_written_to_while_it_was_sent) {
    add(data_in, 2, false, of(Cause::unexplained));
    Finding finding = find_one(Kind::bad_digest);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation,
                HasSubstr("blocks that another command writes while the target reads them"));
    EXPECT_THAT(finding.explanation, Not(HasSubstr("pages")));
    add(data_out, 1, false, of(Cause::unexplained));
    finding = find_one(Kind::bad_digest);
    EXPECT_THAT(finding.explanation, HasSubstr("pages that a program changes"));
    add(data_in, 2, true, of(Cause::unexplained));
    finding = find_one(Kind::bad_digest);
    EXPECT_EQ(finding.confidence, Finding::Confidence::likely) << "a header is hit, too";
    EXPECT_THAT(finding.explanation, Not(HasSubstr("written to")));
}

TEST_F(WrongDigests, of_data_with_a_flipped_bit_are_not_of_what_was_written_to) {
    add(data_in, 2, false, of(Cause::unexplained));
    add(data_in, 2, false, flip(300, 4));
    EXPECT_EQ(find_one(Kind::bad_digest).confidence, Finding::Confidence::likely);
}

// A sample in which a bit of some CDBs is flipped: byte 45 of the header.
TEST(WrongDigestsOfASample, are_found_with_the_bit_that_was_flipped) {
    auto source = open_captures({SANSCOPE_SAMPLES "/header-digest-mixed.pcap.zst"});
    ASSERT_TRUE(source);
    Engine engine(rows_for_findings);
    PacketBatch batch;
    std::vector<DecodedPacket> decoded;
    int flipped = 0;
    while ((*source)->claim(batch)) {
        (*source)->load(batch);
        (*source)->parse(batch);
        decode_batch(batch, decoded);
        for (const DecodedPacket& packet : decoded) {
            constexpr uint8_t scsi_command = 0x01;
            constexpr uint32_t with_header_digest = 52;
            if (packet.payload_captured != with_header_digest || packet.payload[0] != scsi_command ||
                flipped == 5)
                continue;
            const_cast<uint8_t*>(packet.payload)[45] ^= 0x10;
            ++flipped;
        }
        engine.process(batch, decoded);
    }
    engine.finish();
    ASSERT_EQ(flipped, 5);
    std::vector<Finding> found = findings({engine.store(), engine.totals(), engine.issues(), {}, {}});
    std::erase_if(found, [](const Finding& finding) { return finding.kind != Kind::bad_digest; });
    ASSERT_EQ(found.size(), 1u);
    EXPECT_THAT(found[0].evidence,
                Contains(HasSubstr(
                    "5 of 5 differ from what was sent in a single bit: byte 45, bit 4 of the header")));
    EXPECT_THAT(found[0].evidence, Contains("always bit 4 of byte 45 of the header"));
}

TEST_F(Findings, bad_digests_lead_to_the_first_one) {
    issues.add(Issue::data_digests_bad, 44, 3);
    store.add_session_event(
        {.packet = 44, .command = 9, .connection = 1, .session = 1, .opcode = 0x25, .bad_digest = true});
    const Finding finding = find_one(Kind::bad_digest);
    EXPECT_THAT(finding.title, HasSubstr("3 PDUs with a wrong digest: 0 of headers, 3 of data"));
    EXPECT_EQ(finding.packet, 44u);
    EXPECT_EQ(finding.command, 9u);
    EXPECT_EQ(finding.session, 1u);
}

}  // namespace
}  // namespace sanscope
