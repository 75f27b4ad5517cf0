// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QHeaderView>
#include <QTemporaryDir>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/models/table_access.h"
#include "gui/testing/pointer_events.h"
#include "gui/testing/shown_view.h"
#include "gui/views/statistics/negotiated_parameters.h"
#include "gui/views/statistics/statistics_model.h"
#include "gui/views/statistics/statistics_view.h"

#include "analyzer/query/row_filter.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

using testing_gui::loaded_sample;

constexpr const char* lossy = "loss-mixed-initiator.pcap.zst";
constexpr const char* two_sessions = "two-sessions.pcap.lz4";

StatisticsTable table_of(const Document& document, StatisticsPage page,
                         std::shared_ptr<const FilterResult> filter = nullptr,
                         std::optional<TimeRange> range = std::nullopt) {
    return capture_statistics(document.data()->read(), page, {std::move(filter), range}, StopFlag(false));
}

size_t column_of(const StatisticsTable& table, const QString& name) {
    return static_cast<size_t>(table.columns.indexOf(name));
}

double value_in(const StatisticsTable& table, size_t row, const QString& column) {
    return table.rows.at(row).cells.at(column_of(table, column)).value.value_or(-1);
}

TEST(Statistics, EveryPageHasARowsWidthOfColumnsAndAName) {
    const auto document = loaded_sample(lossy);
    for (size_t i = 0; i < statistics_pages; ++i) {
        const auto page = static_cast<StatisticsPage>(i);
        const StatisticsTable table = table_of(*document, page);
        SCOPED_TRACE(statistics_page_name(page));
        EXPECT_TRUE(table.complete);
        EXPECT_FALSE(table.rows.empty());
        for (const auto& row : table.rows)
            EXPECT_EQ(row.cells.size(), static_cast<size_t>(table.columns.size()));
    }
}

TEST(Statistics, ServiceResponseTimesCountEveryCommandOnce) {
    const auto document = loaded_sample(lossy);
    const auto reading = document->data()->read();
    const StatisticsTable table = table_of(*document, StatisticsPage::service_response_times);
    double calls = 0;
    for (size_t row = 0; row < table.rows.size(); ++row) {
        calls += value_in(table, row, QStringLiteral("Calls"));
        EXPECT_LE(value_in(table, row, QStringLiteral("Least")),
                  value_in(table, row, QStringLiteral("p50")) * 1.01);
        EXPECT_LE(value_in(table, row, QStringLiteral("p50")), value_in(table, row, QStringLiteral("p99")));
        EXPECT_LE(value_in(table, row, QStringLiteral("p99")),
                  value_in(table, row, QStringLiteral("Longest")) * 1.01);
    }
    EXPECT_EQ(calls, static_cast<double>(reading.store().commands().size()));
}

// GET LBA STATUS beside READ CAPACITY(16): SERVICE ACTION IN(16) both, 9Eh.
TEST(Statistics, ServiceActionsOfOneOpcodeAreRowsOfTheirOwn) {
    QFile file(testing_gui::sample("nop-logout.pcap"));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    QByteArray capture = file.readAll();
    constexpr qsizetype cdb_in_header = 32;  // RFC 7143 §11.3
    bool changed = false;
    for (qsizetype at = cdb_in_header; at + 16 < capture.size() && !changed; ++at) {
        const bool read_16 =
            capture[at] == '\x88' && capture[at + 1] == '\0' && (capture[at - cdb_in_header] & 0x3f) == 0x01;
        if (!read_16) continue;
        capture[at] = '\x9e';
        capture[at + 1] = '\x12';
        changed = true;
    }
    ASSERT_TRUE(changed);
    const QTemporaryDir folder;
    QFile copy(folder.filePath(QStringLiteral("service-actions.pcap")));
    ASSERT_TRUE(copy.open(QIODevice::WriteOnly));
    ASSERT_EQ(copy.write(capture), capture.size());
    copy.close();
    const auto document = testing_gui::loaded(copy.fileName());
    const StatisticsTable table = table_of(*document, StatisticsPage::service_response_times);
    const size_t opcode = column_of(table, QStringLiteral("Opcode"));
    QStringList found;
    for (size_t row = 0; row < table.rows.size(); ++row) {
        if (table.rows[row].cells[opcode].text() != QStringLiteral("0x9e")) continue;
        const QString name = table.rows[row].cells[0].text();
        EXPECT_EQ(value_in(table, row, QStringLiteral("Calls")), 1) << name.toStdString();
        EXPECT_EQ(table.rows[row].filter, QStringLiteral("opcode == 0x9e && name == \"%1\"").arg(name));
        found << name;
    }
    EXPECT_EQ(found,
              QStringList({QStringLiteral("GET LBA STATUS(16)"), QStringLiteral("READ CAPACITY(16)")}));
}

