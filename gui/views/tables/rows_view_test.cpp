// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/tables/rows_view.h"

#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QScrollBar>
#include <QSettings>
#include <QTemporaryDir>
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

#include "gui/document/filter_result.h"
#include "gui/models/filter_job.h"
#include "gui/models/filter_language.h"
#include "gui/plot/time_axis.h"
#include "gui/testing/loaded_document.h"
#include "gui/testing/pointer_events.h"

#include "analyzer/export/csv_writer.h"
#include "analyzer/export/testing/grid_table.h"
#include "analyzer/query/filtered_table.h"
#include "analyzer/query/select.h"

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing_gui::wait_until;

class RowsViewTest : public testing::Test {
  protected:
    RowsViewTest() {
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, folder_.path());
        QCoreApplication::setOrganizationName(QStringLiteral("sanscope-test"));
        QCoreApplication::setApplicationName(QStringLiteral("rows"));
    }

    void open(const char* sample) {
        document = testing_gui::opened(testing_gui::sample(sample));
        ASSERT_TRUE(document);
        ASSERT_TRUE(wait_until([&] { return !document->loading() && !document->state().whole().empty(); }));
    }
    std::unique_ptr<RowsView> view_of(std::string_view table) {
        auto view = std::make_unique<RowsView>(*document, table, nullptr);
        view->resize(1200, 400);
        view->show();
        EXPECT_TRUE(wait_until([&] { return view->settled(); }));
        return view;
    }
    void filter(std::string_view table, const std::string& expression) {
        const ColumnFilter read = read_column_filter(expression, table);
        ASSERT_TRUE(read.filter) << read.error.message;
        FilterProgress progress;
        const StopFlag stop = false;
        document->state().set_filter(
            run_column_filter(*document->data(), table, *read.filter, expression, progress, stop).result);
    }
    static std::vector<uint32_t> rows_of(const RowsView& view) {
        std::vector<uint32_t> rows;
        for (int row = 0; row < view.model().rowCount(); ++row) rows.push_back(view.model().table_row(row));
        return rows;
    }
    static int column(const RowsView& view, std::string_view name) {
        return static_cast<int>(*find_column(view.model().access().columns(), name));
    }

    QTemporaryDir folder_;
    std::unique_ptr<Document> document;
};

std::string with_spaces(std::string_view text) {
    std::string words(text);
    std::ranges::replace(words, '_', ' ');
    return words;
}

// A capture in which the table has rows.
const char* sample_for(const TableKind& table) {
    return table.name.starts_with("kernel_") ? "kernel-truth-target.pcapng.zst"
                                             : "loss-mixed-initiator.pcap.zst";
}

// Whoever sorts wants to see what is first now, wherever the selected row has gone.
TEST_F(RowsViewTest, SortingGoesToTheTop) {
    open("loss-mixed-initiator.pcap.zst");
    const auto view = view_of("commands");
    document->state().select({Selection::Kind::command, 120});
    ASSERT_TRUE(wait_until([&] { return document->state().selected().command == 120; }));
    view->table().scrollToBottom();
    ASSERT_GT(view->table().rowAt(0), 0);
    for (const Qt::SortOrder order : {Qt::DescendingOrder, Qt::AscendingOrder}) {
        view->sort(column(*view, "turnaround_ns"), order);
        ASSERT_TRUE(wait_until([&] { return view->settled(); }));
        EXPECT_EQ(view->table().rowAt(0), 0);
        EXPECT_EQ(document->state().selection().number, 120u);
        view->table().scrollToBottom();
    }
}

const QLabel& why_empty(const RowsView& view) {
    return *view.findChild<QLabel*>(QStringLiteral("why-empty"));
}

TEST_F(RowsViewTest, AnEmptyTableSaysWhy) {
    for (const char* const sample :
         {"loss-mixed-initiator.pcap.zst", "nop-logout.pcap", "kernel-truth-target.pcapng.zst"}) {
        open(sample);
        for (const TableKind& viewed : table_kinds()) {
            const auto view = view_of(viewed.name);
            EXPECT_EQ(view->model().rowCount() == 0, why_empty(*view).isVisible())
                << sample << ": " << viewed.name;
            EXPECT_EQ(view->model().rowCount() == 0, !why_empty(*view).text().isEmpty())
                << sample << ": " << viewed.name;
        }
    }
    open("nop-logout.pcap");
    EXPECT_TRUE(why_empty(*view_of("kernel_windows")).text().contains(QStringLiteral("--kernel-truth")));
    EXPECT_TRUE(
        why_empty(*view_of("kernel_ca_transitions")).text().contains(QStringLiteral("--kernel-truth")));
}

