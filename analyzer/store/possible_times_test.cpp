// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/possible_times.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

CommandRow read_row() {
    CommandRow row;
    row.request_packet = 10;
    row.request_ns = 100;
    row.first_byte_packet = 11;
    row.first_byte_ns = 150;
    row.first_data_packet = 12;
    row.first_data_ns = 160;
    row.last_data_packet = row.response_packet = 13;
    row.last_data_ns = row.response_ns = 200;
    return row;
}

TEST(PossibleTimes, WhatCanBeStays) {
    CommandRow row = read_row();
    EXPECT_EQ(clear_impossible_times(row, true), 0u);
    EXPECT_EQ(row.turnaround_ns(), 100);
    row.response_ns = row.request_ns;
    row.first_byte_ns = row.first_data_ns = row.last_data_ns = row.request_ns;
    EXPECT_EQ(clear_impossible_times(row, true), 0u) << "within one tick of the clock";
    row.response_ns = no_time;
    EXPECT_EQ(clear_impossible_times(row, true), 0u) << "not answered";
}

TEST(PossibleTimes, AStatusBeforeItsRequestIsNone) {
    CommandRow row = read_row();
    row.response_ns = 99;
    row.first_byte_ns = row.first_data_ns = row.last_data_ns = no_time;
    EXPECT_EQ(clear_impossible_times(row, true), 1u);
    EXPECT_EQ(row.turnaround_ns(), no_time);
    EXPECT_EQ(row.response_packet, 13u) << "that packet brings it nevertheless";
    EXPECT_EQ(row.request_ns, 100);
}

TEST(PossibleTimes, DataComeBehindTheirRequestAndAReadsBeforeItsStatus) {
    CommandRow row = read_row();
    row.first_byte_ns = 50;
    row.last_data_ns = 201;
    EXPECT_EQ(clear_impossible_times(row, true), 2u);
    EXPECT_EQ(row.first_byte_ns, no_time);
    EXPECT_EQ(row.first_data_ns, 160);
    EXPECT_EQ(row.last_data_ns, no_time);
    EXPECT_EQ(row.turnaround_ns(), 100);
}

TEST(PossibleTimes, DataOfAWriteMayBeCarriedBeforeItsRequestIsDeliveredAndSeenBehindItsStatus) {
    CommandRow row = read_row();
    row.first_byte_ns = 50;
    row.last_data_ns = 201;
    EXPECT_EQ(clear_impossible_times(row, false), 0u);
}

}  // namespace
}  // namespace sanscope
