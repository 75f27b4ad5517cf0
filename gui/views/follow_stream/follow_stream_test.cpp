// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <algorithm>
#include <gtest/gtest.h>
#include <string>

#include "gui/testing/loaded_document.h"
#include "gui/views/follow_stream/follow_stream_dialog.h"

namespace sanscope {
namespace {

using testing_gui::wait_until;

class FollowStreamTest : public testing::Test {
  protected:
    // Of the connection in focus, which has most iSCSI data.
    void follow(const char* sample) { follow_file(testing_gui::sample(sample)); }
    void follow_file(const QString& path) {
        document = testing_gui::loaded(path);
        ASSERT_NE(document->state().connection(), 0u);
        dialog = std::make_unique<FollowStreamDialog>(*document, document->state().connection(), nullptr);
        dialog->show();
        settle();
    }
    void settle() {
        ASSERT_TRUE(wait_until([&] { return dialog->settled(); }));
    }
    std::string text() const { return dialog->text().toPlainText().toStdString(); }
    void choose(StreamDirection direction) {
        dialog->direction_box().setCurrentIndex(static_cast<int>(direction));
        settle();
    }
    void choose(StreamFormat format) {
        dialog->format_box().setCurrentIndex(static_cast<int>(format));
        settle();
    }
    void find(int kind, const char* what) {
        dialog->kind_box().setCurrentIndex(kind);
        dialog->find_line().setText(QString::fromUtf8(what));
        dialog->find_next();
        // The search, then the page with what was found.
        settle();
        settle();
    }
    // What is marked as found.
    std::vector<std::string> found() const {
        std::vector<std::string> texts;
        for (const auto& selection : dialog->text().extraSelections())
            texts.push_back(selection.cursor.selectedText().toStdString());
        return texts;
    }
    // All that one side sent, by the rows of its segments: right where nothing was lost or sent again.
    uint64_t bytes_sent() const {
        uint64_t bytes = 0;
        const auto reading = document->data()->read();
        for (const SegmentRow& row : reading.store().segments()) {
            if (row.connection == dialog->connection()) bytes += row.payload_length;
        }
        return bytes;
    }

