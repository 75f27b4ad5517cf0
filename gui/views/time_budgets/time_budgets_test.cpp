// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "gui/models/filter_job.h"
#include "gui/models/table_access.h"
#include "gui/plot/budget_colors.h"
#include "gui/testing/pointer_events.h"
#include "gui/testing/shown_view.h"
#include "gui/views/time_budgets/time_budgets_view.h"

#include "analyzer/query/row_filter.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

using testing::HasSubstr;
using testing_gui::loaded_sample;
using testing_gui::opened;
using testing_gui::sample;
using testing_gui::wait_until;
using ScopeKind = ConnectionChooser::Scope::Kind;

constexpr const char* lossy = "loss-mixed-initiator.pcap.zst";
constexpr const char* samples[] = {lossy, "two-sessions.pcap.lz4", "check-conditions.pcap",
                                   "task-management.pcap.zst", "killed-initiator.pcap.zst"};
const StopFlag go_on = false;
const ConnectionChooser::Scope everybody{ScopeKind::all, 0};

class OfSample : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        document = loaded_sample(GetParam());
        ASSERT_TRUE(document);
        reading.emplace(document->data()->read());
        parts = CommandParts::of(*reading, go_on);
        ASSERT_NE(parts, nullptr);
        whole = document->state().whole();
        for (size_t row = 0; row < commands().size(); ++row) {
            CommandBudget budget;
            if (commands()[row].turnaround_ns() == no_time) continue;
            ASSERT_TRUE(reading->budgets()->find(row + 1, budget));
            budgets[row] = budget.parts();
        }
    }
    const ChunkedRows<CommandRow>& commands() const { return reading->store().commands(); }
    // All of it, and a third in the midst of the commands.
    std::vector<std::optional<TimeRange>> ranges() const {
        if (parts->items().size() < 3) return {std::nullopt};
        const auto& items = parts->items();
        return {std::nullopt, TimeRange{items[items.size() / 3].end_ns, items[items.size() * 2 / 3].end_ns}};
    }

    std::unique_ptr<Document> document;
    std::optional<CaptureData::Reading> reading;
    std::shared_ptr<const CommandParts> parts;
    TimeRange whole;
    std::map<size_t, BudgetSums> budgets;  // by row, of those that have a turnaround
};

INSTANTIATE_TEST_SUITE_P(Samples, OfSample, testing::ValuesIn(samples));

BudgetSums added(BudgetSums sums, const BudgetSums& more) {
    for (size_t i = 0; i < budget_parts; ++i) sums[i] += more[i];
    return sums;
}

TEST_P(OfSample, ThePartsOfEachCommandAddUpToItsTurnaround) {
    EXPECT_EQ(parts->items().size(), budgets.size());
    EXPECT_TRUE(std::ranges::is_sorted(parts->items(), {}, &CommandParts::Item::end_ns));
    BudgetSums sums{};
    for (const CommandParts::Item& item : parts->items()) {
        BudgetSums own{};
        parts->parts_of(item, [&](size_t part, int64_t ns) { own[part] = ns; });
        EXPECT_EQ(own, budgets.at(item.row));
        EXPECT_EQ(sum_of(own), commands()[item.row].turnaround_ns());
        EXPECT_EQ(item.end_ns, commands()[item.row].response_ns);
        sums = added(sums, own);
    }
    EXPECT_EQ(parts->sums(), sums);
}

