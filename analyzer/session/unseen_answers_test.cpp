// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/unseen_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sanscope {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using Kind = UnseenAnswer::Kind;

constexpr uint32_t effort = 20'000;
constexpr uint32_t read_size = 65536;
constexpr uint32_t data_in_size = 48 + read_size;

std::vector<AwaitedCommand> reads(uint32_t count, uint32_t size = read_size) {
    std::vector<AwaitedCommand> awaited;
    for (uint32_t i = 0; i < count; ++i) awaited.push_back({100 + i, 10 + i, 0, size});
    return awaited;
}

AnswerHabits whole_reads_with_status() {
    AnswerHabits habits;
    habits.longest_data_in = read_size;
    habits.statuses_with_data = 10;
    return habits;
}

SeenNext data_in_of(uint32_t itt, uint32_t offset) {
    SeenNext next;
    next.has_itt = next.is_data_in = next.has_buffer_offset = true;
    next.itt = itt;
    next.buffer_offset = offset;
    return next;
}

TEST(UnseenAnswers, EqualReadsAreAnsweredInOrderOfRequest) {
    const auto answers =
        explain_unseen_answers(3 * data_in_size, reads(8), whole_reads_with_status(), {}, effort);
    ASSERT_THAT(answers, SizeIs(3));
    for (uint32_t i = 0; i < 3; ++i) {
        EXPECT_EQ(answers[i].kind, Kind::data_in_with_status);
        EXPECT_EQ(answers[i].itt, 100 + i);
        EXPECT_EQ(answers[i].data_length, read_size);
        EXPECT_EQ(answers[i].begin, i * data_in_size);
        EXPECT_EQ(answers[i].end, (i + 1) * data_in_size);
    }
}

TEST(UnseenAnswers, BytesThatNoAnswersFillAreNotExplained) {
    EXPECT_THAT(explain_unseen_answers(data_in_size + 4, reads(8), whole_reads_with_status(), {}, effort),
                IsEmpty());
    EXPECT_THAT(explain_unseen_answers(20, reads(8), whole_reads_with_status(), {}, effort), IsEmpty());
    EXPECT_THAT(explain_unseen_answers(48, {}, whole_reads_with_status(), {}, effort), IsEmpty());
}

TEST(UnseenAnswers, TheCommandSeenNextWasNotAnsweredYet) {
    const auto answers = explain_unseen_answers(2 * data_in_size, reads(3), whole_reads_with_status(),
                                                data_in_of(101, 0), effort);
    ASSERT_THAT(answers, SizeIs(2));
    EXPECT_EQ(answers[0].itt, 100u);
    EXPECT_EQ(answers[1].itt, 102u);
}

TEST(UnseenAnswers, DataUpToTheOffsetSeenNextWentByUnseen) {
    AnswerHabits habits;
    habits.longest_data_in = 8192;
    habits.statuses_with_data = 1;
    const uint32_t pdu = 48 + 8192;
    const auto answers = explain_unseen_answers(3 * pdu, reads(2), habits, data_in_of(100, 3 * 8192), effort);
    ASSERT_THAT(answers, SizeIs(3));
    for (uint32_t i = 0; i < 3; ++i) {
        EXPECT_EQ(answers[i].kind, Kind::data_in);
        EXPECT_EQ(answers[i].itt, 100u);
        EXPECT_EQ(answers[i].buffer_offset, i * 8192);
    }
    EXPECT_THAT(explain_unseen_answers(3 * pdu, reads(2), habits, data_in_of(100, 4 * 8192), effort),
                IsEmpty());
}

TEST(UnseenAnswers, AReadUnderWayGoesOnFirst) {
    auto awaited = reads(3);
    awaited[1].data_passed = read_size / 2;
    AnswerHabits habits = whole_reads_with_status();
    habits.longest_data_in = read_size / 2;
    const auto answers = explain_unseen_answers(48 + read_size / 2, awaited, habits, {}, effort);
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].itt, 101u);
    EXPECT_EQ(answers[0].buffer_offset, read_size / 2);
    EXPECT_EQ(answers[0].kind, Kind::data_in_with_status);
}

TEST(UnseenAnswers, AHeaderAloneIsTheStatusOfTheCommandWhoseDataAreDone) {
    auto awaited = reads(2, 4096);
    awaited[1].data_passed = 4096;
    AnswerHabits habits;
    habits.header_length = 52;
    habits.data_digest_length = 4;
    const auto answers = explain_unseen_answers(52, awaited, habits, {}, effort);
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].kind, Kind::response);
    EXPECT_EQ(answers[0].itt, 101u);
}

TEST(UnseenAnswers, DigestsAndPaddingCount) {
    AnswerHabits habits;
    habits.header_length = 52;
    habits.data_digest_length = 4;
    habits.statuses_with_data = 1;
    const auto answers = explain_unseen_answers(52 + 12 + 4, reads(1, 10), habits, {}, effort);
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].data_length, 10u);
}

TEST(UnseenAnswers, StatSnSaysHowManyStatusesWentBy) {
    AnswerHabits habits = whole_reads_with_status();
    SeenNext next;
    next.statuses_known = true;
    next.statuses = 2;
    EXPECT_THAT(explain_unseen_answers(2 * data_in_size, reads(4), habits, next, effort), SizeIs(2));
    next.statuses = 3;
    EXPECT_THAT(explain_unseen_answers(2 * data_in_size, reads(4), habits, next, effort), IsEmpty());
}

TEST(UnseenAnswers, StatusApartIsTriedWhereThatIsTheHabit) {
    AnswerHabits habits = whole_reads_with_status();
    habits.statuses_with_data = 0;
    habits.statuses_apart = 5;
    const auto answers = explain_unseen_answers(2 * (data_in_size + 48), reads(4), habits, {}, effort);
    ASSERT_THAT(answers, SizeIs(4));
    EXPECT_EQ(answers[0].kind, Kind::data_in);
    EXPECT_EQ(answers[1].kind, Kind::response);
    EXPECT_EQ(answers[1].itt, answers[0].itt);
}

TEST(UnseenAnswers, MixedSizesAreTriedInOtherOrdersThanThatOfRequest) {
    const std::vector<AwaitedCommand> awaited = {{1, 1, 0, 65536}, {2, 2, 0, 4096}, {3, 3, 0, 8192}};
    AnswerHabits habits = whole_reads_with_status();
    const auto answers = explain_unseen_answers(48 + 8192, awaited, habits, {}, effort);
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].itt, 3u);
}

TEST(UnseenAnswers, WorkIsBoundedWhateverTheSizes) {
    std::vector<AwaitedCommand> awaited;
    for (uint32_t i = 0; i < 512; ++i) awaited.push_back({i, i, 0, 4 * (i % 7 + 1)});
    AnswerHabits habits;
    habits.longest_data_in = 4;
    habits.declared_limit = 8;
    EXPECT_THAT(explain_unseen_answers(100'001, awaited, habits, {}, effort), IsEmpty());
}

}  // namespace
}  // namespace sanscope
