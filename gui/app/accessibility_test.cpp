// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a screen reader is told of the window: everything that takes the keyboard or a click has a name, every plot says what it
// shows; and every command of the menus is reached without a mouse.
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QScrollBar>
#include <QSettings>
#include <QTabBar>
#include <QTest>
#include <QToolButton>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gui/app/capture_window.h"
#include "gui/app/command_palette.h"
#include "gui/app/decode_as_dialog.h"
#include "gui/app/load_controls.h"
#include "gui/app/main_window.h"
#include "gui/app/settings_dialog.h"
#include "gui/comparing/comparison_view.h"
#include "gui/experimenting/experiment_window.h"
#include "gui/generating/generate_dialog.h"
#include "gui/generating/load_panel.h"
#include "gui/recording/capture_dialog.h"
#include "gui/testing/loaded_document.h"
#include "gui/testing/wait_until.h"
#include "gui/views/filter_line/filter_line.h"
#include "gui/views/findings/finding_page.h"
#include "gui/views/follow_stream/follow_stream_dialog.h"

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_gui::sample;
using testing_gui::wait_until;

// Walks through what QAccessible tells of a widget and of all in it that is visible, and notes what is wanting.
class Walk {
  public:
    void look_at(QWidget& widget) {
        QAccessibleInterface* const one = QAccessible::queryAccessibleInterface(&widget);
        if (one == nullptr || !widget.isVisible()) return;
        judge(*one, widget);
        if (has_parts_of_its_own(widget)) return;
        for (int i = 0; i < one->childCount(); ++i) {
            const QAccessibleInterface* const child = one->child(i);
            if (child == nullptr || child->object() == nullptr) continue;
            if (auto* const part = qobject_cast<QWidget*>(child->object())) look_at(*part);
        }
    }
    // "sanscope::LoadCharts in sanscope::LoadPanel has no description", each once.
    const std::set<std::string>& wanting() const { return wanting_; }
    int judged() const { return judged_; }

  private:
    // Qt tells of the cells, lists and arrows of these what there is to tell.
    static bool has_parts_of_its_own(const QWidget& widget) {
        return qobject_cast<const QAbstractItemView*>(&widget) != nullptr ||
               qobject_cast<const QComboBox*>(&widget) != nullptr ||
               qobject_cast<const QAbstractSpinBox*>(&widget) != nullptr ||
               qobject_cast<const QTabBar*>(&widget) != nullptr ||
               qobject_cast<const QMenuBar*>(&widget) != nullptr ||
               qobject_cast<const QScrollBar*>(&widget) != nullptr;
    }
    static bool is_interactive(QAccessibleInterface& one) {
        if (one.state().focusable) return true;
        QAccessibleActionInterface* const actions = one.actionInterface();
        if (actions == nullptr) return false;
        const QStringList names = actions->actionNames();
        return names.contains(QAccessibleActionInterface::pressAction()) ||
               names.contains(QAccessibleActionInterface::toggleAction());
    }
    static bool has_name(const QAccessibleInterface& one, const QWidget& widget) {
        if (!widget.accessibleName().isEmpty()) return true;
        if (!one.relations(QAccessible::Label).isEmpty()) return true;
        // In place of a name, Qt tells of a box what is chosen in it.
        if (qobject_cast<const QComboBox*>(&widget) != nullptr) return false;
        return !one.text(QAccessible::Name).trimmed().isEmpty();
    }
    static bool is_plot(const QWidget& widget) {
        return widget.inherits("QCustomPlot") || widget.inherits("sanscope::TimeCanvas") ||
               widget.inherits("sanscope::OverviewView") || widget.inherits("sanscope::BudgetStrip");
    }
    void judge(QAccessibleInterface& one, const QWidget& widget) {
        if (is_plot(widget)) {
            ++judged_;
            if (!has_name(one, widget)) note(widget, "has no name");
            if (one.text(QAccessible::Description).isEmpty()) note(widget, "has no description");
        } else if (is_interactive(one)) {
            ++judged_;
            if (!has_name(one, widget)) note(widget, "has no name");
        }
    }
    void note(const QWidget& widget, const std::string& what) {
        std::string text = widget.metaObject()->className();
        if (!widget.objectName().isEmpty()) text += " (" + widget.objectName().toStdString() + ")";
        if (!widget.toolTip().isEmpty()) text += " [" + widget.toolTip().toStdString() + "]";
        for (const QWidget* in = widget.parentWidget(); in != nullptr; in = in->parentWidget()) {
            const std::string name = in->metaObject()->className();
            if (!name.starts_with("sanscope::")) continue;
            text += " in " + name;
            break;
        }
        wanting_.insert(text + " " + what);
    }

