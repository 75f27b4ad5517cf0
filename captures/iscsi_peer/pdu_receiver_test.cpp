// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/pdu_receiver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::operator+;
using test::pattern;
using test::PduBuilder;
using testing::HasSubstr;

struct Received {
    uint32_t itt = 0;
    Bytes data;
    bool intact = false;
    bool operator==(const Received&) const = default;
};

// Wants the data of tags that are even.
struct Handler {
    bool on_header(Bhs header) {
        pdus.push_back({header.itt(), {}, false});
        return header.itt() % 2 == 0;
    }
    void on_data(std::span<const uint8_t> piece, uint32_t at) {
        EXPECT_EQ(at, pdus.back().data.size());
        pdus.back().data.insert(pdus.back().data.end(), piece.begin(), piece.end());
    }
    void on_end(Bhs header, bool intact) {
        EXPECT_EQ(header.itt(), pdus.back().itt);
        pdus.back().intact = intact;
        ++ended;
    }
    std::vector<Received> pdus;
    size_t ended = 0;
};

Bytes pdu(uint32_t itt, size_t length, bool header_digest, bool data_digest, size_t ahs = 0) {
    return PduBuilder(Opcode::scsi_data_in)
        .itt(itt)
        .ahs(Bytes(ahs, 7))
        .data(pattern(length, itt))
        .bytes(header_digest, data_digest);
}

struct Digests {
    bool header;
    bool data;
};
class Receiving : public testing::TestWithParam<Digests> {};

INSTANTIATE_TEST_SUITE_P(With, Receiving,
                         testing::Values(Digests{false, false}, Digests{true, false}, Digests{false, true},
                                         Digests{true, true}));

TEST_P(Receiving, PdusAreTheSameHoweverTheBytesCome) {
    Bytes stream;
    std::vector<Received> expected;
    uint32_t itt = 0;
    for (const unsigned length : {0u, 1u, 2u, 3u, 4u, 5u, 511u, 512u, 4096u, 8191u}) {
        for (const unsigned ahs : {0u, 8u}) {
            stream = stream + pdu(itt, length, GetParam().header, GetParam().data, ahs);
            expected.push_back({itt, itt % 2 == 0 ? pattern(length, itt) : Bytes(), true});
            itt += length % 3 == 0 ? 1 : 2;
        }
    }
    std::minstd_rand random(4711);
    for (const size_t longest : {size_t{1}, size_t{7}, size_t{49}, size_t{1000}, stream.size()}) {
        PduReceiver receiver({.header_digest = GetParam().header, .data_digest = GetParam().data});
        Handler handler;
        for (size_t at = 0; at < stream.size();) {
            const size_t left = stream.size() - at;
            if (const uint32_t unwanted = receiver.unwanted(); unwanted > 0 && random() % 2 == 0) {
                const auto count = static_cast<uint32_t>(1 + random() % std::min<size_t>(unwanted, left));
                receiver.passed_over(count, handler);
                at += count;
                continue;
            }
            const size_t count = std::min<size_t>(1 + random() % longest, left);
            ASSERT_TRUE(receiver.take(std::span(stream).subspan(at, count), handler));
            at += count;
        }
        EXPECT_FALSE(receiver.within_pdu());
        EXPECT_EQ(handler.ended, expected.size());
        EXPECT_EQ(handler.pdus, expected) << longest;
    }
}

TEST_P(Receiving, APduThatIsCutOffHasBegun) {
    const Bytes whole = pdu(2, 100, GetParam().header, GetParam().data);
    for (size_t length = 1; length < whole.size(); ++length) {
        PduReceiver receiver({.header_digest = GetParam().header, .data_digest = GetParam().data});
        Handler handler;
        ASSERT_TRUE(receiver.take(std::span(whole).first(length), handler));
        EXPECT_TRUE(receiver.within_pdu()) << length;
        EXPECT_EQ(handler.ended, 0u);
    }
}

TEST(PduReceiver, AWrongHeaderDigestIsTheEnd) {
    Bytes bytes = pdu(2, 100, true, false);
    bytes[20] ^= 1;
    PduReceiver receiver({.header_digest = true});
    Handler handler;
    const auto taken = receiver.take(bytes, handler);
    ASSERT_FALSE(taken);
    EXPECT_THAT(taken.error().message, HasSubstr("header digest"));
    EXPECT_TRUE(handler.pdus.empty()) << "nobody is told of a header that may be another";
}

TEST(PduReceiver, AWrongDataDigestIsToldOfThatPduAlone) {
    Bytes bytes = pdu(2, 100, false, true);
    bytes[60] ^= 1;
    PduReceiver receiver({.data_digest = true});
    Handler handler;
    ASSERT_TRUE(receiver.take(bytes + pdu(4, 100, false, true), handler));
    ASSERT_EQ(handler.ended, 2u);
    EXPECT_FALSE(handler.pdus[0].intact);
    EXPECT_TRUE(handler.pdus[1].intact);
    EXPECT_EQ(receiver.unwanted(), 0u) << "a digest is of all bytes";
}

TEST(PduReceiver, MoreDataThanAllowedAreRefused) {
    PduReceiver receiver({.most_data = 512});
    Handler handler;
    EXPECT_TRUE(receiver.take(pdu(2, 512, false, false), handler));
    const auto taken = receiver.take(pdu(2, 513, false, false), handler);
    ASSERT_FALSE(taken);
    EXPECT_THAT(taken.error().message, HasSubstr("513 bytes of data, more than the 512"));
}

}  // namespace
}  // namespace sanscope
