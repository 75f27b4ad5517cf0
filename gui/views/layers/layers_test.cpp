// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QComboBox>
#include <QFontMetrics>
#include <QKeyEvent>
#include <QTemporaryDir>
#include <algorithm>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <random>

#include "gui/plot/budget_colors.h"
#include "gui/plot/text_scale.h"
#include "gui/senders/connection_chooser.h"
#include "gui/testing/loaded_document.h"
#include "gui/testing/pointer_events.h"
#include "gui/views/layers/lane_columns.h"
#include "gui/views/layers/lanes/lane_geometry.h"
#include "gui/views/layers/lanes/lane_painting.h"
#include "gui/views/layers/layers_layout.h"
#include "gui/views/layers/layers_picture.h"
#include "gui/views/layers/layers_view.h"

namespace sanscope {
namespace {

using testing_gui::loaded;
using testing_gui::opened;
using testing_gui::sample;
using testing_gui::wait_until;

constexpr const char* samples[] = {"loss-mixed-initiator.pcap.zst", "loss-mixed-target.pcap.zst",
                                   "killed-initiator.pcap.zst",     "task-management.pcap.zst",
                                   "reads-256k-qd4.pcapng.zst",     "mid-connection.pcap.zst",
                                   "check-conditions.pcap",         "snap128-reads-64k-qd32.pcap.zst"};

// A grid of so many columns, more or less, about a stretch of the capture.
PreparedRange grid_of(TimeRange range, double columns) {
    return PreparedRange::around({range, 0, columns / 2});
}

// Stretches of a capture at every scale.
std::vector<TimeRange> stretches(TimeRange whole, uint32_t seed) {
    std::vector<TimeRange> ranges{whole};
    std::mt19937_64 random(seed);
    for (int64_t span = whole.span_ns() / 3; span > 500; span /= 7) {
        const auto begin = static_cast<int64_t>(random() % static_cast<uint64_t>(whole.span_ns() - span));
        ranges.push_back({whole.begin_ns + begin, whole.begin_ns + begin + span});
    }
    return ranges;
}

uint32_t first_track(const CaptureData::Reading& reading) {
    for (uint32_t number = 1; number <= reading.store().connections().size(); ++number) {
        const ConnectionTrack* track = reading.timeline().track(number);
        if (track != nullptr && !track->commands.empty()) return number;
    }
    return 0;
}

std::shared_ptr<FilterResult> every_third(const ResultStore& store) {
    auto filter = std::make_shared<FilterResult>();
    const auto thirds = [](size_t rows) {
        RowSet set(rows);
        for (size_t i = 0; i < rows; i += 3) set.set(i);
        return set;
    };
    filter->rows.packets = thirds(store.segments().size());
    filter->rows.commands = thirds(store.commands().size());
    filter->rows.pdus = thirds(store.pdus().size());
    filter->rows.losses = thirds(store.losses().size());
    return filter;
}

class Samples : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        document = loaded(sample(GetParam()));
        ASSERT_TRUE(document);
        reading.emplace(document->data()->read());
        connection = first_track(*reading);
        ASSERT_NE(connection, 0u);
        rows.emplace(*reading, connection);
        whole = document->state().whole();
    }
    const ResultStore& store() const { return reading->store(); }
    int64_t begin_of(const CommandRow& row) const { return Timeline::start_of(row); }
    int64_t end_of(const CommandRow& row) const {
        const int64_t end = reading->timeline().end_of(row);
        return end == no_time ? std::max(reading->timeline().last_ns() + 1, begin_of(row)) : end;
    }

    std::unique_ptr<Document> document;
    std::optional<CaptureData::Reading> reading;
    std::optional<TrackRows> rows;
    uint32_t connection = 0;
    TimeRange whole;
};

INSTANTIATE_TEST_SUITE_P(Of, Samples, testing::ValuesIn(samples));

TEST_P(Samples, CommandsUnderWayAreThoseThatReachIntoTheRange) {
    const ReachIndex reach = ReachIndex::of(*rows);
    for (const TimeRange& range : stretches(whole, 1)) {
        std::vector<uint32_t> found;
        commands_under_way(*rows, reach, range, found);
        std::vector<uint32_t> expected;
        for (uint32_t i = 0; i < rows->track().commands.size(); ++i) {
            const CommandRow& row = store().commands()[rows->track().commands[i]];
            const int64_t begin = begin_of(row);
            if (begin < range.end_ns && (end_of(row) > range.begin_ns || begin >= range.begin_ns))
                expected.push_back(i);
        }
        EXPECT_EQ(found, expected) << range.span_ns();
    }
}

// As a capture grows: whatever was known by then, the whole is known in the end.
TEST(ReachIndex, FollowsACaptureThatGrows) {
    QString error;
    const auto growing = Document::open(testing_gui::sample("loss-mixed-initiator.pcap.zst"), error);
    ASSERT_NE(growing, nullptr) << error.toStdString();
    ReachIndex followed;
    bool done = false;
    QObject::connect(growing.get(), &Document::loaded, [&] { done = true; });
    const auto look = [&] {
        const CaptureData::Reading reading = growing->data()->read();
        if (reading.timeline().track(1) != nullptr) followed.follow(TrackRows(reading, 1));
    };
    ASSERT_TRUE(testing_gui::wait_until([&] {
        look();
        return done;
    }));
    look();
    const CaptureData::Reading reading = growing->data()->read();
    const ReachIndex whole = ReachIndex::of(TrackRows(reading, 1));
    EXPECT_GT(whole.longest_pdu_ns, 0);
    EXPECT_EQ(followed.without_turnaround, whole.without_turnaround);
    EXPECT_EQ(followed.longest_pdus_ns, whole.longest_pdus_ns);
    EXPECT_EQ(followed.longest_pdu_ns, whole.longest_pdu_ns);
    EXPECT_EQ(followed.commands_end_ns, whole.commands_end_ns);
}

