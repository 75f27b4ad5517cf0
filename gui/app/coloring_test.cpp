// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QSettings>
#include <QTableWidget>
#include <QTemporaryDir>
#include <algorithm>
#include <gtest/gtest.h>
#include <optional>

#include "gui/app/capture_window.h"
#include "gui/app/coloring_rules_dialog.h"
#include "gui/app/main_window.h"
#include "gui/app/packet_coloring.h"
#include "gui/app/theme_palette.h"
#include "gui/plot/theme.h"
#include "gui/testing/loaded_document.h"
#include "gui/testing/window_driver.h"
#include "gui/views/tables/rows_view.h"

namespace sanscope {
namespace {

using testing_gui::action_of;
using testing_gui::sample;
using testing_gui::wait_until;

class ColoringTest : public testing::Test {
  protected:
    ColoringTest() {
        QSettings().clear();
        open_window();
    }
    ~ColoringTest() override {
        window.reset();
        QSettings().clear();
    }
    void open_window() {
        window = std::make_unique<MainWindow>();
        window->show();
        EXPECT_TRUE(window->open({sample("loss-mixed-initiator.pcap.zst")}));
        EXPECT_TRUE(wait_until([&] { return window->current()->document().has_loaded(); }));
        window->current()->show_view("packets");
        EXPECT_TRUE(wait_until([&] { return packets().settled() && packets().model().rowCount() > 0; }));
    }
    RowsView& packets() { return *qobject_cast<RowsView*>(window->current()->view("packets")); }
    static int column(const RowsView& view, std::string_view name) {
        return static_cast<int>(*find_column(view.model().access().columns(), name));
    }
    // The first row whose analysis has that in it.
    int row_with(const QString& term) {
        const int analysis = column(packets(), "analysis");
        for (int row = 0; row < packets().model().rowCount(); ++row) {
            if (packets().model().text(row, analysis).contains(term)) return row;
        }
        ADD_FAILURE() << "no packet with " << term.toStdString();
        return 0;
    }
    // What the table paints behind it, once it does not change any more; none: as without rules.
    std::optional<QColor> background(int row) {
        RowsView& view = packets();
        view.table().scrollTo(view.model().index(row, 0));
        const auto now = [&] { return view.model().index(row, 0).data(Qt::BackgroundRole); };
        now();
        EXPECT_TRUE(wait_until([&] { return view.settled(); }));
        const QVariant value = now();
        return value.isValid() ? std::optional(value.value<QBrush>().color()) : std::nullopt;
    }
    ColoringRulesDialog& dialog() {
        action_of(*window, QStringLiteral("Coloring rules"))->trigger();
        return *window->findChild<ColoringRulesDialog*>();
    }

