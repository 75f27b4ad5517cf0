// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/anonymize/payload_anonymizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "captures/anonymize/scsi_data_rewriter.h"
#include "captures/anonymize/text_keys_rewriter.h"

#include "analyzer/base/byte_order.h"
#include "analyzer/base/crc32c.h"
#include "analyzer/iscsi/testing/pdu_builder.h"
#include "analyzer/scsi/device_identification.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

using test::Bytes;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

constexpr MappingKey key = {42};
constexpr const char* target = "iqn.2003-01.org.linux-iscsi.storage:sn.0a1b2c";

Bytes bytes_of(std::string_view text) {
    return {text.begin(), text.end()};
}
std::string text_of(const Bytes& bytes) {
    return {bytes.begin(), bytes.end()};
}
Bytes joined(const Bytes& a, const Bytes& b) {
    Bytes all = a;
    all.insert(all.end(), b.begin(), b.end());
    return all;
}

class PayloadTest : public testing::Test {
  protected:
    std::unique_ptr<Anonymizer> anonymizer_ = std::move(*Anonymizer::create(key));

    std::string rewritten_keys(const Bytes& keys) {
        Bytes text = keys;
        rewrite_text_keys(text, *anonymizer_);
        EXPECT_EQ(text.size(), keys.size());
        return text_of(text);
    }
};

using TextKeysTest = PayloadTest;

TEST_F(TextKeysTest, NamesAreReplacedAndNegotiationStays) {
    const std::string out = rewritten_keys(test::text_keys(
        {"InitiatorName=iqn.1991-05.com.microsoft:host.corp",
         "TargetName=iqn.2003-01.org.linux-iscsi.storage:sn.0a1b2c", "SessionType=Normal",
         "HeaderDigest=CRC32C,None", "MaxBurstLength=262144", "AuthMethod=CHAP,None", "CHAP_A=5,7",
         "CHAP_I=200", "CHAP_N=administrator", "CHAP_R=0x00112233445566778899aabbccddeeff",
         "InitiatorAlias=Host 7", "TargetAddress=192.168.100.200:3260,1", "SendTargets=All",
         "X-com.example.who=mallory"}));
    for (const char* const kept :
         {"InitiatorName=iqn.", "SessionType=Normal", "HeaderDigest=CRC32C,None", "MaxBurstLength=262144",
          "AuthMethod=CHAP,None", "CHAP_A=5,7", "CHAP_I=200", "CHAP_R=0x", ":3260,1", "SendTargets=All"})
        EXPECT_THAT(out, HasSubstr(kept));
    for (const char* const gone :
         {"microsoft", "corp", "linux", "0a1b2c", "administrator", "00112233", "Host", "192.168", "mallory"})
        EXPECT_THAT(out, Not(HasSubstr(gone)));
    EXPECT_THAT(out, HasSubstr("TargetName=" + anonymizer_->map_name(target)));
}

TEST_F(TextKeysTest, WhatIsNoPairIsTakenForAName) {
    EXPECT_THAT(rewritten_keys(bytes_of("no pair, but mallory")), Not(HasSubstr("mallory")));
    EXPECT_THAT(rewritten_keys(bytes_of("mallory=None")), Not(HasSubstr("mallory")));
    // A value that holds a second pair, for want of a zero byte between.
    EXPECT_THAT(rewritten_keys(bytes_of("MaxBurstLength=1InitiatorName=iqn.2001-04.com.mallory")),
                Not(HasSubstr("mallory")));
    EXPECT_THAT(rewritten_keys(bytes_of("TargetName=Reject")), "TargetName=Reject");
}

using ScsiDataTest = PayloadTest;