TEST_P(Samples, PdusUnderWayAreThoseWithAPacketInTheRange) {
    const ReachIndex reach = ReachIndex::of(*rows);
    for (const TimeRange& range : stretches(whole, 2)) {
        std::vector<uint32_t> found;
        pdus_under_way(*rows, reach, range, found);
        std::vector<uint32_t> expected;
        for (uint32_t i = 0; i < rows->track().pdus.size(); ++i) {
            const PduRow& row = store().pdus()[rows->track().pdus[i]];
            const int64_t end = row.time_ns != no_time ? row.time_ns : rows->time_of(row.first_packet);
            const int64_t begin = std::min(rows->time_of(row.first_packet), end);
            if (begin < range.end_ns && end >= range.begin_ns) expected.push_back(i);
        }
        EXPECT_EQ(found, expected) << range.span_ns();
    }
}

// Each column alone, from the definition.
CommandColumn brute_force(const TrackRows& rows, const ResultStore& store, TimeRange column, TimeRange grid,
                          int64_t last_ns, const Timeline& timeline, const FilterResult* filter) {
    CommandColumn expected;
    std::vector<std::pair<int64_t, int64_t>> spans;
    for (const uint32_t index : rows.track().commands) {
        if (filter != nullptr && !filter->rows.commands.test(index)) continue;
        const CommandRow& row = store.commands()[index];
        const int64_t begin = Timeline::start_of(row);
        int64_t end = timeline.end_of(row);
        if (end == no_time) end = std::max(last_ns + 1, begin);
        end = std::max(end, begin + 1);
        if (begin >= column.end_ns || end <= column.begin_ns) continue;
        if (begin < grid.begin_ns && end <= grid.begin_ns) continue;
        spans.emplace_back(begin, end);
        expected.busy_ns[slowness_class(end - begin)] +=
            std::min(end, column.end_ns) - std::max(begin, column.begin_ns);
        if (column.contains(begin)) ++expected.begun;
        if (failed(row) && end <= column.end_ns) ++expected.bad;
        expected.worst_ns = std::max(expected.worst_ns, end - begin);
    }
    const auto at_once = [&](int64_t at) {
        return static_cast<uint32_t>(
            std::ranges::count_if(spans, [&](auto span) { return span.first <= at && at < span.second; }));
    };
    expected.most = at_once(column.begin_ns);
    for (const auto& span : spans) {
        if (column.contains(span.first)) expected.most = std::max(expected.most, at_once(span.first));
    }
    return expected;
}

TEST_P(Samples, CommandColumnsCountAsOneByOne) {
    const ReachIndex reach = ReachIndex::of(*rows);
    const auto filter = every_third(store());
    for (const FilterResult* which :
         {static_cast<const FilterResult*>(nullptr), static_cast<const FilterResult*>(filter.get())}) {
        for (const TimeRange& range : stretches(whole, 3)) {
            const PreparedRange grid = grid_of(range, 70);
            const auto columns = command_columns(*rows, reach, grid, which);
            ASSERT_EQ(columns.size(), grid.columns());
            for (size_t i = 0; i < columns.size(); ++i) {
                CommandColumn expected =
                    brute_force(*rows, store(), grid.column(i), grid.range, reading->timeline().last_ns(),
                                reading->timeline(), which);
                expected.worst = columns[i].worst;  // of equally slow ones, any
                ASSERT_EQ(columns[i].busy_ns, expected.busy_ns) << i;
                ASSERT_EQ(columns[i].most, expected.most) << i;
                ASSERT_EQ(columns[i], expected) << i << " of " << columns.size();
                if (columns[i].worst_ns == no_time) continue;
                const CommandRow& worst = store().commands()[columns[i].worst];
                EXPECT_EQ(std::max<int64_t>(1, end_of(worst) - begin_of(worst)), columns[i].worst_ns);
            }
        }
    }
}

TEST_P(Samples, TrafficAndPduColumnsCountAsOneByOne) {
    const auto filter = every_third(store());
    for (const FilterResult* which :
         {static_cast<const FilterResult*>(nullptr), static_cast<const FilterResult*>(filter.get())}) {
        for (const TimeRange& range : stretches(whole, 4)) {
            const PreparedRange grid = grid_of(range, 200);
            std::map<size_t, TrafficColumn> traffic;
            for (size_t i = 0; i < store().segments().size(); ++i) {
                const SegmentRow& row = store().segments()[i];
                const int64_t at = reading->timeline().time_of(i + 1);
                if (row.connection != connection || !grid.range.contains(at)) continue;
                if (which != nullptr && !which->rows.packets.test(i)) continue;
                const size_t direction = index_of(rows->connection().role_of(row.sender));
                auto& column = traffic[static_cast<size_t>((at - grid.range.begin_ns) / grid.ns_per_column)];
                ++column.packets[direction];
                column.payload[direction] += row.payload_length;
            }
            const auto columns = traffic_columns(*rows, grid, which);
            for (size_t i = 0; i < columns.size(); ++i) ASSERT_EQ(columns[i], traffic[i]) << i;
            std::map<size_t, PduColumn> pdus;
            for (size_t i = 0; i < store().pdus().size(); ++i) {
                const PduRow& row = store().pdus()[i];
                const int64_t at = row.time_ns != no_time ? row.time_ns : rows->time_of(row.first_packet);
                if (row.connection != connection || !grid.range.contains(at)) continue;
                if (which != nullptr && !which->rows.pdus.test(i)) continue;
                auto& column = pdus[static_cast<size_t>((at - grid.range.begin_ns) / grid.ns_per_column)];
                ++column.pdus[index_of(row.sender)];
                column.bytes[index_of(row.sender)] += row.data_length;
            }
            const auto found = pdu_columns(*rows, grid, which);
            for (size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], pdus[i]) << i;
        }
    }
}

