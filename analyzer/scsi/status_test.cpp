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

TEST(ScsiStatus, those_that_are_defined_are_those_with_a_name) {
    int defined = 0;
    for (int code = 0; code < 256; ++code) {
        const auto status = static_cast<uint8_t>(code);
        EXPECT_EQ(is_scsi_status(status), !scsi_status_name(status).starts_with("0x")) << code;
        defined += is_scsi_status(status) ? 1 : 0;
    }
    EXPECT_EQ(defined, 11);
}

}  // namespace
}  // namespace sanscope
