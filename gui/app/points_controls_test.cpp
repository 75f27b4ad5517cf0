// SPDX-License-Identifier: GPL-3.0-or-later
//
// Captures as points of one path, and copies to share, as the window's user comes to them.
#include "gui/app/points_controls.h"

#include <QDockWidget>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QLineEdit>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/app/capture_window.h"
#include "gui/app/info_bar.h"
#include "gui/app/main_window.h"
#include "gui/document/open_path.h"
#include "gui/points/points_view.h"
#include "gui/sharing/share_dialog.h"
#include "gui/testing/loaded_document.h"
#include "gui/testing/window_driver.h"
#include "gui/views/ladder/ladder_view.h"
#include "gui/views/tables/rows_view.h"

namespace sanscope {
namespace {

using testing::HasSubstr;
using testing_gui::action_of;
using testing_gui::sample;
using testing_gui::wait_until;

const char* const initiator = "loss-mixed-initiator.pcap.zst";
const char* const target = "loss-mixed-target.pcap.zst";

class PointsWindowTest : public testing::Test {
  protected:
    PointsWindowTest() {
        QSettings().clear();
        window = std::make_unique<MainWindow>();
        window->resize(1600, 960);
        window->show();
        EXPECT_TRUE(QTest::qWaitForWindowExposed(window.get()));
    }
    ~PointsWindowTest() override {
        window.reset();
        QSettings().clear();
    }

    CaptureWindow& opened(const char* name) {
        EXPECT_TRUE(window->open({sample(name)}));
        CaptureWindow& capture = *window->current();
        EXPECT_TRUE(wait_until([&] { return capture.document().has_loaded(); }));
        return capture;
    }
    bool offered() const { return window->info_bar().isVisible() && !window->points().reading(); }
    // The capture in front is one of a path, and loaded.
    bool path_is_open() const {
        return window->current() != nullptr && window->current()->document().points() != nullptr &&
               window->current()->document().has_loaded();
    }
    QMessageBox* message() const { return window->findChild<QMessageBox*>(); }