TEST_F(RowsViewTest, ATableThatAFilterEmptiesSaysSo) {
    open("loss-mixed-initiator.pcap.zst");
    const auto view = view_of("commands");
    EXPECT_FALSE(why_empty(*view).isVisible());
    filter("commands", "turnaround_ns > 60s");
    ASSERT_TRUE(wait_until([&] { return view->settled() && view->model().rowCount() == 0; }));
    EXPECT_TRUE(why_empty(*view).text().endsWith(QStringLiteral("passes the filter.")))
        << why_empty(*view).text().toStdString();
    document->state().set_filter(nullptr);
    ASSERT_TRUE(wait_until([&] { return view->settled() && view->model().rowCount() > 0; }));
    EXPECT_FALSE(why_empty(*view).isVisible());
}

TEST_F(RowsViewTest, TellsEveryRowOfEveryTable) {
    for (const TableKind& viewed : table_kinds()) {
        open(sample_for(viewed));
        const auto reading = document->data()->try_read();
        const auto view = view_of(viewed.name);
        const auto table = make_table(*reading, viewed.name);
        ASSERT_GT(table->rows(), 0u) << viewed.name;
        ASSERT_EQ(view->model().rowCount(), static_cast<int>(table->rows())) << viewed.name;
        ASSERT_EQ(view->model().columnCount(), static_cast<int>(table->columns().size()));
        Cell cell;
        for (int row = 0; row < view->model().rowCount();
             row += std::max(1, view->model().rowCount() / 200)) {
            for (int at = 0; at < view->model().columnCount(); ++at) {
                table->cell(view->model().table_row(row), static_cast<size_t>(at), cell);
                const QModelIndex index = view->model().index(row, at);
                const QString shown = index.data().toString();
                const auto& info = table->columns()[static_cast<size_t>(at)];
                switch (cell.kind) {
                    case Cell::Kind::empty:
                        EXPECT_EQ(shown, QString()) << info.name;
                        break;
                    case Cell::Kind::text:
                        EXPECT_EQ(shown.toStdString(),
                                  info.name == "status" ? with_spaces(cell.text) : cell.text)
                            << info.name;
                        break;
                    case Cell::Kind::boolean:
                        EXPECT_EQ(shown.isEmpty(), !cell.boolean) << info.name;
                        break;
                    default: {
                        // The exact value stands in the tooltip, grouped or not.
                        QString exact = index.data(Qt::ToolTipRole).toString();
                        exact.remove(QLatin1Char(','));
                        const QString number = cell.kind == Cell::Kind::integer
                                                   ? QString::number(cell.integer)
                                                   : QString::number(cell.unsigned_integer);
                        EXPECT_TRUE(exact.contains(number)) << info.name << ": " << exact.toStdString();
                        EXPECT_FALSE(shown.isEmpty()) << info.name;
                    }
                }
            }
        }
    }
}

TEST_F(RowsViewTest, TimesAreToldFromTheReference) {
    open("nop-logout.pcap");
    const auto view = view_of("packets");
    const int time = column(*view, "time_ns");
    const auto shown = [&](int row) {
        return view->model().index(row, time).data().toString().toStdString();
    };
    const auto time_of = [&](int row) {
        Cell cell;
        EXPECT_TRUE(view->model().cell(row, time, cell));
        return cell.integer;
    };
    const std::string before = shown(4);
    document->state().set_time_format(TimeFormat::utc);
    ASSERT_TRUE(view->set_time_reference(4));
    EXPECT_EQ(shown(3), "*REF*");
    for (const int row : {0, 2, 4}) {
        EXPECT_EQ(shown(row), full_time(time_of(row), time_of(3), TimeFormat::relative).toStdString());
    }
    EXPECT_TRUE(shown(0).starts_with("-"));
    EXPECT_NE(shown(4), before);
    EXPECT_FALSE(view->set_time_reference(1'000'000));
    EXPECT_EQ(view->time_reference_packet(), 4u);
    ASSERT_TRUE(view->set_time_reference(0));
    EXPECT_TRUE(shown(3).ends_with("UTC"));
    document->state().set_time_format(TimeFormat::relative);
    EXPECT_EQ(shown(4), before);
}

