// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/live_screen.h"

#include <array>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

using test::ms;
using test::second;

class LiveScreenTest : public testing::Test {
  protected:
    LiveScreenTest() {
        uint32_t number = 0;
        store.add_session(number).target_name = "iqn.2026-11.org.example:disk";
        ConnectionRow& connection = store.add_connection(number);
        constexpr std::array<uint8_t, 4> initiator{10, 1, 1, 1};
        constexpr std::array<uint8_t, 4> target{10, 1, 1, 2};
        connection.initiator = {IpAddress::from_v4(initiator.data()), 40000};
        connection.target = {IpAddress::from_v4(target.data()), 3260};
        connection.iscsi = true;
    }

    void answer(int count, int64_t turnaround_ns, uint64_t bytes = 4096, uint32_t session = 1) {
        for (int i = 0; i < count; ++i) {
            uint64_t number = 0;
            CommandRow& row = store.begin_command(number);
            row.session = session;
            row.name = "READ(10)";
            row.opcode = 0x28;
            row.bytes = bytes;
            row.status = 0;
            row.outcome = Outcome::completed;
            row.request_packet = row.response_packet = 1;
            row.request_ns = now_ns;
            row.response_ns = now_ns + turnaround_ns;
            store.requested(row);
            store.answered(row);
            store.end_command(number, row, true, false);
        }
    }
    std::string screen(LiveScreen::Size size = {120, 40}) {
        std::string text;
        lines = live.next(store, now_ns, size, wrong);
        for (const std::string& line : lines) text += line + "\n";
        return text;
    }
    std::string line_with(const std::string& text) const {
        for (const std::string& line : lines) {
            if (line.find(text) != std::string::npos) return line;
        }
        return {};
    }

    ResultStore store{ResultStore::Keep::nothing()};
    LiveScreen live;
    int64_t now_ns = 0;
    std::vector<std::string> lines;
    std::vector<Finding> wrong;
};

TEST_F(LiveScreenTest, TellsWhatWasDoneSinceTheScreenBefore) {
    answer(50, 9 * ms);
    screen();
    EXPECT_THAT(line_with("example:disk"), HasSubstr(" - "));  // no rate yet
    answer(300, 2 * ms);
    now_ns = 2 * second;
    screen();
    EXPECT_THAT(line_with("example:disk"), HasSubstr(" 150 "));
    EXPECT_THAT(line_with("example:disk"), HasSubstr("614 kB/s"));
    EXPECT_THAT(line_with("example:disk"), HasSubstr(" 350 "));
    const std::string reads = line_with("READ(10) <= 4 KiB");
    EXPECT_THAT(reads, HasSubstr(" 150 "));
    EXPECT_THAT(reads, HasSubstr("2.0"));
    EXPECT_THAT(reads, Not(HasSubstr("9")));
    // And nothing of it the next time.
    now_ns = 3 * second;
    EXPECT_THAT(screen(), HasSubstr("none answered"));
    EXPECT_EQ(line_with("READ(10)"), "");
}

