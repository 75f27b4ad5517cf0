// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/points/points_view.h"

#include <QFile>
#include <QHeaderView>
#include <QSet>
#include <QTableView>
#include <QTemporaryDir>
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/document/open_path.h"
#include "gui/points/path_commands.h"
#include "gui/points/path_reading.h"
#include "gui/points/shared_connections.h"
#include "gui/points/split_bars.h"
#include "gui/testing/loaded_document.h"
#include "gui/views/ladder/ladder_view.h"
#include "gui/views/tables/rows_view.h"

#include "analyzer/ingest/packet_source.h"
#include "analyzer/net/decode_frame.h"
#include "analyzer/points/points_tables.h"
#include "analyzer/points/points_text.h"

namespace sanscope {
namespace {

using testing::HasSubstr;
using testing_gui::loaded_sample;
using testing_gui::sample;
using testing_gui::wait_until;

const char* const initiator = "loss-mixed-initiator.pcap.zst";
const char* const target = "loss-mixed-target.pcap.zst";

// The captures in the wrong order: which is nearer to the initiators is found.
std::shared_ptr<const OpenPath> lossy_path() {
    auto path = OpenPath::follow({sample(target).toStdString(), sample(initiator).toStdString()}, {});
    EXPECT_TRUE(path) << path.error().message;
    return path ? *path : nullptr;
}

TEST(OpenPath, PutsTheCaptureNearestToTheInitiatorsFirst) {
    const auto path = lossy_path();
    ASSERT_NE(path, nullptr);
    EXPECT_THAT(path->files().front(), HasSubstr(initiator));
    EXPECT_GT(path->points().size(), 0U);
    EXPECT_GT(path->losses().size(), 0U);
    EXPECT_TRUE(path->damage().empty());
}

TEST(OpenPath, WithoutAConnectionInCommonThereIsNone) {
    const auto path =
        OpenPath::follow({sample(initiator).toStdString(), sample("nop-logout.pcap").toStdString()}, {});
    ASSERT_FALSE(path);
    EXPECT_THAT(path.error().message, HasSubstr("in common"));
}

TEST(OpenPath, NamesTheFileThatCannotBeRead) {
    const auto path = OpenPath::follow({sample(initiator).toStdString(), "/none.pcap"}, {});
    ASSERT_FALSE(path);
    EXPECT_THAT(path.error().message, HasSubstr("/none.pcap"));
}

// These two were recorded with one clock: what is put on the other one's by the band's middle is off by no more than it says.
TEST(MeasuredTransits, FarTimesLieWithinWhatTheySay) {
    const auto path = lossy_path();
    ASSERT_NE(path, nullptr);
    const auto here = loaded_sample(initiator);
    const auto far = loaded_sample(target);
    const auto reading = here->data()->read();
    const auto far_reading = far->data()->read();
    size_t packets = 0;
    size_t lost = 0;
    for (uint32_t connection = 1; connection <= reading.store().connections().size(); ++connection) {
        const auto transits = path->transits(reading.store(), connection);
        if (transits == nullptr) continue;
        EXPECT_TRUE(transits->ends().here_is_initiator);
        for (PacketNumber packet = 1; packet <= reading.index().packets(); ++packet) {
            for (const Role sender : {Role::initiator, Role::target}) {
                const MeasuredPacket* const one = transits->find(sender, packet);
                if (one == nullptr) continue;
                if (one->judged && one->verdict == CopyVerdict::lost_between) ++lost;
                if (one->far_packets != 1 || !one->far.known()) continue;
                ++packets;
                const int64_t truth = far_reading.timeline().time_of(one->far_packet);
                ASSERT_LE(std::abs(one->far.time_ns - truth), one->far.plus_minus_ns + 1)
                    << "packet " << packet;
                EXPECT_EQ(reading.store().segments()[packet - 1].payload_length,
                          far_reading.store().segments()[one->far_packet - 1].payload_length);
            }
        }
        for (const Role sender : {Role::initiator, Role::target}) {
            for (const MeasuredPacket& one : transits->far_only(sender)) {
                if (one.verdict == CopyVerdict::lost_between) ++lost;
                EXPECT_EQ(one.packet, 0U);
                EXPECT_TRUE(one.judged);
            }
        }
    }
    EXPECT_GT(packets, 1000U);
    size_t told = 0;
    for (const PointLossRow& row : path->losses()) {
        if (row.fate->verdict == CopyVerdict::lost_between) ++told;
    }
    EXPECT_GT(told, 0U);
    // Of a packet that lost several ranges one is counted.
    EXPECT_LE(lost, told);
    EXPECT_GT(lost * 10, told * 9);
}

TEST(SharedConnections, AreFoundBetweenBothEndsAndNowhereElse) {
    const auto one = loaded_sample(initiator);
    const auto other = loaded_sample(target);
    const auto third = loaded_sample("reads-4k-qd8.pcap.zst");
    const StopFlag stop = false;
    const auto shared = find_shared_connections(one->data()->read(), other->data()->read(), stop);
    EXPECT_EQ(shared.count, lossy_path()->path().pairs.front().connections.size());
    EXPECT_FALSE(shared.same_times);
    EXPECT_EQ(find_shared_connections(one->data()->read(), third->data()->read(), stop).count, 0U);
    // The same file twice is no other point.
    const auto twin = loaded_sample(initiator);
    EXPECT_TRUE(find_shared_connections(one->data()->read(), twin->data()->read(), stop).same_times);
}

TEST(SharedConnections, AreFoundWithoutTheirSyns) {
    const auto one = loaded_sample("mid-connection.pcap.zst");
    const auto other = loaded_sample("mid-connection-lookalikes.pcap.zst");
    const StopFlag stop = false;
    // By their segments alone: with themselves, and not with what looks alike.
    EXPECT_GT(find_shared_connections(one->data()->read(), one->data()->read(), stop).count, 0U);
    EXPECT_EQ(find_shared_connections(one->data()->read(), other->data()->read(), stop).count, 0U);
}

class Points : public testing::Test {
  protected:
    void open() {
        document = loaded_sample(initiator);
        path = lossy_path();
        view = std::make_unique<PointsView>(*document, nullptr);
        view->resize(1400, 500);
        view->show();
    }
    void show_path() {
        document->set_points(path);
        ASSERT_TRUE(wait_until([&] { return view->settled(); }));
    }

