// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/generating/load_panel.h"

#include <QJsonDocument>
#include <QMessageBox>
#include <QProgressBar>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTreeWidget>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/generating/load_charts.h"
#include "gui/generating/load_summary.h"
#include "gui/testing/shown_markup.h"
#include "gui/testing/window_driver.h"

namespace sanscope {
namespace {

using testing::HasSubstr;

LoadSettings usual() {
    LoadSettings settings;
    settings.luns = QStringList(QStringLiteral("iscsi://127.0.0.1/iqn.2026-11.org.example:disk/0"));
    return settings;
}

LoadSecond second(double at) {
    LoadSecond one;
    one.at = at;
    one.bytes_per_second = 81.92e6;
    one.commands_per_second = 10'000;
    one.commands = 10'000;
    one.bytes = 81'920'000;
    one.errors = 2;
    one.in_flight = 32;
    one.p50_ns = 1.5e6;
    one.p99_ns = 9e6;
    one.cpu_seconds = 0.25;
    return one;
}

LoadEnd ended() {
    LoadEnd end;
    end.status = 3;
    end.summary =
        QJsonDocument::fromJson(
            R"({"seconds":4,"commands":1234,"sent":1237,"bytes":10108928,"errors":3,"bytes_per_second":2527232.0,)"
            R"("commands_per_second":308.5,"cpu_seconds":1.0,"in_flight":0,"errors_by_kind":{"busy":1,"timed_out":2,"nonsense":9},)"
            R"("turnaround_ns":{"p50":1500000,"p90":2000000,"p99":3000000,"p999":4000000,"max":5000000,"mean":1600000.5},)"
            R"("negotiated":{"max_recv_data_segment_length_initiator":262144,"header_digest":"None","data_digest":"CRC32C"}})")
            .object();
    return end;
}

class LoadPanelTest : public testing::Test {
  protected:
    LoadPanelTest() {
        panel.resize(1400, 270);
        panel.show();
    }
    std::string figure(const char* name) const { return panel.figure(QString::fromUtf8(name)).toStdString(); }
    QPushButton* button(const char* text) const {
        for (QPushButton* const one : panel.findChildren<QPushButton*>()) {
            if (one->text().remove(u'&').startsWith(QString::fromUtf8(text))) return one;
        }
        return nullptr;
    }
    std::string row(const char* name) const {
        const auto found = panel.summary().findItems(QString::fromUtf8(name), Qt::MatchExactly);
        return found.isEmpty() ? "none" : found.front()->text(1).toStdString();
    }
    const QProgressBar& progress() const { return *panel.findChild<QProgressBar*>(); }

