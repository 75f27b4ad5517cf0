// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/ladder/ladder_view.h"

#include <QApplication>
#include <gtest/gtest.h>

#include "gui/senders/connection_chooser.h"
#include "gui/testing/loaded_document.h"
#include "gui/testing/pointer_events.h"

namespace sanscope {
namespace {

using testing_gui::wait_until;

class LadderViewTest : public testing::Test {
  protected:
    void open(const char* name) {
        document = testing_gui::opened(testing_gui::sample(name));
        ASSERT_TRUE(document);
        bool done = false;
        const auto connection = QObject::connect(document.get(), &Document::loaded, [&] { done = true; });
        view = std::make_unique<LadderView>(*document, nullptr);
        view->resize(1300, 700);
        view->show();
        ASSERT_TRUE(wait_until([&] { return done; }));
        QObject::disconnect(connection);
        ASSERT_TRUE(settle());
    }
    bool settle() {
        return wait_until([&] { return view->settled(); });
    }
    void look_at(int64_t from_us, int64_t to_us) {
        document->state().set_range(
            {document->first_ns() + from_us * 1000, document->first_ns() + to_us * 1000});
        ASSERT_TRUE(settle());
    }
    void click(QPointF at, QEvent::Type type = QEvent::MouseButtonPress) {
        testing_gui::send_mouse(view->canvas(), type, at, Qt::LeftButton);
        testing_gui::send_mouse(view->canvas(), QEvent::MouseButtonRelease, at, Qt::LeftButton);
    }
    // A point, away from others, on the way of a packet whose beginning is in sight.
    std::pair<QPointF, PacketNumber> some_packet() {
        const LadderPicture& picture = view->picture();
        const LadderGeometry geometry = view->canvas().geometry_now();
        for (const LadderArrow& arrow : picture.arrows) {
            const QPointF at = geometry.line(arrow.transit, arrow.sender).pointAt(0.3);
            if (arrow.packet == 0 || at.y() < 120 || at.y() > 600) continue;
            const LadderHit hit = view->canvas().hit(at.toPoint());
            if (hit.kind == LadderHit::Kind::arrow && picture.arrows[hit.index].packet == arrow.packet)
                return {at.toPoint(), arrow.packet};
        }
        return {};
    }