    std::unique_ptr<Document> document;
    std::unique_ptr<FollowStreamDialog> dialog;
};

TEST_F(FollowStreamTest, BothSidesArePdusAndText) {
    follow("nop-logout.pcap");
    EXPECT_NE(text().find("InitiatorName="), std::string::npos);
    EXPECT_NE(text().find("→ Login Request"), std::string::npos);
    EXPECT_NE(text().find("← Login Response"), std::string::npos);
    EXPECT_EQ(dialog->message().toStdString(), "");
}

TEST_F(FollowStreamTest, OneSideIsShownAlone) {
    follow("nop-logout.pcap");
    choose(StreamDirection::target);
    EXPECT_EQ(text().find("→"), std::string::npos);
    EXPECT_NE(text().find("← Login Response"), std::string::npos);
    choose(StreamDirection::initiator);
    EXPECT_NE(text().find("→ Login Request"), std::string::npos);
    EXPECT_EQ(text().find("←"), std::string::npos);
}

TEST_F(FollowStreamTest, AHexDumpBeginsWithTheFirstHeader) {
    follow("nop-logout.pcap");
    choose(StreamFormat::hex_dump);
    // An immediate Login Request (RFC 7143 §11.12).
    EXPECT_NE(text().find("\n00000000  43 "), std::string::npos);
}

TEST_F(FollowStreamTest, WhatIsLookedForIsMarkedInEveryFormat) {
    follow("nop-logout.pcap");
    find(0, "initiatorname=");
    EXPECT_EQ(found(), std::vector<std::string>{"InitiatorName="});
    EXPECT_EQ(dialog->message().toStdString(), "");
    choose(StreamFormat::utf8);
    EXPECT_EQ(found(), std::vector<std::string>{"InitiatorName="});
    choose(StreamDirection::initiator);
    EXPECT_TRUE(found().empty());
    find(1, "49 6e 69 74 69 61 74 6f 72 4e");
    EXPECT_EQ(found(), std::vector<std::string>{"InitiatorN"});
}

TEST_F(FollowStreamTest, WhatIsNowhereIsSaid) {
    follow("nop-logout.pcap");
    find(0, "no stream says this");
    EXPECT_TRUE(found().empty());
    EXPECT_NE(dialog->message().toStdString(), "");
    find(1, "zz");
    EXPECT_NE(dialog->message().toStdString().find("Hex bytes"), std::string::npos);
}

TEST_F(FollowStreamTest, TheSearchGoesOnFromTheBeginning) {
    follow("nop-logout.pcap");
    find(0, "InitiatorName=");
    int places = 1;
    for (; places < 100; ++places) {
        find(0, "InitiatorName=");
        if (!dialog->message().isEmpty()) break;
    }
    EXPECT_LT(places, 100);
    EXPECT_NE(dialog->message().toStdString().find("beginning"), std::string::npos);
    EXPECT_EQ(found(), std::vector<std::string>{"InitiatorName="});
}

TEST_F(FollowStreamTest, TheKeyboardSelectsThePacketOfWhatIsThere) {
    follow("nop-logout.pcap");
    find(0, "initiatorname=");
    ASSERT_FALSE(found().empty());
    QKeyEvent press(QEvent::KeyPress, Qt::Key_Return, Qt::NoModifier);
    QApplication::sendEvent(&dialog->text(), &press);
    const Selection selected = document->state().selection();
    ASSERT_EQ(selected.kind, Selection::Kind::packet);
    const auto bytes = document->data()->read().packets().read(selected.number);
    ASSERT_TRUE(bytes);
    EXPECT_NE(std::string(bytes->begin(), bytes->end()).find("InitiatorName="), std::string::npos);
}

TEST_F(FollowStreamTest, AllThatWasSentIsSaved) {
    follow("nop-logout.pcap");
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("stream.bin"));
    dialog->save(path);
    settle();
    EXPECT_NE(dialog->message().toStdString().find("saved"), std::string::npos);
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QByteArray bytes = file.readAll();
    EXPECT_EQ(static_cast<uint64_t>(bytes.size()), bytes_sent());
    EXPECT_TRUE(bytes.contains("InitiatorName="));
}

TEST_F(FollowStreamTest, FindGoesBackTheWayItCameAndAroundTheEnds) {
    follow("nop-logout.pcap");
    const auto position = [this] { return dialog->text().textCursor().position(); };
    const auto find_previous = [this] {
        dialog->find_previous();
        settle();
        settle();
    };
    std::vector<int> forward;
    for (find(0, "iqn."); dialog->message().isEmpty() && forward.size() < 100; find(0, "iqn."))
        forward.push_back(position());
    ASSERT_GE(forward.size(), 2u);
    EXPECT_EQ(dialog->message().toStdString(), "Went on from the beginning.");
    EXPECT_EQ(position(), forward.front());
    find_previous();
    EXPECT_EQ(dialog->message().toStdString(), "Went on from the end.");
    EXPECT_EQ(position(), forward.back());
    for (size_t i = forward.size() - 1; i-- > 0;) {
        find_previous();
        EXPECT_EQ(dialog->message().toStdString(), "");
        EXPECT_EQ(position(), forward[i]);
    }
    // Of hex bytes alike: "iqn.", the last one first.
    choose(StreamDirection::target);
    choose(StreamDirection::both);
    dialog->kind_box().setCurrentIndex(1);
    dialog->find_line().setText(QStringLiteral("69 71 6e 2e"));
    find_previous();
    EXPECT_EQ(position(), forward.back());
    find(0, "no stream says this");
    EXPECT_EQ(dialog->message().toStdString(), "The captured bytes do not have it.");
}

TEST_F(FollowStreamTest, ARegularExpressionIsFoundInTheLinesShownAndCounted) {
    follow("nop-logout.pcap");
    const QString whole = dialog->text().toPlainText();
    ASSERT_EQ(dialog->pages(), 1u);
    const QRegularExpression expected(QStringLiteral("itt 0x[0-9a-f]+"),
                                      QRegularExpression::CaseInsensitiveOption);
    std::vector<std::string> all;
    std::vector<int> ends;
    for (auto at = expected.globalMatch(whole); at.hasNext();) {
        const auto match = at.next();
        all.push_back(match.captured().toStdString());
        ends.push_back(static_cast<int>(match.capturedStart()));
    }
    ASSERT_GE(all.size(), 3u);
    for (size_t i = 0; i < all.size(); ++i) {
        find(2, "itt 0x[0-9a-f]+");
        EXPECT_EQ(found(), std::vector<std::string>{all[i]});
        EXPECT_EQ(dialog->text().textCursor().position(), ends[i]);
        EXPECT_EQ(dialog->message().toStdString(), "");
        EXPECT_EQ(dialog->count_text().toStdString(),
                  std::to_string(i + 1) + " of " + std::to_string(all.size()));
    }
    find(2, "itt 0x[0-9a-f]+");
    EXPECT_EQ(dialog->message().toStdString(), "Went on from the beginning.");
    EXPECT_EQ(found(), std::vector<std::string>{all.front()});
    dialog->find_previous();
    settle();
    settle();
    EXPECT_EQ(dialog->message().toStdString(), "Went on from the end.");
    EXPECT_EQ(found(), std::vector<std::string>{all.back()});
    // Each line by itself.
    find(2, "^→ login.*$");
    ASSERT_EQ(found().size(), 1u);
    EXPECT_TRUE(QString::fromStdString(found().front()).startsWith(QStringLiteral("→ Login Request")));
    find(2, "\\)\\n");
    EXPECT_EQ(dialog->message().toStdString(), "No line has it.");
}

TEST_F(FollowStreamTest, WhatIsNoRegularExpressionIsSaidWithItsPlace) {
    follow("nop-logout.pcap");
    find(2, "(iqn");
    EXPECT_TRUE(found().empty());
    EXPECT_NE(dialog->message().toStdString().find("not a regular expression"), std::string::npos);
    EXPECT_NE(dialog->message().toStdString().find("at character 5"), std::string::npos)
        << dialog->message().toStdString();
    find(2, "");
    EXPECT_EQ(dialog->message().toStdString(), "There is nothing to look for.");
    // What it matches is nothing: no place to go to.
    find(2, "q{9}x*|y{0}");
    EXPECT_EQ(dialog->message().toStdString(), "No line has it.");
}

TEST_F(FollowStreamTest, AnExpressionThatTakesTooLongIsNoAnswer) {
    follow("nop-logout.pcap");
    find(2, "(?:(?:.+)+)+[\\x{1}\\x{2}]");
    EXPECT_TRUE(found().empty());
    EXPECT_NE(dialog->message().toStdString().find("took too long"), std::string::npos)
        << dialog->message().toStdString();
    EXPECT_EQ(dialog->message().toStdString().find("No line has it"), std::string::npos);
}

TEST_F(FollowStreamTest, AnExpressionIsFoundOnOtherPagesAndInWhatIsShown) {
    follow("reads-256k-qd4.pcapng.zst");
    ASSERT_GT(dialog->pages(), 2u);
    find(2, "→ SCSI Command");
    const size_t first = dialog->page();
    size_t steps = 1;
    for (; dialog->page() == first && steps < 200; ++steps) find(2, "→ SCSI Command");
    EXPECT_GT(dialog->page(), first);
    EXPECT_EQ(found(), std::vector<std::string>{"→ SCSI Command"});
    EXPECT_TRUE(dialog->count_text().startsWith(QString::number(steps) + QStringLiteral(" of ")))
        << dialog->count_text().toStdString();
    // What is shown of one side alone has no requests.
    choose(StreamDirection::target);
    EXPECT_TRUE(found().empty());
    EXPECT_EQ(dialog->count_text().toStdString(), "");
    find(2, "→ SCSI Command");
    EXPECT_EQ(dialog->message().toStdString(), "No line has it.");
    // Nor has a hex dump the text of a line of ASCII, but the offset.
    choose(StreamFormat::hex_dump);
    find(2, "^ *[0-9a-f]{8}  ");
    EXPECT_EQ(found().size(), 1u);
    choose(StreamFormat::ascii);
    EXPECT_TRUE(found().empty());
}

TEST_F(FollowStreamTest, TextAndHexBytesAreCounted) {
    follow("nop-logout.pcap");
    find(0, "iqn.");
    const std::string counted = dialog->count_text().toStdString();
    ASSERT_TRUE(counted.starts_with("1 of ")) << counted;
    find(1, "69 71 6e 2e");
    EXPECT_EQ(dialog->count_text().toStdString(), "2 of " + counted.substr(5))
        << "the same bytes, the next place";
    dialog->find_line().setText(QStringLiteral("other"));
    EXPECT_EQ(dialog->count_text().toStdString(), "") << "what is typed has not been looked for";
}

TEST_F(FollowStreamTest, ClosingWaitsUntilTheStreamIsSaved) {
    follow("reads-256k-qd4.pcapng.zst");
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("stream.bin"));
    dialog->save(path);
    EXPECT_EQ(document->writings().paths(), QStringList{path});
    dialog->close();
    EXPECT_TRUE(dialog->isVisible());
    settle();
    EXPECT_FALSE(dialog->isVisible());
    EXPECT_TRUE(document->writings().paths().isEmpty());
    EXPECT_GT(QFile(path).size(), 0);
}

