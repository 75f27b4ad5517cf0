// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/flow/flow_table.h"

#include <gtest/gtest.h>
#include <vector>

namespace sanscope {
namespace {

IpAddress v4(uint8_t a, uint8_t b, uint8_t c, uint8_t d) {
    const uint8_t wire[] = {a, b, c, d};
    return IpAddress::from_v4(wire);
}

IpAddress v6(uint8_t last) {
    const uint8_t wire[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last};
    return IpAddress::from_v6(wire);
}

DecodedPacket packet(IpAddress source, uint16_t source_port, IpAddress destination,
                     uint16_t destination_port) {
    DecodedPacket packet;
    packet.source = source;
    packet.source_port = source_port;
    packet.destination = destination;
    packet.destination_port = destination_port;
    return packet;
}

TEST(FlowKey, IsTheSameInBothDirections) {
    struct Ends {
        IpAddress a;
        uint16_t a_port;
        IpAddress b;
        uint16_t b_port;
    };
    const Ends all[] = {
        {v4(10, 0, 0, 1), 50000, v4(10, 0, 0, 2), 3260},
        {v4(10, 0, 0, 1), 3260, v4(10, 0, 0, 2), 50000},
        {v4(10, 0, 0, 1), 3260, v4(10, 0, 0, 1), 3261},
        {v4(192, 168, 0, 1), 1, v4(10, 0, 0, 1), 1},
        {v6(1), 50000, v6(2), 3260},
        {v6(1), 50000, v6(1), 3260},
    };
    for (const Ends& ends : all) {
        bool forth_is_low = false;
        bool back_is_low = false;
        const FlowKey forth = FlowKey::of(packet(ends.a, ends.a_port, ends.b, ends.b_port), forth_is_low);
        const FlowKey back = FlowKey::of(packet(ends.b, ends.b_port, ends.a, ends.a_port), back_is_low);
        EXPECT_EQ(forth, back);
        EXPECT_NE(forth_is_low, back_is_low);
        EXPECT_EQ(forth.hash(1), back.hash(1));
        const IpAddress& low = forth_is_low ? ends.a : ends.b;
        EXPECT_EQ(forth.low, low);
        EXPECT_EQ(forth.low_port, forth_is_low ? ends.a_port : ends.b_port);
        EXPECT_EQ(forth.high_port, forth_is_low ? ends.b_port : ends.a_port);
    }
}

TEST(FlowKey, DiffersInEachOfItsParts) {
    bool low = false;
    const FlowKey key = FlowKey::of(packet(v4(10, 0, 0, 1), 1, v4(10, 0, 0, 2), 2), low);
    EXPECT_NE(key, FlowKey::of(packet(v4(10, 0, 0, 3), 1, v4(10, 0, 0, 2), 2), low));
    EXPECT_NE(key, FlowKey::of(packet(v4(10, 0, 0, 1), 1, v4(10, 0, 0, 3), 2), low));
    EXPECT_NE(key, FlowKey::of(packet(v4(10, 0, 0, 1), 3, v4(10, 0, 0, 2), 2), low));
    EXPECT_NE(key, FlowKey::of(packet(v4(10, 0, 0, 1), 1, v4(10, 0, 0, 2), 3), low));
    EXPECT_NE(key, FlowKey::of(packet(v4(10, 0, 0, 1), 2, v4(10, 0, 0, 2), 1), low))
        << "ports belong to their ends";
    EXPECT_NE(key.hash(1), key.hash(2));
}

TEST(FlowTable, FindsEachOfManyKeysAgain) {
    constexpr uint32_t many = 50'000;
    FlowTable table(42);
    bool low = false;
    const auto key = [&](uint32_t i) {
        const auto host = static_cast<uint8_t>(i);
        return FlowKey::of(packet(v4(10, 0, 0, host), static_cast<uint16_t>(i >> 8), v4(10, 1, 0, 1), 3260),
                           low);
    };
    EXPECT_FALSE(table.contains(key(0)));
    for (uint32_t i = 0; i < many; ++i) {
        uint32_t& value = table.find_or_add(key(i));
        ASSERT_EQ(value, FlowTable::none) << i;
        value = i;
    }
    EXPECT_EQ(table.size(), many);
    for (uint32_t i = 0; i < many; ++i) {
        ASSERT_TRUE(table.contains(key(i)));
        ASSERT_EQ(table.find_or_add(key(i)), i);
    }
    EXPECT_EQ(table.size(), many);
    EXPECT_FALSE(table.contains(key(many)));
}

TEST(FlowTable, LetsAKeyPointElsewhere) {
    FlowTable table(42);
    bool low = false;
    const FlowKey key = FlowKey::of(packet(v6(1), 1, v6(2), 2), low);
    table.find_or_add(key) = 7;
    table.find_or_add(key) = FlowTable::none;
    EXPECT_EQ(table.find_or_add(key), FlowTable::none);
    EXPECT_EQ(table.size(), 1u);
}

}  // namespace
}  // namespace sanscope
