// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/experimenting/experiment_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

lab::ChosenExperiment a_choice() {
    auto chosen =
        lab::choose({.name = "oguchi-fig6-7",
                     .only = {"operation=read", "queue_depth=1", "delay_ms=0,4", "pdu_bytes=32K,1M"},
                     .repetitions = 2,
                     .seconds = 1});
    EXPECT_TRUE(chosen);
    return *chosen;
}

// Of each run that is planned, of so many.
std::vector<lab::RunRecord> records_of(const lab::ChosenExperiment& chosen, size_t runs) {
    std::vector<lab::RunRecord> records;
    for (const lab::PlannedRun& run : chosen.plan()) {
        if (records.size() == runs) break;
        lab::RunRecord& record = records.emplace_back();
        record.run = run;
        record.link = "netem";
        record.seconds = chosen.seconds;
        record.measured[lab::Measure::bytes_per_second] = 1e6 * static_cast<double>(records.size());
    }
    return records;
}

TEST(ExperimentPicture, IsEmptyBeforeTheFirstRun) {
    const auto picture = picture_of(a_choice(), {}, 0);
    EXPECT_EQ(picture.title.toStdString(), "Figures 6 and 7: throughput against delay");
    EXPECT_EQ(picture.y_heading.toStdString(), "throughput, MB/s");
    EXPECT_TRUE(picture.lines.empty());
    const lab::AxisScale x = picture.scale_of_x();
    EXPECT_LT(x.low, x.high);
    EXPECT_TRUE(picture_of(a_choice(), {}, 99).lines.empty());
}

TEST(ExperimentPicture, HasEachRunAndTheMediansOfItsLine) {
    const auto chosen = a_choice();
    const auto records = records_of(chosen, 12);
    ASSERT_THAT(records, SizeIs(12));
    const auto picture = picture_of(chosen, records, 0);
    ASSERT_THAT(picture.lines, SizeIs(3)) << "two sizes and the plain socket";
    size_t runs = 0;
    for (const PictureLine& line : picture.lines) {
        EXPECT_EQ(line.reference, line.label == u"plain socket");
        ASSERT_THAT(line.medians, SizeIs(2));
        EXPECT_EQ(line.medians[0].x, 0);
        EXPECT_EQ(line.medians[1].x, 4);
        ASSERT_THAT(line.runs, SizeIs(4));
        for (const PictureRun& run : line.runs) {
            const lab::RunRecord& record = records[run.record];
            EXPECT_EQ(run.x, record.run.settings.delay_ms);
            EXPECT_EQ(run.y, static_cast<double>(run.record + 1)) << "in the unit of the axis";
            ++runs;
        }
        EXPECT_EQ(line.medians[0].y, (line.runs[0].y + line.runs[1].y) / 2);
    }
    EXPECT_EQ(runs, records.size());
}

TEST(ExperimentPicture, ALineBeginsWithItsFirstRun) {
    const auto chosen = a_choice();
    for (size_t done = 1; done <= 6; ++done) {
        size_t runs = 0;
        for (const PictureLine& line : picture_of(chosen, records_of(chosen, done), 0).lines)
            runs += line.runs.size();
        EXPECT_EQ(runs, done);
    }
}

TEST(ExperimentPicture, RunsOfOtherLengthsAndWithoutTheMeasureAreNotInIt) {
    const auto chosen = a_choice();
    auto records = records_of(chosen, 6);
    records[0].seconds = 2;
    records[1].measured[lab::Measure::bytes_per_second].reset();
    std::vector<size_t> drawn;
    for (const PictureLine& line : picture_of(chosen, records, 0).lines) {
        for (const PictureRun& run : line.runs) drawn.push_back(run.record);
    }
    EXPECT_THAT(drawn, testing::UnorderedElementsAre(2, 3, 4, 5));
}

TEST(ExperimentPicture, WhatIsNotAboveZeroHasNoPlaceOnALogarithmicAxis) {
    ExperimentPicture picture;
    EXPECT_TRUE(picture.can_be_drawn(0, -1));
    picture.y_axis = lab::AxisScale::Kind::logarithmic;
    EXPECT_FALSE(picture.can_be_drawn(0, 0));
    picture.lines.push_back(
        {.label = {}, .reference = false, .medians = {}, .runs = {{1, 0, 0}, {1, 10, 1}, {2, 100, 2}}});
    const lab::AxisScale y = picture.scale_of_y();
    EXPECT_GT(y.low, 0);
    EXPECT_GE(y.high, 100);
}

}  // namespace
}  // namespace sanscope
