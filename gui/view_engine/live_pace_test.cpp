// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view_engine/live_pace.h"

#include <QThread>
#include <gtest/gtest.h>

#include "gui/testing/wait_until.h"

namespace sanscope {
namespace {

using testing_gui::wait_until;

TEST(LivePace, GrowthIsAskedForOnceWhileTheAnswerIsAwaited) {
    int questions = 0;
    LivePace pace([&] {
        ++questions;
        pace.asked();
    });
    for (int i = 0; i < 10; ++i) pace.on_growth();
    ASSERT_TRUE(wait_until([&] { return questions == 1; }));
    for (int i = 0; i < 10; ++i) pace.on_growth();
    EXPECT_TRUE(pace.waiting());
    EXPECT_EQ(questions, 1);
    pace.answered();
    ASSERT_TRUE(wait_until([&] { return questions == 2; }));
    pace.answered();
    // Nothing came meanwhile.
    EXPECT_FALSE(pace.waiting());
}

TEST(LivePace, RestsAsLongAsTheAnswerTook) {
    constexpr int took_ms = 15;
    QElapsedTimer since_answer;
    int64_t rested_ms = -1;
    LivePace pace([&] {
        pace.asked();
        if (since_answer.isValid()) rested_ms = since_answer.elapsed();
    });
    pace.asked();
    QThread::msleep(took_ms);
    pace.answered();
    since_answer.start();
    pace.on_growth();
    ASSERT_TRUE(wait_until([&] { return rested_ms >= 0; }));
    // Timers may be early by a millisecond.
    EXPECT_GE(rested_ms, took_ms - 2);
}

}  // namespace
}  // namespace sanscope