    std::set<std::string> wanting_;
    int judged_ = 0;
};

class AccessibilityTest : public testing::Test {
  protected:
    AccessibilityTest() {
        QSettings().clear();
        window = std::make_unique<MainWindow>();
        window->resize(1600, 960);
        window->show();
        EXPECT_TRUE(QTest::qWaitForWindowExposed(window.get()));
    }
    ~AccessibilityTest() override {
        window.reset();
        QSettings().clear();
    }

    CaptureWindow& opened(const char* name) {
        EXPECT_TRUE(window->open({sample(name)}));
        CaptureWindow& capture = *window->current();
        EXPECT_TRUE(wait_until([&] { return capture.document().has_loaded(); }));
        return capture;
    }
    static void expect_told(QWidget& widget, int least) {
        QApplication::processEvents();
        Walk walk;
        walk.look_at(widget);
        EXPECT_THAT(walk.wanting(), IsEmpty());
        EXPECT_GE(walk.judged(), least);
    }
    // All that is folded away in it.
    static void unfold(const QWidget& widget) {
        for (QToolButton* const button : widget.findChildren<QToolButton*>()) {
            if (button->isCheckable()) button->setChecked(true);
        }
    }

    std::unique_ptr<MainWindow> window;
};

TEST(AccessibilityWalk, FindsWhatIsWanting) {
    QWidget widget;
    auto* const unnamed = new QToolButton(&widget);
    unnamed->setToolTip(QStringLiteral("only shown to who has a mouse"));
    auto* const box = new QComboBox(&widget);
    box->addItem(QStringLiteral("chosen"));
    new QLineEdit(&widget);
    (new QToolButton(&widget))->setText(QStringLiteral("named"));
    auto* const line = new QLineEdit(&widget);
    auto* const label = new QLabel(QStringLiteral("&Line"), &widget);
    label->setBuddy(line);
    widget.show();
    Walk walk;
    walk.look_at(widget);
    EXPECT_THAT(walk.wanting(), ElementsAre("QComboBox has no name", "QLineEdit has no name",
                                            "QToolButton [only shown to who has a mouse] has no name"));
    EXPECT_EQ(walk.judged(), 5);
}

TEST_F(AccessibilityTest, EveryWidgetOfTheStartPageAndTheViews) {
    expect_told(*window, 3);
    CaptureWindow& capture = opened("loss-mixed-initiator.pcap.zst");
    for (const ViewKind& kind : view_kinds()) {
        SCOPED_TRACE(std::string(kind.name));
        capture.show_view(kind.name);
        ASSERT_TRUE(wait_until([&] { return capture.view(kind.name)->settled(); }));
        expect_told(*capture.view(kind.name), 0);
    }
    // A command is looked at, and packets, and a filter is saved.
    capture.state().select({Selection::Kind::command, 40});
    ASSERT_TRUE(
        wait_until([&] { return capture.state().selected().selection == capture.state().selection(); }));
    for (const char* const name : {"details", "turnaround"}) {
        capture.show_view(name);
        ASSERT_TRUE(wait_until([&] { return capture.view(name)->settled(); }));
        expect_told(*capture.view(name), 0);
    }
    save_filters({{QStringLiteral("slow"), QStringLiteral("auto"), QStringLiteral("turnaround > 10ms")}});
    capture.filter_line().buttons().read_again();
    capture.set_movable(true);
    expect_told(*window, 12);
}