TEST_F(FollowStreamTest, ASearchAndAnotherDirectionLetASaveGoOn) {
    follow("reads-256k-qd4.pcapng.zst");
    const QTemporaryDir folder;
    const QString alone = folder.filePath(QStringLiteral("alone.bin"));
    const QString meanwhile = folder.filePath(QStringLiteral("meanwhile.bin"));
    dialog->save(alone);
    settle();
    dialog->save(meanwhile);
    dialog->find_line().setText(QStringLiteral("no stream says this"));
    dialog->find_next();
    dialog->direction_box().setCurrentIndex(static_cast<int>(StreamDirection::initiator));
    settle();
    EXPECT_NE(dialog->message().toStdString().find("saved"), std::string::npos);
    ASSERT_GT(QFile(alone).size(), 0);
    EXPECT_EQ(QFile(meanwhile).size(), QFile(alone).size());
}

TEST_F(FollowStreamTest, TheCaptureIsNotOverwritten) {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("copy.pcap"));
    ASSERT_TRUE(QFile::copy(testing_gui::sample("nop-logout.pcap"), path));
    const qint64 size = QFile(path).size();
    follow_file(path);
    dialog->save(path);
    settle();
    EXPECT_NE(dialog->message().toStdString().find("Not saved"), std::string::npos);
    EXPECT_EQ(QFile(path).size(), size);
}