// What was counted once and joined is what is counted for the coarser grid itself.
TEST_P(Samples, SummariesTellWhatCountingAnewWould) {
    TrackSummaries summaries;
    const auto filter = every_third(store());
    for (const auto& which :
         {std::shared_ptr<const FilterResult>(), std::shared_ptr<const FilterResult>(filter)}) {
        for (const TimeRange& range : stretches(whole, 5)) {
            const PreparedRange grid = grid_of(range, 300);
            TrackSummaries::Summary& summary = summaries.of(*rows, connection, true);
            const auto commands = summaries.commands(summary, *rows, grid, which);
            const auto direct = command_columns(*rows, summaries.reach(summary, *rows), grid, which.get());
            ASSERT_EQ(commands.size(), direct.size());
            for (size_t i = 0; i < direct.size(); ++i) {
                CommandColumn expected = direct[i];
                expected.worst = commands[i].worst;
                ASSERT_EQ(commands[i], expected) << i << " in " << range.span_ns();
            }
            EXPECT_EQ(summaries.traffic(summary, *rows, grid, which),
                      traffic_columns(*rows, grid, which.get()));
            EXPECT_EQ(summaries.pdus(summary, *rows, grid, which), pdu_columns(*rows, grid, which.get()));
        }
    }
}

TEST_P(Samples, APictureHoldsEachItemOnceOrColumns) {
    TrackSummaries summaries;
    const auto filter = every_third(store());
    for (const TimeRange& range : stretches(whole, 6)) {
        const PreparedRange prepared = PreparedRange::around({range, 0, 1200});
        const GroupPicture picture =
            prepare_group(*reading, summaries, {connection, true, false}, prepared, {}, filter);
        std::vector<uint32_t> under_way;
        commands_under_way(*rows, ReachIndex::of(*rows), prepared.range, under_way);
        if (picture.command_columns.empty()) {
            ASSERT_EQ(picture.commands.size(), under_way.size());
        } else {
            EXPECT_TRUE(picture.commands.empty());
        }
        // No two bars of a slot overlap.
        std::map<uint16_t, int64_t> until;
        for (const CommandBar& bar : picture.commands) {
            EXPECT_EQ(bar.faint, bar.row % 3 != 0);
            const auto last = until.find(bar.slot);
            if (last != until.end()) {
                EXPECT_GE(bar.begin_ns, last->second) << bar.number();
            }
            until[bar.slot] = bar.end_ns == no_time ? INT64_MAX : bar.end_ns;
        }
        for (const size_t direction : {0u, 1u}) {
            const TrackRows::Run run = rows->segments_in(direction, prepared.range);
            if (picture.ticks_are_all) {
                EXPECT_EQ(picture.ticks[direction].size(), run.size());
            } else {
                EXPECT_TRUE(picture.ticks[direction].empty());
                EXPECT_EQ(picture.traffic.size(), prepared.columns());
                EXPECT_EQ(picture.passing_traffic.size(), prepared.columns());
            }
            size_t losses = 0;
            for (const LaneLoss& mark : picture.losses[direction]) losses += mark.count;
            size_t expected = 0;
            for (uint32_t loss = 0; loss < store().losses().size(); ++loss) {
                const LossRow& row = store().losses()[loss];
                expected += row.connection == connection &&
                            prepared.range.contains(reading->timeline().time_of_loss(loss)) &&
                            rows->direction_of(row.sender) == direction;
            }
            EXPECT_EQ(losses, expected);
            // The states join without a gap, and are those of the last transition before.
            const auto& spans = picture.states[direction];
            for (size_t i = 0; i < spans.size(); ++i) {
                EXPECT_LT(spans[i].begin_ns, spans[i].end_ns);
                if (i > 0) {
                    EXPECT_EQ(spans[i].begin_ns, spans[i - 1].end_ns);
                }
                const int64_t middle = spans[i].begin_ns + (spans[i].end_ns - spans[i].begin_ns) / 2;
                CaState state = CaState::open;
                for (const CaTransitionRow& row : store().ca_transitions()) {
                    if (row.connection == connection && rows->direction_of(row.sender) == direction &&
                        row.time_ns <= middle) {
                        state = row.to;
                    }
                }
                EXPECT_EQ(spans[i].state, state) << i;
            }
        }
    }
}

// Of each bar that is wide enough, and of the selected one at any zoom.
TEST_P(Samples, ThePartsOfACommandAddUpToItsTurnaround) {
    TrackSummaries summaries;
    uint64_t answered = 0;
    for (const uint32_t row : rows->track().commands) {
        if (store().commands()[row].turnaround_ns() != no_time) answered = uint64_t{row} + 1;
    }
    if (answered == 0) GTEST_SKIP() << "no command of this capture has a turnaround";
    SelectedThings selected;
    selected.selection = {Selection::Kind::command, answered};
    selected.command = answered;
    selected.connection = connection;
    size_t with_parts = 0;
    for (TimeRange range : stretches(whole, 9)) {
        const int64_t selected_ns = begin_of(store().commands()[answered - 1]);
        if (range != whole) range = {selected_ns - range.span_ns() / 2, selected_ns + range.span_ns() / 2};
        const PreparedRange prepared = PreparedRange::around({range, 0, 1200});
        const GroupPicture picture =
            prepare_group(*reading, summaries, {connection, true, false}, prepared, selected, nullptr);
        bool selected_has = false;
        for (const CommandBar& bar : picture.commands) {
            const CommandRow& row = store().commands()[bar.row];
            const bool wide = (bar.end_ns - bar.begin_ns) / prepared.ns_per_column >= 24;
            EXPECT_EQ(bar.parts != CommandBar::no_parts,
                      row.turnaround_ns() != no_time && (wide || bar.number() == answered))
                << bar.number();
            if (bar.parts == CommandBar::no_parts) continue;
            EXPECT_EQ(sum_of(picture.command_parts[bar.parts]), row.turnaround_ns()) << bar.number();
            selected_has = selected_has || bar.number() == answered;
            ++with_parts;
        }
        EXPECT_TRUE(selected_has) << range.span_ns();
    }
    EXPECT_GT(with_parts, 0u);
}