TEST_F(LiveScreenTest, TellsWhatEachSendersTcpDoes) {
    SenderSummary& sender = store.add_sender(1, Side::b);
    const auto window = [&](CaState state, uint32_t cwnd) {
        store.add_window(sender, {.time_ns = now_ns,
                                  .srtt_ns = 3 * ms,
                                  .connection = 1,
                                  .in_flight = 29'000,
                                  .cwnd = cwnd,
                                  .ca_state = state});
    };
    window(CaState::open, 58'000);
    screen();
    EXPECT_THAT(line_with("10.1.1.2:3260 > 10.1.1.1:40000"), HasSubstr("Open"));
    now_ns += second;
    store.connection(1).bytes_in += 5'000'000;
    window(CaState::recovery, 30'000);
    sender.on_loss(LossKind::fast_retransmit);
    sender.on_loss(LossKind::rto);
    sender.on_loss(LossKind::out_of_order);
    screen();
    const std::string line = line_with("10.1.1.2:3260");
    EXPECT_THAT(line, HasSubstr("5.00 MB/s"));
    EXPECT_THAT(line, HasSubstr("30.0 kB"));
    EXPECT_THAT(line, HasSubstr("29.0 kB"));
    EXPECT_THAT(line, HasSubstr("Recovery"));
    EXPECT_THAT(line, HasSubstr("2      2"));
}

TEST_F(LiveScreenTest, FitsIntoAnyTerminal) {
    for (uint32_t i = 2; i <= 30; ++i) {
        uint32_t number = 0;
        store.add_session(number).target_name = fmt::format("iqn.2026-11.org.example:{}", i);
    }
    for (int i = 0; i < 12; ++i) answer(1, ms, uint64_t{512} << i);
    for (const size_t columns : {0u, 1u, 20u, 80u, 300u}) {
        for (const size_t rows : {0u, 1u, 5u, 6u, 10u, 24u, 100u}) {
            LiveScreen other;
            const auto fitted = other.next(store, now_ns, {columns, rows});
            EXPECT_LE(fitted.size(), rows);
            for (const std::string& line : fitted) EXPECT_LE(line.size(), columns + 2) << line;
        }
    }
    screen({100, 12});
    EXPECT_THAT(lines, SizeIs(12));
    EXPECT_THAT(lines, Contains(HasSubstr("more")));
    EXPECT_THAT(line_with("turnaround"), HasSubstr("p99"));
}

Finding found(Finding::Severity severity, const std::string& title) {
    Finding finding;
    finding.severity = severity;
    finding.title = title;
    finding.place = "10.1.1.1:40000 -> 10.1.1.2:3260";
    return finding;
}

TEST_F(LiveScreenTest, WhatIsWrongComesFirst) {
    EXPECT_THAT(screen(), Not(HasSubstr("wrong")));  // and that nothing is, is not known yet
    wrong = {found(Finding::Severity::problem, "The target sent RST"),
             found(Finding::Severity::notice, "3 of 40 READ(10) ended with BUSY")};
    screen();
    ASSERT_GE(lines.size(), 3U);
    EXPECT_THAT(lines[0], HasSubstr("so far"));
    EXPECT_EQ(lines[1], "PROBLEM  The target sent RST  (10.1.1.1:40000 -> 10.1.1.2:3260)");
    EXPECT_EQ(lines[2].find("notice   3 of 40"), 0U);
    EXPECT_EQ(lines[3], "");
}

TEST_F(LiveScreenTest, WhatIsWrongLeavesRoomForTheRest) {
    for (int i = 0; i < 9; ++i) wrong.push_back(found(Finding::Severity::problem, fmt::format("bad {}", i)));
    answer(3, ms);
    screen();
    EXPECT_NE(line_with("bad 2"), "");
    EXPECT_EQ(line_with("bad 3"), "");
    EXPECT_EQ(line_with("6 more"), "… and 6 more");
    for (const size_t columns : {0u, 7u, 20u, 80u}) {
        for (const size_t rows : {0u, 1u, 2u, 8u, 12u}) {
            screen({columns, rows});
            EXPECT_LE(lines.size(), rows);
            for (const std::string& line : lines) EXPECT_LE(line.size(), columns + 2) << line;
        }
    }
    answer(3, ms);
    screen({120, 12});
    EXPECT_NE(line_with("example:disk"), "");
    EXPECT_NE(line_with("READ(10)"), "");
}

TEST_F(LiveScreenTest, NamesFromPacketsDoNotReachTheTerminal) {
    uint32_t number = 0;
    store.add_session(number).target_name = "evil\x1b[2J\xc2\x9b";
    answer(1, ms, 4096, number);
    wrong = {found(Finding::Severity::problem, "evil\x1b]0;title")};
    const std::string text = screen();
    EXPECT_THAT(text, HasSubstr("evil\xef\xbf\xbd[2J\xef\xbf\xbd"));
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace sanscope
