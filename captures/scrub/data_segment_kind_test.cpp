// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/scrub/data_segment_kind.h"

#include <gtest/gtest.h>

#include "captures/scrub/task_tags.h"

#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope::test {
namespace {

TEST(ParameterData, IsOnlyWhatIsKnownToBeSo) {
    for (const int opcode : {0x08, 0x0a, 0x28, 0x2a, 0x2e, 0x41, 0x88, 0x89, 0x8a, 0x93, 0xa8, 0xaa})
        EXPECT_FALSE(has_parameter_data({static_cast<uint16_t>(opcode)})) << opcode;
    // READ BUFFER, WRITE BUFFER, SECURITY PROTOCOL IN and OUT, READ ATTRIBUTE, vendors' own.
    for (const int opcode : {0x3c, 0x3b, 0xa2, 0xb5, 0x8c, 0xc0, 0xff})
        EXPECT_FALSE(has_parameter_data({static_cast<uint16_t>(opcode)})) << opcode;
    EXPECT_FALSE(has_parameter_data({no_scsi_opcode}));
    for (const int opcode : {0x03, 0x12, 0x15, 0x1a, 0x25, 0x42, 0x4d, 0x55, 0x5a, 0x5e, 0xa0})
        EXPECT_TRUE(has_parameter_data({static_cast<uint16_t>(opcode)})) << opcode;
}

TEST(ParameterData, GoesByServiceAction) {
    EXPECT_TRUE(has_parameter_data({0x9e, 0x10}));   // READ CAPACITY(16)
    EXPECT_FALSE(has_parameter_data({0x9e, 0x11}));  // READ LONG(16)
    EXPECT_TRUE(has_parameter_data({0xa3, 0x0a}));   // REPORT TARGET PORT GROUPS
    EXPECT_FALSE(has_parameter_data({0xa3, 0x1f}));  // vendors' own
    EXPECT_FALSE(has_parameter_data({0x84, 0x01}));  // RECEIVE COPY DATA
    EXPECT_TRUE(has_parameter_data({0x12, 1, 0x83}));
    EXPECT_FALSE(has_parameter_data({0x12, 1, 0xc0}));
}

TEST(DataSegmentKind, OfARejectOnlyTheHeaderIsKept) {
    const Bytes header = PduBuilder(Opcode::reject).data_length(500).header();
    const DataSegmentKind kind = data_segment_kind(Bhs(header.data()), {});
    EXPECT_EQ(kind.first, PayloadKind::reject_data);
    EXPECT_EQ(kind.length, 48u);
}

TEST(DataSegmentKind, OfAnAsynchronousMessageOnlyScsiEventsAreKept) {
    Bytes header = PduBuilder(Opcode::async_message).data_length(20).header();
    EXPECT_EQ(data_segment_kind(Bhs(header.data()), {}).first, PayloadKind::async_data);
    header[36] = 255;  // a vendor's own
    EXPECT_EQ(data_segment_kind(Bhs(header.data()), {}).first, PayloadKind::users_data);
}

TEST(TaskTags, ManyAreForgottenRatherThanMistaken) {
    TaskTags tags;
    for (uint32_t tag = 0; tag < 100'000; ++tag) tags.begin(tag, {static_cast<uint16_t>(tag % 251), 0, 0});
    size_t known = 0;
    for (uint32_t tag = 0; tag < 100'000; ++tag) {
        if (!tags.knows(tag)) continue;
        ++known;
        ASSERT_EQ(tags.find(tag).opcode, tag % 251);
    }
    EXPECT_GE(known, 1024u);
    tags.begin(7, {0x12, 0, 0});
    tags.begin(7, {0x28, 0, 0});
    EXPECT_EQ(tags.find(7).opcode, 0x28);
    tags.end(7);
    EXPECT_FALSE(tags.knows(7));
}

}  // namespace
}  // namespace sanscope::test