TEST_F(RowsViewTest, TimeSinceTheRowAboveIsThatOfTheRowsShown) {
    open("nop-logout.pcap");
    const auto view = view_of("packets");
    const int delta = column(*view, "delta_ns");
    const int time = column(*view, "time_ns");
    const auto shown = [&](int row) {
        return view->model().index(row, delta).data().toString().toStdString();
    };
    const std::string captured = shown(5);
    view->set_delta_of_shown(true);
    EXPECT_EQ(shown(0), "");
    EXPECT_EQ(shown(5), captured);  // all are shown
    filter("packets", "payload > 0");
    ASSERT_TRUE(wait_until([&] { return view->settled(); }));
    ASSERT_GT(view->model().rowCount(), 2);
    Cell now;
    Cell before;
    ASSERT_TRUE(view->model().cell(2, time, now));
    ASSERT_TRUE(view->model().cell(1, time, before));
    EXPECT_EQ(shown(2), short_duration(now.integer - before.integer).toStdString());
    EXPECT_EQ(shown(0), "");
    EXPECT_EQ(view->model().headerData(delta, Qt::Horizontal, Qt::DisplayRole).toString().toStdString(),
              "Since row before");
    // The next table has it, too.
    const auto next = view_of("packets");
    EXPECT_TRUE(next->model().delta_of_shown());
    next->set_delta_of_shown(false);
    ASSERT_TRUE(next->model().index(0, delta).data().isValid());
    EXPECT_NE(next->model().index(0, delta).data().toString(), QString());
}

TEST_F(RowsViewTest, LossesStandInTheOrderOfTheTimeTheyShow) {
    open("loss-mixed-initiator.pcap.zst");
    const auto view = view_of("losses");
    const int time = column(*view, "time_ns");
    int64_t before = 0;
    Cell cell;
    for (int row = 0; row < view->model().rowCount(); ++row) {
        ASSERT_TRUE(view->model().cell(row, time, cell));
        EXPECT_GE(cell.integer, before);
        before = cell.integer;
    }
    // A packet selected elsewhere is found all the same.
    const int packet = column(*view, "packet");
    ASSERT_TRUE(view->model().cell(view->model().rowCount() / 2, packet, cell));
    const uint64_t number = cell.unsigned_integer;
    document->state().select({Selection::Kind::packet, number});
    ASSERT_TRUE(wait_until([&] {
        const int current = view->table().currentIndex().row();
        return current >= 0 && view->model().cell(current, packet, cell) && cell.unsigned_integer == number;
    }));
}

TEST_F(RowsViewTest, AnOrderIsThatOfTheColumn) {
    open("loss-mixed-initiator.pcap.zst");
    const auto view = view_of("commands");
    const int turnaround = column(*view, "turnaround_ns");
    view->sort(turnaround, Qt::DescendingOrder);
    ASSERT_TRUE(wait_until([&] { return view->settled(); }));
    const auto reading = document->data()->try_read();
    const auto& commands = reading->store().commands();
    std::vector<uint32_t> expected(commands.size());
    std::iota(expected.begin(), expected.end(), 0u);
    std::ranges::stable_sort(expected, [&](uint32_t a, uint32_t b) {
        return commands[a].turnaround_ns() > commands[b].turnaround_ns();  // no_time is the least of all
    });
    EXPECT_EQ(rows_of(*view), expected);
    EXPECT_THAT(view->status_text().toStdString(), testing::HasSubstr("Turnaround"));
    view->sort(-1, Qt::AscendingOrder);
    ASSERT_TRUE(wait_until([&] { return view->settled(); }));
    EXPECT_TRUE(std::ranges::is_sorted(rows_of(*view)));
}

