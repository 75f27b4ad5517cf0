// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string_view>

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::span<const uint8_t> bytes(std::string_view text) {
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

CaptureNotes file_notes() {
    CaptureNotes notes;
    notes.add(3, bytes("the slow one"));
    notes.add(3, bytes("see ticket"));
    notes.add(9, bytes("end"));
    return notes;
}

TEST(Notes, ThoseOfTheFileAreNoChange) {
    Notes notes;
    notes.take(file_notes());
    EXPECT_EQ(notes.all().at(3).toStdString(), "the slow one\nsee ticket");
    EXPECT_FALSE(notes.modified());
    EXPECT_TRUE(notes.changes().empty());
}

TEST(Notes, ChangesAreWhatACopyIsToHave) {
    Notes notes;
    int told = 0;
    QObject::connect(&notes, &Notes::changed, [&] { ++told; });
    notes.set(5, {});
    notes.take(file_notes());
    notes.set(9, QStringLiteral("the end"));
    notes.set(9, QStringLiteral("the end"));
    notes.remove(3);
    notes.remove(4);
    EXPECT_EQ(told, 4);
    EXPECT_TRUE(notes.modified());
    EXPECT_THAT(notes.changes(), ElementsAre(Pair(3, ElementsAre()), Pair(5, ElementsAre("")),
                                             Pair(9, ElementsAre("the end"))));
    notes.saved();
    EXPECT_FALSE(notes.modified());
}

TEST(Notes, ThoseFromElsewhereAreAddedAndToldOnce) {
    Notes notes;
    notes.take(file_notes());
    notes.set(5, QStringLiteral("typed"));
    notes.set(6, {});
    notes.saved();
    int told = 0;
    QObject::connect(&notes, &Notes::changed, [&] { ++told; });
    const std::map<PacketNumber, QString> others{{5, QStringLiteral("older")},
                                                 {6, QStringLiteral("of the bookmark")},
                                                 {7, QStringLiteral("new")},
                                                 {8, {}},
                                                 {9, QStringLiteral("the end")}};
    EXPECT_EQ(notes.merged_with(others).size(), 6u);
    EXPECT_EQ(notes.all().size(), 4u);
    notes.merge(others);
    EXPECT_EQ(told, 1);
    EXPECT_TRUE(notes.modified());
    EXPECT_THAT(
        notes.all(),
        ElementsAre(Pair(3, QStringLiteral("the slow one\nsee ticket")), Pair(5, QStringLiteral("typed")),
                    Pair(6, QStringLiteral("of the bookmark")), Pair(7, QStringLiteral("new")),
                    Pair(8, QString()), Pair(9, QStringLiteral("the end"))));
    notes.merge(others);
    EXPECT_EQ(told, 1);
}

TEST(Notes, ABookmarkFromElsewhereLeavesATypedText) {
    Notes notes;
    notes.set(5, QStringLiteral("typed"));
    notes.saved();
    notes.merge({{5, {}}});
    EXPECT_EQ(notes.all().at(5), QStringLiteral("typed"));
    EXPECT_FALSE(notes.modified());
}

}  // namespace
}  // namespace sanscope
