// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/scsi/sense.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace sanscope {
namespace {

// MEDIUM ERROR, UNRECOVERED READ ERROR at block 0x01020304, as a disk shows it.
const std::vector<uint8_t> fixed = {0xf0, 0, 0x03, 1, 2, 3, 4, 10, 5, 6, 7, 8, 0x11, 0x04, 0x2a, 0, 0, 0};

std::vector<uint8_t> descriptors(std::vector<uint8_t> list) {
    std::vector<uint8_t> bytes = {0x72, 0x0b, 0x10, 0x01, 0, 0, 0, static_cast<uint8_t>(list.size())};
    bytes.insert(bytes.end(), list.begin(), list.end());
    return bytes;
}

TEST(ParseSense, fixed_format_gives_every_field) {
    const auto sense = parse_sense(fixed);
    ASSERT_TRUE(sense);
    EXPECT_FALSE(sense->descriptor_format);
    EXPECT_FALSE(sense->deferred);
    EXPECT_EQ(sense->sense_key, 0x03);
    EXPECT_EQ(sense->asc, 0x11);
    EXPECT_EQ(sense->ascq, 0x04);
    EXPECT_EQ(sense->information, 0x01020304u);
    EXPECT_EQ(sense->command_specific_information, 0x05060708u);
    EXPECT_EQ(sense->field_replaceable_unit, 0x2a);
}

TEST(ParseSense, information_counts_only_where_the_valid_bit_is_set) {
    std::vector<uint8_t> bytes = fixed;
    bytes[0] = 0x70;
    EXPECT_EQ(parse_sense(bytes)->information, unknown<uint64_t>);
}

TEST(ParseSense, fixed_format_gives_the_tape_bits) {
    std::vector<uint8_t> bytes = fixed;
    bytes[2] = 0x80;
    EXPECT_TRUE(parse_sense(bytes)->filemark);
    bytes[2] = 0x40;
    EXPECT_TRUE(parse_sense(bytes)->end_of_medium);
    bytes[2] = 0x20;
    EXPECT_TRUE(parse_sense(bytes)->incorrect_length);
    EXPECT_EQ(parse_sense(bytes)->sense_key, 0);
}

TEST(ParseSense, fixed_format_ends_where_its_additional_length_says) {
    std::vector<uint8_t> bytes = fixed;
    bytes[7] = 5;  // up to and with byte 12, the ASC
    EXPECT_EQ(parse_sense(bytes)->asc, 0x11);
    EXPECT_EQ(parse_sense(bytes)->ascq, unknown<uint16_t>);
}

TEST(ParseSense, sense_data_cut_anywhere_yield_what_is_left) {
    for (size_t size = 1; size < fixed.size(); size++) {
        const auto sense = parse_sense(std::span(fixed).first(size));
        ASSERT_TRUE(sense);
        EXPECT_EQ(sense->sense_key, size > 2 ? 3 : unknown<uint16_t>);
        EXPECT_EQ(sense->information, size > 6 ? 0x01020304 : unknown<uint64_t>);
        EXPECT_EQ(sense->asc, size > 12 ? 0x11 : unknown<uint16_t>);
        EXPECT_EQ(sense->ascq, size > 13 ? 0x04 : unknown<uint16_t>);
    }
}

TEST(ParseSense, odd_response_codes_are_deferred_errors) {
    std::vector<uint8_t> bytes = fixed;
    bytes[0] = 0x71;
    EXPECT_TRUE(parse_sense(bytes)->deferred);
    bytes = descriptors({});
    EXPECT_FALSE(parse_sense(bytes)->deferred);
    bytes[0] = 0x73;
    EXPECT_TRUE(parse_sense(bytes)->deferred);
}

TEST(ParseSense, other_response_codes_and_nothing_are_no_sense_data) {
    EXPECT_FALSE(parse_sense({}));
    EXPECT_FALSE(parse_sense(std::vector<uint8_t>{0x00, 0, 3}));
    EXPECT_FALSE(parse_sense(std::vector<uint8_t>{0x6f, 0, 3}));
    EXPECT_FALSE(parse_sense(std::vector<uint8_t>{0x74, 0, 3}));
    EXPECT_FALSE(parse_sense(std::vector<uint8_t>{0x7f, 0, 3}));
}

TEST(ParseSense, descriptor_format_gives_key_and_codes) {
    const auto sense = parse_sense(descriptors({}));
    ASSERT_TRUE(sense);
    EXPECT_TRUE(sense->descriptor_format);
    EXPECT_EQ(sense->sense_key, 0x0b);
    EXPECT_EQ(sense->asc, 0x10);
    EXPECT_EQ(sense->ascq, 0x01);
    EXPECT_EQ(sense->information, unknown<uint64_t>);
}

TEST(ParseSense, descriptors_follow_one_another) {
    const auto sense = parse_sense(descriptors({
        0x00, 0x0a, 0x80, 0,    1, 2, 3, 4, 5, 6, 7, 8,  // information
        0x77, 0x01, 0xff,                                // of a type not known
        0x01, 0x0a, 0,    0,    8, 7, 6, 5, 4, 3, 2, 1,  // command specific information
        0x03, 0x02, 0,    0x2a,                          // field replaceable unit
        0x04, 0x02, 0,    0xc0,                          // stream commands: FILEMARK, EOM
    }));
    ASSERT_TRUE(sense);
    EXPECT_EQ(sense->information, 0x0102030405060708u);
    EXPECT_EQ(sense->command_specific_information, 0x0807060504030201u);
    EXPECT_EQ(sense->field_replaceable_unit, 0x2a);
    EXPECT_TRUE(sense->filemark);
    EXPECT_TRUE(sense->end_of_medium);
    EXPECT_FALSE(sense->incorrect_length);
}

TEST(ParseSense, an_information_descriptor_marked_not_valid_is_unknown) {
    EXPECT_EQ(parse_sense(descriptors({0x00, 0x0a, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}))->information,
              unknown<uint64_t>);
}

TEST(ParseSense, block_commands_descriptor_gives_incorrect_length) {
    EXPECT_TRUE(parse_sense(descriptors({0x05, 0x02, 0, 0x20}))->incorrect_length);
}

TEST(ParseSense, direct_access_block_device_descriptor_gives_all_at_once) {
    std::vector<uint8_t> descriptor(32, 0);
    descriptor[0] = 0x0d;
    descriptor[1] = 30;
    descriptor[2] = 0xa0;  // VALID, ILI
    descriptor[7] = 0x2a;
    descriptor[15] = 0x99;
    descriptor[23] = 0x77;
    const auto sense = parse_sense(descriptors(descriptor));
    EXPECT_EQ(sense->information, 0x99u);
    EXPECT_EQ(sense->command_specific_information, 0x77u);
    EXPECT_EQ(sense->field_replaceable_unit, 0x2a);
    EXPECT_TRUE(sense->incorrect_length);
}

TEST(ParseSense, a_descriptor_longer_than_the_sense_data_is_not_read_past_their_end) {
    std::vector<uint8_t> bytes = descriptors({0x00, 0xff, 0x80, 0, 1, 2, 3});
    bytes[7] = 0xff;
    const auto sense = parse_sense(bytes);
    ASSERT_TRUE(sense);
    EXPECT_EQ(sense->information, unknown<uint64_t>);
}

TEST(SenseNames, sense_keys_are_named_as_in_spc) {
    EXPECT_STREQ(sense_key_name(0x0), "NO SENSE");
    EXPECT_STREQ(sense_key_name(0x5), "ILLEGAL REQUEST");
    EXPECT_STREQ(sense_key_name(0xf), "COMPLETED");
    EXPECT_STREQ(sense_key_name(0x10), "");
    EXPECT_STREQ(sense_key_name(unknown<uint16_t>), "");
}

TEST(SenseNames, additional_sense_codes_are_named_as_in_the_t10_list) {
    EXPECT_STREQ(additional_sense_text(0x00, 0x00), "NO ADDITIONAL SENSE INFORMATION");
    EXPECT_STREQ(additional_sense_text(0x21, 0x00), "LOGICAL BLOCK ADDRESS OUT OF RANGE");
    EXPECT_STREQ(additional_sense_text(0x29, 0x00), "POWER ON, RESET, OR BUS DEVICE RESET OCCURRED");
    EXPECT_STREQ(additional_sense_text(0x74, 0x71), "LOGICAL UNIT ACCESS NOT AUTHORIZED");
}

TEST(SenseNames, codes_whose_qualifier_is_a_number_are_named_whatever_it_is) {
    EXPECT_STREQ(additional_sense_text(0x4d, 0x17), "TAGGED OVERLAPPED COMMANDS (NN = TASK TAG)");
    EXPECT_STREQ(additional_sense_text(0x40, 0x00), "RAM FAILURE (SHOULD USE 40 NN)");
    EXPECT_STREQ(additional_sense_text(0x40, 0x81), "DIAGNOSTIC FAILURE ON COMPONENT NN (80h-FFh)");
}

TEST(SenseNames, unknown_codes_have_no_text) {
    EXPECT_STREQ(additional_sense_text(0x21, 0x80), "");
    EXPECT_STREQ(additional_sense_text(0xff, 0xff), "");
    EXPECT_STREQ(additional_sense_text(unknown<uint16_t>, 0), "");
    EXPECT_STREQ(additional_sense_text(0x121, 0), "");
}

}  // namespace
}  // namespace sanscope