TEST_P(Samples, WhileTheyGrowNoConnectionStandsBeforeOneThatCarriedMuchMore) {
    auto growing = survey_groups(*reading, false);
    const auto bytes = [&](const GroupShape& shape) {
        const ConnectionRow& row = store().connections()[shape.connection - 1];
        return row.bytes_in + row.bytes_out;
    };
    for (size_t i = 1; i < growing.size(); ++i) {
        if (store().connections()[growing[i - 1].connection - 1].iscsi !=
            store().connections()[growing[i].connection - 1].iscsi)
            continue;
        EXPECT_LT(bytes(growing[i]), bytes(growing[i - 1]) * 16);
    }
    auto complete = survey_groups(*reading, true);
    std::ranges::sort(growing, {}, &GroupShape::connection);
    std::ranges::sort(complete, {}, &GroupShape::connection);
    EXPECT_EQ(growing, complete);
}

TEST_P(Samples, TheMiddleOfABarIsHitAtAnyZoom) {
    TrackSummaries summaries;
    const auto shapes = survey_groups(*reading, true);
    const auto shape = *std::ranges::find(shapes, connection, &GroupShape::connection);
    const LanePlaces lanes = lanes_of(shape, {true, 0});
    size_t commands = 0;
    size_t pdus = 0;
    size_t packets = 0;
    // About a packet each, from far to near.
    std::vector<TimeRange> ranges;
    const auto& segments = rows->sender(0).segments;
    int64_t span = rows->whole().span_ns();
    for (size_t i = 1; span > 1000; span /= 3, i += 7) {
        const int64_t at = rows->time_of(segments[i * 5 % segments.size()] + 1);
        ranges.push_back({at - span / 2, at + span / 2});
    }
    for (const TimeRange& range : ranges) {
        const TimeViewport viewport{range, 170, 1200};
        const PreparedRange prepared = PreparedRange::around(viewport);
        const GroupPicture picture =
            prepare_group(*reading, summaries, {connection, true, false}, prepared, {}, nullptr);
        for (const LanePlace& lane : lanes.all()) {
            const auto hit = [&](QRectF rect) {
                return lane_of(lane.kind)
                    .hit({picture, prepared, shape, lane, viewport}, rect.center())
                    .selection;
            };
            const auto in_sight = [&](QRectF rect) { return rect.left() > 170 && rect.right() < 1370; };
            if (lane.kind == LaneKind::commands) {
                for (const CommandBar& bar : picture.commands) {
                    const QRectF rect = rect_of(bar, shape, lane, viewport);
                    EXPECT_GE(rect.top(), lane.top);
                    EXPECT_LE(rect.bottom(), lane.top + lane.height);
                    // A bar may be hidden behind one narrower than a pixel.
                    if (!in_sight(rect) || rect.width() < 4 || bar.slot >= most_slots) continue;
                    EXPECT_EQ(hit(rect), (Selection{Selection::Kind::command, bar.number()}));
                    EXPECT_NEAR(rect.left(), viewport.x_of(bar.begin_ns), 0.01);
                    EXPECT_NEAR(rect.right(), viewport.x_of(bar.end_ns), 0.01);
                    ++commands;
                }
            } else if (lane.kind == LaneKind::pdus_in || lane.kind == LaneKind::pdus_out) {
                for (const PduBar& bar : picture.pdus[lane.kind == LaneKind::pdus_in ? 1 : 0]) {
                    const QRectF rect = rect_of(bar, lane, viewport);
                    if (!in_sight(rect) || rect.width() < 8 || bar.damaged) continue;
                    const Selection found = hit(rect);
                    EXPECT_EQ(found.kind, Selection::Kind::pdu);
                    ++pdus;
                }
            } else if (lane.kind == LaneKind::packets && picture.ticks_are_all) {
                for (const PacketTick& tick : picture.ticks[0]) {
                    const QRectF rect = rect_of(tick, lane, greatest_wire_length(picture), viewport);
                    if (!in_sight(rect)) continue;
                    const Selection found = hit(rect);
                    ASSERT_EQ(found.kind, Selection::Kind::packet);
                    const int64_t away = reading->timeline().time_of(found.number) - tick.time_ns;
                    EXPECT_LE(std::abs(away), static_cast<int64_t>(2 * viewport.ns_per_pixel()));
                    ++packets;
                }
            }
        }
    }
    EXPECT_GT(commands, 0u);
    EXPECT_GT(packets, 3u);
    if (store().pdus().size() > 500) {
        EXPECT_GT(pdus, 4u);
    }
}