TEST(Statistics, OfOneCommandTheLeastAndTheLongestAreThoseOfTheRows) {
    const auto document = loaded_sample(lossy);
    const auto reading = document->data()->read();
    const StatisticsTable table = table_of(*document, StatisticsPage::service_response_times);
    int64_t least_ns = INT64_MAX;
    int64_t longest_ns = 0;
    for (const CommandRow& row : reading.store().commands()) {
        if (row.opcode != scsi_op::read_16 || row.turnaround_ns() == no_time) continue;
        least_ns = std::min(least_ns, row.turnaround_ns());
        longest_ns = std::max(longest_ns, row.turnaround_ns());
    }
    for (size_t row = 0; row < table.rows.size(); ++row) {
        if (table.rows[row].cells[0].text() != QStringLiteral("READ(16)")) continue;
        EXPECT_EQ(value_in(table, row, QStringLiteral("Least")), static_cast<double>(least_ns));
        EXPECT_EQ(value_in(table, row, QStringLiteral("Longest")), static_cast<double>(longest_ns));
        EXPECT_EQ(table.rows[row].filter, QStringLiteral("opcode == 0x88"));
        return;
    }
    FAIL() << "no READ(16)";
}

TEST(Statistics, RetransmissionsAreTheLossesOfEachSender) {
    const auto document = loaded_sample(lossy);
    const auto reading = document->data()->read();
    const StatisticsTable table = table_of(*document, StatisticsPage::retransmissions);
    ASSERT_EQ(table.rows.size(), 2u);
    uint64_t again = 0;
    for (const LossRow& row : reading.store().losses()) again += is_sent_again(row.kind) ? 1u : 0u;
    EXPECT_EQ(
        value_in(table, 0, QStringLiteral("Sent again")) + value_in(table, 1, QStringLiteral("Sent again")),
        static_cast<double>(again));
}

// How many rows of a table a filter selects.
size_t selected_by(const CaptureData::Reading& reading, const QString& expression, const QString& over) {
    const auto table = make_table(reading, over.toStdString());
    const auto compiled = RowFilter::compile(expression.toStdString(), over.toStdString(), table->columns());
    if (!std::holds_alternative<RowFilter>(compiled)) {
        ADD_FAILURE() << "no filter: " << expression.toStdString();
        return 0;
    }
    RowTest test(std::get<RowFilter>(compiled), *table);
    size_t selected = 0;
    for (uint64_t row = 0; row < table->rows(); ++row) selected += test(row) ? 1u : 0u;
    return selected;
}

TEST(Statistics, TheFilterOfARowSelectsWhatItCounts) {
    struct Expected {
        StatisticsPage page;
        const char* column;  // that says how many rows there are; nullptr: one
    };
    for (const char* const sample : {lossy, two_sessions}) {
        const auto document = loaded_sample(sample);
        const auto reading = document->data()->read();
        for (const auto& [page, column] : {Expected{StatisticsPage::conversations, nullptr},
                                           {StatisticsPage::service_response_times, "Calls"},
                                           {StatisticsPage::logical_units, "Commands"}}) {
            const StatisticsTable table = table_of(*document, page);
            ASSERT_FALSE(table.rows.empty());
            for (size_t row = 0; row < table.rows.size(); ++row) {
                const double expected =
                    column == nullptr ? 1 : value_in(table, row, QString::fromUtf8(column));
                EXPECT_EQ(
                    static_cast<double>(selected_by(reading, table.rows[row].filter, table.filter_table)),
                    expected)
                    << table.rows[row].filter.toStdString();
            }
        }
    }
}

TEST(Statistics, TheFilterOfASenderSelectsItsLosses) {
    const auto document = loaded_sample(lossy);
    const auto reading = document->data()->read();
    const StatisticsTable table = table_of(*document, StatisticsPage::retransmissions);
    size_t selected = 0;
    for (const auto& row : table.rows) selected += selected_by(reading, row.filter, table.filter_table);
    EXPECT_EQ(selected, reading.store().losses().size());
}

TEST(Statistics, CountOnlyWhatPassesTheFilter) {
    const auto document = loaded_sample(two_sessions);
    const auto reading = document->data()->read();
    RowSet one(reading.store().sessions().size());
    one.set(0);
    const auto filter = std::make_shared<FilterResult>();
    filter->rows = link_rows(reading.pdu_index(), Selected::sessions, one);
    EXPECT_EQ(table_of(*document, StatisticsPage::conversations, filter).rows.size(), 1u);
    EXPECT_GE(table_of(*document, StatisticsPage::conversations).rows.size(), 2u);
    EXPECT_EQ(table_of(*document, StatisticsPage::negotiated_parameters, filter).columns.size(), 2);
}