TEST_P(OfSample, AColumnHasThePartsOfTheCommandsThatCompletedInIt) {
    std::vector<ConnectionChooser::Scope> scopes{everybody, {ScopeKind::connection, 1}};
    for (uint32_t session = 1; session <= reading->store().sessions().size(); ++session) {
        scopes.push_back({ScopeKind::session, session});
    }
    FilterResult filter;
    filter.rows.commands = RowSet(commands().size());
    for (size_t row = 0; row < commands().size(); row += 3) filter.rows.commands.set(row);
    for (const auto& scope : scopes) {
        for (const FilterResult* passing : std::array<const FilterResult*, 2>{nullptr, &filter}) {
            for (const double pixels : {40.0, 1200.0}) {
                const auto prepared = PreparedRange::around({whole, 0, pixels});
                const PartsPicture picture = prepare_parts(*reading, *parts, scope, prepared, passing);
                std::vector<PartsColumn> expected(picture.columns.size());
                for (const auto& [row, own] : budgets) {
                    const CommandRow& command = commands()[row];
                    const bool in_scope =
                        scope.kind == ScopeKind::all ||
                        (scope.kind == ScopeKind::session ? command.session == scope.number
                                                          : command.connection == scope.number);
                    if (!in_scope || (passing != nullptr && row % 3 != 0)) continue;
                    const auto at = static_cast<size_t>((command.response_ns - prepared.range.begin_ns) /
                                                        picture.column_ns);
                    ASSERT_LT(at, expected.size());
                    ++expected[at].commands;
                    expected[at].sums = added(expected[at].sums, own);
                    for (size_t part = 0; part < budget_parts; ++part) {
                        expected[at].most_ns[part] = std::max(expected[at].most_ns[part], own[part]);
                    }
                }
                for (size_t i = 0; i < expected.size(); ++i) {
                    const PartsColumn& column = picture.columns[i];
                    EXPECT_EQ(column.commands, expected[i].commands);
                    EXPECT_EQ(column.sums, expected[i].sums);
                    EXPECT_EQ(column.most_ns, expected[i].most_ns);
                    for (size_t part = 0; part < budget_parts; ++part) {
                        if (column.most_ns[part] == 0) continue;
                        EXPECT_EQ(budgets.at(column.worst[part])[part], column.most_ns[part]);
                    }
                }
            }
        }
    }
}

// As docs/where-the-time-goes.md and the table `budgets` part commands.
struct Membership {
    uint64_t session;
    uint64_t lun;
    int direction;  // 0 READ, 1 WRITE, 2 neither
    uint64_t size_class;
};

Membership membership_of(const CommandRow& row) {
    uint64_t size_class = 0;
    if (row.bytes != unknown<uint64_t> && row.bytes > 0) {
        size_class = 1;
        while (size_class < row.bytes) size_class *= 2;
    }
    return {row.session, row.lun,
            is_read_opcode(row.opcode)    ? 0
            : is_write_opcode(row.opcode) ? 1
                                          : 2,
            size_class};
}

bool is_in(const Breakdown::Group& group, const CommandRow& row) {
    const Membership of = membership_of(row);
    return (!group.session || *group.session == of.session) && (!group.lun || *group.lun == of.lun) &&
           (!group.transfer || static_cast<int>(*group.transfer) == of.direction) &&
           (!group.size_class || *group.size_class == of.size_class);
}

constexpr BreakdownBy ways[] = {BreakdownBy::session, BreakdownBy::lun, BreakdownBy::transfer,
                                BreakdownBy::size, BreakdownBy::all_of_these};

TEST_P(OfSample, EachCommandIsInOneGroupOfABreakdown) {
    for (const BreakdownBy by : ways) {
        for (const auto& range : ranges()) {
            const Breakdown breakdown = break_down(*reading, *parts, {everybody, range, by, nullptr}, go_on);
            ASSERT_TRUE(breakdown.complete);
            Breakdown::Group all;
            for (const auto& group : breakdown.groups) {
                uint64_t count = 0;
                BudgetSums sums{};
                for (const auto& [row, own] : budgets) {
                    const CommandRow& command = commands()[row];
                    if (!is_in(group, command) || (range && !range->contains(command.response_ns))) continue;
                    ++count;
                    sums = added(sums, own);
                }
                EXPECT_GT(count, 0u);
                EXPECT_EQ(group.commands, count);
                EXPECT_EQ(group.sums, sums);
                all.commands += count;
                all.sums = added(all.sums, sums);
            }
            EXPECT_EQ(breakdown.all.commands, all.commands);
            EXPECT_EQ(breakdown.all.sums, all.sums);
            EXPECT_TRUE(
                std::ranges::is_sorted(breakdown.groups, std::greater(), &Breakdown::Group::turnaround_ns));
        }
    }
}

