// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/report/findings.h"
#include "analyzer/report/testing/frames_capture.h"

namespace sanscope {
namespace {

using test::FramesCapture;
using test::FramesConnection;
using test::Host;
using test::ms;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using Kind = Finding::Kind;
using Severity = Finding::Severity;

constexpr bool initiator = false;
constexpr bool target = true;
constexpr std::string_view key = "InitiatorName=iqn.2026-01.org.example:i";
constexpr uint64_t isid = 0x00023d000001;

Host host(uint8_t number) {
    return {.ip = "10.0.0." + std::to_string(number), .mac = number};
}

// Sessions that log in while the one before is there.
class InitiatorNames : public testing::Test {
  protected:
    // By the host of that number; the session of the one before is closed by the target, or by its initiator before that login.
    void log_in(int number, uint64_t with_isid = isid, bool takes_over = true, std::string_view name = key) {
        const int64_t at_ns = now_ms * ms;
        auto next = std::make_unique<FramesConnection>(capture, host(static_cast<uint8_t>(number)), host(100),
                                                       port_++);
        if (last_ != nullptr && !takes_over) last_->close(initiator, at_ns - ms);
        next->open(at_ns);
        next->login(at_ns + 2 * ms, name, with_isid, 2 * ms);
        if (last_ != nullptr && takes_over) last_->reset(target, at_ns + 5 * ms);
        for (int64_t i = 0; i < 5; ++i) next->read(at_ns + (10 + 5 * i) * ms);
        last_ = std::move(next);
        now_ms += 1000;
    }

    FramesCapture capture;
    int64_t now_ms = 0;

  private:
    std::unique_ptr<FramesConnection> last_;
    uint16_t port_ = 50001;
};

TEST_F(InitiatorNames, that_two_hosts_share_are_told) {
    for (const int number : {1, 2, 1, 2}) log_in(number);
    const std::vector<Finding> found = capture.find();
    ASSERT_EQ(found.front().kind, Kind::duplicate_initiator);
    EXPECT_EQ(found.front().severity, Severity::problem);
    EXPECT_NE(found.front().confidence, Finding::Confidence::firm) << "one host may have both addresses";
    EXPECT_EQ(found.front().side, Finding::Side::initiator);
    EXPECT_THAT(found.front().title, HasSubstr("10.0.0.1 and 10.0.0.2 log in as one initiator"));
    EXPECT_THAT(found.front().evidence, Contains(HasSubstr("3 times the session of one address was closed")));
    for (const Finding& finding : found) {
        EXPECT_TRUE(finding.kind == Kind::duplicate_initiator || finding.severity == Severity::information)
            << finding.title;
    }
}

// Its old session stood there until the new one replaced it.
TEST_F(InitiatorNames, of_a_host_whose_address_changed_are_fine) {
    for (const int number : {1, 2}) log_in(number);
    EXPECT_THAT(capture.find(Kind::duplicate_initiator), IsEmpty());
}

// As one host does whose port fails, and comes back.
TEST_F(InitiatorNames, that_go_to_another_address_and_back_once_are_told_with_doubt) {
    for (const int number : {1, 2, 1}) log_in(number);
    const std::vector<Finding> found = capture.find(Kind::duplicate_initiator);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found.front().severity, Severity::notice);
    EXPECT_EQ(found.front().confidence, Finding::Confidence::possible);
    EXPECT_THAT(capture.find(Kind::connection_reset),
                testing::Each(testing::Field(&Finding::explanation,
                                             testing::Not(HasSubstr("log in as one initiator")))));
}

TEST_F(InitiatorNames, of_a_clock_that_was_set_back_are_not_judged) {
    for (const int number : {1, 2, 1, 2}) log_in(number);
    now_ms = -60'000;
    log_in(3, 7);
    EXPECT_THAT(capture.find(Kind::duplicate_initiator), IsEmpty());
}

TEST_F(InitiatorNames, of_one_host_that_reconnects_are_fine) {
    for (const int number : {1, 1, 1, 1}) log_in(number);
    EXPECT_THAT(capture.find(Kind::duplicate_initiator), IsEmpty());
}

TEST_F(InitiatorNames, with_an_isid_for_each_path_are_fine) {
    for (const int number : {1, 2, 1, 2}) log_in(number, isid + static_cast<uint64_t>(number));
    EXPECT_THAT(capture.find(Kind::duplicate_initiator), IsEmpty());
}

TEST_F(InitiatorNames, of_sessions_that_ended_before_the_next_are_fine) {
    for (const int number : {1, 2, 1, 2}) log_in(number, isid, false);
    EXPECT_THAT(capture.find(Kind::duplicate_initiator), IsEmpty());
}

TEST_F(InitiatorNames, that_differ_are_fine) {
    for (const int number : {1, 2, 1, 2}) {
        log_in(number, isid, true,
               number == 1 ? key : std::string_view("InitiatorName=iqn.2026-01.org.example:j"));
    }
    EXPECT_THAT(capture.find(Kind::duplicate_initiator), IsEmpty());
}

}  // namespace
}  // namespace sanscope
