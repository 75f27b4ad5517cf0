// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/collection/collection_view.h"

#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <gtest/gtest.h>
#include <string>

namespace sanscope {
namespace {

constexpr int patience_ms = 60'000;

CaptureRow row_named(std::string file, uint64_t commands, int64_t p99_ns) {
    CaptureRow row;
    row.file = std::move(file);
    row.packets = 1;
    row.commands = commands;
    row.start_ns = 1'795'259'301'696'904'000;
    row.turnaround_p99_ns = p99_ns;
    return row;
}

std::vector<std::string> files_of(const CollectionModel& model) {
    std::vector<std::string> files;
    for (const size_t number : model.shown()) files.push_back(model.capture(number).file);
    return files;
}

using Files = std::vector<std::string>;

TEST(CollectionModel, is_sorted_with_what_is_not_known_last) {
    CollectionModel model(nullptr);
    model.append({row_named("a", 5, 300), row_named("b", 7, no_time), row_named("c", 6, 100)});
    const int p99 = CollectionModel::column_named("turnaround_p99_ns");
    model.sort(p99, Qt::AscendingOrder);
    EXPECT_EQ(files_of(model), (Files{"c", "a", "b"}));
    model.sort(p99, Qt::DescendingOrder);
    EXPECT_EQ(files_of(model), (Files{"a", "c", "b"}));
    model.append({row_named("d", 1, 200)});
    EXPECT_EQ(files_of(model), (Files{"a", "d", "c", "b"})) << "what comes later takes its place";
    model.sort(CollectionModel::column_named("file"), Qt::AscendingOrder);
    EXPECT_EQ(files_of(model), (Files{"a", "b", "c", "d"}));
}

TEST(CollectionModel, filters_by_the_columns_of_captures) {
    CollectionModel model(nullptr);
    model.append({row_named("a", 5, 300), row_named("b", 7, no_time)});
    EXPECT_FALSE(model.set_filter("commands > 5"));
    EXPECT_EQ(files_of(model), (Files{"b"}));
    const auto error = model.set_filter("comands > 5");
    ASSERT_TRUE(error);
    EXPECT_NE(error->message.find("comands"), std::string::npos);
    EXPECT_EQ(files_of(model), (Files{"b"})) << "as before";
    model.append({row_named("c", 9, 1)});
    EXPECT_EQ(files_of(model), (Files{"b", "c"}));
    EXPECT_FALSE(model.set_filter(" "));
    EXPECT_EQ(files_of(model), (Files{"a", "b", "c"}));
}

TEST(CollectionModel, a_row_stays_selected_wherever_it_goes) {
    CollectionModel model(nullptr);
    model.append({row_named("a", 5, 300), row_named("b", 7, 200)});
    const QPersistentModelIndex second = model.index(1, 0);
    model.sort(CollectionModel::column_named("turnaround_p99_ns"), Qt::AscendingOrder);
    EXPECT_EQ(second.row(), 0);
    EXPECT_FALSE(model.set_filter("commands == 5"));
    EXPECT_FALSE(second.isValid());
}

TEST(ParseCaptureRow, whole_nanoseconds_and_what_is_missing) {
    CaptureRow row;
    ASSERT_TRUE(parse_capture_row(
        R"({"file": "day=1/a.pcap", "start_ns": 1795259301696904123, "commands": 3, "budget_target_ns": 0,
            "finding": "lost_segments", "finding_packet": 77})",
        row));
    EXPECT_EQ(row.file, "day=1/a.pcap");
    EXPECT_EQ(row.start_ns, 1'795'259'301'696'904'123) << "more than a double holds";
    EXPECT_EQ(row.commands, 3u);
    EXPECT_EQ(row.turnaround_p99_ns, no_time);
    EXPECT_EQ(row.dropped, unknown<uint64_t>);
    EXPECT_TRUE(row.budgets_known);
    EXPECT_EQ(row.finding_packet, 77u);
    EXPECT_FALSE(parse_capture_row("{}", row));
    EXPECT_FALSE(parse_capture_row("[1", row));
}

