// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/plain_text.h"

#include <QTextDocument>
#include <gtest/gtest.h>

namespace sanscope {
namespace {

// What a tooltip or a label shows of it: Qt::AutoText.
QString shown(const QString& text) {
    QTextDocument document;
    if (Qt::mightBeRichText(text)) {
        document.setHtml(text);
    } else {
        document.setPlainText(text);
    }
    return document.toPlainText();
}

TEST(PlainText, ShowsEveryCharacterAsItIs) {
    for (const char* const text :
         {"", "iqn.2026-11.org.example:disk", "a < b & c > d", "<img src=\"file:///dev/zero\">",
          "<b>bold</b>", "  <table><tr><td>x", "&lt;not even this&gt;", "<!DOCTYPE html><p>x",
          "<?xml version=\"1.0\"?><b>x</b>", "two\n  <i>lines</i>, indented", "</p><img src=x>",
          "<p style=\"white-space:pre-wrap\">x</p>"}) {
        EXPECT_EQ(shown(plain_text(QString::fromUtf8(text))).toStdString(), text);
    }
}

TEST(PlainText, LeavesWhatQtTakesForPlainAsItIs) {
    EXPECT_EQ(plain_text(QStringLiteral("1 < 2")), QStringLiteral("1 < 2"));
}

TEST(PlainText, IsNotLongWithoutEnd) {
    EXPECT_LT(plain_text(QString(1'000'000, u'x')).size(), 5000);
    EXPECT_LT(plain_text(QString(1'000'000, u'<')).size(), 50'000);
    EXPECT_LT(shown(plain_text(QStringLiteral("<b>") + QString(1'000'000, u'x'))).size(), 5000);
}

}  // namespace
}  // namespace sanscope