// As people look for them; a second click turns the order around, a third one takes it away.
TEST_F(RowsViewTest, AClickOnAHeaderSortsDurationsLargestAndTextSmallestFirst) {
    open("loss-mixed-initiator.pcap.zst");
    const auto view = view_of("commands");
    QHeaderView& header = *view->table().horizontalHeader();
    const auto click_on = [&](const char* name) {
        const int section = column(*view, name);
        view->table().scrollTo(view->model().index(0, section));
        testing_gui::click(*header.viewport(), QPointF(header.sectionViewportPosition(section) +
                                                           header.sectionSize(section) / 2.0,
                                                       header.height() / 2.0));
        ASSERT_TRUE(wait_until([&] { return view->settled(); }));
    };
    click_on("turnaround_ns");
    EXPECT_EQ(header.sortIndicatorSection(), column(*view, "turnaround_ns"));
    EXPECT_EQ(header.sortIndicatorOrder(), Qt::DescendingOrder);
    EXPECT_THAT(view->status_text().toStdString(), testing::HasSubstr("greatest first"));
    click_on("turnaround_ns");
    EXPECT_EQ(header.sortIndicatorOrder(), Qt::AscendingOrder);
    click_on("turnaround_ns");
    EXPECT_EQ(header.sortIndicatorSection(), -1);
    click_on("name");
    EXPECT_EQ(header.sortIndicatorOrder(), Qt::AscendingOrder);
    EXPECT_THAT(view->status_text().toStdString(), testing::HasSubstr("smallest first"));
}

TEST_F(RowsViewTest, AFilterShowsWhatIsOfItInEachTable) {
    open("loss-mixed-initiator.pcap.zst");
    const auto commands = view_of("commands");
    const auto pdus = view_of("pdus");
    const auto windows = view_of("windows");
    const int all_pdus = pdus->model().rowCount();
    const int all_windows = windows->model().rowCount();
    filter("commands", "turnaround_ns > 20ms");
    ASSERT_TRUE(wait_until([&] { return commands->settled() && pdus->settled() && windows->settled(); }));
    const auto reading = document->data()->try_read();
    std::vector<uint32_t> expected;
    for (uint32_t i = 0; i < reading->store().commands().size(); ++i) {
        const int64_t turnaround = reading->store().commands()[i].turnaround_ns();
        if (turnaround != no_time && turnaround > 20'000'000) expected.push_back(i);
    }
    ASSERT_GT(expected.size(), 0u);
    EXPECT_EQ(rows_of(*commands), expected);
    EXPECT_LT(pdus->model().rowCount(), all_pdus);
    for (const uint32_t pdu : rows_of(*pdus)) {
        EXPECT_TRUE(std::ranges::binary_search(expected, reading->store().pdus()[pdu].command - 1));
    }
    EXPECT_GT(windows->model().rowCount(), 0);
    EXPECT_LT(windows->model().rowCount(), all_windows);
    document->state().set_filter(nullptr);
    ASSERT_TRUE(wait_until([&] { return pdus->settled() && pdus->model().rowCount() == all_pdus; }));
}

TEST_F(RowsViewTest, ASelectionIsFoundWhereverItsRowStands) {
    open("loss-mixed-initiator.pcap.zst");
    const auto commands = view_of("commands");
    const auto pdus = view_of("pdus");
    commands->sort(column(*commands, "turnaround_ns"), Qt::DescendingOrder);
    filter("commands", "lba");
    ASSERT_TRUE(wait_until([&] { return commands->settled() && pdus->settled(); }));
    for (const uint64_t number : {17u, 90u, 40u}) {
        document->state().select({Selection::Kind::command, number});
        ASSERT_TRUE(wait_until([&] { return document->state().selected().command == number; }));
        const int row = commands->table().currentIndex().row();
        ASSERT_GE(row, 0);
        EXPECT_EQ(commands->model().table_row(row), number - 1);
        EXPECT_TRUE(commands->table().viewport()->rect().intersects(
            commands->table().visualRect(commands->table().currentIndex())));
        // Its PDUs are highlighted, and no others.
        const auto& things = document->state().selected();
        EXPECT_EQ(uint64_t{pdus->model().table_row(pdus->table().currentIndex().row())} + 1,
                  things.pdus.front());
        uint64_t highlighted = 0;
        for (int at = 0; at < pdus->model().rowCount(); ++at) {
            const bool is_highlighted = pdus->model().index(at, 0).data(Qt::BackgroundRole).isValid();
            const bool of_it =
                std::ranges::binary_search(things.pdus, uint64_t{pdus->model().table_row(at)} + 1);
            EXPECT_EQ(is_highlighted, of_it);
            highlighted += is_highlighted ? 1 : 0;
        }
        EXPECT_EQ(highlighted, things.pdus.size());
    }
}

