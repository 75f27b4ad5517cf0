// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/findings/findings_view.h"

#include <QApplication>
#include <QKeyEvent>
#include <QListView>
#include <gtest/gtest.h>

#include "gui/testing/loaded_document.h"
#include "gui/testing/pointer_events.h"
#include "gui/views/findings/finding_delegate.h"

namespace sanscope {
namespace {

using testing_gui::wait_until;

class FindingsViewTest : public testing::Test {
  protected:
    void open(const char* sample) {
        document = testing_gui::opened(testing_gui::sample(sample));
        ASSERT_TRUE(document);
        view = std::make_unique<FindingsView>(*document, nullptr);
        view->resize(700, 600);
        view->show();
        ASSERT_TRUE(wait_until([&] { return !document->loading() && !document->state().whole().empty(); }));
        ASSERT_TRUE(wait_until([&] { return view->settled(); }));
    }
    void click(size_t finding) {
        const QModelIndex index = view->list().model()->index(static_cast<int>(finding), 0);
        view->list().scrollTo(index);
        testing_gui::click(*view->list().viewport(), view->list().visualRect(index).center());
    }
    std::unique_ptr<Document> document;
    std::unique_ptr<FindingsView> view;
};

TEST_F(FindingsViewTest, ListsWhatTheReportFinds) {
    open("loss-mixed-initiator.pcap.zst");
    const auto reading = document->data()->try_read();
    const auto& source = reading->packets().source();
    const auto expected = findings({.store = reading->store(),
                                    .totals = reading->engine().totals(),
                                    .issues = reading->engine().issues(),
                                    .damage = source.damage(),
                                    .interfaces = source.interfaces()});
    ASSERT_GT(expected.size(), 1u);
    ASSERT_EQ(view->findings().size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
        const QModelIndex index = view->list().model()->index(static_cast<int>(i), 0);
        EXPECT_EQ(index.data().toString().toStdString(), expected[i].title);
        EXPECT_EQ(index.data(FindingDelegate::explanation).toString().toStdString(), expected[i].explanation);
        EXPECT_EQ(index.data(FindingDelegate::severity).toInt(), static_cast<int>(expected[i].severity));
    }
    EXPECT_TRUE(view->status_text().contains(QStringLiteral("Problems: ")));
}

TEST_F(FindingsViewTest, AClickLeadsToThePlace) {
    size_t with_command = 0;
    size_t with_packet = 0;
    size_t with_time = 0;
    for (const char* const sample : {"loss-mixed-initiator.pcap.zst", "task-management.pcap.zst"}) {
        open(sample);
        for (size_t i = 0; i < view->findings().size(); ++i) {
            const Finding finding = view->findings()[i];
            ViewState& state = document->state();
            state.select({});
            state.show_all();
            click(i);
            if (finding.command != 0) {
                ++with_command;
                EXPECT_EQ(state.selection(), (Selection{Selection::Kind::command, finding.command}))
                    << finding.title;
            } else if (finding.packet != 0) {
                ++with_packet;
                EXPECT_EQ(state.selection(), (Selection{Selection::Kind::packet, finding.packet}))
                    << finding.title;
            }
            if (finding.connection != 0) {
                EXPECT_EQ(state.connection(), finding.connection);
            }
            if (finding.begin_ns != no_time) {
                ++with_time;
                EXPECT_TRUE(state.range().contains(finding.begin_ns)) << finding.title;
            }
        }
    }
    EXPECT_GT(with_command + with_packet, 2u);
    EXPECT_GT(with_time, 2u);
}

TEST_F(FindingsViewTest, KeysLeadThereToo) {
    open("loss-mixed-initiator.pcap.zst");
    size_t at = 0;
    while (at < view->findings().size() && view->findings()[at].packet == 0 &&
           view->findings()[at].command == 0)
        ++at;
    ASSERT_LT(at, view->findings().size());
    view->list().setCurrentIndex(view->list().model()->index(static_cast<int>(at), 0));
    EXPECT_EQ(document->state().selection(), Selection());
    QKeyEvent enter(QEvent::KeyPress, Qt::Key_Return, Qt::NoModifier);
    QApplication::sendEvent(&view->list(), &enter);
    EXPECT_NE(document->state().selection(), Selection());
}

TEST_F(FindingsViewTest, LongExplanationsTakeAsManyLinesAsTheyNeed) {
    open("loss-mixed-initiator.pcap.zst");
    const int wide = view->list().visualRect(view->list().model()->index(0, 0)).height();
    view->resize(260, 600);
    QCoreApplication::processEvents();
    EXPECT_GT(view->list().visualRect(view->list().model()->index(0, 0)).height(), wide);
}

}  // namespace
}  // namespace sanscope
