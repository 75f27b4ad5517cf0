// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/points/points_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/document/open_path.h"
#include "gui/points/path_reading.h"
#include "gui/points/shared_connections.h"
#include "gui/testing/loaded_document.h"
#include "gui/views/tables/rows_view.h"

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
    EXPECT_EQ(view->text().toPlainText().trimmed(),
              QString::fromStdString(points_text(path->path())).trimmed());
    EXPECT_EQ(view->points()->model().rowCount(), static_cast<int>(path->points().size()));
    EXPECT_EQ(view->losses()->table_name(), QStringLiteral("point_losses"));
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