TEST_F(AccessibilityTest, EveryWidgetOfTheDialogs) {
    SettingsDialog settings(window->settings(), window.get());
    settings.show();
    expect_told(settings, 4);

    CaptureDialog record(window.get(), {.program = "/nowhere/sanscope-recorder"});
    record.show();
    unfold(record);
    for (QLineEdit* const line : record.findChildren<QLineEdit*>()) {
        if (line->accessibleName() == QStringLiteral("On host")) line->setText(QStringLiteral("elsewhere"));
    }
    ASSERT_TRUE(wait_until([&] { return record.settled(); }));
    expect_told(record, 15);

    GenerateDialog generate(window.get());
    generate.show();
    unfold(generate);
    expect_told(generate, 20);

    ExperimentWindow experiment(window.get());
    experiment.show();
    expect_told(experiment, 12);

    auto* const palette = new CommandPalette(*window->menuBar(), window.get());
    palette->show();
    expect_told(*palette, 1);
    palette->close();

    show_finding_page(Finding::Kind::lost_segments, window.get());
    auto* const page = window->findChild<QDialog*>(QStringLiteral("finding_page"));
    ASSERT_NE(page, nullptr);
    expect_told(*page, 1);
    page->close();

    QWidget& load = window->load().panel();
    for (QWidget* in = &load; in != nullptr; in = in->parentWidget()) {
        if (auto* const dock = qobject_cast<QDockWidget*>(in)) dock->show();
    }
    ASSERT_TRUE(wait_until([&] { return load.isVisible(); }));
    expect_told(load, 4);
}

TEST_F(AccessibilityTest, EveryWidgetOfAComparisonAndOfANameAskedFor) {
    CaptureWindow& capture = opened("nop-logout.pcap");
    capture.filter_line().buttons().ask_to_save(QStringLiteral("lun == 1"), QStringLiteral("auto"));
    auto* const asked = capture.filter_line().findChild<QInputDialog*>();
    ASSERT_NE(asked, nullptr);
    expect_told(*asked, 3);
    asked->reject();
    DecodeAsDialog decode_as(capture.document().data(), 1, window.get());
    decode_as.show();
    expect_told(decode_as, 5);
    FollowStreamDialog follow(capture.document(), 1, window.get());
    follow.show();
    ASSERT_TRUE(wait_until([&] { return follow.settled(); }));
    expect_told(follow, 9);
    ComparisonView* const comparison = window->compare(sample("nop-logout.pcap"), sample("nop-logout.pcap"));
    ASSERT_TRUE(wait_until([&] { return comparison->isVisible(); }));
    expect_told(*comparison, 5);
}

QString plain(QString text) {
    return text.remove(QLatin1Char('&'));
}

// The commands of a menu and of the menus in it that can be carried out now, with their menus before them.
void collect(QMenu& menu, const QString& path, std::map<std::string, QAction*>& commands) {
    Q_EMIT menu.aboutToShow();
    for (QAction* const action : menu.actions()) {
        if (action->isSeparator() || !action->isEnabled() || !action->isVisible()) continue;
        const QString name = path + QStringLiteral(" › ") + plain(action->text());
        if (action->menu() != nullptr) {
            collect(*action->menu(), name, commands);
        } else {
            EXPECT_TRUE(commands.emplace(name.toStdString(), action).second)
                << name.toStdString() << " is there twice";
        }
    }
}

TEST_F(AccessibilityTest, EveryCommandIsInThePaletteAndUnderTheKeyboard) {
    opened("nop-logout.pcap");
    std::map<std::string, QAction*> commands;
    std::set<QChar> mnemonics;
    for (QAction* const action : window->menuBar()->actions()) {
        ASSERT_NE(action->menu(), nullptr) << action->text().toStdString();
        // Alt and this letter open it; arrows and Enter reach what is in it.
        const auto mark = action->text().indexOf(QLatin1Char('&'));
        ASSERT_GE(mark, 0) << action->text().toStdString();
        EXPECT_TRUE(mnemonics.insert(action->text().at(mark + 1).toLower()).second)
            << action->text().toStdString() << " has the letter of another menu";
        collect(*action->menu(), plain(action->text()), commands);
    }
    EXPECT_GT(commands.size(), 50u);
    std::map<QString, std::string> keys;
    for (const auto& command : commands) {
        for (const QKeySequence& key : command.second->shortcuts()) {
            if (key.isEmpty()) continue;
            const auto added = keys.emplace(key.toString(), command.first);
            EXPECT_TRUE(added.second) << key.toString().toStdString() << " is of " << command.first
                                      << " and of " << added.first->second;
        }
    }
    auto* const palette = new CommandPalette(*window->menuBar(), window.get());
    palette->show();
    std::vector<std::string> expected;
    for (const auto& command : commands) expected.push_back(command.first);
    std::vector<std::string> found;
    for (const QString& name : palette->found()) found.push_back(name.toStdString());
    EXPECT_THAT(found, testing::UnorderedElementsAreArray(expected));
    palette->close();
}

}  // namespace
}  // namespace sanscope
