// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/latest_job.h"

#include <QThread>
#include <QThreadPool>
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "gui/testing/wait_until.h"

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing_gui::wait_until;

struct Gate {
    std::atomic<bool> open = false;
    void wait() const {
        while (!open) QThread::msleep(1);
    }
};

TEST(LatestJob, OfManyRequestsTheNewestIsAnswered) {
    Gate gate;
    std::vector<int> answers;
    std::atomic<int> begun = 0;
    LatestJob<int> job;
    for (int i = 0; i < 5; ++i) {
        job.request(
            [&, i](const StopFlag&) {
                ++begun;
                gate.wait();
                return i;
            },
            [&](int answer) { answers.push_back(answer); });
    }
    EXPECT_FALSE(job.idle());
    gate.open = true;
    ASSERT_TRUE(wait_until([&] { return job.idle(); }));
    EXPECT_THAT(answers, ElementsAre(4));
    EXPECT_EQ(begun, 2);
}

TEST(LatestJob, APictureThatIsOldIsBetterThanNone) {
    Gate gate;
    std::vector<int> answers;
    LatestJob<int> job(true);
    for (int i = 0; i < 3; ++i) {
        job.request(
            [&, i](const StopFlag&) {
                gate.wait();
                return i;
            },
            [&](int answer) { answers.push_back(answer); });
    }
    gate.open = true;
    ASSERT_TRUE(wait_until([&] { return job.idle(); }));
    EXPECT_THAT(answers, ElementsAre(0, 2));
}

// Painting waits for parts of it that Qt does on its global pool.
TEST(LatestJob, WorkLeavesQtsOwnThreadsFree) {
    Gate gate;
    std::vector<std::unique_ptr<LatestJob<int>>> jobs;
    const int enough = QThread::idealThreadCount() + 1;
    for (int i = 0; i < enough; ++i) {
        jobs.push_back(std::make_unique<LatestJob<int>>());
        jobs.back()->request(
            [&](const StopFlag&) {
                gate.wait();
                return 0;
            },
            [](int) {});
    }
    EXPECT_EQ(QThreadPool::globalInstance()->activeThreadCount(), 0);
    gate.open = true;
    EXPECT_TRUE(wait_until([&] { return std::ranges::all_of(jobs, [](auto& job) { return job->idle(); }); }));
}

TEST(LatestJob, WorkHasLowerPriorityThanTheWindow) {
    const int own = getpriority(PRIO_PROCESS, 0);
    int nicer = own;
    LatestJob<int> job;
    job.request([](const StopFlag&) { return getpriority(PRIO_PROCESS, 0); },
                [&](int answer) { nicer = answer; });
    ASSERT_TRUE(wait_until([&] { return job.idle(); }));
    EXPECT_GT(nicer, own);
    EXPECT_EQ(getpriority(PRIO_PROCESS, 0), own);
}

TEST(LatestJob, TellsOldWorkToStop) {
    std::atomic<bool> stopped = false;
    std::vector<int> answers;
    LatestJob<int> job;
    job.request(
        [&](const StopFlag& stop) {
            while (!stop) QThread::msleep(1);
            stopped = true;
            return 0;
        },
        [&](int answer) { answers.push_back(answer); });
    job.request([](const StopFlag&) { return 1; }, [&](int answer) { answers.push_back(answer); });
    ASSERT_TRUE(wait_until([&] { return job.idle(); }));
    EXPECT_TRUE(stopped);
    EXPECT_THAT(answers, ElementsAre(1));
}

TEST(LatestJob, ACancelledOrEndedJobDoesNotAnswer) {
    Gate gate;
    std::atomic<int> done = 0;
    bool answered = false;
    {
        LatestJob<int> job;
        job.request(
            [&](const StopFlag&) {
                gate.wait();
                ++done;
                return 0;
            },
            [&](int) { answered = true; });
        job.cancel();
        LatestJob<int> other;
        other.request(
            [&](const StopFlag&) {
                gate.wait();
                ++done;
                return 0;
            },
            [&](int) { answered = true; });
    }
    gate.open = true;
    ASSERT_TRUE(wait_until([&] { return done == 2; }));
    QThread::msleep(5);
    QCoreApplication::processEvents();
    EXPECT_FALSE(answered);
}

TEST(LatestJob, AnAnswerMayAskAgain) {
    std::vector<int> answers;
    LatestJob<int> job;
    std::function<void(int)> done = [&](int answer) {
        answers.push_back(answer);
        if (answer < 3) job.request([answer](const StopFlag&) { return answer + 1; }, done);
    };
    job.request([](const StopFlag&) { return 1; }, done);
    ASSERT_TRUE(wait_until([&] { return answers.size() == 3; }));
    EXPECT_THAT(answers, ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace sanscope