// As a recording is that was saved as another file.
TEST_F(FollowStreamTest, ACaptureThatWasMovedIsNotOverwritten) {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("copy.pcap"));
    const QString moved = folder.filePath(QStringLiteral("moved.pcap"));
    ASSERT_TRUE(QFile::copy(testing_gui::sample("nop-logout.pcap"), path));
    const qint64 size = QFile(path).size();
    follow_file(path);
    ASSERT_TRUE(QFile::rename(path, moved));
    document->moved_to(moved);
    dialog->save(moved);
    settle();
    EXPECT_NE(dialog->message().toStdString().find("Not saved"), std::string::npos);
    EXPECT_EQ(QFile(moved).size(), size);
}

TEST_F(FollowStreamTest, ALongStreamHasPages) {
    follow("reads-256k-qd4.pcapng.zst");
    ASSERT_GT(dialog->pages(), 2u);
    const std::string first = text();
    dialog->show_page(1);
    settle();
    EXPECT_EQ(dialog->page(), 1u);
    EXPECT_NE(text(), first);
    EXPECT_FALSE(text().empty());
    dialog->show_page(dialog->pages());
    settle();
    EXPECT_EQ(dialog->page(), 1u);
    choose(StreamDirection::initiator);
    EXPECT_EQ(dialog->page(), 0u);
}

TEST_F(FollowStreamTest, WhatTheSnapLengthCutOffIsSaid) {
    follow("snap128-reads-64k-qd32.pcap.zst");
    EXPECT_NE(text().find(" bytes cut off]"), std::string::npos);
}

TEST_F(FollowStreamTest, WhatNoPacketHeldIsSaid) {
    follow("sniffer-drops.pcap.zst");
    bool said = false;
    for (size_t page = 0; page < dialog->pages() && !said; ++page) {
        dialog->show_page(page);
        settle();
        said = text().find(" bytes not captured]") != std::string::npos;
    }
    EXPECT_TRUE(said);
}

}  // namespace
}  // namespace sanscope
