// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/capture/passed_over_words.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

PassedOver::Row row(Encapsulation in, uint16_t number, uint64_t packets) {
    return {.in = in, .number = number, .packets = packets};
}

TEST(PassedOverWords, OneAndMany) {
    EXPECT_EQ(passed_over_words(row(Encapsulation::l2tp_v3, 0, 1204)), "packets in L2TPv3 were passed over");
    EXPECT_EQ(passed_over_words(row(Encapsulation::l2tp_v3, 0, 1)), "packet in L2TPv3 was passed over");
}

TEST(PassedOverWords, WhatAPortAloneShowsOnlySeemsSo) {
    EXPECT_EQ(passed_over_words(row(Encapsulation::teredo, 0, 2)),
              "packets that seem to be in Teredo were passed over");
    EXPECT_EQ(passed_over_words(row(Encapsulation::teredo, 0, 1)),
              "packet that seems to be in Teredo was passed over");
}

TEST(PassedOverWords, NumbersHaveTheirNamesWhereKnown) {
    EXPECT_EQ(passed_over_words(row(Encapsulation::link_type, 105, 7)),
              "packets of link type 105 (IEEE 802.11) were passed over");
    EXPECT_EQ(encapsulation_title(row(Encapsulation::link_type, 9999, 7)), "link type 9999");
    EXPECT_EQ(encapsulation_title(row(Encapsulation::ether_type, 0x8906, 7)), "EtherType 0x8906 (FCoE)");
    EXPECT_EQ(encapsulation_title(row(Encapsulation::ether_type, 0x1234, 7)), "EtherType 0x1234");
}

TEST(PassedOverWords, EveryEncapsulationHasItsOwnTitle) {
    EXPECT_EQ(encapsulation_title(row(Encapsulation::esp, 0, 1)), "ESP (IPsec, encrypted)");
    EXPECT_EQ(encapsulation_title(row(Encapsulation::erf, 0, 1)), "ERF records of types that are not known");
    EXPECT_EQ(encapsulation_title(row(Encapsulation::more, 0, 1)), "other encapsulations that are not known");
}

TEST(PassedOver, CountsPacketsAndBytesApart) {
    PassedOver passed_over;
    passed_over.add(Encapsulation::esp, 0, 4, 100);
    passed_over.add(Encapsulation::ether_type, 0x8906, 5, 1000);
    passed_over.add(Encapsulation::ether_type, 0x8915, 6, 10);
    passed_over.add(Encapsulation::esp, 0, 7, 50);
    ASSERT_EQ(passed_over.rows().size(), 3u);
    EXPECT_EQ(passed_over.rows()[0].packets, 2u);
    EXPECT_EQ(passed_over.rows()[0].wire_bytes, 150u);
    EXPECT_EQ(passed_over.rows()[0].first_packet, 4u);
    EXPECT_EQ(passed_over.rows()[2].number, 0x8915);
}

// 65536 EtherTypes of a hostile capture are not 65536 rows.
TEST(PassedOver, TellsABoundedNumberApart) {
    PassedOver passed_over;
    for (uint32_t i = 0; i < 65536; ++i)
        passed_over.add(Encapsulation::ether_type, static_cast<uint16_t>(i), i + 1, 10);
    EXPECT_EQ(passed_over.rows().size(), PassedOver::most_rows);
    uint64_t packets = 0;
    for (const PassedOver::Row& each : passed_over.rows()) packets += each.packets;
    EXPECT_EQ(packets, 65536u);
    EXPECT_EQ(passed_over.rows().back().in, Encapsulation::more);
}

TEST(PassedOver, EtherTypesThatCarryLittleAreNotToldOf) {
    PassedOver passed_over;
    passed_over.add(Encapsulation::ether_type, 0x8906, 1, 99);
    passed_over.add(Encapsulation::ether_type, 0x8915, 2, 100);
    passed_over.add(Encapsulation::esp, 0, 3, 1);
    passed_over.add(Encapsulation::esp, 0, 4, 1);
    const auto told = worth_telling(passed_over, 10'000);
    ASSERT_EQ(told.size(), 2u);
    EXPECT_EQ(told[0].in, Encapsulation::esp);  // most packets first
    EXPECT_EQ(told[1].number, 0x8915);
}

}  // namespace
}  // namespace sanscope
