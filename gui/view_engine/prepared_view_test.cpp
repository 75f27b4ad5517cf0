// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view_engine/prepared_view.h"

#include <QFileInfo>
#include <QTemporaryDir>
#include <QThread>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <mutex>

#include "gui/document/filter_result.h"
#include "gui/testing/loaded_document.h"

namespace sanscope {
namespace {

using testing_gui::loaded_sample;
using testing_gui::wait_until;

struct CountedPicture {
    PreparedRange prepared;
    bool on_gui_thread = true;
};

// A view whose picture is nothing but what was asked for.
class CountedView final : public PreparedView<CountedPicture> {
  public:
    explicit CountedView(Document& document) : PreparedView(document, nullptr) { renew(); }

    using PreparedView::renew;
    TimeViewport viewport() const { return {state().range(), 0, 500}; }
    void draw(QPainter&) override {}

    int started = 0;
    std::shared_ptr<std::mutex> gate = std::make_shared<std::mutex>();  // a worker passes through it
    int takes_ms = 0;
    std::function<void()> after_redraw;

  protected:
    bool serves() const override { return picture().prepared.serves(viewport()); }
    Preparation preparation() override {
        ++started;
        return [prepared = PreparedRange::around(viewport()), gate = gate, takes_ms = takes_ms,
                gui = QThread::currentThread()](const StopFlag&) {
            const std::lock_guard pass(*gate);
            QThread::msleep(static_cast<unsigned long>(takes_ms));
            return CountedPicture{prepared, QThread::currentThread() == gui};
        };
    }
    void on_picture(const CountedPicture&) override {}
    void redraw() override {
        if (after_redraw) std::exchange(after_redraw, nullptr)();
    }
};

class PreparedViewTest : public testing::Test {
  protected:
    void settle(CountedView& view) {
        ASSERT_TRUE(wait_until([&] { return view.settled(); }));
    }
    std::unique_ptr<Document> document = loaded_sample("nop-logout.pcap");
};

TEST_F(PreparedViewTest, PreparesOnAWorkerAndAgainOnlyWhereThePictureDoesNotServe) {
    CountedView view(*document);
    settle(view);
    EXPECT_EQ(view.pictures_taken(), 1u);
    EXPECT_FALSE(view.picture().on_gui_thread);
    EXPECT_TRUE(view.picture().prepared.range.contains(document->state().range()));
    document->state().zoom(1.1, document->state().range().begin_ns);
    EXPECT_TRUE(view.settled());
    EXPECT_EQ(view.started, 1);
    document->state().zoom(50, document->state().range().begin_ns);
    EXPECT_FALSE(view.settled());
    settle(view);
    EXPECT_EQ(view.pictures_taken(), 2u);
    EXPECT_TRUE(view.picture().prepared.serves(view.viewport()));
}

TEST_F(PreparedViewTest, APictureOfSomethingElseIsPreparedAnewThoughItServes) {
    CountedView view(*document);
    settle(view);
    view.renew();
    EXPECT_FALSE(view.settled());
    settle(view);
    EXPECT_EQ(view.pictures_taken(), 2u);
    document->state().set_filter(std::make_shared<const FilterResult>());
    EXPECT_FALSE(view.settled());
    settle(view);
    EXPECT_EQ(view.pictures_taken(), 3u);
}

TEST_F(PreparedViewTest, OfManyMovementsOnlyTheLastIsPreparedBehindTheOneUnderWay) {
    CountedView view(*document);
    settle(view);
    const TimeRange whole = document->state().range();
    view.gate->lock();
    for (int i = 1; i <= 10; ++i) {
        document->state().set_range(whole);
        document->state().zoom(10.0 * i, whole.begin_ns);
    }
    EXPECT_FALSE(view.settled());
    view.gate->unlock();
    settle(view);
    EXPECT_EQ(view.pictures_taken(), 3u);
    EXPECT_TRUE(view.picture().prepared.serves(view.viewport()));
}

TEST_F(PreparedViewTest, MayEndWhileItsPictureIsPrepared) {
    for (int i = 0; i < 20; ++i) {
        const CountedView view(*document);
        if (i % 2 == 0) QCoreApplication::processEvents();
    }
    QCoreApplication::processEvents();
}

TEST_F(PreparedViewTest, AGrowingCaptureIsDrawnUpNoMoreOftenThanItsPauseAllows) {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("growing.pcap"));
    {
        std::ifstream whole(testing_gui::sample("nop-logout.pcap").toStdString(), std::ios::binary);
        std::ofstream(path.toStdString(), std::ios::binary) << whole.rdbuf();
    }
    const auto growth = std::make_shared<FileGrowth>();
    growth->grown_to(static_cast<uint64_t>(QFileInfo(path).size()));
    QString error;
    const auto growing = Document::follow(path, growth, error);
    ASSERT_TRUE(growing) << error.toStdString();
    ASSERT_TRUE(wait_until([&] { return !growing->state().whole().empty(); }));
    CountedView view(*growing);
    view.takes_ms = 30;
    settle(view);
    view.renew();
    bool waits = false;
    int started = 0;
    // Called as soon as the next picture is there: the pause has only begun.
    ASSERT_TRUE(wait_until([&] { return view.settled(); }));
    view.after_redraw = [&] {
        view.after_redraw = [&] {
            started = view.started;
            Q_EMIT growing->grown();
            waits = view.started == started && !view.settled();
        };
    };
    view.renew();
    ASSERT_TRUE(wait_until([&] { return started > 0; }));
    EXPECT_TRUE(waits);
    // What is not in sight does not wait.
    growing->state().zoom(1000, growing->state().range().begin_ns);
    EXPECT_EQ(view.started, started + 1);
    // And what grew comes when the pause is over.
    Q_EMIT growing->grown();
    ASSERT_TRUE(wait_until([&] { return view.settled(); }));
    EXPECT_GE(view.started, started + 2);
    growth->end();
    ASSERT_TRUE(wait_until([&] { return !growing->loading(); }));
}

}  // namespace
}  // namespace sanscope