TEST_P(Samples, TheWindowLaneHasTheFiguresOfTheTable) {
    const TimeRange range = rows->whole();
    const TimeViewport viewport{range, 170, 1200};
    const PreparedRange prepared = PreparedRange::around(viewport);
    TrackSummaries summaries;
    const GroupPicture picture =
        prepare_group(*reading, summaries, {connection, true, false}, prepared, {}, nullptr);
    size_t known = 0;
    for (const size_t direction : {size_t{0}, size_t{1}}) {
        const Lane& lane = lane_of(direction == 0 ? LaneKind::window_out : LaneKind::window_in);
        if (!lane.is_in(*rows)) continue;
        const LanePlace place{lane.kind(), 100, lane.height({connection, 0, 0}, false), false};
        const LaneScene scene{picture, prepared, {}, place, viewport};
        for (size_t c = 7; c < prepared.columns(); c += 61) {
            const int64_t at = prepared.column(c).end_ns - 1;
            if (!viewport.range.contains(at)) continue;
            double expected = no_value;
            for (const WindowRow& row : store().windows()) {
                if (row.connection != connection || rows->direction_of(row.sender) != direction ||
                    row.time_ns > at)
                    continue;
                expected = row.in_flight == unknown<uint32_t> ? no_value : row.in_flight;
            }
            const double drawn = value_at(picture.curves[direction].in_flight, at);
            ASSERT_TRUE(drawn == expected || (std::isnan(drawn) && std::isnan(expected))) << c;
            if (std::isnan(drawn)) continue;
            ++known;
            const LaneHit hit = lane.hit(scene, QPointF(viewport.x_of(at), 110));
            const QString words = lane.words(scene, hit, [](int64_t) { return QString(); });
            EXPECT_TRUE(words.contains(QStringLiteral("in flight: "))) << words.toStdString();
        }
    }
    EXPECT_GT(known, 0u);
}

TEST(LayersLayout, FindsTheGroupOfEveryHeight) {
    std::vector<GroupShape> shapes;
    for (uint32_t i = 1; i <= 65536; ++i) {
        shapes.push_back(
            {i, static_cast<uint16_t>(i % 50), static_cast<LaneBits>(i % 3 == 0 ? 0x3ff : 0x2d8)});
    }
    LayersLayout layout;
    EXPECT_EQ(layout.group_at(0), 0u);
    const auto opening = [](size_t i) { return GroupOpening{i % 5 == 0, static_cast<LaneBits>(i % 2)}; };
    layout.set(shapes, opening);
    ASSERT_EQ(layout.groups(), shapes.size());
    for (size_t i = 0; i < shapes.size(); ++i) {
        ASSERT_EQ(layout.bottom_of(i) - layout.top_of(i), height_of(shapes[i], opening(i)));
        ASSERT_EQ(layout.group_at(layout.top_of(i)), i);
        ASSERT_EQ(layout.group_at(layout.bottom_of(i) - 1), i);
    }
    EXPECT_EQ(layout.group_at(-1), shapes.size());
    EXPECT_EQ(layout.group_at(layout.height()), shapes.size());
}

TEST(LayersLayout, IdleGroupsAreBehindALineUntilItIsOpened) {
    std::vector<GroupShape> shapes(4);
    shapes[2].idle = shapes[3].idle = true;
    const auto opening = [](size_t) { return GroupOpening{}; };
    LayersLayout layout;
    layout.set(shapes, opening);
    EXPECT_EQ(layout.groups(), 2u);
    EXPECT_EQ(layout.idle(), 2u);
    ASSERT_TRUE(layout.idle_top());
    EXPECT_EQ(*layout.idle_top(), layout.bottom_of(1));
    EXPECT_EQ(layout.height(), *layout.idle_top() + header_height());
    EXPECT_TRUE(layout.is_idle_line(*layout.idle_top() + 3));
    EXPECT_EQ(layout.group_at(*layout.idle_top() + 3), layout.groups());
    EXPECT_EQ(layout.first_below(*layout.idle_top()), layout.groups());
    layout.set(shapes, opening, true);
    EXPECT_EQ(layout.groups(), 4u);
    EXPECT_EQ(layout.top_of(2), *layout.idle_top() + header_height());
    EXPECT_EQ(layout.first_below(*layout.idle_top() + 3), 1u) << "what the line stands in";
    EXPECT_EQ(layout.height(), layout.bottom_of(3));
}

TEST(LayersLayout, LanesStandBelowEachOther) {
    constexpr LaneBits all_lane_bits = (1U << lane_kinds) - 1;
    for (const uint16_t slots : std::initializer_list<uint16_t>{0, 1, 8, 16, 17, 32, 33, 65535}) {
        for (const LaneBits compact : {LaneBits{0}, all_lane_bits}) {
            const GroupShape shape{1, slots, all_lane_bits};
            const LanePlaces lanes = lanes_of(shape, {true, compact});
            ASSERT_EQ(lanes.count, lane_kinds);
            int top = header_height();
            for (const LanePlace& lane : lanes.all()) {
                EXPECT_EQ(lane.top, top);
                EXPECT_GT(lane.height, 0);
                top += lane.height;
            }
            EXPECT_LE(lanes.places[0].height, 400);
            // The last slot's line lies within.
            CommandBar bar;
            bar.slot = slots == 0 ? uint16_t{0} : static_cast<uint16_t>(slots - 1);
            bar.end_ns = 1000;
            const QRectF rect = rect_of(bar, shape, lanes.places[0], {{0, 1000}, 0, 100});
            EXPECT_LE(rect.bottom(), lanes.places[0].top + lanes.places[0].height);
        }
    }
    EXPECT_EQ(lanes_of({1, 3, 0x3ff}, {false, 0}).count, 0u);
    EXPECT_EQ(height_of({1, 3, 0x3ff}, {false, 0}), header_height());
}