    std::unique_ptr<Document> document;
    std::unique_ptr<LadderView> view;
};

TEST_F(LadderViewTest, ZoomBringsPacketsAndAClickSelectsOne) {
    open("loss-mixed-initiator.pcap.zst");
    EXPECT_EQ(view->picture().detail, LadderDetail::density);
    look_at(32'000, 36'000);
    EXPECT_EQ(view->picture().detail, LadderDetail::packets);
    const auto [at, packet] = some_packet();
    ASSERT_NE(packet, 0u);
    EXPECT_TRUE(view->canvas().words_at(at).contains(QString::number(packet)));
    click(at);
    EXPECT_EQ(document->state().selection(), (Selection{Selection::Kind::packet, packet}));
    click(at, QEvent::MouseButtonDblClick);
    const LadderPicture& picture = view->picture();
    const auto arrow = std::ranges::find(picture.arrows, packet, &LadderArrow::packet);
    ASSERT_NE(arrow, picture.arrows.end());
    EXPECT_TRUE(document->state().range().contains({arrow->transit.left_ns, arrow->transit.arrival_ns}));
    EXPECT_LT(document->state().range().span_ns(), 20'000'000);
}

TEST_F(LadderViewTest, TheKernelsStatesStandBesideOursWhereTheCaptureHoldsThem) {
    open("kernel-truth-target.pcapng.zst");
    document->state().set_connection(1, true);
    ASSERT_TRUE(settle());
    ASSERT_TRUE(view->picture().sender.has_kernel_ca);
    // Each of the kernel's transitions that is far enough from the next one shows.
    const auto reading = document->data()->read();
    size_t shown = 0;
    for (const KernelCaTransitionRow& row : reading.store().kernel_ca_transitions()) {
        const StateBand::Span* const span = view->picture().sender.kernel_ca.span_at(row.time_ns);
        shown += span != nullptr && span->state == static_cast<uint8_t>(row.to);
    }
    EXPECT_GT(shown, 0u);
    EXPECT_EQ(view->canvas().layout_now().band.width(),
              LadderLayout::own_states() + LadderLayout::kernel_states());
}

TEST_F(LadderViewTest, WithoutAKernelsWordOurStatesHaveTheWholeBand) {
    open("loss-mixed-initiator.pcap.zst");
    EXPECT_FALSE(view->picture().sender.has_kernel_ca);
    EXPECT_EQ(view->canvas().layout_now().band.width(), LadderLayout::own_states());
}

TEST_F(LadderViewTest, TheWheelZoomsAboutThePointerDownwards) {
    open("loss-mixed-initiator.pcap.zst");
    look_at(30'000, 60'000);
    LadderCanvas& canvas = view->canvas();
    const QPointF at(400, 300);
    const int64_t under = canvas.viewport().time_at(at.y());
    testing_gui::send_wheel(canvas, at, 2);
    EXPECT_LT(document->state().range().span_ns(), 25'000'000);
    EXPECT_NEAR(canvas.viewport().x_of(under), at.y(), 1);
}

TEST_F(LadderViewTest, ACommandThatIsSelectedIsLitUpAndTheRestFaint) {
    open("loss-mixed-initiator.pcap.zst");
    view->set_detail(LadderDetail::commands);
    look_at(60'000, 100'000);
    ASSERT_EQ(view->picture().detail, LadderDetail::commands);
    const QImage before = view->canvas().grab().toImage();
    const uint64_t number = view->picture().commands[view->picture().commands.size() / 2].number;
    document->state().select({Selection::Kind::command, number});
    ASSERT_TRUE(wait_until([&] { return document->state().selected().command == number; }));
    EXPECT_NE(view->canvas().grab().toImage(), before);
}

TEST_F(LadderViewTest, DetailsSenderAndConnectionCanBeChosen) {
    open("two-sessions.pcap.lz4");
    ASSERT_GT(document->data()->read().store().connections().size(), 1u);
    for (const LadderDetail detail : {LadderDetail::pdus, LadderDetail::commands, LadderDetail::packets}) {
        view->set_detail(detail);
        ASSERT_TRUE(settle());
        EXPECT_EQ(view->picture().asked, detail);
    }
    view->set_detail(LadderDetail::density);  // is none to be asked for
    EXPECT_EQ(view->detail(), LadderDetail::packets);
    auto* const chooser = view->findChild<ConnectionChooser*>()->findChild<QComboBox*>();
    ASSERT_NE(chooser, nullptr);
    ASSERT_TRUE(wait_until([&] { return chooser->count() > 1; }));
    EXPECT_EQ(chooser->currentData().toUInt(), document->state().connection());
    const int other = chooser->currentIndex() == 0 ? 1 : 0;
    Q_EMIT chooser->activated(other);
    EXPECT_EQ(document->state().connection(), chooser->itemData(other).toUInt());
    ASSERT_TRUE(settle());
    EXPECT_EQ(view->picture().connection, document->state().connection());
    document->state().set_connection(document->state().connection(), false);
    ASSERT_TRUE(settle());
    EXPECT_FALSE(view->picture().sender_is_target);
}

TEST_F(LadderViewTest, EverythingPaintsAtAnySizeAndIntoAFile) {
    open("loss-mixed-target.pcap.zst");
    for (const QSize size : {QSize(260, 200), QSize(700, 300), QSize(2400, 1300)}) {
        view->resize(size);
        for (const int64_t span : {300'000, 20'000, 900, 2}) {
            look_at(35'000, 35'000 + span);
            QImage image(size, QImage::Format_RGB32);
            image.fill(Qt::red);
            QPainter painter(&image);
            view->draw(painter);
            painter.end();
            EXPECT_NE(image.pixel(size.width() / 2, size.height() - 3), qRgb(255, 0, 0));
            EXPECT_FALSE(view->grab().isNull());
        }
    }
}

TEST_F(LadderViewTest, MayEndWhileItsPictureIsBeingMade) {
    for (int round = 0; round < 10; ++round) {
        const auto opened = testing_gui::opened(testing_gui::sample("loss-mixed-initiator.pcap.zst"));
        ASSERT_TRUE(opened);
        LadderView ladder(*opened, nullptr);
        ladder.resize(800, 500);
        for (int i = 0; i < round * 3; ++i) QCoreApplication::processEvents();
    }
}

}  // namespace
}  // namespace sanscope
