// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/inferred/unseen_runs.h"

#include <gtest/gtest.h>
#include <optional>

#include "analyzer/iscsi/testing/pdu_builder.h"
#include "analyzer/scsi/status.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::PduBuilder;

// A target whose stream of 1000-byte packets has headers at some places only; 48-byte headers, reads in PDUs of 512.
class UnseenRunsTest : public testing::Test {
  protected:
    UnseenRunsTest() {
        profile_.split_length = 512;
        profile_.statuses_with_data = 1;
    }
    void stretch(uint64_t begin, uint64_t end, bool in_place = true) {
        UnseenStretch stretch;
        stretch.begin = begin;
        stretch.end = end;
        StreamPiece piece;
        for (uint64_t at = begin; at < end; at += 1000) {
            piece.delivered = {++packet_, 0};
            stretch.mark(std::min(at + 1000, end), piece);
        }
        runs_.add_stretch(stretch, in_place);
    }
    // The read of command 9, tag 7, of so many bytes, is under way behind a Data-In PDU.
    void read_under_way(uint32_t passed, uint32_t expected) {
        const Bytes bytes = test::data_in(7, passed - 512, test::pattern(512), 1).bytes();
        read_.on_answer(Bhs(bytes.data()), 9, [=](uint64_t) { return std::pair(passed, expected); });
    }
    // The next header is that one, at the run's end.
    std::optional<UnseenRuns::ReadEnd> close(const PduBuilder& built,
                                             CommandTracker::AnswerSoFar answer = {}) {
        const Bytes bytes = built.bytes();
        Pdu next;
        next.header = bytes.data();
        next.header_captured = bhs_length;
        next.offset = runs_.back().end;
        EXPECT_TRUE(runs_.close(&next));
        const auto end = runs_.cut_head(read_, &next, shape_, profile_);
        read_.end();
        runs_.cut_tail(next, answer, read_.interleaves(), shape_, profile_);
        runs_.place(100);
        return end;
    }
    static PduBuilder response() { return test::scsi_response(8, 0, 1, 1); }

    UnseenRuns runs_;
    ReadUnderWay read_;
    AnswerShape shape_;
    ResponseProfile profile_;
    PacketNumber packet_ = 0;
};

TEST_F(UnseenRunsTest, StretchesThatMeetAreOneRun) {
    stretch(5000, 8000);
    stretch(8000, 9500);
    EXPECT_FALSE(close(response()));
    ASSERT_EQ(runs_.size(), 1U);
    const UnseenRun& run = runs_[0].run;
    EXPECT_TRUE(run.explicable);
    EXPECT_EQ(run.length, 4500U);
    ASSERT_EQ(run.moments.size(), 5U);
    EXPECT_EQ(run.moments[0].end, 1000U);
    EXPECT_EQ(run.moments[4].end, 4500U);
    EXPECT_EQ(runs_[0].last_packet, 5U);
}

TEST_F(UnseenRunsTest, RunThatBeginsInTheMiddleOfAPduHasOnlyACount) {
    stretch(5000, 8000, false);
    close(response());
    EXPECT_FALSE(runs_[0].run.explicable);
}

TEST_F(UnseenRunsTest, BytesBetweenThatWereNotFollowedLeaveOnlyACount) {
    stretch(5000, 8000);
    stretch(8001, 9000);
    close(response());
    EXPECT_FALSE(runs_[0].run.explicable);
}

TEST_F(UnseenRunsTest, RestOfTheReadUnderWayIsCutOffWithThePacketThatEndsIt) {
    read_under_way(512, 1536);
    stretch(0, 4000);
    const auto end = close(response());
    ASSERT_TRUE(end);
    EXPECT_TRUE(end->captured);
    EXPECT_EQ(end->arrival.packet, 2U) << "1120 bytes are the rest of it";
    EXPECT_EQ(runs_[0].run.length, 4000 - 2 * (48 + 512U));
    EXPECT_EQ(runs_[0].run.moments.front().end, 0U + 2000 - 1120);
}

TEST_F(UnseenRunsTest, ReadThatGoesOnBehindTheRunFillsItWhole) {
    read_under_way(512, 8192);
    stretch(0, 4000);
    EXPECT_FALSE(close(test::data_in(7, 4096, test::pattern(512), 1)));
    EXPECT_EQ(runs_[0].run.length, 0U);
    EXPECT_TRUE(runs_[0].run.explicable);
}

TEST_F(UnseenRunsTest, ReadLongerThanTheRunLeavesOnlyACount) {
    read_under_way(512, 8192);
    stretch(0, 4000);
    EXPECT_FALSE(close(response()));
    EXPECT_FALSE(runs_[0].run.explicable);
}

TEST_F(UnseenRunsTest, BeginningOfTheAnswerSeenBehindIsCutOff) {
    stretch(0, 4000);
    close(test::data_in(8, 1024, test::pattern(512), 1), {3, 0, 1536, {}});
    EXPECT_EQ(runs_[0].run.length, 4000 - 2 * (48 + 512U));
}

TEST_F(UnseenRunsTest, OfAnAnswerThatBeganBeforeTheRunOnlyWhatCameInItIsCutOff) {
    stretch(0, 4000);
    close(test::data_in(8, 1024, test::pattern(512), 1), {3, 512, 1536, {}});
    EXPECT_EQ(runs_[0].run.length, 4000 - (48 + 512U));
}

