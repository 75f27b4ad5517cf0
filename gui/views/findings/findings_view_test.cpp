// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/findings/findings_view.h"

#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QFileInfo>
#include <QImage>
#include <QKeyEvent>
#include <QLabel>
#include <QListView>
#include <QScrollBar>
#include <QTextBrowser>
#include <gtest/gtest.h>

#include "gui/testing/loaded_document.h"
#include "gui/testing/pointer_events.h"
#include "gui/views/findings/finding_delegate.h"
#include "gui/views/findings/finding_page.h"

#include "analyzer/report/human_units.h"

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
    QModelIndex index_of(size_t finding) { return view->list().model()->index(view->row_of(finding), 0); }
    void click(size_t finding) {
        const QModelIndex index = index_of(finding);
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
        const QModelIndex index = index_of(i);
        EXPECT_EQ(index.data().toString().toStdString(), expected[i].title);
        EXPECT_EQ(index.data(FindingDelegate::explanation).toString().toStdString(), expected[i].explanation);
        EXPECT_EQ(index.data(FindingDelegate::severity).toInt(), static_cast<int>(expected[i].severity));
    }
    EXPECT_TRUE(view->status_text().contains(QStringLiteral("Problems: ")));
}

// A problem is shown with the signs it rests on, two at least: in the list, to a screen reader, and in what is copied.
TEST_F(FindingsViewTest, ProblemsAreShownWithTheirEvidence) {
    open("loss-mixed-initiator.pcap.zst");
    QKeyEvent key(QEvent::KeyPress, Qt::Key_C, Qt::ControlModifier);
    QApplication::sendEvent(&view->list(), &key);
    const QString copied = QApplication::clipboard()->text();
    size_t problems = 0;
    for (size_t i = 0; i < view->findings().size(); ++i) {
        const Finding& finding = view->findings()[i];
        const QModelIndex index = index_of(i);
        const QStringList shown = index.data(FindingDelegate::evidence).toStringList();
        ASSERT_EQ(static_cast<size_t>(shown.size()), finding.evidence.size());
        for (qsizetype sign = 0; sign < shown.size(); ++sign) {
            EXPECT_EQ(shown[sign].toStdString(), finding.evidence[static_cast<size_t>(sign)]);
            EXPECT_TRUE(index.data(Qt::AccessibleTextRole).toString().contains(shown[sign]));
            EXPECT_TRUE(copied.contains(shown[sign]));
        }
        if (finding.severity != Finding::Severity::problem) continue;
        ++problems;
        EXPECT_GE(shown.size(), 2) << finding.title;
    }
    EXPECT_GT(problems, 0u);
}

// What is in the model is on the screen as well: it takes room, and paints there.
TEST_F(FindingsViewTest, EvidenceIsPainted) {
    open("loss-mixed-initiator.pcap.zst");
    QAbstractItemModel& model = *view->list().model();
    const QModelIndex index = model.index(0, 0);
    const QRect with = view->list().visualRect(index);
    const QImage painted = view->list().viewport()->grab(with).toImage();
    QStringList others = index.data(FindingDelegate::evidence).toStringList();
    ASSERT_GE(others.size(), 2);
    others.last() = QStringLiteral("WWWW");
    model.setData(index, others, FindingDelegate::evidence);
    QCoreApplication::processEvents();
    EXPECT_NE(view->list().viewport()->grab(view->list().visualRect(index)).toImage(), painted);
    model.setData(index, QStringList(), FindingDelegate::evidence);
    QCoreApplication::processEvents();
    EXPECT_LT(view->list().visualRect(index).height(), with.height());
}

// Text is text, whatever a name in the capture looks like.
TEST_F(FindingsViewTest, EvidenceIsNoMarkup) {
    open("loss-mixed-initiator.pcap.zst");
    QAbstractItemModel& model = *view->list().model();
    const QModelIndex index = model.index(0, 0);
    const auto height = [&](const QString& sign) {
        model.setData(index, QStringList(sign), FindingDelegate::evidence);
        QCoreApplication::processEvents();
        return view->list().visualRect(index).height();
    };
    EXPECT_EQ(height(QStringLiteral("a<br>b<p>c<h1>d</h1>")), height(QStringLiteral("a")));
}