TEST_F(RowsViewTest, AClickSelectsForAllViewsAndADoubleClickFrames) {
    open("loss-mixed-initiator.pcap.zst");
    const auto losses = view_of("losses");
    const QModelIndex index = losses->model().index(2, column(*losses, "kind"));
    const QPointF at = losses->table().visualRect(index).center();
    const auto send = [&](QEvent::Type type) {
        testing_gui::send_mouse(*losses->table().viewport(), type, at, Qt::LeftButton);
    };
    send(QEvent::MouseButtonPress);
    send(QEvent::MouseButtonRelease);
    EXPECT_EQ(document->state().selection(), (Selection{Selection::Kind::loss, 3}));
    const TimeRange before = document->state().range();
    send(QEvent::MouseButtonDblClick);
    send(QEvent::MouseButtonRelease);
    ASSERT_TRUE(wait_until([&] { return document->state().range() != before; }));
    EXPECT_TRUE(document->state().range().contains(document->state().selected().range));
    // A row of windows is its packet, and stays the chosen one of those at that packet.
    const auto windows = view_of("windows");
    const auto reading = document->data()->try_read();
    const auto& rows = reading->store().windows();
    int second = 1;
    while (rows[static_cast<size_t>(second)].packet != rows[static_cast<size_t>(second) - 1].packet) ++second;
    windows->table().selectionModel()->setCurrentIndex(
        windows->model().index(second, column(*windows, "cwnd")),
        QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    const PacketNumber packet = rows[static_cast<size_t>(second)].packet;
    EXPECT_EQ(document->state().selection(), (Selection{Selection::Kind::packet, packet}));
    ASSERT_TRUE(wait_until([&] { return document->state().selected().packet == packet; }));
    EXPECT_EQ(windows->table().currentIndex().row(), second);
}

TEST_F(RowsViewTest, WhatTheKernelToldIsSelectedAndFilteredByItsPackets) {
    open("kernel-truth-target.pcapng.zst");
    const auto reading = document->data()->try_read();
    const auto& rows = reading->store().kernel_windows();
    const auto view = view_of("kernel_windows");
    view->table().selectionModel()->setCurrentIndex(
        view->model().index(20, column(*view, "cwnd")),
        QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    EXPECT_EQ(document->state().selection(), (Selection{Selection::Kind::packet, rows[20].packet}));
    // The filter is of this table, and what passes is at the same packets in all others.
    filter("kernel_ca_transitions", "to == Recovery");
    ASSERT_TRUE(wait_until([&] { return view->settled(); }));
    RowSet packets(reading->index().packets());
    for (const KernelCaTransitionRow& row : reading->store().kernel_ca_transitions()) {
        if (row.to == CaState::recovery && row.packet != 0) packets.set(row.packet - 1);
    }
    ASSERT_FALSE(packets.empty());
    std::vector<uint32_t> expected;
    for (uint32_t i = 0; i < rows.size(); ++i) {
        if (rows[i].packet != 0 && packets.test(rows[i].packet - 1)) expected.push_back(i);
    }
    EXPECT_EQ(rows_of(*view), expected);
    const auto transitions = view_of("kernel_ca_transitions");
    ASSERT_GT(transitions->model().rowCount(), 0);
    for (int row = 0; row < transitions->model().rowCount(); ++row) {
        const auto& shown = reading->store().kernel_ca_transitions()[transitions->model().table_row(row)];
        EXPECT_TRUE(packets.test(shown.packet - 1)) << row;
    }
}

TEST_F(RowsViewTest, TheCsvIsThatOfTheCommandLineForWhatIsShown) {
    open("loss-mixed-initiator.pcap.zst");
    const auto view = view_of("commands");
    const auto reading = document->data()->try_read();
    const auto table = make_table(*reading, "commands");
    const QString path = folder_.filePath(QStringLiteral("out.csv"));
    const auto written = [&] {
        view->export_csv(path);
        EXPECT_TRUE(wait_until([&] { return view->settled(); }));
        QFile file(path);
        EXPECT_TRUE(file.open(QIODevice::ReadOnly));
        return file.readAll().toStdString();
    };
    StringSink whole;
    write_csv(*table, whole);
    EXPECT_EQ(written(), whole.text);
    // The rows of `sanscope table --where`.
    filter("commands", "turnaround_ns > 20ms and opcode == 0x88");
    ASSERT_TRUE(wait_until([&] { return view->settled(); }));
    std::vector<size_t> rows;
    select(*read_column_filter("turnaround_ns > 20ms and opcode == 0x88", "commands").filter, *table, 0,
           table->rows(), rows);
    ASSERT_FALSE(rows.empty());
    StringSink some;
    write_csv(FilteredTable(*table, rows), some);
    EXPECT_EQ(written(), some.text);
    // In the order shown.
    view->sort(column(*view, "command"), Qt::DescendingOrder);
    ASSERT_TRUE(wait_until([&] { return view->settled(); }));
    std::ranges::reverse(rows);
    StringSink ordered;
    write_csv(FilteredTable(*table, rows), ordered);
    EXPECT_EQ(written(), ordered.text);
    // The capture itself is not overwritten.
    view->export_csv(document->path());
    ASSERT_TRUE(wait_until([&] { return view->settled(); }));
    EXPECT_TRUE(view->status_text().startsWith(QStringLiteral("Not exported")))
        << view->status_text().toStdString();
}

TEST_F(RowsViewTest, CopiesWhatIsShownWithItsHeader) {
    open("loss-mixed-initiator.pcap.zst");
    const auto view = view_of("losses");
    QHeaderView* const header = view->table().horizontalHeader();
    for (int at = 0; at < header->count(); ++at) header->setSectionHidden(at, true);
    for (const char* const name : {"kind", "packet", "delay_ns"})
        header->setSectionHidden(column(*view, name), false);
    header->moveSection(header->visualIndex(column(*view, "packet")), 0);
    view->table().selectionModel()->select(
        QItemSelection(view->model().index(1, 0), view->model().index(2, view->model().columnCount() - 1)),
        QItemSelectionModel::ClearAndSelect);
    QKeyEvent copy(QEvent::KeyPress, Qt::Key_C, Qt::ControlModifier);
    QApplication::sendEvent(&view->table(), &copy);
    const QStringList lines = QApplication::clipboard()->text().split(QLatin1Char('\n'));
    ASSERT_EQ(lines.size(), 4);
    EXPECT_EQ(lines[0].toStdString(), "Packet\tKind\tDelay");
    const auto reading = document->data()->try_read();
    EXPECT_TRUE(
        lines[1].startsWith(QString::number(reading->store().losses()[1].packet) + QLatin1Char('\t')));
    EXPECT_EQ(lines[2].count(QLatin1Char('\t')), 2);
}

TEST_F(RowsViewTest, ColumnsChosenAreRemembered) {
    open("nop-logout.pcap");
    {
        const auto view = view_of("connections");
        view->table().horizontalHeader()->setSectionHidden(column(*view, "mss"), true);
        view->table().horizontalHeader()->resizeSection(column(*view, "target"), 271);
    }
    const auto view = view_of("connections");
    EXPECT_TRUE(view->table().isColumnHidden(column(*view, "mss")));
    EXPECT_EQ(view->table().columnWidth(column(*view, "target")), 271);
}

TEST_F(RowsViewTest, ShowsRowsWhileTheCaptureIsLoaded) {
    document = testing_gui::opened(testing_gui::sample("loss-mixed-initiator.pcap.zst"));
    ASSERT_TRUE(document);
    RowsView view(*document, "packets", nullptr);
    view.resize(1200, 400);
    view.show();
    view.sort(column(view, "length"), Qt::DescendingOrder);
    EXPECT_THAT(view.status_text().toStdString(), testing::HasSubstr("loading"));
    ASSERT_TRUE(wait_until([&] { return !document->loading() && view.settled(); }));
    EXPECT_EQ(view.model().rowCount(), 9856);
    const auto reading = document->data()->try_read();
    uint32_t longest = 0;
    for (PacketNumber packet = 1; packet <= 9856; ++packet) {
        longest = std::max(longest, reading->index().place<&PacketPlace::wire_length>(packet));
    }
    EXPECT_EQ(reading->index().place(view.model().table_row(0) + 1).wire_length, longest);
}

// A table that is not final yet, or is.
class Numbers final : public Table {
  public:
    explicit Numbers(size_t rows) : rows_(rows) {}
    std::string_view name() const override { return "numbers"; }
    std::span<const ColumnInfo> columns() const override { return columns_; }
    size_t rows() const override { return rows_; }
    void cell(size_t row, size_t column, Cell& cell) const override {
        cell.set(column == 0 ? uint64_t{row} + 1 : (uint64_t{row} * 2654435761u) % 10'007);
    }

  private:
    size_t rows_;
    std::array<ColumnInfo, 2> columns_ = {{{"number", ColumnType::unsigned_integer, "Number"},
                                           {"scattered", ColumnType::unsigned_integer, "Scattered"}}};
};

class NumbersAccess final : public TableAccess {
  public:
    NumbersAccess(size_t rows, bool final) : table_(rows), is_final(final) {}
    std::string_view name() const override { return table_.name(); }
    std::span<const ColumnInfo> columns() const override { return table_.columns(); }
    void read(const std::function<void(const Table&)>& visit) const override {
        ++reads;
        visit(table_);
    }
    const Table* final_table() const override { return is_final ? &table_ : nullptr; }

  private:
    Numbers table_;

  public:
    std::atomic<bool> is_final;
    mutable std::atomic<int> reads = 0;
};

TEST_F(RowsViewTest, TenMillionRowsAreReachedToTheLast) {
    open("nop-logout.pcap");
    constexpr size_t rows = 10'000'000;
    RowsView view(*document, std::make_shared<NumbersAccess>(rows, true), nullptr);
    view.resize(600, 400);
    view.show();
    ASSERT_TRUE(wait_until([&] { return view.settled(); }));
    ASSERT_EQ(view.model().rowCount(), static_cast<int>(rows));
    QTableView& table = view.table();
    table.scrollToBottom();
    const QModelIndex last = view.model().index(static_cast<int>(rows) - 1, 0);
    const QRect place = table.visualRect(last);
    EXPECT_TRUE(table.viewport()->rect().contains(place)) << place.top();
    EXPECT_EQ(last.data().toString().toStdString(), "10000000");
    EXPECT_EQ(table.indexAt(place.center()).row(), last.row());
    view.sort(1, Qt::AscendingOrder);
    ASSERT_TRUE(wait_until([&] { return view.settled(); }));
    EXPECT_EQ(view.model().table_row(0), 0u);
    EXPECT_EQ(view.model().index(static_cast<int>(rows) - 1, 1).data().toString().toStdString(), "10006");
    const int position = view.model().position_of(7'654'321);
    EXPECT_EQ(view.model().table_row(position), 7'654'321u);
}

TEST_F(RowsViewTest, OfATableThatGrowsForLongAllRowsAreListed) {
    TableModel model(std::make_shared<NumbersAccess>(20'000'000, false));
    UniformRowsTable table(nullptr);
    table.setModel(&model);
    table.resize(800, 400);
    table.show();
    model.show_all(5'000'000);
    QApplication::processEvents();
    table.verticalScrollBar()->setValue(3'000'000);
    const QPersistentModelIndex kept = model.index(1'500'000, 0);
    model.show_all(20'000'000);
    QApplication::processEvents();
    EXPECT_EQ(model.rowCount(), 20'000'000);
    EXPECT_EQ(kept.row(), 1'500'000);
    EXPECT_EQ(table.rowAt(0), 3'000'000);
    EXPECT_EQ(model.position_of(19'999'999), 19'999'999);
    EXPECT_EQ(model.position_of(20'000'000), -1);
    table.hide();  // what it shows are the only rows that are at hand
    ASSERT_TRUE(wait_until([&] { return !model.fetching(); }));
    model.fetch_end(20);
    ASSERT_TRUE(wait_until([&] { return !model.fetching(); }));
    EXPECT_EQ(model.index(19'999'999, 0).data().toString().toStdString(), "20000000");
}

TEST_F(RowsViewTest, CellsOfAGrowingTableAreFetchedInPages) {
    open("nop-logout.pcap");
    auto access = std::make_shared<NumbersAccess>(100'000, false);
    TableModel model(access);
    model.show_all(100'000);
    const int before = access->reads;
    EXPECT_EQ(model.index(50'000, 0).data().toString(), QString());
    EXPECT_EQ(model.index(50'020, 0).data().toString(), QString());
    EXPECT_EQ(access->reads, before);  // not on this thread
    ASSERT_TRUE(wait_until([&] { return !model.fetching(); }));
    EXPECT_EQ(model.index(50'000, 0).data().toString().toStdString(), "50001");
    EXPECT_EQ(model.index(50'020, 0).data().toString().toStdString(), "50021");
    EXPECT_EQ(access->reads, before + 1);
}

}  // namespace
}  // namespace sanscope
