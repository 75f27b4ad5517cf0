// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/wireshark_plugin/packet_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sanscope::wireshark {
namespace {

// A frame of 54 bytes: Ethernet, IPv4, TCP with SYN, from 192.0.2.1:`port` to 192.0.2.2:3260.
class Syn {
  public:
    explicit Syn(uint16_t port) {
        bytes_[34] = static_cast<uint8_t>(port >> 8);
        bytes_[35] = static_cast<uint8_t>(port);
    }
    RawPacket at(int64_t time_ns) const {
        RawPacket packet;
        packet.data = bytes_;
        packet.time_ns = time_ns;
        packet.captured_length = packet.wire_length = sizeof bytes_;
        return packet;
    }

  private:
    uint8_t bytes_[54] = {
        2,    0, 0,    0,    0, 2, 2, 0, 0,  0, 0, 1, 8,    0,                             // Ethernet
        0x45, 0, 0,    40,   0, 1, 0, 0, 64, 6, 0, 0, 192,  0, 2,    1,    192, 0, 2, 2,   // IPv4
        0,    0, 0x0c, 0xbc, 0, 0, 0, 1, 0,  0, 0, 0, 0x50, 2, 0xff, 0xff, 0,   0, 0, 0};  // TCP
};

TEST(PacketFeed, TakesEachPacketOnce) {
    PacketFeed feed;
    feed.add(1, Syn(40000).at(1));
    feed.add(2, Syn(40001).at(2));
    feed.add(1, Syn(40002).at(1));
    feed.add(2, Syn(40002).at(2));
    EXPECT_EQ(feed.store().connections().size(), 2u);
    EXPECT_FALSE(feed.is_final());
}

TEST(PacketFeed, TakesNothingAfterTheEnd) {
    PacketFeed feed;
    feed.add(1, Syn(40000).at(1));
    feed.end();
    EXPECT_TRUE(feed.is_final());
    feed.add(2, Syn(40001).at(2));
    feed.end();
    EXPECT_EQ(feed.store().connections().size(), 1u);
}

TEST(PacketFeed, BeginsAnew) {
    PacketFeed feed;
    feed.add(1, Syn(40000).at(1));
    feed.end();
    feed.begin();
    EXPECT_FALSE(feed.is_final());
    EXPECT_EQ(feed.store().connections().size(), 0u);
    feed.add(1, Syn(40000).at(1));
    EXPECT_EQ(feed.store().connections().size(), 1u);
}

TEST(PacketFeed, EndsASecondRunWhereTheFirstEnded) {
    PacketFeed feed;
    for (const bool again : {false, true}) {
        feed.begin();
        feed.add(1, Syn(40000).at(1));
        feed.look_again();
        EXPECT_FALSE(feed.is_final());
        feed.add(2, Syn(40001).at(2));
        feed.look_again();
        EXPECT_EQ(feed.is_final(), again);
        feed.end();
    }
}

TEST(PacketFeed, RemembersTheRunBeforeThoughItsMemoryWasLetGo) {
    PacketFeed feed;
    feed.add(1, Syn(40000).at(1));
    feed.end();
    feed.begin();
    EXPECT_EQ(feed.store().connections().size(), 0u);
    feed.begin();
    feed.add(1, Syn(40000).at(1));
    feed.look_again();
    EXPECT_TRUE(feed.is_final());
}

TEST(PacketFeed, TakesPacketsThatShareANumber) {
    PacketFeed feed;
    feed.add(5, Syn(40000).at(1));
    feed.add(5, Syn(40001).at(2));
    feed.add(5, Syn(40001).at(2));
    EXPECT_EQ(feed.store().connections().size(), 2u);
}

TEST(PacketFeed, DoesNotTakeAnotherCaptureForASecondRun) {
    PacketFeed feed;
    feed.add(1, Syn(40000).at(1));
    feed.end();
    feed.begin();
    feed.add(1, Syn(40000).at(7));
    feed.look_again();
    EXPECT_FALSE(feed.is_final());
}

TEST(PacketFeed, DoesNotEndASecondRunOfWhatWasNotOver) {
    PacketFeed feed;
    feed.add(1, Syn(40000).at(1));
    feed.begin();
    feed.add(1, Syn(40000).at(1));
    feed.look_again();
    EXPECT_FALSE(feed.is_final());
}

}  // namespace
}  // namespace sanscope::wireshark
