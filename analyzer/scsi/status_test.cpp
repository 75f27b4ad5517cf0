// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/scsi/status.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

TEST(ScsiStatus, defined_codes_have_their_sam_names) {
    EXPECT_EQ(scsi_status_name(0x00), "GOOD");
    EXPECT_EQ(scsi_status_name(0x02), "CHECK_CONDITION");
    EXPECT_EQ(scsi_status_name(0x04), "CONDITION_MET");
    EXPECT_EQ(scsi_status_name(0x08), "BUSY");
    EXPECT_EQ(scsi_status_name(0x18), "RESERVATION_CONFLICT");
    EXPECT_EQ(scsi_status_name(0x28), "TASK_SET_FULL");
    EXPECT_EQ(scsi_status_name(0x30), "ACA_ACTIVE");
    EXPECT_EQ(scsi_status_name(0x40), "TASK_ABORTED");
}

TEST(ScsiStatus, other_codes_are_numbers) {
    EXPECT_EQ(scsi_status_name(0x01), "0x01");
    EXPECT_EQ(scsi_status_name(0xff), "0xff");
}

}  // namespace
}  // namespace sanscope