// The filter that a click makes: over the same table, by the same language as the filter line and `--where`.
TEST_P(OfSample, TheFilterOfAPartSelectsExactlyTheCommandsThatHaveIt) {
    const auto table = make_table(*reading, "commands");
    const auto passing = [&](const QString& expression) {
        const auto compiled = RowFilter::compile(expression.toStdString(), "commands", table->columns());
        EXPECT_TRUE(std::holds_alternative<RowFilter>(compiled)) << expression.toStdString();
        std::vector<size_t> rows;
        if (!std::holds_alternative<RowFilter>(compiled)) return rows;
        RowTest test(std::get<RowFilter>(compiled), *table);
        for (size_t row = 0; row < table->rows(); ++row) {
            if (test(row)) rows.push_back(row);
        }
        return rows;
    };
    auto filter = std::make_shared<FilterResult>();
    filter->expression = "bytes >= 16KiB or not bytes";
    filter->table = "commands";
    filter->rows.commands = RowSet(commands().size());
    for (const size_t row : passing(QString::fromStdString(filter->expression)))
        filter->rows.commands.set(row);
    std::vector<BreakdownQuestion> questions;
    for (const BreakdownBy by : ways) {
        for (const auto& range : ranges()) {
            questions.push_back({everybody, range, by, nullptr});
            questions.push_back({{ScopeKind::session, 1}, range, by, filter});
            questions.push_back({{ScopeKind::connection, 1}, range, by, nullptr});
        }
    }
    size_t tried = 0;
    for (const BreakdownQuestion& question : questions) {
        const Breakdown breakdown = break_down(*reading, *parts, question, go_on);
        for (const auto& group : breakdown.groups) {
            for (size_t i = 0; i <= budget_parts; ++i) {
                const auto part = i < budget_parts ? std::optional(static_cast<BudgetPart>(i)) : std::nullopt;
                std::vector<size_t> expected;
                BudgetSums sums{};
                for (const auto& [row, own] : budgets) {
                    const CommandRow& command = commands()[row];
                    if (!is_in(group, command) || !holds(question.scope, command)) continue;
                    if (question.range && !question.range->contains(command.response_ns)) continue;
                    if (question.filter && !question.filter->rows.commands.test(row)) continue;
                    if (part && own[i] == 0) continue;
                    expected.push_back(row);
                    sums = added(sums, own);
                }
                const QString expression = filter_text(question, group, part);
                EXPECT_EQ(passing(expression), expected) << expression.toStdString();
                // Nothing of what the row tells of the part is left out.
                EXPECT_TRUE(!part || sums[i] == group.sums[i]) << expression.toStdString();
                ++tried;
            }
        }
    }
    EXPECT_GT(tried, 20u);
}

TEST(BreakdownFilter, SaysWhatIsUnknownAndTheGreatestSizes) {
    Breakdown::Group group;
    group.session = 0;
    group.lun = unknown<uint64_t>;
    group.size_class = 0;
    EXPECT_EQ(
        filter_text({everybody, {}, BreakdownBy::lun, nullptr}, group, BudgetPart::timeout).toStdString(),
        "not session && not lun && not bytes > 0 && budget_timeout_ns > 0");
    group = {};
    group.size_class = uint64_t{1} << 63;
    EXPECT_EQ(filter_text({everybody, {}, BreakdownBy::size, nullptr}, group, std::nullopt).toStdString(),
              "bytes > 4611686018427387904 && turnaround_ns");
    // What the language of Wireshark says cannot stand among columns.
    auto wireshark = std::make_shared<FilterResult>();
    wireshark->expression = "tcp.analysis.retransmission";
    EXPECT_EQ(filter_text({everybody, {}, BreakdownBy::size, wireshark}, {}, BudgetPart::wire).toStdString(),
              "budget_wire_ns > 0");
}

