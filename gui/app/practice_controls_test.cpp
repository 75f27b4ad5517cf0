// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/practice_controls.h"

#include <QDockWidget>
#include <QListWidget>
#include <QPushButton>
#include <QRegularExpression>
#include <QSettings>
#include <QStatusBar>
#include <QTextBrowser>
#include <QUrl>
#include <gtest/gtest.h>

#include "gui/app/capture_window.h"
#include "gui/app/main_window.h"
#include "gui/app/start_place.h"
#include "gui/practice/practice_dialog.h"
#include "gui/practice/practice_panel.h"
#include "gui/testing/wait_until.h"
#include "gui/testing/window_driver.h"

namespace sanscope {
namespace {

using testing_gui::action_of;
using testing_gui::wait_until;

// All `sanscope:` links of a text in Markdown.
QStringList links_in(const QString& markdown) {
    static const QRegularExpression link(QStringLiteral("\\]\\(sanscope:([^)]*)\\)"));
    QStringList links;
    for (auto found = link.globalMatch(markdown); found.hasNext();) links.append(found.next().captured(1));
    return links;
}

struct Practice : testing::Test {
    Practice() {
        QSettings().clear();
        window = std::make_unique<MainWindow>();
        window->show();
    }
    ~Practice() override {
        window.reset();
        QSettings().clear();
    }
    PracticePanel* begun(const MysteryPage& page) {
        PracticePanel* const panel = window->practice().begin(page);
        EXPECT_NE(panel, nullptr);
        EXPECT_TRUE(wait_until([&] { return window->current()->document().has_loaded(); }));
        return panel;
    }
    std::unique_ptr<MainWindow> window;
    const QList<MysteryPage> pages = mysteries_in(QStringLiteral(SANSCOPE_MYSTERIES_SOURCE));
};

TEST_F(Practice, lists_the_cases_and_opens_the_chosen_one_with_its_steps_beside_it) {
    action_of(*window, QStringLiteral("Practice…"))->trigger();
    auto* const dialog = window->findChild<PracticeDialog*>();
    ASSERT_NE(dialog, nullptr);
    auto* const list = dialog->findChild<QListWidget*>();
    ASSERT_EQ(list->count(), 10);
    Q_EMIT list->itemActivated(list->item(0));
    ASSERT_NE(window->current(), nullptr);
    EXPECT_EQ(window->current()->document().path(), pages[0].capture);
    auto* const dock = window->current()->findChild<QDockWidget*>(QStringLiteral("practice"));
    ASSERT_NE(dock, nullptr);
    EXPECT_TRUE(dock->isVisible());
    EXPECT_TRUE(dock->findChild<QTextBrowser*>()->toPlainText().contains(pages[0].title));
    // Once more: the same tab, the same panel.
    EXPECT_EQ(window->practice().begin(pages[0]), dock->widget());
    EXPECT_EQ(window->captures(), 1);
}

TEST_F(Practice, is_asked_for_on_the_first_page_too) {
    for (QPushButton* const button : window->findChildren<QPushButton*>()) {
        if (button->text() == QStringLiteral("Practice…")) button->click();
    }
    EXPECT_NE(window->findChild<PracticeDialog*>(), nullptr);
}

TEST_F(Practice, a_link_of_a_step_leads_there) {
    PracticePanel* const panel = begun(pages[0]);
    CaptureWindow& capture = *window->current();
    Q_EMIT panel->place_wanted(QStringLiteral("finding=ping_timeout&view=ladder"));
    EXPECT_EQ(capture.current_view_name(), QStringLiteral("ladder"));
    EXPECT_NE(capture.state().selection().kind, Selection::Kind::none);
    Q_EMIT panel->place_wanted(QStringLiteral("finding=no_such_thing"));
    EXPECT_TRUE(capture.statusBar()->currentMessage().contains(QStringLiteral("no_such_thing")));
}

TEST_F(Practice, every_link_of_every_page_leads_to_something) {
    for (const MysteryPage& page : pages) {
        begun(page);
        const QStringList links = links_in(page.complaint + page.steps + page.solution);
        EXPECT_GE(links.size(), 3) << page.name.toStdString();
        for (const QString& link : links) {
            const StartPlace place = place_of_link(link);
            EXPECT_EQ(fault_of(place).toStdString(), "")
                << page.name.toStdString() << ": " << link.toStdString();
            EXPECT_EQ(go_to(*window->current(), place).toStdString(), "")
                << page.name.toStdString() << ": " << link.toStdString();
        }
    }
}

TEST_F(Practice, a_capture_that_is_gone_is_reported) {
    MysteryPage page = pages[0];
    page.capture = QStringLiteral("/nowhere/capture.pcapng.zst");
    EXPECT_EQ(window->practice().begin(page), nullptr);
    EXPECT_EQ(window->captures(), 0);
}

TEST(PlaceOfLink, has_the_items_decoded) {
    const StartPlace place =
        place_of_link(QStringLiteral("at=1.25&view=layers&view=commands&filter=turnaround%20%3E%2010ms"));
    EXPECT_EQ(place.at, QStringLiteral("1.25"));
    EXPECT_EQ(place.views, (QStringList{QStringLiteral("layers"), QStringLiteral("commands")}));
    EXPECT_EQ(place.filter, QStringLiteral("turnaround > 10ms"));
    EXPECT_TRUE(place.finding.isEmpty());
}

}  // namespace
}  // namespace sanscope