TEST_F(ScsiDataTest, DeviceIdentificationKeepsTypesAndForm) {
    Bytes page = {0, 0x83, 0, 0};
    const auto add = [&](uint8_t code_set, uint8_t type, const Bytes& designator) {
        page = joined(page, {code_set, type, 0, static_cast<uint8_t>(designator.size())});
        page = joined(page, designator);
    };
    const Bytes naa = {0x60, 0x01, 0x40, 0x5a, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    add(1, 3, naa);
    add(2, 1, bytes_of("LIO-ORG disk0:serial-4711"));
    Bytes name = bytes_of(std::string(target) + ",t,0x0001");
    name.resize((name.size() + 4) & ~size_t{3});
    add(3, 0x98, name);
    add(1, 0x94, {0, 0, 0, 7});
    add(1, 0xff, bytes_of("mallory!"));
    page[3] = static_cast<uint8_t>(page.size() - 4);
    Bytes out = page;
    rewrite_parameter_data(scsi_op::inquiry, 1, 0x83, out, *anonymizer_);
    ASSERT_EQ(out.size(), page.size());
    EXPECT_EQ(Bytes(out.begin(), out.begin() + 8), Bytes(page.begin(), page.begin() + 8));
    EXPECT_EQ(out[8] >> 4, 6);
    EXPECT_NE(Bytes(out.begin() + 8, out.begin() + 24), naa);
    EXPECT_THAT(text_of(out), HasSubstr("LIO-ORG "));
    EXPECT_THAT(text_of(out), Not(HasSubstr("4711")));
    EXPECT_THAT(text_of(out), HasSubstr(anonymizer_->map_name(target) + ",t,0x0001"));
    EXPECT_THAT(text_of(out), Not(HasSubstr("mallory")));
    EXPECT_FALSE(unit_name_of(out).empty());
    EXPECT_EQ(target_port_of(out).has_value(), target_port_of(page).has_value());
}

TEST_F(ScsiDataTest, SerialNumberAndWhatVendorsAdd) {
    Bytes serial = joined({0, 0x80, 0, 12}, bytes_of("  beaf-0042  "));
    rewrite_parameter_data(scsi_op::inquiry, 1, 0x80, serial, *anonymizer_);
    EXPECT_THAT(text_of(Bytes(serial.begin() + 4, serial.end() - 1)), MatchesRegex("  [a-z]{4}-[0-9]{4} "));
    EXPECT_THAT(text_of(serial), Not(HasSubstr("beaf-0042")));

    Bytes standard = joined(Bytes(8), bytes_of("VENDOR  PRODUCT         REV1SER-4711            "));
    standard.resize(96);
    standard = joined(standard, bytes_of("mallory"));
    rewrite_parameter_data(scsi_op::inquiry, 0, 0, standard, *anonymizer_);
    EXPECT_THAT(text_of(standard), HasSubstr("VENDOR  PRODUCT         REV1"));
    EXPECT_THAT(text_of(standard), Not(HasSubstr("4711")));
    EXPECT_THAT(text_of(standard), Not(HasSubstr("mallory")));

    Bytes other = joined({0, 0xc0, 0, 7}, bytes_of("mallory"));
    rewrite_parameter_data(scsi_op::inquiry, 1, 0xc0, other, *anonymizer_);
    EXPECT_THAT(text_of(other), Not(HasSubstr("mallory")));
    Bytes log = bytes_of("mallory's log page");
    rewrite_parameter_data(0x4d, 0, 0, log, *anonymizer_);
    EXPECT_EQ(log, Bytes(log.size()));
    Bytes mode = joined({30, 0, 0, 0, 0x0a, 2, 1, 2, 0x20, 7}, bytes_of("mallory"));
    rewrite_parameter_data(scsi_op::mode_sense_6, 0, 0x3f, mode, *anonymizer_);
    EXPECT_EQ(Bytes(mode.begin(), mode.begin() + 10), (Bytes{30, 0, 0, 0, 0x0a, 2, 1, 2, 0x20, 7}));
    EXPECT_THAT(text_of(mode), Not(HasSubstr("mallory")));
    Bytes capacity = {0, 0, 1, 0, 0, 0, 2, 0};
    rewrite_parameter_data(scsi_op::read_capacity_10, 0, 0, capacity, *anonymizer_);
    EXPECT_EQ(capacity, (Bytes{0, 0, 1, 0, 0, 0, 2, 0}));
}

TEST_F(ScsiDataTest, SenseStaysButForWhatVendorsAdd) {
    Bytes sense = {0, 25, 0x70, 0, 6, 0, 0, 0, 0, 17, 0, 0, 0, 0, 0x29, 0, 0, 0, 0, 0};
    sense = joined(sense, bytes_of("mallory"));
    rewrite_sense_segment(sense);
    EXPECT_EQ(sense[14], 0x29);
    EXPECT_THAT(text_of(sense), Not(HasSubstr("mallory")));
    Bytes descriptors = {0, 24, 0x72, 6, 0x29, 0, 0, 0, 0, 16,   0, 10,  0x80,
                         0, 1,  2,    3, 4,    5, 6, 7, 8, 0x80, 2, 'm', 'a'};
    rewrite_sense_segment(descriptors);
    EXPECT_EQ(descriptors[21], 8);
    EXPECT_EQ(descriptors[24], 0);
}

TEST_F(ScsiDataTest, CutAnywhereNothingIsReadBehindTheEnd) {
    Bytes page(256);
    for (size_t i = 0; i < page.size(); ++i) page[i] = static_cast<uint8_t>(i * 7);
    for (unsigned opcode = 0; opcode < 256; ++opcode) {
        for (const uint8_t vpd : Bytes{0x00, 0x80, 0x83, 0x88}) {
            for (size_t length = 0; length < 80; length += 3) {
                Bytes cut(page.begin(), page.begin() + static_cast<std::ptrdiff_t>(length));
                if (length > 1) cut[1] = vpd;
                rewrite_parameter_data(static_cast<uint8_t>(opcode), 1, vpd, cut, *anonymizer_);
                rewrite_sense_segment(cut);
            }
        }
    }
}

// Parts as a follower tells them, of a stream that holds PDUs one behind the other.
struct Stream {
    Bytes bytes = {};
    std::vector<PayloadPart> parts = {};

    void add(PayloadKind kind, uint8_t opcode, const Bytes& more, PayloadPart what = {}) {
        what.kind = kind;
        what.opcode = opcode;
        what.stream_offset = bytes.size();
        what.length = what.whole = static_cast<uint32_t>(more.size());
        parts.push_back(what);
        bytes = joined(bytes, more);
    }
    void add_pdu(const Bytes& pdu, PayloadKind kind, PayloadPart what = {}) {
        const Bhs bhs(pdu.data());
        const auto cut = [&](size_t from, size_t to) {
            return Bytes(pdu.begin() + static_cast<std::ptrdiff_t>(from),
                         pdu.begin() + static_cast<std::ptrdiff_t>(to));
        };
        const uint8_t opcode = bhs.opcode_value();
        const size_t data = bhs_length + bhs.data_segment_length();
        const size_t padded = bhs_length + bhs.padded_data_length();
        add(PayloadKind::basic_header, opcode, cut(0, bhs_length), what);
        add(kind, opcode, cut(bhs_length, data), what);
        if (padded > data) add(PayloadKind::padding, opcode, cut(data, padded), what);
        if (pdu.size() > padded) add(PayloadKind::data_digest, opcode, cut(padded, pdu.size()), what);
    }
    // The parts of [from, to) in a segment of its own.
    std::vector<PayloadPart> cut(uint64_t from, uint64_t to) const {
        std::vector<PayloadPart> out;
        for (PayloadPart part : parts) {
            const uint64_t begin = std::max(from, part.stream_offset);
            const uint64_t end = std::min(to, part.stream_offset + part.length);
            if (begin >= end) continue;
            part.begin = static_cast<uint32_t>(begin - part.stream_offset);
            part.length = static_cast<uint32_t>(end - begin);
            part.offset = static_cast<uint32_t>(begin - from);
            part.stream_offset = begin;
            out.push_back(part);
        }
        return out;
    }
};

class StreamTest : public PayloadTest {
  protected:
    PayloadAnonymizer payloads_ = PayloadAnonymizer(*anonymizer_);

    Bytes segment(const Stream& stream, size_t from, size_t to) const {
        return {stream.bytes.begin() + static_cast<std::ptrdiff_t>(from),
                stream.bytes.begin() + static_cast<std::ptrdiff_t>(to)};
    }
    void note(const Stream& stream, size_t from, size_t to) {
        const auto parts = stream.cut(from, to);
        const Bytes payload = segment(stream, from, to);
        payloads_.note({.iscsi = true, .parts = parts}, payload);
    }
    Bytes applied(const Stream& stream, size_t from, size_t to) const {
        const auto parts = stream.cut(from, to);
        Bytes payload = segment(stream, from, to);
        payloads_.apply({.iscsi = true, .parts = parts}, payload);
        return payload;
    }
};

bool has_right_digest(const Bytes& pdu, size_t data, size_t padded) {
    const uint32_t crc =
        crc32c_final(crc32c_update(crc32c_init, std::span(pdu).subspan(data, padded - data)));
    return load_le32(pdu.data() + padded) == crc;
}

TEST_F(StreamTest, ANameSplitAtEveryByteAndSentAgainHasOneReplacement) {
    Stream stream;
    stream.add_pdu(
        test::login_request(test::text_keys({"TargetName=iqn.2003-01.org.linux-iscsi.storage:sn.0a1b2c"}))
            .bytes(),
        PayloadKind::text);
    const size_t end = stream.bytes.size();
    for (size_t at = 1; at < end; ++at) {
        note(stream, 0, at);
        note(stream, at, end);
    }
    payloads_.settle();
    const Bytes whole = applied(stream, 0, end);
    EXPECT_THAT(text_of(whole), HasSubstr("TargetName=" + anonymizer_->map_name(target)));
    for (size_t at = 1; at < end; ++at)
        EXPECT_EQ(joined(applied(stream, 0, at), applied(stream, at, end)), whole);
}

TEST_F(StreamTest, AValueThatGoesOnInTheNextPduIsOneName) {
    const std::string pair = std::string("TargetName=") + target;
    Stream stream;
    Bytes first = test::login_request(bytes_of(pair.substr(0, 30))).flags(0x40).bytes();
    stream.add_pdu(first, PayloadKind::text);
    stream.add_pdu(test::login_request(joined(bytes_of(pair.substr(30)), {0})).bytes(), PayloadKind::text);
    note(stream, 0, stream.bytes.size());
    payloads_.settle();
    const std::string name = anonymizer_->map_name(target);
    const std::string out = text_of(applied(stream, 0, stream.bytes.size()));
    EXPECT_THAT(out, HasSubstr("TargetName=" + name.substr(0, 19)));
    EXPECT_THAT(out, HasSubstr(name.substr(19)));
}

TEST_F(StreamTest, DigestsRightStayRightWrongStayAsTheyAre) {
    Stream stream;
    const Bytes right =
        test::login_request(test::text_keys({"TargetName=iqn.2003-01.org.linux-iscsi.x"})).bytes(false, true);
    Bytes wrong = right;
    wrong.back() ^= 1;
    stream.add_pdu(right, PayloadKind::text);
    stream.add_pdu(wrong, PayloadKind::text);
    note(stream, 0, stream.bytes.size());
    payloads_.settle();
    const Bytes out = applied(stream, 0, stream.bytes.size());
    const size_t padded = right.size() - digest_length;
    const auto second = static_cast<std::ptrdiff_t>(right.size());
    EXPECT_NE(out, stream.bytes);
    EXPECT_TRUE(has_right_digest(Bytes(out.begin(), out.begin() + second), bhs_length, padded));
    EXPECT_FALSE(has_right_digest(Bytes(out.begin() + second, out.end()), bhs_length, padded));
}

TEST_F(StreamTest, InquiryDataAreReplacedAndBlocksLeftAlone) {
    Stream stream;
    const Bytes page = joined({0, 0x80, 0, 8}, bytes_of("SER-4711"));
    stream.add_pdu(test::data_in(1, 0, page, 1).bytes(false, true), PayloadKind::parameter_data,
                   {.scsi_opcode = scsi_op::inquiry, .cdb_byte_1 = 1, .cdb_byte_2 = 0x80});
    stream.add_pdu(
        test::data_in(1, 8192, bytes_of("mallory!"), 1).bytes(), PayloadKind::parameter_data,
        {.scsi_opcode = scsi_op::inquiry, .cdb_byte_1 = 1, .cdb_byte_2 = 0x80, .buffer_offset = 8192});
    stream.add_pdu(test::data_in(2, 0, bytes_of("blocks"), 1).bytes(), PayloadKind::users_data,
                   {.scsi_opcode = scsi_op::read_10});
    note(stream, 0, stream.bytes.size());
    payloads_.settle();
    const Bytes out = applied(stream, 0, stream.bytes.size());
    EXPECT_THAT(text_of(out), Not(HasSubstr("4711")));
    EXPECT_THAT(text_of(out), HasSubstr(anonymizer_->map_name("SER-4711")));
    EXPECT_THAT(text_of(out), Not(HasSubstr("mallory")));
    EXPECT_THAT(text_of(out), HasSubstr("blocks"));
    EXPECT_TRUE(has_right_digest(out, bhs_length, bhs_length + 12));
}

TEST_F(StreamTest, WhatWasNotNotedIsZeroed) {
    Stream stream;
    stream.add_pdu(test::login_request(test::text_keys({"TargetName=iqn.2003-01.org.linux-iscsi.x"})).bytes(),
                   PayloadKind::text);
    payloads_.settle();
    const Bytes out = applied(stream, 0, stream.bytes.size());
    EXPECT_EQ(Bytes(out.begin() + bhs_length, out.end()), Bytes(out.size() - bhs_length));
}

TEST_F(StreamTest, BehindAHoleTheRestOfANameIsReplacedToo) {
    Stream stream;
    stream.add_pdu(test::login_request(test::text_keys({"TargetName=iqn.2003-01.org.linux-iscsi.storage",
                                                        "SessionType=Normal"}))
                       .bytes(),
                   PayloadKind::text);
    const size_t end = stream.bytes.size();
    note(stream, 0, bhs_length + 20);
    note(stream, bhs_length + 25, end);
    payloads_.settle();
    const std::string out =
        text_of(joined(applied(stream, 0, bhs_length + 20), applied(stream, bhs_length + 25, end)));
    EXPECT_THAT(out, HasSubstr("TargetName=iqn."));
    EXPECT_THAT(out, Not(HasSubstr("linux")));
    EXPECT_THAT(out, Not(HasSubstr("storage")));
    EXPECT_THAT(out, HasSubstr("SessionType=Normal"));
}

}  // namespace
}  // namespace sanscope