double sum_of(const StatisticsTable& table, const QString& column) {
    double sum = 0;
    for (size_t row = 0; row < table.rows.size(); ++row) sum += value_in(table, row, column);
    return sum;
}

TEST(Statistics, OfARangeCountWhatHappenedInIt) {
    const auto document = loaded_sample(lossy);
    const auto reading = document->data()->read();
    const ResultStore& store = reading.store();
    const TimeRange whole{reading.timeline().first_ns(), reading.timeline().last_ns() + 1};
    const TimeRange range{whole.begin_ns + whole.span_ns() / 5, whole.begin_ns + whole.span_ns() / 2};
    size_t commands = 0;
    for (const CommandRow& row : store.commands())
        commands += range.contains(row.response_ns != no_time ? row.response_ns : row.request_ns) ? 1u : 0u;
    ASSERT_GT(commands, 0u);
    ASSERT_LT(commands, store.commands().size());
    for (const auto& [page, column] : {std::pair(StatisticsPage::service_response_times, "Calls"),
                                       {StatisticsPage::logical_units, "Commands"}}) {
        const StatisticsTable table = table_of(*document, page, nullptr, range);
        EXPECT_EQ(sum_of(table, QString::fromUtf8(column)), static_cast<double>(commands));
        // A double click shows as many.
        for (size_t row = 0; row < table.rows.size(); ++row) {
            EXPECT_EQ(static_cast<double>(selected_by(reading, table.rows[row].filter, table.filter_table)),
                      value_in(table, row, QString::fromUtf8(column)))
                << table.rows[row].filter.toStdString();
        }
    }
    size_t packets = 0;
    for (size_t i = 0; i < store.segments().size(); ++i) {
        const bool of_tcp = store.segments()[i].connection != 0;
        packets += of_tcp && range.contains(reading.timeline().time_of(i + 1)) ? 1u : 0u;
    }
    EXPECT_EQ(
        sum_of(table_of(*document, StatisticsPage::conversations, nullptr, range), QStringLiteral("Packets")),
        static_cast<double>(packets));
    size_t again = 0;
    size_t losses = 0;
    for (size_t loss = 0; loss < store.losses().size(); ++loss) {
        if (!range.contains(reading.timeline().time_of_loss(loss))) continue;
        ++losses;
        again += is_sent_again(store.losses()[loss].kind) ? 1u : 0u;
    }
    const StatisticsTable table = table_of(*document, StatisticsPage::retransmissions, nullptr, range);
    EXPECT_GT(again, 0u);
    EXPECT_EQ(sum_of(table, QStringLiteral("Sent again")), static_cast<double>(again));
    size_t selected = 0;
    for (const auto& row : table.rows) selected += selected_by(reading, row.filter, table.filter_table);
    EXPECT_EQ(selected, losses);
}

SessionRow session_with(uint32_t burst, Ternary immediate) {
    SessionRow row;
    row.initiator_name = "iqn.a";
    row.target_name = "iqn.t";
    row.max_burst_length = burst;
    row.immediate_data = immediate;
    return row;
}

TEST(NegotiatedParameters, WhatFewerSessionsHaveStandsOut) {
    ResultStore store(ResultStore::Keep::everything());
    for (const SessionRow& row : {session_with(262144, Ternary::yes), session_with(262144, Ternary::unknown),
                                  session_with(65536, Ternary::yes)}) {
        uint32_t number = 0;
        store.add_session(number) = row;
    }
    const StatisticsTable table = negotiated_parameters(store, nullptr);
    ASSERT_EQ(table.columns.size(), 4);
    for (const auto& row : table.rows) {
        const QString key = row.cells[0].text();
        if (key == QStringLiteral("MaxBurstLength")) {
            EXPECT_FALSE(row.cells[1].stands_out);
            EXPECT_TRUE(row.cells[3].stands_out);
            EXPECT_TRUE(row.cells[0].stands_out);
        } else {
            EXPECT_FALSE(row.cells[0].stands_out) << key.toStdString();
        }
        // What was not seen, captured or not, is no value that differs.
        if (key == QStringLiteral("ImmediateData")) {
            EXPECT_EQ(row.cells[2].text(), QStringLiteral("not seen"));
            EXPECT_FALSE(row.cells[2].stands_out);
        }
    }
}

StatisticsTable table_with(const std::vector<double>& values) {
    StatisticsTable table;
    table.columns = {QStringLiteral("row"), QStringLiteral("value")};
    for (const double value : values) {
        StatisticsTable::Row row;
        row.cells = {{QString::number(table.rows.size()), std::nullopt},
                     {{}, value, StatisticsTable::Format::number, false, true}};
        table.rows.push_back(std::move(row));
    }
    table.complete = true;
    return table;
}

