// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/initiator/scsi_commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/scsi/cdb.h"

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ScsiCommands, TransfersTakeTheShortestCommandThatHolds) {
    EXPECT_EQ(read_cdb(0x01020304, 0x0506), (Cdb{0x28, 0, 1, 2, 3, 4, 0, 5, 6}));
    EXPECT_EQ(read_cdb(0x0102030405, 1), (Cdb{0x88, 0, 0, 0, 0, 1, 2, 3, 4, 5, 0, 0, 0, 1}));
    EXPECT_EQ(read_cdb(7, 0x10000), (Cdb{0x88, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 1, 0, 0}));
    EXPECT_EQ(write_cdb(0xffffffff, 0xffff), (Cdb{0x2a, 0, 0xff, 0xff, 0xff, 0xff, 0, 0xff, 0xff}));
    EXPECT_EQ(write_cdb(0x100000000, 1)[0], 0x8a);
}

TEST(ScsiCommands, CapacityIsOneMoreThanTheLastBlock) {
    const std::vector<uint8_t> ten = {0, 0, 0xff, 0xff, 0, 0, 2, 0};
    const auto small = parse_read_capacity_10(ten);
    ASSERT_TRUE(small);
    EXPECT_EQ(small->blocks, 0x10000u);
    EXPECT_EQ(small->bytes(), 0x2000000u);
    const std::vector<uint8_t> beyond = {0xff, 0xff, 0xff, 0xff, 0, 0, 2, 0};
    EXPECT_EQ(parse_read_capacity_10(beyond)->blocks, 0x100000000u);
    const std::vector<uint8_t> sixteen = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x10, 0};
    const auto large = parse_read_capacity_16(sixteen);
    ASSERT_TRUE(large);
    EXPECT_EQ(large->blocks, 0x100000001u);
    EXPECT_EQ(large->block_length, 4096u);
}

TEST(ScsiCommands, NonsenseOfATargetIsTold) {
    EXPECT_THAT(parse_read_capacity_10(std::vector<uint8_t>{0, 0, 0, 1, 0, 0, 2, 1}).error().message,
                HasSubstr("blocks have 513 bytes"));
    EXPECT_THAT(parse_read_capacity_10(std::vector<uint8_t>{1, 2, 3}).error().message, HasSubstr("3 bytes"));
    const std::vector<uint8_t> endless = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 2, 0};
    EXPECT_THAT(parse_read_capacity_16(endless).error().message, HasSubstr("last block"));
    EXPECT_FALSE(parse_inquiry(std::vector<uint8_t>(35)));
    EXPECT_FALSE(parse_report_luns(std::vector<uint8_t>(7)));
    EXPECT_THAT(parse_unit_serial_number(std::vector<uint8_t>{0, 0x83, 0, 1, 'a'}).error().message,
                HasSubstr("page 0x83"));
}

TEST(ScsiCommands, TextIsWithoutItsFilling) {
    std::vector<uint8_t> inquiry(36, ' ');
    inquiry[0] = 0;
    const std::string vendor = "IET", product = "VIRTUAL-DISK";
    std::copy(vendor.begin(), vendor.end(), inquiry.begin() + 8);
    std::copy(product.begin(), product.end(), inquiry.begin() + 16);
    const auto parsed = parse_inquiry(inquiry);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->vendor, "IET");
    EXPECT_EQ(parsed->product, "VIRTUAL-DISK");
    EXPECT_EQ(parsed->revision, "");
    // A length beyond what came.
    EXPECT_EQ(*parse_unit_serial_number(std::vector<uint8_t>{0, 0x80, 0, 200, ' ', 'b', '1', 0}), "b1");
}

TEST(ScsiCommands, LunsAreReadAsFarAsTheyCame) {
    std::vector<uint8_t> data = {0, 0, 0, 24, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                 0, 0, 0, 1,  0, 0, 0, 0, 0, 0, 0, 2, 0};
    EXPECT_THAT(*parse_report_luns(data), ElementsAre(0, 0x0001000000000000));
}

}  // namespace
}  // namespace sanscope