class TimeBudgetsViewTest : public testing_gui::ShownView<TimeBudgetsView> {
  protected:
    void open(const char* name) {
        ShownView::open(name);
        QObject::connect(view.get(), &TimeBudgetsView::commands_wanted, view.get(),
                         [this](const QString& filter, const QString& column) {
                             wanted_filter = filter;
                             wanted_column = column;
                         });
    }
    // What the filter line does with a filter.
    void apply(const QString& expression) {
        const auto compiled =
            RowFilter::compile(expression.toStdString(), "commands", columns_of_table("commands"));
        ASSERT_TRUE(std::holds_alternative<RowFilter>(compiled)) << expression.toStdString();
        FilterProgress progress;
        const auto outcome = run_column_filter(*document->data(), "commands", std::get<RowFilter>(compiled),
                                               expression.toStdString(), progress, go_on);
        ASSERT_NE(outcome.result, nullptr);
        document->state().set_filter(outcome.result);
        settle();
    }
    size_t busiest_column() const {
        const auto& columns = view->picture().columns;
        return static_cast<size_t>(
            std::ranges::max_element(columns, {},
                                     [](const PartsColumn& column) { return sum_of(column.sums); }) -
            columns.begin());
    }
    const BreakdownModel& model() const { return view->table().breakdown_model(); }

    QString wanted_filter;
    QString wanted_column;
};

// As pixels: the stack is as high as the mean turnaround, and each part has its share of it.
TEST_F(TimeBudgetsViewTest, WhatIsDrawnAddsUpToTheTurnaround) {
    open(lossy);
    // Where the commands are.
    const int64_t begin_ns = document->state().whole().begin_ns;
    document->state().set_range({begin_ns, begin_ns + 390'000'000});
    settle();
    const Theme& theme = Theme::of(view->palette());
    QImage image(view->size(), QImage::Format_RGB32);
    QPainter painter(&image);
    view->draw(painter);
    painter.end();
    const PartsPicture& picture = view->picture();
    size_t seen = 0;
    for (const PlotPane* const pane : {&view->mean_pane(), &view->share_pane()}) {
        const QPoint origin = view->plot().pos();
        const ValueScale scale = pane->scale();
        for (size_t i = 0; i < picture.columns.size(); ++i) {
            const PartsColumn& column = picture.columns[i];
            if (column.commands == 0) continue;
            const double left = std::floor(pane->viewport().x_of(picture.begin_of(i)));
            const double right = std::floor(pane->viewport().x_of(picture.begin_of(i + 1)));
            const int x = static_cast<int>((left + right) / 2) + origin.x();
            if (left < pane->area().left() || right > pane->area().right()) continue;
            ++seen;
            std::map<QRgb, int> heights;
            for (int y = pane->area().top(); y <= pane->area().bottom(); ++y)
                ++heights[image.pixel(x, y + origin.y())];
            const auto whole = static_cast<double>(sum_of(column.sums));
            const double of_one =
                pane == &view->mean_pane() ? 1 / static_cast<double>(column.commands) : 100 / whole;
            double drawn = 0;
            for (size_t part = 0; part < budget_parts; ++part) {
                const QRgb color = budget_color(theme, static_cast<BudgetPart>(part)).rgb();
                if (static_cast<BudgetPart>(part) == BudgetPart::unknown) continue;
                const double expected =
                    scale.y_of(0) - scale.y_of(static_cast<double>(column.sums[part]) * of_one);
                EXPECT_NEAR(heights[color], expected, 2.0)
                    << budget_part_name(static_cast<BudgetPart>(part)) << " of column " << i;
                drawn += heights[color];
            }
            if (column.sums.back() == 0) {
                EXPECT_NEAR(drawn, scale.y_of(0) - scale.y_of(whole * of_one), 2.0) << i;
            }
        }
    }
    EXPECT_GT(seen, 20u);
}

TEST_F(TimeBudgetsViewTest, PercentagesAreOfTheGroupsTurnarounds) {
    open("two-sessions.pcap.lz4");
    const auto reading = document->data()->read();
    for (int row = 0; row < model().rowCount(); ++row) {
        const Breakdown::Group& group = model().group_at(row);
        int64_t turnarounds = 0;
        for (const CommandRow& command : reading.store().commands()) {
            if (command.turnaround_ns() != no_time && (!group.session || command.session == *group.session)) {
                turnarounds += command.turnaround_ns();
            }
        }
        double shares = 0;
        for (int column = BreakdownModel::first_part; column < model().columnCount(); ++column) {
            const double share =
                model().data(model().index(row, column), BreakdownModel::share_role).toDouble();
            const auto part = static_cast<size_t>(*model().part_at(column));
            EXPECT_DOUBLE_EQ(share, static_cast<double>(group.sums[part]) / static_cast<double>(turnarounds));
            shares += share;
        }
        EXPECT_NEAR(shares, 1, 1e-9);
    }
}