    LoadPanel panel;
};

TEST_F(LoadPanelTest, ShowsTheLastSecondAndHowFarItIs) {
    panel.begin(usual());
    EXPECT_EQ(figure("Throughput"), "–");
    panel.add(second(1));
    panel.add(second(3.5));
    EXPECT_EQ(figure("Throughput"), "81.9 MB/s");
    EXPECT_EQ(figure("Commands a second"), "10.0 k");
    EXPECT_EQ(figure("Turnaround, median"), "1.50 ms");
    EXPECT_EQ(figure("Turnaround, p99"), "9.00 ms");
    EXPECT_EQ(figure("In flight"), "32");
    EXPECT_EQ(figure("Errors"), "4") << "all of them until now";
    EXPECT_EQ(figure("Processor"), "10 %") << "a quarter of a second in two and a half";
    EXPECT_EQ(progress().value(), 350);
    EXPECT_EQ(panel.charts().series().rows().size(), 2u);
    panel.show_message(QStringLiteral("a <b>connection</b> was lost"));
    EXPECT_THAT(panel.messages().toStdString(), HasSubstr("a <b>connection</b> was lost"));
    panel.begin(usual());
    EXPECT_EQ(figure("Throughput"), "–");
    EXPECT_EQ(panel.messages().toStdString(), "");
    EXPECT_TRUE(panel.charts().series().rows().empty());
}

TEST_F(LoadPanelTest, ProgressIsByWhatEndsTheLoad) {
    LoadSettings settings = usual();
    settings.end = LoadSettings::End::commands;
    settings.commands = 40'000;
    panel.begin(settings);
    panel.add(second(1));
    EXPECT_EQ(progress().value(), 250);
    settings.end = LoadSettings::End::bytes;
    settings.bytes = 163'840'000;
    panel.begin(settings);
    panel.add(second(1));
    EXPECT_EQ(progress().value(), 500);
    for (int i = 2; i < 9; ++i) panel.add(second(i));
    EXPECT_EQ(progress().value(), 1000) << "never more than all";
}

TEST_F(LoadPanelTest, StopSaysWhatItsNextPressDoes) {
    int stops = 0;
    QObject::connect(&panel, &LoadPanel::stop_asked, [&] { ++stops; });
    panel.begin(usual());
    button("Stop")->click();
    EXPECT_EQ(stops, 1);
    panel.show_stopping(LoadProcess::State::stopping);
    EXPECT_THAT(panel.state().toStdString(), HasSubstr("answers are waited for"));
    button("Do not wait")->click();
    EXPECT_EQ(stops, 2);
    panel.show_stopping(LoadProcess::State::aborting);
    EXPECT_NE(button("End it"), nullptr);
}

TEST_F(LoadPanelTest, TheSummaryStays) {
    panel.begin(usual());
    EXPECT_FALSE(button("Again")->isEnabled());
    EXPECT_FALSE(button("Save summary")->isEnabled());
    panel.add(second(1));
    panel.show_end(ended());
    EXPECT_EQ(panel.state().toStdString(), "Ended; 3 of 1,237 commands failed.");
    EXPECT_EQ(figure("Throughput"), "2.53 MB/s");
    EXPECT_EQ(figure("Errors"), "3");
    EXPECT_EQ(figure("Processor"), "25 %");
    EXPECT_EQ(row("Commands"), "1,234 in 4.00 s, 308/s");
    EXPECT_EQ(row("Errors"), "1 BUSY, 2 timed out");
    EXPECT_EQ(row("Turnaround"), "p50 1.50 ms, p90 2.00 ms, p99 3.00 ms");
    EXPECT_FALSE(button("Stop")->isEnabled());
    EXPECT_TRUE(button("Again")->isEnabled());

    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("load.json"));
    testing_gui::answer_file_dialog(path);
    button("Save summary")->click();
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_EQ(QJsonDocument::fromJson(file.readAll()).object(), ended().summary);
}

TEST_F(LoadPanelTest, ALoadThatDidNotComeAboutIsTold) {
    panel.begin(usual());
    panel.show_end({.status = 1, .summary = {}, .why = QStringLiteral("disk/0: <i>Connection refused</i>")});
    EXPECT_EQ(panel.state().toStdString(), "disk/0: <i>Connection refused</i>");
    EXPECT_EQ(figure("Throughput"), "–");
    EXPECT_TRUE(button("Again")->isEnabled());
    EXPECT_FALSE(button("Save summary")->isEnabled());
}

// The URL of a LUN is its target's, what is negotiated and said is, too.
TEST_F(LoadPanelTest, NothingThatATargetTellsIsTakenForHtml) {
    const QString hostile = QStringLiteral("<img src=HOSTILE>");
    testing_gui::ShownMarkup markup(hostile);
    LoadSettings settings = usual();
    settings.luns.append(QStringLiteral("iscsi://127.0.0.1/") + hostile + QStringLiteral("/0"));
    panel.begin(settings);
    panel.add(second(1));
    panel.show_message(hostile);
    panel.show_state(hostile);
    markup.look_at_everything();
    EXPECT_GE(markup.seen(), 3) << "the LUNs, their tooltip and the state";

    LoadEnd end = ended();
    end.why = hostile;
    end.summary.insert(QStringLiteral("negotiated"), QJsonObject{{QStringLiteral("header_digest"), hostile},
                                                                 {QStringLiteral("data_digest"), hostile}});
    panel.show_end(end);
    EXPECT_EQ(panel.state(), hostile);
    EXPECT_THAT(panel.summary().topLevelItem(panel.summary().topLevelItemCount() - 1)->text(1).toStdString(),
                HasSubstr("<img src=HOSTILE>"));
    testing_gui::answer_file_dialog(QStringLiteral("/dev/null/<img src=HOSTILE>.json"));
    button("Save summary")->click();
    auto* const box = panel.findChild<QMessageBox*>();
    const int before = markup.seen();
    markup.look_at_everything();
    EXPECT_GE(markup.seen() - before, 4) << "the digests, too";
    EXPECT_TRUE(markup.found().isEmpty()) << markup.found().join(u'\n').toStdString();
    ASSERT_NE(box, nullptr);
    EXPECT_THAT(box->text().toStdString(), HasSubstr("<img src=HOSTILE>.json"));
    box->close();
}

TEST(LoadSummary, SaysHowALoadEnded) {
    EXPECT_EQ(end_sentence(ended()).toStdString(), "Ended; 3 of 1,237 commands failed.");
    LoadEnd well{.status = 0, .summary = {{QStringLiteral("sent"), 5}}, .why = {}};
    EXPECT_EQ(end_sentence(well).toStdString(), "Ended; every command was answered well.");
    well.status = 3;
    EXPECT_THAT(end_sentence(well).toStdString(), HasSubstr("a session was lost"));
    EXPECT_EQ(end_sentence({.status = 1, .summary = {}, .why = {}}).toStdString(),
              "Ended; no command was sent.");
}

TEST(LoadSummary, EnduresWhateverASummaryHolds) {
    EXPECT_TRUE(summary_rows({}).empty());
    const QJsonObject strange =
        QJsonDocument::fromJson(
            R"({"seconds":"x","commands":-1,"turnaround_ns":[],"errors_by_kind":7,"negotiated":{"header_digest":4},)"
            R"("cpu_seconds":1e308,"bytes":1e300})")
            .object();
    const auto rows = summary_rows(strange);
    ASSERT_FALSE(rows.empty());
    EXPECT_EQ(rows[0].second.toStdString(), "0 in 0 ns, 0/s");
}

}  // namespace
}  // namespace sanscope
