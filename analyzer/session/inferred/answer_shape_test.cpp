// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/inferred/answer_shape.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

TEST(AnswerShape, PduTakesItsHeaderItsPaddedDataAndTheirDigest) {
    AnswerShape shape;
    EXPECT_EQ(shape.pdu_bytes(0), 48U);
    EXPECT_EQ(shape.pdu_bytes(1), 52U);
    EXPECT_EQ(shape.pdu_bytes(512), 560U);
    shape.header_length = 52;
    shape.data_digest_length = 4;
    EXPECT_EQ(shape.pdu_bytes(0), 52U) << "no data, no data digest";
    EXPECT_EQ(shape.pdu_bytes(5), 64U);
}

TEST(AnswerShape, ReadIsSplitWhereThisTargetWasSeenToSplitOne) {
    AnswerShape shape;
    ResponseProfile profile;
    EXPECT_EQ(shape.data_in_limit(profile), max_data_segment_length) << "nothing is known";
    shape.declared_limit = 8192;
    EXPECT_EQ(shape.data_in_limit(profile), 8192U);
    profile.longest_data_in = 16384;
    EXPECT_EQ(shape.data_in_limit(profile), 16384U)
        << "a longer one was seen: the declaration was of another time";
    profile.split_length = 4096;
    EXPECT_EQ(shape.data_in_limit(profile), 4096U);
    EXPECT_EQ(shape.data_in_bytes(0, 8192, profile), 2 * (48 + 4096U));
    EXPECT_EQ(shape.data_in_bytes(0, 8193, profile), 2 * (48 + 4096U) + 48 + 4);
    EXPECT_EQ(shape.data_in_bytes(4096, 8192, profile), 48 + 4096U);
    EXPECT_EQ(shape.data_in_bytes(4096, 4096, profile), 0U);
}

TEST(AnswerShape, ReadOfAnyLengthHasALengthInTheStream) {
    AnswerShape shape;
    ResponseProfile profile;
    profile.split_length = 1;
    EXPECT_EQ(shape.data_in_bytes(0, 0xffffffff, profile), 0x7fffffffU);
}

}  // namespace
}  // namespace sanscope