TEST_F(TimeBudgetsViewTest, AClickOnAPartOfARowWantsItsCommands) {
    open("two-sessions.pcap.lz4");
    view->set_breakdown(BreakdownBy::all_of_these);
    settle();
    BreakdownTable& table = view->table();
    ASSERT_GT(model().rowCount(), 2);
    int clicks = 0;
    for (int row = 0; row < std::min(3, model().rowCount()); ++row) {
        for (int column = BreakdownModel::first_part; column < model().columnCount(); ++column) {
            const Breakdown::Group group = model().group_at(row);
            const BudgetPart part = *model().part_at(column);
            const QModelIndex index = model().index(row, column);
            table.scrollTo(index);
            wanted_filter.clear();
            testing_gui::send_mouse(*table.viewport(), QEvent::MouseButtonRelease,
                                    table.visualRect(index).center(), Qt::LeftButton);
            if (group.sums[static_cast<size_t>(part)] == 0) {
                EXPECT_TRUE(wanted_filter.isEmpty());
                continue;
            }
            ++clicks;
            EXPECT_EQ(wanted_filter, filter_text(model().breakdown().question, group, part));
            EXPECT_EQ(wanted_column.toStdString(), "budget_" + std::string(budget_part_name(part)) + "_ns");
        }
    }
    EXPECT_GT(clicks, 3);
    // The bar of all parts: each where it is drawn.
    const QModelIndex bar = model().index(0, BreakdownModel::bar);
    table.scrollTo(bar);
    constexpr int margin = 4;
    const QRect cell = table.visualRect(bar);
    for (const BudgetSegment& segment :
         budget_segments(model().group_at(0).sums, cell.width() - 2 * margin)) {
        if (segment.right - segment.left < 3) continue;
        testing_gui::send_mouse(
            *table.viewport(), QEvent::MouseButtonRelease,
            QPointF(cell.left() + margin + (segment.left + segment.right) / 2, cell.center().y()),
            Qt::LeftButton);
        EXPECT_EQ(wanted_filter,
                  filter_text(model().breakdown().question, model().group_at(0), segment.part));
    }
    table.scrollTo(model().index(0, BreakdownModel::group));
    // A group's name stands for all its commands.
    testing_gui::send_mouse(*table.viewport(), QEvent::MouseButtonRelease,
                            table.visualRect(model().index(0, BreakdownModel::group)).center(),
                            Qt::LeftButton);
    EXPECT_EQ(wanted_column.toStdString(), "turnaround_ns");
}

// Else a click on a part would leave nothing else to click on.
TEST_F(TimeBudgetsViewTest, ItGoesOnToShowWhatItWasAskedAboutOnceItsFilterIsApplied) {
    open(lossy);
    ASSERT_EQ(model().rowCount(), 1);
    const uint64_t all = model().breakdown().all.commands;
    ASSERT_FALSE(view->legend().entries().empty());
    for (const LegendRow::Entry& entry : view->legend().entries()) ASSERT_TRUE(entry.act);
    view->legend().entries().back().act();
    ASSERT_FALSE(wanted_filter.isEmpty());
    apply(wanted_filter);
    EXPECT_EQ(model().breakdown().all.commands, all);
    // Any other filter chooses what is shown, and is part of what a click asks for.
    apply(QStringLiteral("bytes > 64KiB"));
    const uint64_t some = model().breakdown().all.commands;
    EXPECT_LT(some, all);
    EXPECT_GT(some, 0u);
    view->legend().entries().front().act();
    EXPECT_THAT(wanted_filter.toStdString(), HasSubstr("(bytes > 64KiB) && "));
    apply(wanted_filter);
    EXPECT_EQ(model().breakdown().all.commands, some);
}

