// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDialogButtonBox>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QListWidget>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTextBrowser>
#include <QUrl>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>

#include "gui/practice/mystery_page.h"
#include "gui/practice/practice_dialog.h"
#include "gui/practice/practice_panel.h"

namespace sanscope {
namespace {

const char* const page_text =
    "# Writes are slow\n\n> It was fast.\n\nCaptured at the host.\n\n## What one sees\n\n1. "
    "[There](sanscope:view=layers&finding=lost_segments)\n\n"
    "![A picture](pictures/a.png)\n\n## The cause\n\nA cable.\n\n## What else\n\nA "
    "[page](../findings/lost_segments.md).\n";

void write(const QString& path, const QByteArray& bytes) {
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(bytes);
}

TEST(MysteryPage, is_taken_apart_at_its_headings) {
    const MysteryPage page = mystery_page(QString::fromUtf8(page_text));
    EXPECT_EQ(page.title, QStringLiteral("Writes are slow"));
    EXPECT_TRUE(page.complaint.contains(QStringLiteral("It was fast.")));
    EXPECT_FALSE(page.complaint.contains(QStringLiteral("Writes are slow")));
    EXPECT_TRUE(page.steps.startsWith(QStringLiteral("## What one sees")));
    EXPECT_FALSE(page.steps.contains(QStringLiteral("picture"))) << "the window itself shows it";
    EXPECT_FALSE(page.steps.contains(QStringLiteral("A cable.")));
    EXPECT_TRUE(page.solution.startsWith(QStringLiteral("## The cause")));
    EXPECT_TRUE(page.solution.contains(QStringLiteral("## What else")));
}

TEST(MysteryPage, of_something_else_has_no_parts) {
    const MysteryPage page = mystery_page(QStringLiteral("a text\nwithout headings"));
    EXPECT_TRUE(page.title.isEmpty());
    EXPECT_TRUE(page.steps.isEmpty());
    EXPECT_TRUE(page.solution.isEmpty());
}

TEST(Mysteries, without_a_capture_or_a_part_are_left_out) {
    const QTemporaryDir folder;
    const QString in = folder.path() + QLatin1Char('/');
    write(in + QStringLiteral("02-whole.md"), page_text);
    write(in + QStringLiteral("02-whole/02-whole.pcapng.zst"), "x");
    write(in + QStringLiteral("01-whole.md"), page_text);
    write(in + QStringLiteral("01-whole/01-whole.pcapng.zst"), "x");
    write(in + QStringLiteral("03-no-capture.md"), page_text);
    write(in + QStringLiteral("04-no-steps.md"), "# Title\n\n## The cause\n\nA cable.\n");
    write(in + QStringLiteral("04-no-steps/04-no-steps.pcapng.zst"), "x");
    write(in + QStringLiteral("README.md"), page_text);
    const QList<MysteryPage> pages = mysteries_in(folder.path());
    ASSERT_EQ(pages.size(), 2);
    EXPECT_EQ(pages[0].name, QStringLiteral("01-whole"));
    EXPECT_EQ(pages[1].capture,
              QFileInfo(in + QStringLiteral("02-whole/02-whole.pcapng.zst")).canonicalFilePath());
    EXPECT_TRUE(mysteries_in(folder.path() + QStringLiteral("/nowhere")).isEmpty());
}

TEST(Mysteries, of_the_project_are_ten_and_are_found_from_the_build) {
    EXPECT_EQ(mysteries_in(QStringLiteral(SANSCOPE_MYSTERIES_SOURCE)).size(), 10);
    EXPECT_EQ(QDir(mysteries_folder()), QDir(QStringLiteral(SANSCOPE_MYSTERIES_SOURCE)));
}

struct Panel : testing::Test {
    Panel() {
        MysteryPage page = mystery_page(QString::fromUtf8(page_text));
        page.path = QStringLiteral("/docs/mysteries/01-whole.md");
        panel = std::make_unique<PracticePanel>(page, nullptr);
    }
    QString shown() const { return panel->text().toPlainText(); }
    std::unique_ptr<PracticePanel> panel;
};

TEST_F(Panel, hides_the_solution_until_it_is_asked_for) {
    EXPECT_TRUE(shown().contains(QStringLiteral("It was fast.")));
    EXPECT_TRUE(shown().contains(QStringLiteral("What one sees")));
    EXPECT_FALSE(shown().contains(QStringLiteral("A cable.")));
    panel->solution_button().click();
    EXPECT_TRUE(shown().contains(QStringLiteral("A cable.")));
    EXPECT_TRUE(shown().contains(QStringLiteral("What one sees")));
    panel->solution_button().click();
    EXPECT_FALSE(shown().contains(QStringLiteral("A cable.")));
}

TEST_F(Panel, its_links_lead_into_the_capture_and_to_findings) {
    QStringList places;
    QStringList findings;
    QObject::connect(panel.get(), &PracticePanel::place_wanted,
                     [&](const QString& items) { places.append(items); });
    QObject::connect(panel.get(), &PracticePanel::finding_page_wanted,
                     [&](const QString& kind) { findings.append(kind); });
    EXPECT_TRUE(
        panel->text().toHtml().contains(QStringLiteral("sanscope:view=layers&amp;finding=lost_segments")));
    Q_EMIT panel->text().anchorClicked(QUrl(QStringLiteral("sanscope:view=layers&filter=a%20%3E%201ms")));
    EXPECT_EQ(places, QStringList{QStringLiteral("view=layers&filter=a%20%3E%201ms")});
    Q_EMIT panel->text().anchorClicked(QUrl(QStringLiteral("../findings/lost_segments.md")));
    EXPECT_EQ(findings, QStringList{QStringLiteral("lost_segments")});
    EXPECT_EQ(places.size(), 1);
}

TEST(PracticeDialog, tells_the_complaint_of_each_and_the_one_that_is_chosen) {
    MysteryPage first = mystery_page(QString::fromUtf8(page_text));
    MysteryPage second = mystery_page(
        QString::fromUtf8(page_text).replace(QStringLiteral("It was fast."), QStringLiteral("It was slow.")));
    first.name = QStringLiteral("01-one");
    second.name = QStringLiteral("02-other");
    PracticeDialog dialog({first, second}, nullptr);
    auto* const list = dialog.findChild<QListWidget*>();
    ASSERT_EQ(list->count(), 2);
    EXPECT_EQ(list->item(0)->text(), QStringLiteral("1. Writes are slow"));
    list->setCurrentRow(1);
    EXPECT_TRUE(dialog.findChild<QTextBrowser*>()->toPlainText().contains(QStringLiteral("It was slow.")));
    QString chosen;
    QObject::connect(&dialog, &PracticeDialog::chosen, [&](const MysteryPage& page) { chosen = page.name; });
    Q_EMIT dialog.findChild<QDialogButtonBox*>()->accepted();
    EXPECT_EQ(chosen, QStringLiteral("02-other"));
}

TEST(PracticeDialog, says_that_there_are_none) {
    PracticeDialog dialog({}, nullptr);
    EXPECT_FALSE(dialog.findChild<QTextBrowser*>()->toPlainText().isEmpty());
    bool chosen = false;
    QObject::connect(&dialog, &PracticeDialog::chosen, [&](const MysteryPage&) { chosen = true; });
    Q_EMIT dialog.findChild<QDialogButtonBox*>()->accepted();
    EXPECT_FALSE(chosen);
}

}  // namespace
}  // namespace sanscope