TEST_F(UnseenRunsTest, OfATaskThatWasNotBegunNoDataAreCutOff) {
    profile_.statuses_apart = 1;
    const auto length_before = [&](uint8_t status) {
        stretch(packet_ * 1000, packet_ * 1000 + 4000);
        close(test::scsi_response(8, status, 1, 2), {3, 0, 1536, {}});
        return runs_[runs_.size() - 1].run.explicable ? runs_[runs_.size() - 1].run.length : 0;
    };
    EXPECT_EQ(length_before(scsi_status::busy), 4000U);
    EXPECT_EQ(length_before(scsi_status::task_set_full), 4000U);
    EXPECT_EQ(length_before(scsi_status::good), 4000 - 3 * (48 + 512U));
    EXPECT_EQ(length_before(scsi_status::check_condition), 0U) << "some of the data, nobody knows how many";
}

TEST_F(UnseenRunsTest, HeaderOfWhichOnlyTheLengthsWereCapturedIsABoundary) {
    stretch(0, 1000);
    const Bytes bytes = PduBuilder(Opcode::scsi_data_in).data_length(500).bytes();
    Pdu partial;
    partial.header = bytes.data();
    partial.header_captured = 8;
    partial.offset = 1000;
    partial.last = {++packet_, 0};
    runs_.add_partial(partial, shape_);
    close(response());
    EXPECT_EQ(runs_[0].run.length, 1000 + 48 + 500U);
    ASSERT_EQ(runs_[0].run.boundaries.size(), 1U);
    EXPECT_EQ(runs_[0].run.boundaries[0].at, 1000U);
    EXPECT_EQ(runs_[0].run.boundaries[0].data_length, 500U);
}

TEST_F(UnseenRunsTest, StatusesOfAGroupAreThoseOfItsLastRunButForTheReadThatEnded) {
    read_under_way(512, 1024);
    stretch(0, 4000);
    close(response());
    EXPECT_EQ(runs_.end_group(5, Serial32(50), 200), 0U);
    EXPECT_EQ(runs_[0].unseen, 4U);
    EXPECT_TRUE(runs_[0].count_known);
    EXPECT_EQ(runs_.unseen(), 4U);
    EXPECT_EQ(runs_.end_group(2, Serial32(53), 203), 2U) << "no run waits that they could lie in";
    EXPECT_EQ(runs_.ended_by(199), 0U);
    EXPECT_EQ(runs_.ended_by(200), 1U);
    runs_.drop(1);
    EXPECT_TRUE(runs_.empty());
}

TEST_F(UnseenRunsTest, MixedReadsLeaveOnlyACount) {
    read_under_way(512, 1536);
    const Bytes other = test::data_in(6, 0, test::pattern(512), 1).bytes();
    read_.on_answer(Bhs(other.data()), 10, [](uint64_t) { return std::pair(512U, 1536U); });
    stretch(0, 4000);
    EXPECT_FALSE(close(response()));
    EXPECT_FALSE(runs_[0].run.explicable);
}

TEST_F(UnseenRunsTest, RunOfWhichTheCutsLeftNothingIsTakenBack) {
    read_under_way(512, 8192);
    stretch(0, 4000);
    close(test::data_in(7, 4096, test::pattern(512), 1));
    EXPECT_TRUE(runs_.drop_if_empty());
    EXPECT_TRUE(runs_.empty());
    stretch(5000, 8000, false);
    close(response());
    EXPECT_FALSE(runs_.drop_if_empty()) << "only a count can be known of it";
    stretch(9000, 9100);
    close(response());
    EXPECT_FALSE(runs_.drop_if_empty());
    EXPECT_EQ(runs_.size(), 2U);
}

// Where runs of a group were given up before its end, its statuses may have come since they began.
TEST_F(UnseenRunsTest, GroupBeginsWithTheRunsOfItThatWereDropped) {
    for (const uint64_t at : {uint64_t{0}, uint64_t{1000}, uint64_t{2000}}) {
        stretch(at, at + 500);
        close(response());
    }
    runs_.drop(2);
    EXPECT_EQ(runs_.front().first_packet, 3U);
    EXPECT_EQ(runs_.end_group(3, Serial32(7), 103), 0U);
    EXPECT_EQ(runs_.front().first_packet, 1U);
    stretch(4000, 4500);
    close(response());
    runs_.end_group(1, Serial32(9), 105);
    EXPECT_EQ(runs_.back().first_packet, 4U) << "a group of its own";
}

TEST_F(UnseenRunsTest, TooManyAreRefused) {
    constexpr int most = 1024;
    for (int i = 0; i < most; ++i) {
        stretch(static_cast<uint64_t>(i) * 100, static_cast<uint64_t>(i) * 100 + 50);
        ASSERT_TRUE(runs_.close(nullptr));
    }
    EXPECT_TRUE(runs_.too_many());
    stretch(500000, 500050);
    EXPECT_FALSE(runs_.close(nullptr));
    EXPECT_EQ(runs_.back().last_packet, packet_) << "whose answers are given up is known by it";
}

}  // namespace
}  // namespace sanscope