TEST_F(TimeBudgetsViewTest, TheTableIsOfWhatIsInSight) {
    open(lossy);
    const TimeRange whole = document->state().whole();
    EXPECT_FALSE(model().breakdown().question.range);
    const TimeRange part{whole.begin_ns + 100'000'000, whole.begin_ns + 200'000'000};
    document->state().set_range(part);
    settle();
    EXPECT_EQ(model().breakdown().question.range, part);
    const auto reading = document->data()->read();
    uint64_t expected = 0;
    for (const CommandRow& row : reading.store().commands())
        expected += row.turnaround_ns() != no_time && part.contains(row.response_ns) ? 1U : 0U;
    EXPECT_EQ(model().breakdown().all.commands, expected);
    // Behind the last command.
    document->state().set_range({whole.end_ns - 100'000'000, whole.end_ns});
    settle();
    EXPECT_EQ(model().rowCount(), 0);
    EXPECT_TRUE(view->table().isHidden());
    EXPECT_THAT(view->message().toStdString(), HasSubstr("No command completed"));
}

TEST_F(TimeBudgetsViewTest, HoverNamesThePartAndAClickSelectsItsWorstCommand) {
    open(lossy);
    const size_t index = busiest_column();
    const PartsColumn column = view->picture().columns[index];
    const PlotPane& pane = view->share_pane();
    const double x = pane.viewport().x_of(view->picture().begin_of(index) + view->picture().column_ns / 2);
    double up_to = 0;
    for (size_t part = 0; part < budget_parts; ++part) {
        const double share =
            100 * static_cast<double>(column.sums[part]) / static_cast<double>(sum_of(column.sums));
        up_to += share;
        if (share < 5) continue;
        const QPoint at = QPointF(x, pane.scale().y_of(up_to - share / 2)).toPoint();
        const std::string text = view->text_at(at).toStdString();
        EXPECT_THAT(text, HasSubstr("Most " + std::string(budget_part_title(static_cast<BudgetPart>(part)))));
        EXPECT_THAT(text, HasSubstr("commands completed within"));
        testing_gui::click(view->plot(), at);
        EXPECT_EQ(document->state().selection(),
                  (Selection{Selection::Kind::command, uint64_t{column.worst[part]} + 1}));
    }
}

TEST(TimeBudgetsViewLoading, SaysThatPartsComeOnceTheCaptureIsRead) {
    const auto document = opened(sample(lossy));
    TimeBudgetsView view(*document, nullptr);
    view.resize(900, 600);
    view.show();
    ASSERT_TRUE(document->loading());
    EXPECT_THAT(view.message().toStdString(), HasSubstr("once the capture is read"));
    EXPECT_TRUE(view.picture().columns.empty());
    // How long the capture is becomes known somewhat later than that it was read.
    ASSERT_TRUE(wait_until([&] { return !document->loading() && view.settled() && view.picture().known; }));
    EXPECT_EQ(view.message(), QString());
    EXPECT_GT(view.table().breakdown_model().rowCount(), 0);
}

TEST(TimeBudgetsViewWithoutCommands, SaysSo) {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("none.pcap"));
    // A pcap file of one packet that is none of TCP.
    std::ofstream file(path.toStdString(), std::ios::binary);
    const auto little = [&](uint32_t value) {
        for (int i = 0; i < 4; ++i) file.put(static_cast<char>(value >> (8 * i)));
    };
    for (const uint32_t word : {0xa1b2c3d4U, 0x00040002U, 0U, 0U, 65535U, 1U, 1'700'000'000U, 0U, 60U, 60U})
        little(word);
    file << std::string(60, '\0');
    file.close();
    const auto document = testing_gui::loaded(path);
    ASSERT_TRUE(document);
    TimeBudgetsView view(*document, nullptr);
    view.resize(900, 600);
    view.show();
    ASSERT_TRUE(wait_until([&] { return view.settled(); }));
    EXPECT_THAT(view.message().toStdString(), HasSubstr("No SCSI command"));
    EXPECT_TRUE(view.table().isHidden());
}

}  // namespace
}  // namespace sanscope
