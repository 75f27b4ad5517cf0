// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/queue_depth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

namespace sanscope {
namespace {

using testing::ElementsAre;

class Commands {
  public:
    CommandRow& add(uint32_t itt, PacketNumber request, PacketNumber response, uint32_t session = 1) {
        CommandRow& row = rows_.append({});
        row.itt = itt;
        row.request_packet = request;
        row.response_packet = response;
        row.session = session;
        return row;
    }
    void add_timed(uint32_t itt, PacketNumber request, int64_t request_ns, PacketNumber response,
                   int64_t response_ns) {
        CommandRow& row = add(itt, request, response);
        row.request_ns = request_ns;
        row.response_ns = response_ns;
    }
    std::vector<uint32_t> depths() {
        fill_queue_depths(rows_, unpaired, unlisted, begun_before);
        std::vector<uint32_t> depths;
        for (const CommandRow& row : rows_) depths.push_back(row.queue_depth);
        return depths;
    }

    std::vector<UnpairedStatuses> unpaired;
    std::vector<UnlistedRequests> unlisted;
    std::vector<uint32_t> begun_before;

  private:
    ChunkedRows<CommandRow> rows_;
};

TEST(QueueDepth, CountsTheCommandItselfAndThoseNotYetAnswered) {
    Commands commands;
    commands.add(1, 10, 20);
    commands.add(2, 11, 12);
    commands.add(3, 13, 30);
    commands.add(4, 25, 26);
    EXPECT_THAT(commands.depths(), ElementsAre(1, 2, 2, 2));
}

TEST(QueueDepth, CountsRequestsOfOnePacketOneAfterTheOther) {
    Commands commands;
    commands.add(1, 10, 20);
    commands.add(2, 10, 20);
    EXPECT_THAT(commands.depths(), ElementsAre(1, 2));
}

// As where a hole held them back, so that an answer began the second one's row.
TEST(QueueDepth, CountsRequestsOfOnePacketByCmdSn) {
    Commands commands;
    const auto add = [&](uint32_t itt, PacketNumber request, PacketNumber response, uint32_t cmd_sn) {
        CommandRow& row = commands.add(itt, request, response);
        row.cmd_sn = cmd_sn;
        row.cmd_sn_known = true;
    };
    add(1, 5, 9, 0xfffffffe);
    add(3, 10, 15, 0);
    add(2, 10, 20, 0xffffffff);
    add(4, 12, 30, 1);
    EXPECT_THAT(commands.depths(), ElementsAre(1, 2, 1, 3));
}

// Two queues of an interface, each written out for a while: all packets have their times.
TEST(QueueDepth, GoesByTimesWherePacketsAreInAnotherOrder) {
    Commands commands;
    commands.add_timed(1, 1, 1'000, 4, 2'000);
    commands.add_timed(2, 2, 3'000, 5, 4'000);
    commands.add_timed(3, 3, 5'000, 6, 9'000);
    commands.add_timed(4, 8, 8'000, 7, 10'000);
    EXPECT_THAT(commands.depths(), ElementsAre(1, 1, 1, 2));
}

TEST(QueueDepth, GoesByPacketsWhereTheClockWasSetBack) {
    Commands commands;
    constexpr int64_t second = 1'000'000'000;
    commands.add_timed(1, 1, 9 * second, 4, 9 * second + 1'000);
    commands.add_timed(2, 5, 2 * second, 8, 2 * second + 3'000);
    commands.add_timed(3, 6, 2 * second + 1'000, 9, 2 * second + 4'000);
    EXPECT_THAT(commands.depths(), ElementsAre(1, 1, 2));
}

TEST(QueueDepth, CountsStatusesOfUnknownCommandsAsSoonAsTheyHaveCome) {
    Commands commands;
    for (uint32_t i = 0; i < 4; ++i) {
        const PacketNumber response = i < 2 ? 0 : 45;
        commands.add(i, 10 * (i + 1), response).outcome = Outcome::completed;
    }
    commands.unpaired = {{1, 2, 22, 25}, {2, 1, 1, 1}};
    EXPECT_THAT(commands.depths(), ElementsAre(1, 2, 1, 2));
}

// A status of which it was not known whose it is, until its command's own answer was seen after all.
TEST(QueueDepth, CountsNoStatusThatIsNoneOfItsCommands) {
    Commands commands;
    for (uint32_t i = 0; i < 4; ++i) commands.add(i, 10 * (i + 1), 100);
    commands.unpaired = {{1, 1, 12, 15}};
    EXPECT_THAT(commands.depths(), ElementsAre(1, 2, 3, 4));
}

TEST(QueueDepth, IsNotKnownWhereMoreStatusesCameThanCommandsEndUnseen) {
    Commands commands;
    commands.add(0, 5, 100);
    commands.add(1, 10, 0).outcome = Outcome::completed;
    commands.add(2, 20, 100);
    commands.add(3, 30, 100);
    commands.unpaired = {{1, 1, 12, 15}, {1, 1, 22, 25}};
    EXPECT_THAT(commands.depths(), ElementsAre(1, 2, unknown<uint32_t>, 3));
}

// Two of which CmdSN tells, one answered in sight and one not.
TEST(QueueDepth, CountsRequestsThatNoRowShows) {
    Commands commands;
    for (uint32_t i = 0; i < 4; ++i) commands.add(i, 10 * (i + 1), 100);
    commands.add(4, 0, 25);
    commands.unlisted = {{1, 2, 20}};
    commands.unpaired = {{1, 1, 35, 38}};
    EXPECT_THAT(commands.depths(), ElementsAre(1, 4, 4, 4, unknown<uint32_t>));
}

TEST(QueueDepth, IsNotKnownUntilAllIsAnsweredThatWasUnderWayWhenTheCaptureBegan) {
    Commands commands;
    commands.add(1, 0, 15).outcome = Outcome::response_only;
    commands.add(2, 0, 25).outcome = Outcome::response_only;
    for (uint32_t i = 0; i < 3; ++i) commands.add(3 + i, 10 * (i + 1), 40);
    commands.begun_before = {1};
    constexpr uint32_t none = unknown<uint32_t>;
    EXPECT_THAT(commands.depths(), ElementsAre(none, none, none, none, 3));
}

TEST(QueueDepth, IsNotKnownBehindAGapInCmdSNUntilTheLastResponseAlone) {
    Commands commands;
    commands.add(1, 0, 35).outcome = Outcome::response_only;
    commands.add(2, 0, 45).outcome = Outcome::response_only;
    for (const uint32_t i : {1u, 2u, 4u, 5u}) {
        CommandRow& row = commands.add(3 + i, 10 * i, 10 * i + 9);
        row.cmd_sn = i;
        row.cmd_sn_known = true;
    }
    constexpr uint32_t none = unknown<uint32_t>;
    EXPECT_THAT(commands.depths(), ElementsAre(none, none, 1, 1, none, 1));
}

TEST(QueueDepth, IsKnownWhereAGapInCmdSNHoldsWhatWasAnsweredAlone) {
    Commands commands;
    commands.add(1, 0, 25).outcome = Outcome::response_only;
    for (uint32_t i = 0; i < 3; ++i) commands.add(3 + i, 10 * (i + 1), 40);
    commands.unlisted = {{1, 1, 20}};
    EXPECT_THAT(commands.depths(), ElementsAre(unknown<uint32_t>, 1, 3, 3));
}

TEST(QueueDepth, IsNotKnownFromWhereRequestsMayBeHidden) {
    Commands commands;
    for (uint32_t i = 0; i < 3; ++i) commands.add(i, 10 * (i + 1), 100);
    commands.unlisted = {{1, unknown<uint32_t>, 20}};
    EXPECT_THAT(commands.depths(), ElementsAre(1, unknown<uint32_t>, unknown<uint32_t>));
}

TEST(QueueDepth, IsNotKnownWhereSomeEndNobodyKnowsWhere) {
    Commands commands;
    commands.add(0, 5, 8);
    for (uint32_t i = 1; i < 4; ++i) commands.add(i, 10 * i, 0).outcome = Outcome::completed;
    commands.add(4, 40, 50);
    commands.unpaired = {{1, 2, 22, 25}};
    constexpr uint32_t not_known = unknown<uint32_t>;
    EXPECT_THAT(commands.depths(), ElementsAre(1, 1, not_known, not_known, not_known));
}

TEST(QueueDepth, IsNotKnownWhereStatusesMayHaveComeOrNot) {
    Commands commands;
    commands.add(1, 10, 0).outcome = Outcome::unknown;
    commands.add(2, 20, 60);
    commands.add(3, 50, 60);
    commands.unpaired = {{1, 1, 15, 30}};
    EXPECT_THAT(commands.depths(), ElementsAre(1, unknown<uint32_t>, 2));
}

TEST(QueueDepth, CountsEachSessionForItself) {
    Commands commands;
    commands.add(1, 10, 20, 1);
    commands.add(1, 11, 20, 2);
    commands.add(2, 12, 20, 1);
    EXPECT_THAT(commands.depths(), ElementsAre(1, 1, 2));
}

TEST(QueueDepth, GoesByRequestNotByRow) {
    Commands commands;
    commands.add(1, 30, 40);
    commands.add(2, 10, 35);
    EXPECT_THAT(commands.depths(), ElementsAre(2, 1));
}

TEST(QueueDepth, LeavesOutWhatWasAbortedByThen) {
    Commands commands;
    commands.add(1, 10, 0).aborted_packet = 20;
    commands.add(2, 19, 30);
    commands.add(3, 21, 22);
    EXPECT_THAT(commands.depths(), ElementsAre(1, 2, 2));
}

TEST(QueueDepth, TakesAnUnansweredCommandToBeOverWhenItsTagIsUsedAgain) {
    Commands commands;
    commands.add(1, 10, 0);
    commands.add(2, 11, 12);
    commands.add(1, 13, 14);
    commands.add(3, 15, 16);
    EXPECT_THAT(commands.depths(), ElementsAre(1, 2, 1, 1));
}

TEST(QueueDepth, AnEndThatComesLateDoesNotEndTheNextCommandWithItsTag) {
    Commands commands;
    commands.add(1, 10, 14);
    commands.add(1, 12, 30);
    commands.add(2, 20, 22);
    EXPECT_THAT(commands.depths(), ElementsAre(1, 1, 2));
}

TEST(QueueDepth, IsUnknownWhereTheRequestIs) {
    Commands commands;
    commands.add(1, 0, 20);
    commands.add(2, 15, 20);
    EXPECT_THAT(commands.depths(), ElementsAre(unknown<uint32_t>, 1));
}

TEST(QueueDepth, OfSessionsThatAlternateEachIsItsOwn) {
    Commands commands;
    commands.add(1, 10, 40, 1);
    commands.add(1, 11, 40, 3);
    commands.add(2, 12, 40, 1);
    commands.add(2, 13, 40, 3);
    commands.add(3, 41, 50, 1);
    EXPECT_THAT(commands.depths(), ElementsAre(1, 1, 2, 2, 1));
}

// As where a hole held the request back: its row comes late.
TEST(QueueDepth, GoesByTheOrderOfRequestsNotOfRows) {
    Commands commands;
    commands.add(1, 10, 40, 1);
    commands.add(1, 11, 40, 2);
    commands.add(2, 30, 40, 1);
    commands.add(3, 20, 40, 1);
    commands.add(2, 12, 40, 2);
    EXPECT_THAT(commands.depths(), ElementsAre(1, 1, 3, 2, 2));
}

// Three under way at once, in a session whose target let two be sent.
TEST(QueueDepth, IsNoneBeyondTheCommandWindowWhereAnswersAreMissing) {
    ChunkedRows<CommandRow> commands;
    ChunkedRows<SessionRow> sessions;
    sessions.append({}).command_window = 2;
    for (uint32_t i = 0; i < 3; ++i) {
        CommandRow& row = commands.append({});
        row.session = 1;
        row.itt = i;
        row.request_packet = 10 + i;
        row.response_packet = 20 + i;
    }
    fill_queue_depths(commands, {}, {});
    EXPECT_EQ(clear_impossible_depths(commands, sessions, {}).count, 0u) << "all were seen: it was so";
    EXPECT_EQ(commands[2].queue_depth, 3u);

    const UnpairedStatuses unpaired{1, 1, 30, 30};
    const ImpossibleDepths cleared = clear_impossible_depths(commands, sessions, {&unpaired, 1});
    EXPECT_EQ(cleared.count, 1u);
    EXPECT_EQ(cleared.first_packet, 12u);
    EXPECT_EQ(commands[2].queue_depth, unknown<uint32_t>);
    EXPECT_EQ(commands[1].queue_depth, 2u);

    commands[2].queue_depth = 3;
    commands[0].inferred = true;
    EXPECT_EQ(clear_impossible_depths(commands, sessions, {}).count, 1u);

    sessions[0].command_window = unknown<uint32_t>;
    commands[2].queue_depth = 3;
    EXPECT_EQ(clear_impossible_depths(commands, sessions, {}).count, 0u) << "no window is known";
}

}  // namespace
}  // namespace sanscope