    std::unique_ptr<Document> document;
    std::shared_ptr<const OpenPath> path;
    std::unique_ptr<PointsView> view;
};

TEST_F(Points, SaysHowToComeToThem) {
    open();
    EXPECT_THAT(view->text().toPlainText().toStdString(), HasSubstr("Open as points of one path"));
    EXPECT_EQ(view->points(), nullptr);
}

TEST_F(Points, ShowWhatTheReportSaysAndItsTables) {
    open();
    show_path();
    const StopFlag stop = false;
    const auto split = PathCommands::split(path, document->data(), stop);
    ASSERT_NE(split, nullptr);
    EXPECT_EQ(view->text().toPlainText().trimmed().toStdString(),
              QString::fromStdString(points_text(path->path()) + split->text()).trimmed().toStdString());
    EXPECT_EQ(view->points()->model().rowCount(), static_cast<int>(path->points().size()));
    EXPECT_EQ(view->losses()->table_name(), QStringLiteral("point_losses"));
    ASSERT_NE(view->commands(), nullptr);
    EXPECT_EQ(view->commands()->table_name(), QStringLiteral("point_commands"));
    view->show_commands();
    ASSERT_TRUE(wait_until([&] { return view->settled(); }));
    EXPECT_EQ(view->commands()->model().rowCount(), static_cast<int>(split->rows().size()));
    EXPECT_GT(split->rows().size(), 0U);
}

// Losses and delays come first; the rest is in the header's menu.
TEST_F(Points, WhatMattersIsSeenWithoutScrolling) {
    open();
    view->resize(1600, 400);
    show_path();
    const QHeaderView& header = *view->points()->table().horizontalHeader();
    const auto right_of = [&](std::string_view name) {
        const auto columns = points_table.columns;
        const auto column = std::ranges::find(columns, name, &ColumnInfo::name) - columns.begin();
        EXPECT_FALSE(header.isSectionHidden(static_cast<int>(column))) << name;
        return header.sectionViewportPosition(static_cast<int>(column)) +
               header.sectionSize(static_cast<int>(column));
    };
    for (const auto* const name : {"lost_out", "lost_in", "delay_p50_low_out_ns", "delay_p50_high_out_ns",
                                   "delay_p50_low_in_ns", "delay_p50_high_in_ns"})
        EXPECT_LE(right_of(name), view->points()->table().viewport()->width()) << name;
}

TEST_F(Points, ARowOfTheCommandsTimesSelectsTheCommand) {
    open();
    show_path();
    view->go_to_command(2);
    const StopFlag stop = false;
    const auto split = PathCommands::split(path, document->data(), stop);
    EXPECT_EQ(document->state().selection(),
              (Selection{Selection::Kind::command, split->rows()[2].command.value()}));
}

// The path is there before the capture is loaded: its commands follow.
TEST_F(Points, CommandsAreSplitOnceTheCaptureIsLoaded) {
    document = testing_gui::opened(sample(initiator));
    path = lossy_path();
    view = std::make_unique<PointsView>(*document, nullptr);
    view->show();
    document->set_points(path);
    ASSERT_TRUE(wait_until([&] { return document->has_loaded() && view->commands() != nullptr; }));
    // Another path, or none, takes them away.
    document->set_points(nullptr);
    EXPECT_EQ(view->commands(), nullptr);
    EXPECT_EQ(view->bars(), nullptr);
}

SplitSums two_commands() {
    return {.near = 0,
            .far = 1,
            .name = "READ(10)",
            .commands = 2,
            .turnaround_ns = 100,
            .initiator_ns = 10,
            .paths_ns = 40,
            .target_ns = 40,
            .answer_ns = 10,
            .out = {10, 30},
            .back = {10, 30},
            .behind_others = {0, 0}};
}

TEST(SplitBars, WhatTheClocksDoNotTellStandsBetweenThePathsAndTheTarget) {
    using Part = SplitPart;
    EXPECT_EQ(split_segments(two_commands(), 100), (std::vector<SplitSegment>{{Part::initiator, 0, 10},
                                                                              {Part::out, 10, 20},
                                                                              {Part::unsure_out, 20, 30},
                                                                              {Part::target, 30, 70},
                                                                              {Part::answer, 70, 80},
                                                                              {Part::unsure_back, 80, 90},
                                                                              {Part::back, 90, 100}}));
    // A band as wide as both paths: nothing is told as out or as back.
    SplitSums wide = two_commands();
    wide.out = wide.back = {0, 40};
    EXPECT_EQ(split_segments(wide, 100), (std::vector<SplitSegment>{{Part::initiator, 0, 10},
                                                                    {Part::unsure_out, 10, 30},
                                                                    {Part::target, 30, 70},
                                                                    {Part::answer, 70, 80},
                                                                    {Part::unsure_back, 80, 100}}));
    // Bands that are known exactly: no part is uncertain.
    SplitSums exact = two_commands();
    exact.out = {15, 15};
    exact.back = {25, 25};
    for (const SplitSegment& segment : split_segments(exact, 1000))
        EXPECT_TRUE(segment.part != Part::unsure_out && segment.part != Part::unsure_back);
    EXPECT_TRUE(split_segments(SplitSums{}, 100).empty());
    EXPECT_TRUE(split_segments(two_commands(), 0).empty());
}

TEST_F(Points, BarsTellTheirFiguresAsBands) {
    open();
    show_path();
    view->show_commands();
    ASSERT_NE(view->bars(), nullptr);
    EXPECT_GT(view->bars()->bars(), 0U);
    EXPECT_THAT(view->bars()->accessibleDescription().toStdString(), HasSubstr("112 × READ(16)"));
    QSet<QString> tips;
    for (int y = 0; y < view->bars()->height(); y += 4) {
        for (int x = 0; x < view->bars()->width(); x += 4) tips.insert(view->bars()->tip_at({x, y}));
    }
    const std::string told = QStringList(tips.values()).join(QLatin1Char('\n')).toStdString();
    EXPECT_THAT(told, HasSubstr("Path out: "));
    EXPECT_THAT(told, HasSubstr(" to "));
    EXPECT_THAT(told, HasSubstr("Target: "));
    EXPECT_THAT(told, HasSubstr("the clocks do not tell"));
}

// What a switch 20 µs from the initiator sees of its capture, by a clock 7 s ahead.
QString switch_capture(const QTemporaryDir& folder) {
    struct Packet {
        int64_t time_ns;
        std::vector<uint8_t> bytes;
        uint32_t wire;
    };
    std::vector<Packet> packets;
    auto source = open_capture(sample(initiator).toStdString());
    EXPECT_TRUE(source);
    PacketBatch batch;
    while (source && (*source)->claim(batch)) {
        (*source)->load(batch);
        (*source)->parse(batch);
        for (const RawPacket& raw : batch.packets) {
            DecodedPacket decoded;
            decode_frame(raw.link_type, raw.data, raw.captured_length, raw.wire_length, decoded);
            const int64_t way_ns = decoded.source_port == 3260 ? -20'000 : 20'000;
            packets.push_back({raw.time_ns + way_ns + 7'000'000'000,
                               {raw.data, raw.data + raw.captured_length},
                               raw.wire_length});
        }
    }
    std::ranges::stable_sort(packets, {}, &Packet::time_ns);
    QByteArray file;
    const auto put = [&](uint32_t value) {
        file.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    for (const uint32_t word : {0xa1b23c4dU, 0x00040002U, 0U, 0U, 262144U, 1U}) put(word);
    for (const Packet& packet : packets) {
        put(static_cast<uint32_t>(packet.time_ns / 1'000'000'000));
        put(static_cast<uint32_t>(packet.time_ns % 1'000'000'000));
        put(static_cast<uint32_t>(packet.bytes.size()));
        put(packet.wire);
        file.append(reinterpret_cast<const char*>(packet.bytes.data()),
                    static_cast<qsizetype>(packet.bytes.size()));
    }
    const QString path = folder.filePath(QStringLiteral("switch.pcap"));
    QFile out(path);
    EXPECT_TRUE(out.open(QIODevice::WriteOnly));
    out.write(file);
    return path;
}

TEST(LadderOfThreePoints, MeasuresTheFarEndAtThePointThatIsChosen) {
    const QTemporaryDir folder;
    auto followed = OpenPath::follow(
        {sample(target).toStdString(), switch_capture(folder).toStdString(), sample(initiator).toStdString()},
        {});
    ASSERT_TRUE(followed) << followed.error().message;
    const std::shared_ptr<const OpenPath> path = *followed;
    ASSERT_THAT(path->files().front(), HasSubstr(initiator));
    ASSERT_THAT(path->files()[1], HasSubstr("switch"));
    const auto document = loaded_sample(initiator);
    {
        const auto reading = document->data()->read();
        ASSERT_NE(path->transits(reading.store(), 1), nullptr);
        EXPECT_EQ(path->transits(reading.store(), 1)->ends().far_point, 2U);
        EXPECT_EQ(path->transits(reading.store(), 1, 1)->ends().far_point, 1U);
        EXPECT_EQ(path->transits(reading.store(), 1)->ends().far_point, 2U) << "kept apart";
    }
    LadderView ladder(*document, nullptr);
    ladder.resize(1200, 700);
    ladder.show();
    ladder.set_detail(LadderDetail::packets);
    EXPECT_FALSE(ladder.far_point().isVisible());
    document->set_points(path);
    EXPECT_TRUE(ladder.far_point().isVisible());
    ASSERT_EQ(ladder.far_point().count(), 2);
    const auto drawn_to = [&](const std::string& name) {
        return wait_until([&] {
            return ladder.settled() && ladder.picture().points &&
                   ladder.picture().points->far.toStdString() == name;
        });
    };
    EXPECT_TRUE(drawn_to(path->path().points[2]->name())) << "both ends of the path at first";
    ladder.far_point().setCurrentIndex(1);
    Q_EMIT ladder.far_point().activated(1);
    EXPECT_TRUE(drawn_to(path->path().points[1]->name()));
    // Each pair of neighbours has its rows in the table.
    size_t of_second_pair = 0;
    for (const PointRow& row : path->points()) of_second_pair += row.pair->a == 1 ? 1 : 0;
    EXPECT_GT(of_second_pair, 0U);
}

TEST_F(Points, ALossSeenHereLeadsToItsPacketAndOneSeenThereToItsTime) {
    open();
    show_path();
    QString told;
    QObject::connect(view.get(), &PointsView::told, [&](const QString& text) { told = text; });
    bool here = false;
    bool there = false;
    for (size_t row = 0; row < path->losses().size() && !(here && there); ++row) {
        const CopyFate& fate = *path->losses()[row].fate;
        bool& done = fate.at_b ? there : here;
        if (done) continue;
        done = true;
        told.clear();
        view->go_to_loss(row);
        if (!fate.at_b) {
            EXPECT_EQ(document->state().selection(), (Selection{Selection::Kind::packet, fate.packet}));
            EXPECT_EQ(told, QString());
            continue;
        }
        EXPECT_FALSE(document->state().selection());
        EXPECT_THAT(told.toStdString(), HasSubstr("not in this capture"));
        // One clock in truth, so that the moment there is the moment here.
        EXPECT_TRUE(document->state().range().contains(fate.time_ns));
    }
    EXPECT_TRUE(here && there);
}

TEST(PathReading, CanBeCancelled) {
    bool called = false;
    PathReading reading(
        {sample(initiator), sample(target)},
        [&](const std::shared_ptr<const OpenPath>&, const QString&) { called = true; }, nullptr);
    reading.cancel();
    EXPECT_FALSE(wait_until([&] { return called; }, 500));
}

TEST(PathReading, TellsWhatIsWrong) {
    QString why;
    PathReading reading(
        {sample(initiator), QStringLiteral("/none.pcap")},
        [&](const std::shared_ptr<const OpenPath>& path, const QString& error) {
            EXPECT_EQ(path, nullptr);
            why = error;
        },
        nullptr);
    EXPECT_TRUE(wait_until([&] { return !why.isEmpty(); }));
    EXPECT_THAT(why.toStdString(), HasSubstr("/none.pcap"));
}

}  // namespace
}  // namespace sanscope
