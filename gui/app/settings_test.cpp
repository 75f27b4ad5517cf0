// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/settings.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QSettings>
#include <QTest>
#include <gtest/gtest.h>

#include "gui/app/capture_window.h"
#include "gui/app/main_window.h"
#include "gui/app/settings_dialog.h"
#include "gui/plot/theme.h"
#include "gui/plot/value_ticks.h"
#include "gui/testing/loaded_document.h"
#include "gui/testing/wait_until.h"
#include "gui/testing/window_driver.h"

namespace sanscope {
namespace {

using testing_gui::action_of;
using testing_gui::sample;

class SettingsTest : public testing::Test {
  protected:
    SettingsTest() {
        QSettings().clear();
        open_window();
    }
    ~SettingsTest() override {
        window.reset();
        QSettings().clear();
        set_rate_unit(RateUnit::bytes);
        apply_theme(Settings::ThemeChoice::system);
    }
    void open_window() {
        window = std::make_unique<MainWindow>();
        window->show();
        EXPECT_TRUE(window->open({sample("nop-logout.pcap")}));
    }
    SettingsDialog& dialog() {
        action_of(*window, QStringLiteral("Settings"))->trigger();
        return *window->findChild<SettingsDialog*>();
    }
    // As by its user.
    static void choose(QComboBox& box, int index) {
        box.setCurrentIndex(index);
        Q_EMIT box.activated(index);
    }
    QAction* time_action() const { return action_of(*window, QStringLiteral("UTC")); }

    std::unique_ptr<MainWindow> window;
};

TEST_F(SettingsTest, HoldAtOnceAndTheNextTime) {
    SettingsDialog& shown = dialog();
    EXPECT_TRUE(shown.isVisible());
    choose(shown.theme_box(), static_cast<int>(Settings::ThemeChoice::dark));
    EXPECT_TRUE(testing_gui::wait_until([this] { return Theme::of(window->current()->palette()).dark; }));
    choose(shown.time_box(), static_cast<int>(TimeFormat::utc));
    EXPECT_EQ(window->current()->state().time_format(), TimeFormat::utc);
    choose(shown.rates_box(), static_cast<int>(RateUnit::bits));
    EXPECT_EQ(value_text(1e6, ValueUnit::bytes_per_second).toStdString(), "8.00 Mbit/s");

    window.reset();
    open_window();
    const Settings& settings = window->settings();
    EXPECT_EQ(settings.theme(), Settings::ThemeChoice::dark);
    EXPECT_EQ(settings.rates(), RateUnit::bits);
    EXPECT_EQ(window->current()->state().time_format(), TimeFormat::utc);
    EXPECT_TRUE(time_action()->isChecked());
}

// Of all captures, whichever of the two was used.
TEST_F(SettingsTest, TheMenuOfTimesAndTheDialogSayTheSame) {
    CaptureWindow* const first = window->current();
    EXPECT_TRUE(window->open({sample("check-conditions.pcap")}));
    SettingsDialog& shown = dialog();
    time_action()->trigger();
    EXPECT_EQ(shown.time_box().currentIndex(), static_cast<int>(TimeFormat::utc));
    EXPECT_EQ(first->state().time_format(), TimeFormat::utc);
    choose(shown.time_box(), static_cast<int>(TimeFormat::relative));
    EXPECT_FALSE(time_action()->isChecked());
    EXPECT_EQ(window->current()->state().time_format(), TimeFormat::relative);
}

TEST_F(SettingsTest, MoveViewsGivesEachABar) {
    EXPECT_FALSE(window->current()->is_movable());
    action_of(*window, QStringLiteral("Move views"))->trigger();
    EXPECT_TRUE(window->current()->is_movable());
    QDockWidget* const layers = window->current()->dock("layers");
    EXPECT_EQ(layers->titleBarWidget(), nullptr);
    EXPECT_TRUE(layers->features().testFlag(QDockWidget::DockWidgetFloatable));
    window.reset();
    open_window();
    EXPECT_TRUE(window->current()->is_movable());
    QAction* const move = action_of(*window, QStringLiteral("Move views"));
    EXPECT_TRUE(move->isChecked());
    move->trigger();
    EXPECT_FALSE(window->current()->is_movable());
}

TEST_F(SettingsTest, TicksOfRatesAreRoundInWhatIsShown) {
    set_rate_unit(RateUnit::bits);
    const ValueTicks ticks =
        value_ticks({.lower = 0, .upper = 10e6, .top = 0, .bottom = 300}, ValueUnit::bytes_per_second, 40);
    ASSERT_GT(ticks.major.size(), 2u);
    EXPECT_EQ(ticks.major[1].label.toStdString(), "20\u00a0Mbit/s");
    EXPECT_DOUBLE_EQ(ticks.major[1].value, 2.5e6);
}

}  // namespace
}  // namespace sanscope