class CollectionOfFolder : public testing::Test {
  protected:
    void add(const std::string& name, const char* sample) {
        make_folder_of(name);
        ASSERT_TRUE(
            QFile::copy(QStringLiteral(SANSCOPE_SAMPLES "/%1").arg(QLatin1String(sample)), path(name)));
    }
    void write(const std::string& name, const QByteArray& bytes) {
        make_folder_of(name);
        QFile file(path(name));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }
    QString path(const std::string& name) const { return folder.filePath(QString::fromStdString(name)); }
    static void wait(const CollectionView& view) {
        ASSERT_TRUE(QTest::qWaitFor([&] { return !view.reading(); }, patience_ms));
    }

    QTemporaryDir folder;

  private:
    void make_folder_of(const std::string& name) { QDir(folder.path()).mkpath(QFileInfo(path(name)).path()); }
};

TEST_F(CollectionOfFolder, has_a_row_a_capture_and_names_what_cannot_be_read) {
    add("host1/two.pcap.lz4", "two-sessions.pcap.lz4");
    add("host2/lost.pcap.zst", "loss-mixed-initiator.pcap.zst");
    add("host2/cut.pcap", "cut-off.pcap");
    write("host1/empty.pcap", "");
    write("host1/foreign.pcap", "this is no capture");
    write("host1/notes.txt", "neither, nor is it called one");
    CollectionView view(folder.path(), nullptr);
    wait(view);
    ASSERT_EQ(view.model().captures(), 5u);
    EXPECT_TRUE(view.state().startsWith(QStringLiteral("5 captures, 2 not readable, 1 damaged")))
        << view.state().toStdString();
    const auto capture = [&](std::string_view file) -> const CaptureRow& {
        size_t number = 0;
        while (view.model().capture(number).file != file) ++number;
        return view.model().capture(number);
    };
    EXPECT_EQ(capture("host2/lost.pcap.zst").commands, 165u);
    EXPECT_GT(capture("host2/lost.pcap.zst").problems, 0u);
    EXPECT_FALSE(capture("host1/foreign.pcap").damage.empty());
    EXPECT_FALSE(capture("host2/cut.pcap").damage.empty());
    EXPECT_GT(capture("host2/cut.pcap").packets, 0u);

    view.filter().setText(QStringLiteral("retransmissions > 10"));
    ASSERT_EQ(view.model().rowCount(), 1);
    QSignalSpy wanted(&view, &CollectionView::capture_wanted);
    view.table().selectRow(0);
    QTest::keyClick(&view.table(), Qt::Key_Return);
    ASSERT_EQ(wanted.count(), 1);
    EXPECT_EQ(wanted[0][0].toString(), path("host2/lost.pcap.zst"));
    EXPECT_EQ(wanted[0][1].toULongLong(), capture("host2/lost.pcap.zst").finding_packet);
}

TEST_F(CollectionOfFolder, without_captures_says_so) {
    write("notes.txt", "nothing");
    CollectionView view(folder.path(), nullptr);
    wait(view);
    EXPECT_TRUE(view.state().startsWith(QStringLiteral("No capture"))) << view.state().toStdString();
}

TEST_F(CollectionOfFolder, can_be_stopped_and_keeps_what_was_read) {
    for (int i = 0; i < 40; ++i) add(std::to_string(i) + ".pcap.zst", "loss-mixed-initiator.pcap.zst");
    CollectionView view(folder.path(), nullptr);
    ASSERT_TRUE(QTest::qWaitFor([&] { return view.model().captures() > 0; }, patience_ms));
    view.stop();
    const size_t read = view.model().captures();
    EXPECT_LT(read, 40u);
    QTest::qWait(500);
    EXPECT_EQ(view.model().captures(), read);
    EXPECT_TRUE(view.state().contains(QStringLiteral("stopped")));
}

}  // namespace
}  // namespace sanscope
