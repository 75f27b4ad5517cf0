// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/experimenting/experiment_figure.h"

#include <QTest>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/testing/wait_until.h"

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_gui::wait_until;

ExperimentPicture a_picture() {
    return {.title = QStringLiteral("Throughput"),
            .x_heading = QStringLiteral("delay, ms"),
            .y_heading = QStringLiteral("throughput, MB/s"),
            .lines = {{.label = QStringLiteral("32 KiB"),
                       .reference = false,
                       .medians = {{0, 20}, {8, 2}},
                       .runs = {{0, 20, 7}, {8, 2, 3}}},
                      {.label = QStringLiteral("1 MiB"),
                       .reference = false,
                       .medians = {{0, 22}, {8, 15}},
                       .runs = {{0, 22, 4}, {8, 15, 5}}}}};
}

class ExperimentFigureTest : public testing::Test {
  protected:
    ExperimentFigureTest() {
        figure.resize(700, 400);
        figure.set_picture(a_picture());
        figure.show();
        EXPECT_TRUE(QTest::qWaitForWindowExposed(&figure));
        figure.replot();
        QObject::connect(&figure, &ExperimentFigure::run_opened,
                         [this](size_t record) { opened.push_back(record); });
        QObject::connect(&figure, &ExperimentFigure::run_marked,
                         [this](size_t record) { marked.push_back(record); });
    }

    ExperimentFigure figure;
    std::vector<size_t> opened;
    std::vector<size_t> marked;
};

TEST_F(ExperimentFigureTest, AClickOnAPointOpensItsRun) {
    const auto place = figure.place_of(5);
    ASSERT_TRUE(place);
    QTest::mouseClick(&figure, Qt::LeftButton, {}, place->toPoint());
    EXPECT_THAT(opened, ElementsAre(5u));
    EXPECT_EQ(figure.marked(), 5u);
    // Half way between the two of the other line lies nothing.
    const QPointF between = (*figure.place_of(7) + *figure.place_of(3)) / 2;
    QTest::mouseClick(&figure, Qt::LeftButton, {}, between.toPoint());
    EXPECT_THAT(opened, ElementsAre(5u));
    QTest::mouseClick(&figure, Qt::RightButton, {}, place->toPoint());
    EXPECT_THAT(opened, ElementsAre(5u));
}

TEST_F(ExperimentFigureTest, KeysGoFromPointToPointAndOpen) {
    QTest::keyClick(&figure, Qt::Key_Return);
    EXPECT_THAT(opened, IsEmpty()) << "nothing is marked yet";
    QTest::keyClick(&figure, Qt::Key_Right);
    QTest::keyClick(&figure, Qt::Key_Right);
    QTest::keyClick(&figure, Qt::Key_Right);
    QTest::keyClick(&figure, Qt::Key_Down);
    QTest::keyClick(&figure, Qt::Key_Left);
    QTest::keyClick(&figure, Qt::Key_Up);
    EXPECT_THAT(marked, ElementsAre(7u, 3u, 3u, 5u, 4u, 7u));
    QTest::keyClick(&figure, Qt::Key_Return);
    EXPECT_THAT(opened, ElementsAre(7u));
}

TEST_F(ExperimentFigureTest, WhatIsMarkedStaysWhileTheFigureGrows) {
    QTest::keyClick(&figure, Qt::Key_Right);
    QTest::keyClick(&figure, Qt::Key_Right);
    ASSERT_EQ(figure.marked(), 3u);
    ExperimentPicture grown = a_picture();
    grown.lines.insert(grown.lines.begin(), {.label = QStringLiteral("plain socket"),
                                             .reference = true,
                                             .medians = {{4, 23}},
                                             .runs = {{4, 23, 8}}});
    figure.set_picture(grown);
    EXPECT_EQ(figure.marked(), 3u);
    figure.set_picture({});
    EXPECT_FALSE(figure.marked());
    QTest::keyClick(&figure, Qt::Key_Right);
    EXPECT_FALSE(figure.marked()) << "nothing is there to be marked";
}

TEST_F(ExperimentFigureTest, WhatHasNoPlaceOnALogarithmicAxisIsNotClicked) {
    ExperimentPicture picture = a_picture();
    picture.x_axis = lab::AxisScale::Kind::logarithmic;
    figure.set_picture(picture);
    figure.replot();
    EXPECT_FALSE(figure.place_of(7)) << "at 0 ms";
    ASSERT_TRUE(figure.place_of(3));
    QTest::mouseClick(&figure, Qt::LeftButton, {}, figure.place_of(3)->toPoint());
    EXPECT_THAT(opened, ElementsAre(3u));
    EXPECT_FALSE(figure.grab().isNull());
}

TEST_F(ExperimentFigureTest, SaysWhyItIsEmptyUntilARunHasCome) {
    EXPECT_EQ(figure.itemCount(), 0);
    ExperimentPicture empty = a_picture();
    for (PictureLine& line : empty.lines) {
        line.medians.clear();
        line.runs.clear();
    }
    figure.set_picture(empty);
    ASSERT_EQ(figure.itemCount(), 1);
    const auto* const words = qobject_cast<QCPItemText*>(figure.item(0));
    ASSERT_NE(words, nullptr);
    EXPECT_TRUE(words->text().startsWith(QStringLiteral("No run has come yet.")));
    figure.set_picture(a_picture());
    EXPECT_EQ(figure.itemCount(), 0);
}

TEST_F(ExperimentFigureTest, FollowsThePalette) {
    const QImage light = figure.grab().toImage();
    QPalette dark;
    dark.setColor(QPalette::Window, Qt::black);
    dark.setColor(QPalette::WindowText, Qt::white);
    figure.setPalette(dark);
    ASSERT_TRUE(wait_until([&] { return figure.grab().toImage() != light; }));
}

}  // namespace
}  // namespace sanscope
