// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/experimenting/runs_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sanscope {
namespace {

using testing::SizeIs;

class RunsModelTest : public testing::Test {
  protected:
    RunsModelTest() {
        auto made = lab::choose({.name = "oguchi-fig6-7",
                                 .only = {"load=socket", "operation=read", "delay_ms=0,4"},
                                 .repetitions = 2,
                                 .seconds = 1});
        EXPECT_TRUE(made);
        chosen = std::make_shared<lab::ChosenExperiment>(std::move(*made));
    }
    void done(size_t place, double seconds = 1) const {
        lab::RunRecord& record = records->emplace_back();
        record.run = chosen->plan()[place];
        record.seconds = seconds;
        record.measured[lab::Measure::bytes_per_second] = 12.25e6;
    }
    void show() { model.set(chosen, records, shown_runs(*chosen, *records, "")); }
    std::string text(int row, int column) const {
        return model.data(model.index(row, column), Qt::DisplayRole).toString().toStdString();
    }

    std::shared_ptr<lab::ChosenExperiment> chosen;
    std::shared_ptr<std::vector<lab::RunRecord>> records = std::make_shared<std::vector<lab::RunRecord>>();
    RunsModel model;
};

TEST_F(RunsModelTest, ListsThePlanWithWhatIsDone) {
    done(2);
    done(0, 7);
    show();
    EXPECT_EQ(model.rowCount(), 4);
    EXPECT_EQ(text(0, RunsModel::state), "to come") << "it was done for another length of time";
    EXPECT_EQ(text(2, RunsModel::state), "done");
    EXPECT_EQ(text(2, RunsModel::repetition), "2");
    EXPECT_EQ(text(2, RunsModel::first_measure), "12.25");
    EXPECT_EQ(text(2, RunsModel::first_measure + 1), "–") << "its turnaround is not known";
    EXPECT_EQ(text(1, RunsModel::first_measure), "");
    EXPECT_EQ(
        model.headerData(RunsModel::first_measure, Qt::Horizontal, Qt::DisplayRole).toString().toStdString(),
        "throughput, MB/s");
    EXPECT_EQ(model.row_of(0), 2);
    EXPECT_EQ(model.row_of(1), -1);
}

TEST_F(RunsModelTest, LeavesOutWhatTheKernelDoesNotHave) {
    auto made = lab::choose({.name = "oguchi-fig6-7",
                             .set = {"congestion_control=reno,bbr"},
                             .only = {"load=socket", "operation=read", "delay_ms=0"},
                             .repetitions = 1});
    ASSERT_TRUE(made) << made.error().message;
    ASSERT_THAT(made->settings, SizeIs(2));
    for (const ShownRun& run : shown_runs(*made, {}, "reno cubic")) {
        EXPECT_EQ(run.state, run.run.settings.congestion_control == "reno" ? ShownRun::State::waits
                                                                           : ShownRun::State::left_out);
    }
    for (const ShownRun& run : shown_runs(*made, {}, "")) EXPECT_EQ(run.state, ShownRun::State::waits);
}

TEST_F(RunsModelTest, FollowsWhatItsProcessTells) {
    done(0);
    show();
    const QString label = model.index(1, RunsModel::settings).data().toString();
    EXPECT_EQ(model.set_state(label, 1, ShownRun::State::runs), 1);
    EXPECT_EQ(text(1, RunsModel::state), "under way");
    EXPECT_EQ(model.set_state(label, 1, ShownRun::State::failed, QStringLiteral("no route")), 1);
    EXPECT_EQ(text(1, RunsModel::state), "failed: no route");
    EXPECT_EQ(model.set_state(QStringLiteral("unheard of"), 1, ShownRun::State::runs), -1);
    const QString first = model.index(0, RunsModel::settings).data().toString();
    EXPECT_EQ(model.set_state(first, 1, ShownRun::State::runs), -1) << "what is done stays so";
}

TEST_F(RunsModelTest, WhatGrowsIsNoOtherTable) {
    show();
    int resets = 0;
    QObject::connect(&model, &RunsModel::modelReset, [&] { ++resets; });
    done(1);
    show();
    EXPECT_EQ(resets, 0);
    EXPECT_EQ(text(1, RunsModel::state), "done");
    chosen = std::make_shared<lab::ChosenExperiment>(*chosen);
    chosen->repetitions = 1;
    show();
    EXPECT_EQ(resets, 1);
    EXPECT_EQ(model.rowCount(), 2);
}

}  // namespace
}  // namespace sanscope
