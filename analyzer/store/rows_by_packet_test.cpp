// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/rows_by_packet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace sanscope {

bool operator==(const PacketRows::Command& a, const PacketRows::Command& b) {
    return a.number == b.number && a.request == b.request && a.data == b.data && a.response == b.response;
}

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Filled {
  public:
    uint64_t command(PacketNumber request, PacketNumber response) {
        uint64_t number = 0;
        CommandRow& row = store.begin_command(number);
        row.request_packet = request;
        row.response_packet = response;
        return number;
    }
    void pdu(uint8_t opcode, PacketNumber packet, uint64_t command, uint32_t length = 0) {
        PduRow& row = store.add_pdu();
        row.opcode = opcode;
        row.last_packet = packet;
        row.command = command;
        row.data_length = length;
    }
    void window(PacketNumber packet) {
        WindowRow row;
        row.packet = packet;
        store.add_window(sender, row);
    }
    PacketRows rows(PacketNumber packet) const {
        PacketRows found;
        by_packet.find(packet, found);
        return found;
    }

    ResultStore store{{}};
    SenderSummary& sender = store.add_sender(1, Side::a);
    RowsByPacket by_packet{store};
};

TEST(RowsByPacket, TellsWhatAPacketIsToACommand) {
    Filled filled;
    const uint64_t command = filled.command(10, 12);
    filled.pdu(0x01, 10, command);
    filled.pdu(0x25, 11, command, 4096);
    filled.pdu(0x21, 12, command);
    for (const bool finished : {false, true}) {
        if (finished) filled.by_packet.finish();
        filled.by_packet.update();
        EXPECT_THAT(filled.rows(10).commands, ElementsAre(PacketRows::Command{1, true, false, false}));
        EXPECT_THAT(filled.rows(11).commands, ElementsAre(PacketRows::Command{1, false, true, false}));
        EXPECT_THAT(filled.rows(12).commands, ElementsAre(PacketRows::Command{1, false, false, true}));
        EXPECT_TRUE(filled.rows(13).empty());
    }
}

TEST(RowsByPacket, KeepsTheCommandsOfOnePacketApartAndInOrder) {
    Filled filled;
    const uint64_t first = filled.command(10, 20);
    const uint64_t second = filled.command(20, 21);
    filled.pdu(0x01, 20, second);
    filled.pdu(0x25, 20, first, 512);
    filled.pdu(0x21, 20, first);
    filled.by_packet.update();
    EXPECT_THAT(filled.rows(20).commands, ElementsAre(PacketRows::Command{1, false, true, true},
                                                      PacketRows::Command{2, true, false, false}));
}

TEST(RowsByPacket, AnR2tIsNoneOfACommandsMoments) {
    Filled filled;
    filled.pdu(0x31, 11, filled.command(10, 12), 0);
    filled.by_packet.update();
    EXPECT_THAT(filled.rows(11).commands, IsEmpty());
    EXPECT_THAT(filled.rows(11).pdus, ElementsAre(0));
}

TEST(RowsByPacket, SeesAStatusThatComesAfterTheRowWasTakenIn) {
    Filled filled;
    uint64_t number = 0;
    CommandRow& row = filled.store.begin_command(number);
    row.request_packet = 10;
    filled.pdu(0x01, 10, number);
    filled.by_packet.update();
    EXPECT_THAT(filled.rows(12).commands, IsEmpty());
    row.response_packet = 12;
    filled.pdu(0x21, 12, number);
    filled.by_packet.update();
    EXPECT_THAT(filled.rows(12).commands, ElementsAre(PacketRows::Command{1, false, false, true}));
}

TEST(RowsByPacket, KnowsCommandsThatNoPduNamesOnceFinished) {
    Filled filled;
    filled.command(10, 12);
    filled.by_packet.update();
    EXPECT_THAT(filled.rows(10).commands, IsEmpty());
    filled.by_packet.finish();
    EXPECT_THAT(filled.rows(10).commands, ElementsAre(PacketRows::Command{1, true, false, false}));
    EXPECT_THAT(filled.rows(12).commands, ElementsAre(PacketRows::Command{1, false, false, true}));
}

TEST(RowsByPacket, FindsEveryRowWhateverTheOrderTheyComeIn) {
    constexpr PacketNumber packets = 3000;
    Filled filled;
    std::mt19937 random(7);
    std::vector<std::vector<size_t>> expected(packets + 1);
    for (size_t i = 0; i < 2 * packets; ++i) {
        // Every other row stands for a packet up to a thousand back.
        const PacketNumber now = std::min<PacketNumber>(i / 2 + 1, packets);
        const PacketNumber packet = i % 2 == 0 ? now : now - random() % std::min<PacketNumber>(now, 1000);
        expected[packet].push_back(i);
        filled.window(packet);
        filled.by_packet.update();
        EXPECT_EQ(filled.rows(packet).windows, expected[packet]) << "row " << i;
    }
    filled.by_packet.finish();
    for (PacketNumber packet = 1; packet <= packets; ++packet)
        ASSERT_EQ(filled.rows(packet).windows, expected[packet]) << "packet " << packet;
}