TEST(LaneColumns, SlownessClassesAreHalfDecades) {
    EXPECT_EQ(slowness_class(0), 0u);
    EXPECT_EQ(slowness_class(99'999), 0u);
    EXPECT_EQ(slowness_class(1'000'000), 3u);
    EXPECT_EQ(slowness_class(999'999), 2u);
    EXPECT_EQ(slowness_class(INT64_MAX), slowness_classes - 1);
    for (size_t i = 1; i < slowness_classes; ++i) {
        EXPECT_EQ(slowness_class(least_of_slowness_class(i)), i);
        EXPECT_EQ(slowness_class(least_of_slowness_class(i) - 1), i - 1);
    }
}

// A capture of so many TCP connections, each with a segment of payload; made without the engine.
void write_many_connections(const QString& path, uint32_t connections) {
    std::ofstream file(path.toStdString(), std::ios::binary);
    const auto put = [&](const auto& bytes) {
        file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    };
    const auto little = [&](uint32_t value) {
        put(std::array{static_cast<uint8_t>(value), static_cast<uint8_t>(value >> 8),
                       static_cast<uint8_t>(value >> 16), static_cast<uint8_t>(value >> 24)});
    };
    for (const uint32_t word : {0xa1b23c4du, 0x00040002u, 0u, 0u, 262144u, 1u}) little(word);
    for (uint32_t i = 0; i < connections; ++i) {
        std::vector<uint8_t> frame(14 + 20 + 20 + 10, 0);
        frame[12] = 0x08;
        uint8_t* ip = frame.data() + 14;
        ip[0] = 0x45;
        ip[3] = 50;
        ip[8] = 64;
        ip[9] = 6;
        ip[12] = 10;
        ip[13] = 1;
        ip[14] = static_cast<uint8_t>(i >> 8);
        ip[15] = static_cast<uint8_t>(i);
        ip[16] = 10;
        ip[19] = 1;
        uint8_t* tcp = ip + 20;
        tcp[0] = 0x80;
        tcp[1] = static_cast<uint8_t>(i >> 16);
        tcp[2] = 0x0c;
        tcp[3] = 0xbc;
        tcp[12] = 0x50;
        tcp[13] = 0x18;
        little(1000 + i / 1'000'000);
        little(i % 1'000'000 * 1000);
        little(static_cast<uint32_t>(frame.size()));
        little(static_cast<uint32_t>(frame.size()));
        put(frame);
    }
}

TEST(KernelStateLane, ShowsWhatTheKernelReportedWhereItDid) {
    const auto document = loaded(sample("kernel-truth-target.pcapng.zst"));
    const auto reading = document->data()->read();
    const TrackRows rows(reading, 1);
    EXPECT_FALSE(lane_of(LaneKind::kernel_state_out).is_in(rows));
    const Lane& lane = lane_of(LaneKind::kernel_state_in);
    ASSERT_TRUE(lane.is_in(rows));
    EXPECT_TRUE(lane.name().contains(QStringLiteral("kernel")));
    const TimeViewport viewport{rows.whole(), 170, 1200};
    const PreparedRange prepared = PreparedRange::around(viewport);
    TrackSummaries summaries;
    const GroupPicture picture = prepare_group(reading, summaries, {1, true, false}, prepared, {}, nullptr);
    EXPECT_TRUE(picture.kernel_states[0].spans.empty());
    const LanePlace place{lane.kind(), 100, lane.height({1, 0, 0}, false), false};
    const LaneScene scene{picture, prepared, {}, place, viewport};
    size_t told = 0;
    for (const StateBand::Span& span : picture.kernel_states[1].spans) {
        const int64_t middle = span.range.begin_ns + span.range.span_ns() / 2;
        const LaneHit hit = lane.hit(scene, QPointF(viewport.x_of(middle), 108));
        if (hit.what == LaneHit::What::nothing || hit.range != span.range) continue;
        const QString words = lane.words(scene, hit, [](int64_t) { return QString(); });
        EXPECT_TRUE(words.startsWith(ca_text(static_cast<CaState>(span.state)))) << words.toStdString();
        EXPECT_TRUE(words.contains(QStringLiteral("target's kernel")));
        ++told;
    }
    EXPECT_GT(told, 0u);
}

// What a lane is named with stands within it, whatever the size of letters.
TEST(Lanes, HaveRoomForTheirNames) {
    const QFont before = QApplication::font();
    for (const int points : {9, 16, 24}) {
        QFont font = before;
        font.setPointSize(points);
        QApplication::setFont(font);
        measure_text();
        const QFontMetrics metrics(font);
        for (const Lane* const lane : all_lanes()) {
            EXPECT_GE(lane->height({1, 3, 0x3ff}, false), metrics.height())
                << lane->name().toStdString() << " of " << points << " points";
            EXPECT_LE(metrics.horizontalAdvance(lane->name()), layers_gutter() - 26)
                << lane->name().toStdString() << " of " << points << " points";
        }
        EXPECT_GE(header_height(), metrics.height());
    }
    QApplication::setFont(before);
    measure_text();
}

class LayersViewTest : public testing::Test {
  protected:
    void open(const QString& path, bool wait = true) {
        document = wait ? loaded(path) : opened(path);
        ASSERT_TRUE(document);
        view = std::make_unique<LayersView>(*document, nullptr);
        view->resize(1300, 700);
        view->show();
        if (wait) settle();
    }
    void settle() {
        ASSERT_TRUE(wait_until([&] { return view->settled(); }));
        view->grab();
    }
    ViewState& state() { return document->state(); }
    void mouse(QEvent::Type type, QPointF at, Qt::MouseButton button = Qt::LeftButton) {
        testing_gui::send_mouse(*view->canvas(), type, at, button);
    }
    void click(QPointF at) { testing_gui::click(*view->canvas(), at); }
    void wheel(QPointF at, int clicks, Qt::KeyboardModifiers keys = Qt::NoModifier) {
        testing_gui::send_wheel(*view->canvas(), at, clicks, keys);
    }
    // The middle of a command's bar as it is drawn now, in the canvas.
    std::optional<QPointF> middle_of(uint64_t command) {
        const GroupShape& shape = view->groups()[0];
        const GroupPicture* group = view->picture().group(shape.connection);
        const auto bar = std::ranges::find(group->commands, command, &CommandBar::number);
        if (bar == group->commands.end()) return std::nullopt;
        const QRectF rect =
            rect_of(*bar, shape, lanes_of(shape, view->opening(0)).places[0], view->viewport());
        return rect.center() + QPointF(0, view->y_of(0));
    }

    std::unique_ptr<Document> document;
    std::unique_ptr<LayersView> view;
};

TEST_F(LayersViewTest, AClickOnABarSelectsItsCommandAtSeveralZooms) {
    open(sample("loss-mixed-initiator.pcap.zst"));
    const auto reading = document->data()->read();
    const CommandRow& row = reading.store().commands()[79];
    const TimeRange command{row.request_ns, row.response_ns};
    for (const double around : {0.1, 1.0, 6.0}) {
        state().set_range(command.widened(around));
        settle();
        state().select({});
        const auto at = middle_of(80);
        ASSERT_TRUE(at) << around;
        click(*at);
        EXPECT_EQ(state().selection(), (Selection{Selection::Kind::command, 80})) << around;
    }
    // Double click frames it.
    mouse(QEvent::MouseButtonDblClick, *middle_of(80));
    ASSERT_TRUE(wait_until([&] { return state().range() == state().selected().range.widened(0.2); }));
    EXPECT_TRUE(state().range().contains(command));
    // Beside everything, nothing is selected.
    click({600, view->y_of(0) + view->layout_of_groups().bottom_of(0) + 20.0});
    EXPECT_FALSE(state().selection());
}

TEST_F(LayersViewTest, HeadersSelectAndTheirGutterFolds) {
    open(sample("loss-mixed-initiator.pcap.zst"));
    const int height = view->layout_of_groups().height();
    click({600, view->y_of(0) + 10.0});
    EXPECT_EQ(state().selection(), (Selection{Selection::Kind::connection, view->groups()[0].connection}));
    click({40, view->y_of(0) + 10.0});
    EXPECT_EQ(view->layout_of_groups().height(),
              height - height_of(view->groups()[0], {true, 0}) + header_height());
    settle();
    EXPECT_FALSE(view->picture().groups[0].traffic.empty());
    click({40, view->y_of(0) + 10.0});
    settle();
    EXPECT_EQ(view->layout_of_groups().height(), height);
    // A lane's name makes it small.
    click({40, view->y_of(0) + header_height() + 5.0});
    settle();
    EXPECT_LT(view->layout_of_groups().height(), height);
    EXPECT_FALSE(view->picture().groups[0].command_columns.empty());
}

TEST_F(LayersViewTest, TheWheelScrollsWhatIsHigherThanTheView) {
    open(sample("loss-mixed-initiator.pcap.zst"));
    const TimeRange before = state().range();
    ASSERT_LT(view->layout_of_groups().height(), 600);
    wheel({600, 300}, 1);
    EXPECT_LT(state().range().span_ns(), before.span_ns());
    view->resize(1300, 200);
    const TimeRange zoomed = state().range();
    wheel({600, 100}, -1);
    EXPECT_EQ(state().range(), zoomed);
    EXPECT_GT(view->scrolled(), 0);
    const int before_key = view->scrolled();
    QKeyEvent key(QEvent::KeyPress, Qt::Key_Up, Qt::NoModifier);
    QCoreApplication::sendEvent(view->canvas(), &key);
    EXPECT_LT(view->scrolled(), before_key);
    wheel({600, 100}, 1, Qt::ControlModifier);
    EXPECT_LT(state().range().span_ns(), zoomed.span_ns());
}

TEST_F(LayersViewTest, SelectedThingsStandOutWhereColumnsAreDrawn) {
    open(sample("snap128-reads-64k-qd32.pcap.zst"));
    const GroupPicture& far = *view->picture().group(view->groups()[0].connection);
    ASSERT_FALSE(far.ticks_are_all);
    EXPECT_TRUE(far.ticks[0].empty());
    state().select({Selection::Kind::command, 100});
    ASSERT_TRUE(wait_until([&] { return state().selected().command == 100; }));
    settle();
    const GroupPicture& picture = *view->picture().group(view->groups()[0].connection);
    EXPECT_EQ(picture.ticks[0].size() + picture.ticks[1].size(), state().selected().packets.size());
}

// As drawn: the colours of the parts along the foot of the bar, and beside the bar where that is narrow.
TEST_F(LayersViewTest, TheSelectedCommandShowsWhereItsTimeWentAtEveryZoom) {
    open(sample("loss-mixed-initiator.pcap.zst"));
    const auto reading = document->data()->read();
    const CommandRow& row = reading.store().commands()[79];
    CommandBudget budget;
    ASSERT_TRUE(reading.budgets()->find(80, budget));
    BudgetPart largest = BudgetPart::request_path;
    for (size_t i = 0; i < budget_parts; ++i) {
        if (budget.parts()[i] > budget[largest]) largest = static_cast<BudgetPart>(i);
    }
    const QRgb color = budget_color(Theme::of(view->palette()), largest).rgb();
    state().select({Selection::Kind::command, 80});
    ASSERT_TRUE(wait_until([&] { return state().selected().command == 80; }));
    const TimeRange command{row.request_ns, row.response_ns};
    for (const double around : {0.1, 6.0, 60.0}) {
        state().set_range(command.widened(around));
        settle();
        const QImage image = view->canvas()->grab().toImage();
        int most = 0;
        for (int y = 0; y < image.height(); ++y) {
            int pixels = 0;
            for (int x = 0; x < image.width(); ++x)
                pixels += image.pixel(x, y) == color || image.pixel(x, y) == QRgb(color | 0xff000000U);
            most = std::max(most, pixels);
        }
        const double bar =
            std::max(120.0, (view->viewport().x_of(row.response_ns) - view->viewport().x_of(row.request_ns)));
        const double share = static_cast<double>(budget[largest]) / static_cast<double>(row.turnaround_ns());
        EXPECT_GE(most, std::floor(std::min(bar, view->viewport().length) * share) - 1) << around;
    }
    state().set_range(command.widened(0.1));
    settle();
    const auto* const group = view->picture().group(view->groups()[0].connection);
    ASSERT_TRUE(middle_of(80));
    const auto bar = std::ranges::find(group->commands, uint64_t{80}, &CommandBar::number);
    EXPECT_TRUE(
        lane_of(LaneKind::commands)
            .words({*group, view->picture().prepared, view->groups()[0],
                    lanes_of(view->groups()[0], view->opening(0)).places[0], view->viewport()},
                   {LaneHit::What::item, 0, static_cast<size_t>(bar - group->commands.begin()), {}, {}},
                   [](int64_t) { return QString(); })
            .contains(budget_title(largest)));
}

TEST_F(LayersViewTest, WhatIsSelectedElsewhereComesIntoSight) {
    open(sample("two-sessions.pcap.lz4"));
    view->resize(1300, 250);
    const auto reading = document->data()->read();
    ASSERT_GE(view->groups().size(), 2u);
    const uint32_t other = view->groups().back().connection;
    view->set_expanded(other, false);
    const size_t group = view->groups().size() - 1;
    ASSERT_GT(view->y_of(group), view->canvas()->height());
    uint64_t command = 0;
    for (uint64_t i = 0; i < reading.store().commands().size(); ++i) {
        if (reading.store().commands()[i].connection == other) command = i + 1;
    }
    ASSERT_NE(command, 0u);
    state().select({Selection::Kind::command, command});
    ASSERT_TRUE(wait_until([&] { return state().selected().command == command; }));
    EXPECT_TRUE(view->opening(group).expanded);
    EXPECT_LT(view->y_of(group), view->canvas()->height() - header_height());
    EXPECT_GE(view->y_of(group), 0);
}

TEST_F(LayersViewTest, GrowsWhileTheCaptureIsLoaded) {
    open(sample("loss-mixed-initiator.pcap.zst"), false);
    bool done = false;
    QObject::connect(document.get(), &Document::loaded, [&] { done = true; });
    ASSERT_TRUE(wait_until([&] {
        view->grab();
        return done;
    }));
    settle();
    const auto reading = document->data()->read();
    EXPECT_EQ(view->groups(), survey_groups(reading, true));
    EXPECT_EQ(view->viewport().range, state().first_view());
    const GroupPicture* picture = view->picture().group(1);
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->commands.size(), reading.store().commands().size());
}

TEST_F(LayersViewTest, CopesWithAsManyConnectionsAsThereCanBe) {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("many.pcap"));
    write_many_connections(path, 65536);
    open(path);
    ASSERT_EQ(view->groups().size(), 65536u);
    // Only what is about the view was drawn up.
    EXPECT_LT(view->picture().groups.size(), 80u);
    const int last = view->layout_of_groups().height();
    for (const int y : {last / 2, last}) {
        view->scroll_to(y);
        settle();
        const size_t group = view->layout_of_groups().group_at(view->scrolled() + 50);
        EXPECT_TRUE(view->picture().group(view->groups()[group].connection));
        EXPECT_LT(view->picture().groups.size(), 80u);
    }
    const uint32_t lowest = view->groups().back().connection;
    click({600, view->y_of(65535) + 10.0});
    EXPECT_EQ(state().selection(), (Selection{Selection::Kind::connection, lowest}));
}

// Three connections with ten bytes each, years before a session: neither they nor the time between are in the way.
TEST_F(LayersViewTest, IdleConnectionsAreAClickAway) {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("idle.pcap"));
    write_many_connections(path, 3);
    std::ifstream session(sample("nop-logout.pcap").toStdString(), std::ios::binary);
    constexpr std::streamoff file_header = 24;
    session.seekg(file_header);
    std::ofstream(path.toStdString(), std::ios::binary | std::ios::app) << session.rdbuf();
    open(path);
    ASSERT_EQ(view->groups().size(), 4u);
    ASSERT_EQ(view->layout_of_groups().groups(), 1u);
    const auto line = view->layout_of_groups().idle_top();
    ASSERT_TRUE(line);
    EXPECT_LT(state().range().span_ns(), 60'000'000'000);
    const auto y_of_line = [&] {
        return view->y_of(0) + *view->layout_of_groups().idle_top() + header_height() / 2.0;
    };
    click({600, y_of_line()});
    settle();
    EXPECT_EQ(view->layout_of_groups().groups(), 4u);
    EXPECT_FALSE(view->opening(1).expanded);
    const uint32_t idle = view->groups().back().connection;
    EXPECT_TRUE(view->picture().group(idle));
    click({600, y_of_line()});
    EXPECT_EQ(view->layout_of_groups().groups(), 1u);
    // What is selected elsewhere is to be seen.
    state().select({Selection::Kind::connection, idle});
    ASSERT_TRUE(wait_until([&] { return state().selected().connection == idle; }));
    EXPECT_EQ(view->layout_of_groups().groups(), 4u);

    ConnectionChooser chooser(*document, ConnectionChooser::Offers::connections, nullptr);
    ASSERT_TRUE(wait_until([&] { return chooser.settled(); }));
    auto* const box = chooser.findChild<QComboBox*>();
    const auto line_in_box = box->findText(QStringLiteral("3 idle connections…"));
    ASSERT_GE(line_in_box, 0);
    Q_EMIT box->activated(line_in_box);
    EXPECT_EQ(box->count(), 4);
    box->hidePopup();
}

TEST_F(LayersViewTest, ACaptureWithoutTcpSaysSo) {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("none.pcap"));
    write_many_connections(path, 0);
    open(path, false);
    ASSERT_TRUE(wait_until([&] { return !document->loading() && view->settled(); }));
    EXPECT_FALSE(view->grab().isNull());
    EXPECT_TRUE(view->groups().empty());
}

}  // namespace
}  // namespace sanscope