// A moment is no place: the packet that a finding names is in sight, with others of its connection, and what the finding says of
// the time is, too.
TEST_F(FindingsViewTest, AClickFramesTheStory) {
    open("loss-mixed-initiator.pcap.zst");
    size_t moments = 0;
    for (size_t i = 0; i < view->findings().size(); ++i) {
        const Finding finding = view->findings()[i];
        if (finding.packet == 0) continue;
        ViewState& state = document->state();
        state.select({});
        state.show_all();
        click(i);
        ASSERT_TRUE(wait_until([&] { return state.selected().selection == state.selection(); }));
        const auto reading = document->data()->try_read();
        EXPECT_TRUE(state.range().contains(reading->timeline().time_of(finding.packet))) << finding.title;
        EXPECT_TRUE(state.range().contains(state.selected().story)) << finding.title;
        if (finding.begin_ns == no_time) continue;
        EXPECT_TRUE(state.range().contains(finding.begin_ns) && state.range().contains(finding.end_ns))
            << finding.title;
        if (finding.end_ns - finding.begin_ns >= 1'000) continue;
        ++moments;
        EXPECT_GT(state.range().span_ns(), reading->store().connections()[finding.connection - 1].rtt_min_ns)
            << finding.title;
        // One step back leads to where one looked before.
        state.go_back();
        EXPECT_EQ(state.range(), state.whole()) << finding.title;
    }
    EXPECT_GT(moments, 0u);
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

// Its place is named with both ports, which tells it from others of the same hosts.
TEST_F(FindingsViewTest, ConnectionsAreNamedWithBothPorts) {
    open("loss-mixed-initiator.pcap.zst");
    size_t named = 0;
    for (size_t i = 0; i < view->findings().size(); ++i) {
        if (view->findings()[i].connection == 0) continue;
        const QString place = index_of(i).data(FindingDelegate::place).toString();
        EXPECT_TRUE(place.startsWith(QStringLiteral("192.0.2.1:32916 → 192.0.2.2:3260")))
            << place.toStdString();
        ++named;
    }
    EXPECT_GT(named, 0u);
}

// The number in a finding's title is that of the rows its link shows.
TEST_F(FindingsViewTest, LinksLeadToAsManyRowsAsAreCounted) {
    size_t losses = 0;
    size_t commands = 0;
    size_t pdus = 0;
    for (const char* const sample :
         {"loss-mixed-initiator.pcap.zst", "loss-mixed-target.pcap.zst", "mirrored-twice.pcapng.zst",
          "sniffer-drops.pcap.zst", "check-conditions.pcap", "faults/damaged-digest.pcap.zst"}) {
        if (!QFileInfo::exists(testing_gui::sample(sample))) continue;
        open(sample);
        const auto reading = document->data()->try_read();
        for (const Finding& finding : view->findings()) {
            const Finding* const one = &finding;
            const auto rows = find_rows_of(*reading, {&one, 1}, StopFlag(false));
            if (!rows) continue;
            const std::string number = human_count(rows->count) + " ";
            EXPECT_NE((' ' + finding.title).find(' ' + number), std::string::npos)
                << sample << ": " << finding.title << ": " << rows->filter.toStdString() << " " << number;
            losses += rows->table == QStringLiteral("losses") ? 1u : 0u;
            commands += rows->table == QStringLiteral("commands") ? 1u : 0u;
            pdus += rows->table == QStringLiteral("pdus") ? 1u : 0u;
        }
    }
    EXPECT_GT(losses, 2u);
    EXPECT_GT(commands, 0u);
}

bool leads_to_rows(const QModelIndex& index) {
    return index.data(FindingDelegate::links).toStringList().join(u' ').contains(QStringLiteral("in Losses"));
}

// The list of the whole capture does not wait for the rows that its findings count; what leads to them appears in it.
TEST_F(FindingsViewTest, TheListIsShownBeforeItsRowsAreLookedUp) {
    document = testing_gui::opened(testing_gui::sample("loss-mixed-initiator.pcap.zst"));
    ASSERT_TRUE(document);
    view = std::make_unique<FindingsView>(*document, nullptr);
    view->resize(700, 600);
    const QAbstractItemModel& model = *view->list().model();
    size_t listed = 0;
    size_t listed_with_rows = 0;
    size_t appeared = 0;
    QObject::connect(&model, &QAbstractItemModel::rowsInserted, view.get(),
                     [&](const QModelIndex&, int first, int last) {
                         for (int row = first; row <= last; ++row) {
                             ++listed;
                             listed_with_rows += leads_to_rows(model.index(row, 0)) ? 1u : 0u;
                         }
                     });
    QObject::connect(&model, &QAbstractItemModel::dataChanged, view.get(),
                     [&](const QModelIndex& index) { appeared += leads_to_rows(index) ? 1u : 0u; });
    view->show();
    ASSERT_TRUE(wait_until([&] { return !document->loading() && view->settled(); }));
    EXPECT_GT(listed, 0u);
    EXPECT_EQ(listed_with_rows, 0u);
    // Losses of either direction.
    EXPECT_GE(appeared, 2u);
}

// A new list ends the look-up for the one before.
TEST_F(FindingsViewTest, ANewListHasItsOwnRows) {
    open("loss-mixed-initiator.pcap.zst");
    const auto links = [&] {
        QStringList all;
        for (int row = 0; row < view->list().model()->rowCount(); ++row)
            all << view->list().model()->index(row, 0).data(FindingDelegate::links).toStringList();
        return all;
    };
    const QStringList before = links();
    ASSERT_FALSE(before.isEmpty());
    uint64_t lists = view->pictures_taken();
    for (int again = 0; again < 3; ++again) {
        Q_EMIT document->loaded();
        ASSERT_TRUE(wait_until([&] { return view->pictures_taken() > lists; }));
        lists = view->pictures_taken();
    }
    ASSERT_TRUE(wait_until([&] { return view->settled(); }));
    EXPECT_EQ(links(), before);
}

TEST_F(FindingsViewTest, KeysLeadThereToo) {
    open("loss-mixed-initiator.pcap.zst");
    size_t at = 0;
    while (at < view->findings().size() && view->findings()[at].packet == 0 &&
           view->findings()[at].command == 0)
        ++at;
    ASSERT_LT(at, view->findings().size());
    view->list().setCurrentIndex(index_of(at));
    EXPECT_EQ(document->state().selection(), Selection());
    QKeyEvent enter(QEvent::KeyPress, Qt::Key_Return, Qt::NoModifier);
    QApplication::sendEvent(&view->list(), &enter);
    EXPECT_NE(document->state().selection(), Selection());
}

TEST_F(FindingsViewTest, EachKindHasAPageToShow) {
    for (int kind = 0; kind <= static_cast<int>(Finding::Kind::nothing_wrong); ++kind) {
        EXPECT_FALSE(finding_page(static_cast<Finding::Kind>(kind)).isEmpty())
            << finding_kind_name(static_cast<Finding::Kind>(kind));
    }
}

TEST_F(FindingsViewTest, ItSaysWhatTheChosenFindingMeans) {
    open("loss-mixed-initiator.pcap.zst");
    EXPECT_TRUE(view->explain_link().isVisible());
    size_t at = 0;
    while (at + 1 < view->findings().size() && view->findings()[at].kind != Finding::Kind::lost_segments)
        ++at;
    ASSERT_EQ(view->findings()[at].kind, Finding::Kind::lost_segments);
    view->list().setCurrentIndex(index_of(at));
    QMetaObject::invokeMethod(&view->explain_link(), "linkActivated", Q_ARG(QString, QStringLiteral("#")));
    auto* const dialog = view->findChild<QDialog*>(QStringLiteral("finding_page"));
    ASSERT_NE(dialog, nullptr);
    const auto* const page = dialog->findChild<QTextBrowser*>();
    ASSERT_NE(page, nullptr);
    EXPECT_TRUE(page->toPlainText().startsWith(QStringLiteral("Segments were lost on the path")));
    EXPECT_TRUE(page->toPlainText().contains(QStringLiteral("What else looks like it")));
    // Its picture is shown whole.
    QCoreApplication::processEvents();
    const QVariant picture = page->document()->resource(QTextDocument::ImageResource,
                                                        QUrl(QStringLiteral("pictures/lost_segments.png")));
    const auto image = picture.value<QImage>();
    EXPECT_GT(image.width(), page->viewport()->width() / 2);
    EXPECT_LT(image.width(), page->viewport()->width());
    EXPECT_FALSE(page->horizontalScrollBar()->isVisible());
    delete dialog;
    // And by the keyboard, of another.
    view->list().setCurrentIndex(index_of(view->findings().size() - 1));
    QKeyEvent help(QEvent::KeyPress, Qt::Key_F1, Qt::NoModifier);
    QApplication::sendEvent(&view->list(), &help);
    const auto* const other = view->findChild<QDialog*>(QStringLiteral("finding_page"));
    ASSERT_NE(other, nullptr);
    EXPECT_FALSE(
        other->findChild<QTextBrowser*>()->toPlainText().startsWith(QStringLiteral("Segments were")));
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