std::string shown_by(const StatisticsModel& model) {
    QStringList texts;
    for (int row = 0; row < model.rowCount(); ++row) texts << model.index(row, 1).data().toString();
    return texts.join(QLatin1Char(' ')).toStdString();
}

TEST(StatisticsModel, KeepsOrderAndSelectionAsFiguresFollow) {
    StatisticsModel model;
    model.show(table_with({9, 10, 2}));
    EXPECT_EQ(shown_by(model), "9 10 2");
    // By what they stand for: 10 is more than 9.
    model.sort(1, Qt::DescendingOrder);
    EXPECT_EQ(shown_by(model), "10 9 2");
    const QPersistentModelIndex selected(model.index(2, 0));
    ASSERT_EQ(selected.data().toString(), QStringLiteral("2"));
    model.show(table_with({9, 10, 30, 20}));
    EXPECT_EQ(shown_by(model), "30 20 10 9");
    EXPECT_EQ(selected.row(), 0);
    EXPECT_EQ(selected.data().toString(), QStringLiteral("2"));
    EXPECT_EQ(model.headerData(1, Qt::Horizontal, Qt::InitialSortOrderRole).toInt(), Qt::DescendingOrder);
    EXPECT_EQ(model.longest_text(1), QStringLiteral("value"));
}

using StatisticsViewTest = testing_gui::ShownView<StatisticsView>;

TEST_F(StatisticsViewTest, ShowsAPageAndFiltersByARow) {
    open(lossy);
    view->show_page(StatisticsPage::service_response_times);
    settle();
    QString expression;
    QString over;
    QObject::connect(view.get(), &StatisticsView::filter_wanted,
                     [&](const QString& text, const QString& table) {
                         expression = text;
                         over = table;
                     });
    QTableView* const table = &view->table();
    ASSERT_EQ(table->model()->rowCount(), static_cast<int>(view->statistics().rows.size()));
    const int longest = static_cast<int>(column_of(view->statistics(), QStringLiteral("Longest")));
    QHeaderView& header = *table->horizontalHeader();
    table->scrollTo(table->model()->index(0, longest));
    testing_gui::click(*header.viewport(),
                       QPointF(header.sectionViewportPosition(longest) + header.sectionSize(longest) / 2.0,
                               header.height() / 2.0));
    EXPECT_EQ(header.sortIndicatorOrder(), Qt::DescendingOrder);
    Q_EMIT table->activated(table->model()->index(0, 0));
    EXPECT_EQ(over, QStringLiteral("commands"));
    // The slowest of all is a write of 47.6 ms.
    EXPECT_EQ(table->model()->index(0, 0).data().toString(), QStringLiteral("WRITE(16)"));
    EXPECT_EQ(expression, QStringLiteral("opcode == 0x8a"));
}

TEST_F(StatisticsViewTest, FollowTheSelectedRangeOnceToldTo) {
    open(lossy);
    view->show_page(StatisticsPage::service_response_times);
    settle();
    auto* const note = view->findChild<QLabel*>();
    const auto calls = [&] { return sum_of(view->statistics(), QStringLiteral("Calls")); };
    const double all = calls();
    EXPECT_TRUE(note->text().startsWith(QStringLiteral("Of all of the capture.")))
        << note->text().toStdString();
    const TimeRange whole = document->state().whole();
    const TimeRange selected{whole.begin_ns + whole.span_ns() / 5, whole.begin_ns + whole.span_ns() / 2};
    document->state().set_selected_range(selected);
    settle();
    EXPECT_EQ(calls(), all);
    view->limit_to_range(true);
    settle();
    const double in_range = calls();
    EXPECT_GT(in_range, 0);
    EXPECT_LT(in_range, all);
    EXPECT_TRUE(note->text().startsWith(QStringLiteral("Of the selected range: ")))
        << note->text().toStdString();
    // It is in sight, and then no longer selected: the figures stay, what they are of does not.
    document->state().set_range(selected);
    settle();
    ASSERT_EQ(document->state().range(), selected);
    document->state().set_selected_range({});
    EXPECT_TRUE(note->text().startsWith(QStringLiteral("Of the range in sight: ")))
        << note->text().toStdString();
    // None is selected: what is in sight.
    document->state().set_range(whole);
    ASSERT_TRUE(testing_gui::wait_until([&] { return view->settled() && calls() == all; }));
    EXPECT_TRUE(note->text().startsWith(QStringLiteral("Of the range in sight: ")))
        << note->text().toStdString();
    view->show_page(StatisticsPage::negotiated_parameters);
    settle();
    EXPECT_TRUE(note->text().startsWith(QStringLiteral("Of all of the capture")))
        << note->text().toStdString();
}

}  // namespace
}  // namespace sanscope