TEST(RowsByPacket, RowsWithoutAPacketAreNobodys) {
    Filled filled;
    filled.window(0);
    filled.window(5);
    filled.by_packet.finish();
    EXPECT_THAT(filled.rows(0).windows, IsEmpty());
    EXPECT_THAT(filled.rows(5).windows, ElementsAre(1));
}

TEST(RowsByPacket, TellsTheConnectionOfAPacketByItsEndsAndTime) {
    ResultStore store{{}};
    const uint8_t bytes[] = {192, 0, 2, 1, 192, 0, 2, 2};
    const Endpoint initiator{IpAddress::from_v4(bytes), 40000};
    const Endpoint target{IpAddress::from_v4(bytes + 4), 3260};
    const auto add = [&](PacketNumber first, PacketNumber last, uint16_t port) {
        uint32_t number = 0;
        ConnectionRow& row = store.add_connection(number);
        row.initiator = {initiator.address, port};
        row.target = target;
        row.first_packet = first;
        row.last_packet = last;
    };
    add(3, 9, 40001);
    add(5, 20, 40000);
    add(25, 40, 40000);
    RowsByPacket by_packet(store);
    EXPECT_EQ(by_packet.connection_between(initiator, target, 5), 0u);
    by_packet.finish();
    EXPECT_EQ(by_packet.connection_between(initiator, target, 4), 0u);
    EXPECT_EQ(by_packet.connection_between(initiator, target, 5), 2u);
    EXPECT_EQ(by_packet.connection_between(target, initiator, 20), 2u);
    EXPECT_EQ(by_packet.connection_between(initiator, target, 21), 0u);
    EXPECT_EQ(by_packet.connection_between(target, initiator, 30), 3u);
    EXPECT_EQ(by_packet.connection_between(initiator, target, 41), 0u);
    EXPECT_EQ(by_packet.connection_between({initiator.address, 40001}, target, 9), 1u);
    EXPECT_EQ(by_packet.connection_between({initiator.address, 40002}, target, 9), 0u);
}

class Stalls {
  public:
    explicit Stalls(uint32_t mss) {
        uint32_t number = 0;
        store.add_connection(number).mss = mss;
    }
    Stalls& row(uint32_t window, SendLimit limit, Side side = Side::a) {
        WindowRow row;
        row.connection = 1;
        row.packet = store.windows().size() + 1;
        row.advertised_window = window;
        row.limit = limit;
        row.sender = side;
        store.add_window(sender, row);
        return *this;
    }
    std::vector<size_t> rows() {
        RowsByPacket by_packet(store);
        by_packet.finish();
        std::vector<size_t> rows;
        for (size_t i = 0; i < store.windows().size(); ++i) {
            if (by_packet.is_window_stall(i)) rows.push_back(i);
        }
        return rows;
    }

  private:
    ResultStore store{{}};
    SenderSummary& sender = store.add_sender(1, Side::a);
};

TEST(WindowStalls, ASegmentIsNoLongerThanHalfOfTheWidestWindow) {
    Stalls stalls(65'483);
    stalls.row(65'536, SendLimit::application).row(40'000, SendLimit::receiver);
    stalls.row(65'536, SendLimit::application).row(32'767, SendLimit::receiver);
    EXPECT_THAT(stalls.rows(), ElementsAre(3u));
}

TEST(WindowStalls, BeginWhereTheWindowHasNoRoomForASegment) {
    EXPECT_THAT(Stalls(1460)
                    .row(65535, SendLimit::receiver)
                    .row(1459, SendLimit::receiver)
                    .row(0, SendLimit::receiver)
                    .row(1460, SendLimit::receiver)
                    .row(0, SendLimit::receiver)
                    .rows(),
                ElementsAre(1, 4));
}

TEST(WindowStalls, NeedASenderThatIsHeldByIt) {
    EXPECT_THAT(Stalls(1460).row(0, SendLimit::application).row(0, SendLimit::unknown).rows(), IsEmpty());
    EXPECT_THAT(Stalls(1460).row(unknown<uint32_t>, SendLimit::receiver).rows(), IsEmpty());
}

TEST(WindowStalls, AreEachSendersOwn) {
    EXPECT_THAT(Stalls(1460)
                    .row(0, SendLimit::receiver, Side::a)
                    .row(65535, SendLimit::application, Side::b)
                    .row(0, SendLimit::receiver, Side::a)
                    .row(0, SendLimit::receiver, Side::b)
                    .rows(),
                ElementsAre(0, 3));
}

TEST(WindowStalls, WithoutASegmentSizeNeedAWindowOfZero) {
    EXPECT_THAT(Stalls(unknown<uint32_t>).row(1, SendLimit::receiver).row(0, SendLimit::receiver).rows(),
                ElementsAre(1));
}

}  // namespace
}  // namespace sanscope
