// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/comparing/comparison_view.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QColor>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/testing/loaded_document.h"
#include "gui/testing/wait_until.h"

#include "analyzer/compare/comparison_text.h"
#include "analyzer/compare/comparison_words.h"

namespace sanscope {
namespace {

using testing::HasSubstr;
using testing_gui::sample;
using testing_gui::wait_until;
using Mark = ComparisonRow::Mark;
using Which = ComparisonView::Which;

const char* const with_losses = "loss-mixed-initiator.pcap.zst";
const char* const without = "reads-4k-qd8.pcap.zst";

class ComparisonViewTest : public testing::Test {
  protected:
    void open(const QString& before, const QString& after) {
        view = std::make_unique<ComparisonView>(
            before, after,
            [this](const QString& path) -> std::shared_ptr<const CaptureData> {
                asked.append(path);
                return open_already;
            },
            nullptr);
        view->resize(1400, 800);
        view->show();
    }
    void settle() {
        ASSERT_TRUE(wait_until([&] { return view->settled(); }));
        QCoreApplication::processEvents();
    }
    void open_samples() {
        open(sample(with_losses), sample(without));
        settle();
        ASSERT_NE(view->captures(), nullptr);
    }
    size_t marked(Mark mark, size_t group = 0) const {
        const auto& rows = view->model().groups().at(group).rows;
        return static_cast<size_t>(std::ranges::count(rows, mark, &ComparisonRow::mark));
    }
    QModelIndex index_of(size_t group, auto matches) const {
        const auto& rows = view->model().groups().at(group).rows;
        for (size_t row = 0; row < rows.size(); ++row) {
            if (matches(rows[row])) {
                return view->model().index(static_cast<int>(row), 0,
                                           view->model().index(static_cast<int>(group), 0));
            }
        }
        ADD_FAILURE() << "no such row";
        return {};
    }