    QTemporaryDir folder;
    std::unique_ptr<MainWindow> window;
};

TEST_F(ColoringTest, ARetransmissionIsSeenUntilColoursAreSwitchedOff) {
    const int row = row_with(QStringLiteral("fast retransmission"));
    const QColor bad = QColor(0x12, 0x27, 0x2e);
    EXPECT_EQ(background(row), bad);
    EXPECT_EQ(packets().model().index(row, 0).data(Qt::ForegroundRole).value<QBrush>().color(),
              QColor(0xf7, 0x87, 0x87));
    // Painted, not only said.
    const QRect place = packets().table().visualRect(packets().model().index(row, 0));
    const QImage picture = packets().table().viewport()->grab().toImage();
    const double ratio = picture.devicePixelRatio();
    EXPECT_EQ(picture.pixelColor((QPointF(place.topLeft() + QPoint(1, 1)) * ratio).toPoint()).name(),
              bad.name());
    action_of(*window, QStringLiteral("Colorize packets"))->trigger();
    EXPECT_EQ(background(row), std::nullopt);
    EXPECT_FALSE(window->coloring().on());

    window.reset();
    open_window();
    EXPECT_FALSE(action_of(*window, QStringLiteral("Colorize packets"))->isChecked());
    EXPECT_EQ(background(row), std::nullopt);
}

// What is selected elsewhere is what was asked for last.
TEST_F(ColoringTest, WhatBelongsToTheSelectionIsLitAllTheSame) {
    const int row = row_with(QStringLiteral("fast retransmission"));
    const std::optional<QColor> before = background(row);
    packets().table().selectionModel()->setCurrentIndex(
        packets().model().index(row, 0), QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    ASSERT_TRUE(wait_until([&] { return background(row) != before; }));
    EXPECT_FALSE(packets().model().index(row, 0).data(Qt::ForegroundRole).isValid());
}

TEST_F(ColoringTest, RulesOfWiresharksAreImportedAndKept) {
    const QString path = folder.filePath(QStringLiteral("colorfilters"));
    {
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(
            "@Lost@tcp.analysis.fast_retransmission@[0,65535,0][0,0,0]\n"
            "@Old@ip.ttl < 5@[65535,0,0][0,0,0]\n");
    }
    const int row = row_with(QStringLiteral("fast retransmission"));
    ColoringRulesDialog& rules = dialog();
    const int before = rules.table().rowCount();
    rules.import_file(path);
    ASSERT_EQ(rules.table().rowCount(), before + 2);
    EXPECT_EQ(rules.table().item(0, 2)->text(), QString());
    EXPECT_TRUE(rules.table().item(1, 2)->text().contains(QStringLiteral("ip.ttl")));
    EXPECT_EQ(background(row), QColor(0x12, 0x27, 0x2e));  // nothing holds yet
    rules.accept();
    EXPECT_EQ(background(row), QColor(0, 0xff, 0));

    window.reset();
    open_window();
    EXPECT_EQ(background(row), QColor(0, 0xff, 0));
    window->coloring().set_first_rules();
    EXPECT_EQ(background(row), QColor(0x12, 0x27, 0x2e));
}

TEST_F(ColoringTest, OnlySoManyRulesAreImportedAndThatIsSaid) {
    const QString path = folder.filePath(QStringLiteral("colorfilters"));
    {
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        for (size_t i = 0; i < most_color_rules; ++i) file.write("!@R@tcp@[0,65535,0][0,0,0]\n");
    }
    ColoringRulesDialog& rules = dialog();
    const auto said = [&](const char* text) {
        const auto labels = rules.findChildren<QLabel*>();
        return std::ranges::any_of(
            labels, [&](const QLabel* label) { return label->text().contains(QLatin1String(text)); });
    };
    rules.import_file(QStringLiteral("/dev/null"));
    EXPECT_TRUE(said("regular file"));
    rules.import_file(path);
    EXPECT_EQ(rules.rules().size(), most_color_rules);
    EXPECT_EQ(rules.rules().back(), default_color_rules(Theme::of(rules.palette()).dark).back());
    EXPECT_TRUE(said("left out"));
    rules.reject();
}

TEST_F(ColoringTest, AThemeChangedMeanwhileMakesNoRulesTheUsersOwn) {
    for (const bool dark : {true, false}) {
        ColoringRulesDialog rules(window->coloring(), nullptr);
        rules.setPalette(theme_palette(dark));
        rules.accept();
        EXPECT_EQ(window->coloring().rules(true), default_color_rules(true));
        EXPECT_EQ(window->coloring().rules(false), default_color_rules(false));
    }
}

TEST_F(ColoringTest, RulesAreMadeReadyOnceUntilTheyChange) {
    PacketColoring& coloring = window->coloring();
    const ThemedRowColors first = coloring.colors();
    EXPECT_EQ(coloring.colors().light, first.light);
    EXPECT_EQ(coloring.colors().dark, first.dark);
    coloring.set_rules({{QStringLiteral("all"), QStringLiteral("packet"), Qt::black, Qt::green}});
    EXPECT_NE(coloring.colors().light, first.light);
    EXPECT_EQ(coloring.colors().light->rules().size(), 1u);
    coloring.set_on(false);
    EXPECT_EQ(coloring.colors().light, nullptr);
    coloring.set_on(true);
    coloring.set_first_rules();
    EXPECT_EQ(coloring.colors().light->rules(), first.light->rules());
}

TEST_F(ColoringTest, AFilterTypedIntoARuleHolds) {
    const int row = row_with(QStringLiteral("fast retransmission"));
    ColoringRulesDialog& rules = dialog();
    rules.table().item(0, 1)->setText(QStringLiteral("analysis contains \"fast"));
    ASSERT_TRUE(wait_until([&] { return !rules.table().item(0, 2)->text().isEmpty(); }));
    rules.table().item(0, 1)->setText(QStringLiteral("analysis contains \"fast\""));
    ASSERT_TRUE(wait_until([&] { return rules.table().item(0, 2)->text().isEmpty(); }));
    const QColor color = rules.rules()[0].background;
    rules.accept();
    EXPECT_EQ(background(row), color);
}

}  // namespace
}  // namespace sanscope