    std::unique_ptr<MainWindow> window;
    QTemporaryDir folder;
};

TEST_F(PointsWindowTest, AnOfferComesByItselfAndLeadsToThePath) {
    opened(target);
    EXPECT_FALSE(offered());
    opened(initiator);
    ASSERT_TRUE(wait_until([&] { return offered(); }));
    EXPECT_THAT(window->info_bar().text().toStdString(), HasSubstr("share"));
    EXPECT_EQ(window->captures(), 2);
    window->info_bar().action().click();
    ASSERT_TRUE(wait_until([&] { return path_is_open(); }));
    EXPECT_FALSE(window->info_bar().isVisible());
    // Both stay open; that nearest to the initiators has the path.
    EXPECT_EQ(window->captures(), 2);
    CaptureWindow& capture = *window->current();
    EXPECT_THAT(capture.document().path().toStdString(), HasSubstr(initiator));
    EXPECT_TRUE(capture.dock("points")->isVisible());
    const auto* const points = qobject_cast<PointsView*>(capture.view("points"));
    ASSERT_NE(points, nullptr);
    EXPECT_THAT(points->text().toPlainText().toStdString(), HasSubstr("Points of the path"));
}

TEST_F(PointsWindowTest, AnOfferThatWasDeclinedDoesNotComeAgain) {
    opened(target);
    opened(initiator);
    ASSERT_TRUE(wait_until([&] { return offered(); }));
    window->info_bar().close_button().click();
    EXPECT_FALSE(window->info_bar().isVisible());
    action_of(*window, QStringLiteral("Close"))->trigger();
    ASSERT_EQ(window->captures(), 1);
    opened(initiator);
    EXPECT_FALSE(wait_until([&] { return offered(); }, 1500));
}

TEST_F(PointsWindowTest, AnOfferGoesWithACaptureItIsOf) {
    opened(target);
    opened(initiator);
    ASSERT_TRUE(wait_until([&] { return offered(); }));
    action_of(*window, QStringLiteral("Close"))->trigger();
    EXPECT_FALSE(window->info_bar().isVisible());
}

TEST_F(PointsWindowTest, NothingIsOfferedOfCapturesThatShareNothing) {
    opened("reads-4k-qd8.pcap.zst");
    opened(initiator);
    EXPECT_FALSE(wait_until([&] { return offered(); }, 1500));
}

// The farther one first: it is seen while both are read, and gives way.
TEST_F(PointsWindowTest, APathOpensInTheTabOfTheCaptureNearestToTheInitiators) {
    window->open_points({sample(target), sample(initiator)});
    ASSERT_NE(window->current(), nullptr);
    EXPECT_THAT(window->current()->document().path().toStdString(), HasSubstr(target));
    EXPECT_TRUE(window->points().reading());
    ASSERT_TRUE(wait_until([&] { return path_is_open(); }));
    EXPECT_EQ(window->captures(), 1);
    EXPECT_THAT(window->current()->document().path().toStdString(), HasSubstr(initiator));
}

TEST_F(PointsWindowTest, ReadingAPathCanBeCancelled) {
    window->open_points({sample(initiator), sample(target)});
    ASSERT_TRUE(window->info_bar().isVisible());
    window->info_bar().action().click();
    EXPECT_FALSE(window->points().reading());
    EXPECT_FALSE(window->info_bar().isVisible());
    EXPECT_FALSE(wait_until([&] { return path_is_open(); }, 1500));
    EXPECT_EQ(window->captures(), 1);
}

TEST_F(PointsWindowTest, WhatIsNoPathIsSaid) {
    window->open_points({sample(initiator), sample("reads-4k-qd8.pcap.zst")});
    ASSERT_TRUE(wait_until([&] { return message() != nullptr; }));
    EXPECT_THAT(message()->text().toStdString(), HasSubstr("in common"));
    EXPECT_EQ(window->current()->document().points(), nullptr);
}

TEST_F(PointsWindowTest, OneCaptureIsNoPath) {
    window->open_points({sample(initiator)});
    ASSERT_NE(message(), nullptr);
    EXPECT_THAT(message()->text().toStdString(), HasSubstr("2 to 8"));
    EXPECT_EQ(window->captures(), 0);
}

TEST_F(PointsWindowTest, SeveralFilesDroppedArePointsOnRequest) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(sample(initiator)), QUrl::fromLocalFile(sample(target))});
    QDragEnterEvent enter({100, 100}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(window.get(), &enter);
    QDropEvent drop({100, 100}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(window.get(), &drop);
    ASSERT_NE(message(), nullptr);
    for (QAbstractButton* const button : message()->buttons()) {
        if (button->text().remove(QLatin1Char('&')) == QStringLiteral("As points of one path"))
            button->click();
    }
    EXPECT_TRUE(wait_until([&] { return path_is_open(); }));
}

TEST_F(PointsWindowTest, TheLadderHasBothTrueEndsAndSaysHowSureTheyAre) {
    window->open_points({sample(initiator), sample(target)});
    ASSERT_TRUE(wait_until([&] { return path_is_open(); }));
    CaptureWindow& capture = *window->current();
    capture.show_view("ladder");
    auto* const ladder = qobject_cast<LadderView*>(capture.view("ladder"));
    ASSERT_NE(ladder, nullptr);
    // A loss on the way to the initiator, which this capture lacks.
    const OpenPath& path = *capture.document().points();
    size_t row = 0;
    while (row < path.losses().size() &&
           !(path.losses()[row].fate->at_b && path.losses()[row].fate->verdict == CopyVerdict::lost_between))
        ++row;
    ASSERT_LT(row, path.losses().size());
    qobject_cast<PointsView*>(capture.view("points"))->go_to_loss(row);
    ladder->set_detail(LadderDetail::packets);
    ASSERT_TRUE(wait_until([&] { return ladder->settled() && ladder->picture().points.has_value(); }));
    const LadderPicture& picture = ladder->picture();
    EXPECT_EQ(picture.points->known, LadderPoints::Known::both_ends);
    EXPECT_GT(picture.points->measured, 0U);
    const auto lost = std::ranges::find_if(picture.arrows, [&](const LadderArrow& arrow) {
        return arrow.packet == 0 && arrow.far_packet == path.losses()[row].fate->packet;
    });
    ASSERT_NE(lost, picture.arrows.end());
    EXPECT_EQ(lost->fate, LadderArrow::Fate::lost);
    EXPECT_EQ(lost->sender, Role::target);
    EXPECT_TRUE(lost->measured);
    EXPECT_LE(std::abs(lost->transit.left_ns - path.losses()[row].fate->time_ns), lost->plus_minus_ns + 1);
    for (const LadderArrow& arrow : picture.arrows)
        EXPECT_GE(arrow.transit.arrival_ns, arrow.transit.left_ns);
}

TEST_F(PointsWindowTest, ACopyToShareIsSavedAndWhatIsInItIsTold) {
    CaptureWindow& capture = opened("login-discovery-inquiry.pcap");
    action_of(*window, QStringLiteral("Save a copy to share"))->trigger();
    auto* const dialog = capture.findChild<ShareDialog*>();
    ASSERT_NE(dialog, nullptr);
    const QString path = folder.filePath(QStringLiteral("share.pcapng.zst"));
    dialog->target().setText(path);
    dialog->save().click();
    ASSERT_TRUE(wait_until(
        [&] { return capture.findChild<QMessageBox*>(QStringLiteral("share-summary")) != nullptr; }));
    const auto* const summary = capture.findChild<QMessageBox*>(QStringLiteral("share-summary"));
    EXPECT_EQ(summary->text(), path);
    const std::string words = summary->informativeText().toStdString();
    EXPECT_THAT(words, HasSubstr("Packets: "));
    EXPECT_THAT(words, HasSubstr("have replacements"));
    // It opens, with as many packets.
    const auto copy = testing_gui::loaded(path);
    ASSERT_NE(copy, nullptr);
    EXPECT_EQ(copy->data()->read().index().packets(), capture.document().data()->read().index().packets());
}

}  // namespace
}  // namespace sanscope