    QStringList asked;
    std::shared_ptr<const CaptureData> open_already;
    std::unique_ptr<ComparisonView> view;
};

// What `sanscope compare` prints, line by line: no word of the table is its own.
TEST_F(ComparisonViewTest, ItsWordsAreThoseOfTheText) {
    open_samples();
    const StopFlag never = false;
    MeasuringProgress progress;
    const auto before = measure_file(sample(with_losses).toStdString(), never, progress);
    const auto after = measure_file(sample(without).toStdString(), never, progress);
    ASSERT_TRUE(before && after);
    const std::string text = comparison_text(
        {sample(with_losses).toStdString(), sample(without).toStdString()}, (*before)->figures,
        (*after)->figures, compare_captures((*before)->figures, (*after)->figures));
    EXPECT_EQ(view->text().toStdString(), text);
    const QStringList lines = QString::fromStdString(text).split(QLatin1Char('\n'));
    size_t figures = 0;
    for (const ComparisonGroup& group : view->model().groups()) {
        for (const ComparisonRow& row : group.rows) {
            if (row.change == nullptr) continue;
            ++figures;
            const bool there = std::ranges::any_of(lines, [&](const QString& line) {
                return std::ranges::all_of(
                    QStringList{row.figure, row.before, row.after, row.difference, row.interval, row.verdict},
                    [&](const QString& word) { return line.contains(word); });
            });
            EXPECT_TRUE(there) << row.figure.toStdString();
        }
    }
    EXPECT_GT(figures, 30u);
}

TEST_F(ComparisonViewTest, WhatDiffersIsMarkedByWordSignAndColourAndNothingElseIs) {
    open_samples();
    const Comparison& comparison = view->captures()->comparison;
    ASSERT_GT(comparison.figures_changed, 3u);
    EXPECT_EQ(marked(Mark::higher) + marked(Mark::lower), comparison.figures_changed);
    EXPECT_GT(marked(Mark::higher), 0u);
    EXPECT_GT(marked(Mark::lower), 0u);
    const ComparisonModel& model = view->model();
    size_t plain = 0;
    for (int group = 0; group < model.rowCount(); ++group) {
        const QModelIndex parent = model.index(group, 0);
        for (int row = 0; row < model.rowCount(parent); ++row) {
            const QModelIndex verdict = model.index(row, ComparisonModel::verdict, parent);
            const ComparisonRow& shown = *model.row_of(verdict);
            if (shown.change == nullptr) continue;
            const QString words = verdict.data().toString();
            switch (shown.change->verdict) {
                case FigureChange::Verdict::higher:
                    EXPECT_EQ(words, QStringLiteral("▲ HIGHER"));
                    break;
                case FigureChange::Verdict::lower:
                    EXPECT_EQ(words, QStringLiteral("▼ LOWER"));
                    break;
                default:
                    ++plain;
                    EXPECT_FALSE(words.contains(QStringLiteral("HIGHER")) ||
                                 words.contains(QStringLiteral("LOWER")));
            }
            EXPECT_EQ(verdict.data(Qt::ForegroundRole).isValid(), differs(*shown.change));
        }
    }
    EXPECT_GT(plain, 10u);
}

// A place in the drawing of an interval for each figure that has one: lower ends left of 0, the difference within.
TEST_F(ComparisonViewTest, IntervalsAreDrawnOfJudgedFiguresOnly) {
    open_samples();
    size_t drawn = 0;
    for (const ComparisonGroup& group : view->model().groups()) {
        for (const ComparisonRow& row : group.rows) {
            if (row.change == nullptr) continue;
            const bool judged = row.change->before != nullptr && row.change->after != nullptr &&
                                row.change->verdict != FigureChange::Verdict::not_told;
            EXPECT_EQ(judged, !row.interval.isEmpty()) << row.figure.toStdString();
            drawn += judged ? 1 : 0;
        }
    }
    EXPECT_GT(drawn, 10u);
    view->grab();
}

TEST_F(ComparisonViewTest, FindingsComeAndGo) {
    open_samples();
    EXPECT_GE(marked(Mark::gone, 1), 1u);
    const QModelIndex gone = index_of(1, [](const ComparisonRow& row) { return row.mark == Mark::gone; });
    EXPECT_TRUE(gone.data().toString().startsWith(QStringLiteral("− gone · problem · ")));
    EXPECT_TRUE(gone.data().toString().contains(QStringLiteral("[lost_segments]")));
    view->swap();
    settle();
    EXPECT_GE(marked(Mark::appeared, 1), 1u);
    EXPECT_EQ(marked(Mark::gone, 1), 0u);
}

TEST_F(ComparisonViewTest, OnlyWhatDiffersIsShownWhereThatIsAskedFor) {
    open_samples();
    const size_t all = view->model().groups().at(2).rows.size();
    const Comparison& comparison = view->captures()->comparison;
    view->only_what_differs().setChecked(true);
    const auto& rows = view->model().groups().at(2).rows;
    EXPECT_LT(rows.size(), all);
    EXPECT_EQ(static_cast<size_t>(std::ranges::count_if(
                  rows, [](const ComparisonRow& row) { return row.change != nullptr; })),
              comparison.figures_changed);
    for (const ComparisonRow& row : view->model().groups().at(1).rows)
        EXPECT_TRUE(row.finding == nullptr || row.finding->state != FindingChange::State::stayed);
    view->only_what_differs().setChecked(false);
    EXPECT_EQ(view->model().groups().at(2).rows.size(), all);
}

TEST_F(ComparisonViewTest, ACaptureDoesNotDifferFromItself) {
    open(sample(with_losses), sample(with_losses));
    settle();
    ASSERT_NE(view->captures(), nullptr);
    EXPECT_EQ(marked(Mark::higher) + marked(Mark::lower), 0u);
    EXPECT_EQ(marked(Mark::appeared, 1) + marked(Mark::gone, 1), 0u);
    ASSERT_FALSE(view->model().groups().at(0).rows.empty());
    EXPECT_TRUE(view->model().groups().at(0).rows.front().text.startsWith(QStringLiteral("Nothing that ")));
}

// Swapping reads nothing again; what was higher is lower.
TEST_F(ComparisonViewTest, SwapTurnsItRound) {
    open_samples();
    const size_t higher = marked(Mark::higher);
    const size_t lower = marked(Mark::lower);
    const auto before = view->captures()->before;
    asked.clear();
    int renamed = 0;
    QObject::connect(view.get(), &ComparisonView::title_changed, [&] { ++renamed; });
    view->swap();
    settle();
    EXPECT_EQ(view->captures()->after, before);
    EXPECT_TRUE(asked.isEmpty());
    EXPECT_EQ(renamed, 1);
    EXPECT_EQ(view->path(Which::before), sample(without));
    EXPECT_TRUE(view->title().startsWith(QString::fromUtf8(without)));
    EXPECT_EQ(marked(Mark::higher), lower);
    EXPECT_EQ(marked(Mark::lower), higher);
}

// The rows of an open capture tell the same as the file read anew.
TEST_F(ComparisonViewTest, AnOpenCaptureIsNotReadAgain) {
    open_samples();
    const std::string read_anew = view->text().toStdString();
    const auto document = testing_gui::loaded_sample(with_losses);
    const StopFlag never = false;
    const auto measured = measure_open_capture(*document->data(), never);
    ASSERT_TRUE(measured);
    const auto& after = view->captures()->after;
    EXPECT_EQ(comparison_text({sample(with_losses).toStdString(), sample(without).toStdString()},
                              (*measured)->figures, after->figures,
                              compare_captures((*measured)->figures, after->figures)),
              read_anew);
    // And that is what the view does with one: the path is never opened.
    open_already = document->data();
    open(QStringLiteral("/no/such/file"), QStringLiteral("/nor/this"));
    settle();
    EXPECT_TRUE(view->error(Which::before).isEmpty());
    EXPECT_NE(view->captures(), nullptr);
}

TEST_F(ComparisonViewTest, AnErrorOfOneFileIsToldAndTheOtherKept) {
    QTemporaryDir folder;
    const QString broken = folder.filePath(QStringLiteral("broken.pcap"));
    QFile file(broken);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("this is no capture");
    file.close();
    open(broken, sample(without));
    settle();
    EXPECT_EQ(view->captures(), nullptr);
    EXPECT_FALSE(view->error(Which::before).isEmpty());
    EXPECT_TRUE(view->error(Which::after).isEmpty());
    bool told = false;
    for (const QLabel* const label : view->findChildren<QLabel*>()) {
        told = told || label->text().contains(view->error(Which::before));
        EXPECT_EQ(label->textFormat(), Qt::PlainText);
    }
    EXPECT_TRUE(told);
    EXPECT_TRUE(view->text().isEmpty());
    asked.clear();
    view->set_path(Which::before, sample(with_losses));
    settle();
    EXPECT_NE(view->captures(), nullptr);
    EXPECT_EQ(asked, QStringList{sample(with_losses)});
    EXPECT_TRUE(view->error(Which::before).isEmpty());
}

TEST_F(ComparisonViewTest, DamageIsToldBesideTheFile) {
    open(sample("cut-off.pcap"), sample(without));
    settle();
    ASSERT_NE(view->captures(), nullptr);
    EXPECT_THAT(view->captures()->before->damage, HasSubstr("at byte"));
    bool told = false;
    for (const QLabel* const label : view->findChildren<QLabel*>())
        told = told || label->text().contains(QString::fromStdString(view->captures()->before->damage));
    EXPECT_TRUE(told);
}

TEST_F(ComparisonViewTest, WhatWasStoppedCanBeGoneOnWith) {
    open(sample(with_losses), sample(without));
    view->stop();
    EXPECT_TRUE(view->stopped());
    settle();
    EXPECT_EQ(view->captures(), nullptr);
    view->start();
    settle();
    EXPECT_FALSE(view->stopped());
    EXPECT_NE(view->captures(), nullptr);
}

// Closed while it reads: nothing is waited for longer than the worker needs to notice, and nothing comes afterwards.
TEST_F(ComparisonViewTest, ItMayBeClosedAtAnyTime) {
    for (int i = 0; i < 5; ++i) {
        open(sample(with_losses), sample(without));
        QTest::qWait(i * 7);
        view.reset();
        QCoreApplication::processEvents();
    }
}

TEST_F(ComparisonViewTest, AFindingLeadsToItsCapture) {
    open_samples();
    QString path;
    Finding wanted;
    QObject::connect(view.get(), &ComparisonView::finding_wanted,
                     [&](const QString& in, const Finding& finding) {
                         path = in;
                         wanted = finding;
                     });
    const QModelIndex gone = index_of(1, [](const ComparisonRow& row) { return row.mark == Mark::gone; });
    view->tree().setCurrentIndex(gone);
    QTest::keyClick(&view->tree(), Qt::Key_Return);
    EXPECT_EQ(path, sample(with_losses));
    EXPECT_EQ(wanted.kind, Finding::Kind::lost_segments);
    EXPECT_EQ(wanted.title, view->model().row_of(gone)->finding->before->title);
    EXPECT_NE(wanted.begin_ns, no_time);
}

// The filter of a row passes just the commands that its figure is of.
TEST_F(ComparisonViewTest, AFigureLeadsToItsCommands) {
    open_samples();
    QString path;
    QString filter;
    QObject::connect(view.get(), &ComparisonView::commands_wanted,
                     [&](const QString& in, const QString& expression) {
                         path = in;
                         filter = expression;
                     });
    const QModelIndex row = index_of(2, [](const ComparisonRow& one) {
        return one.change != nullptr && !one.change->any().place.command.empty() &&
               one.change->after != nullptr;
    });
    view->tree().setCurrentIndex(row);
    QTest::keyClick(&view->tree(), Qt::Key_Return);
    EXPECT_EQ(path, sample(without));
    const FigurePlace& place = view->model().row_of(row)->change->any().place;
    EXPECT_EQ(filter.toStdString(),
              fmt::format("session in {{1}} and lun == {} and name == \"{}\" and bytes in {{{}..{}}}",
                          place.lun, place.command, (uint64_t{1} << (place.size_class - 2)) + 1,
                          uint64_t{1} << (place.size_class - 1)));
}

TEST_F(ComparisonViewTest, ExportsTextAndJson) {
    open_samples();
    QTemporaryDir folder;
    const QString text = folder.filePath(QStringLiteral("compared.txt"));
    const QString json = folder.filePath(QStringLiteral("compared.json"));
    EXPECT_TRUE(view->export_to(text).isEmpty());
    EXPECT_TRUE(view->export_to(json).isEmpty());
    EXPECT_FALSE(view->export_to(folder.filePath(QStringLiteral("compared.xml"))).isEmpty());
    EXPECT_FALSE(view->export_to(QStringLiteral("/no/such/folder/compared.txt")).isEmpty());
    QFile written(text);
    ASSERT_TRUE(written.open(QIODevice::ReadOnly));
    EXPECT_EQ(written.readAll(), view->text());
    QFile object(json);
    ASSERT_TRUE(object.open(QIODevice::ReadOnly));
    const QJsonObject root = QJsonDocument::fromJson(object.readAll()).object();
    EXPECT_EQ(root[QStringLiteral("figures_changed")].toInt(),
              static_cast<int>(view->captures()->comparison.figures_changed));
    EXPECT_EQ(root[QStringLiteral("sessions")].toArray().size(), 1);
}

TEST_F(ComparisonViewTest, ChosenRowsAreCopied) {
    open_samples();
    const QModelIndex row = index_of(2, [](const ComparisonRow& one) { return one.mark == Mark::higher; });
    view->tree().setCurrentIndex(row);
    QTest::keySequence(&view->tree(), QKeySequence::Copy);
    const QString copied = QApplication::clipboard()->text();
    EXPECT_EQ(copied.count(QLatin1Char('\n')), 1);
    EXPECT_TRUE(copied.contains(view->model().row_of(row)->figure + QLatin1Char('\t')));
    EXPECT_TRUE(copied.contains(QStringLiteral("HIGHER")));
}

}  // namespace
}  // namespace sanscope
