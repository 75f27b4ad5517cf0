// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/document.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <tuple>

#include "gui/testing/loaded_document.h"

#include "analyzer/ingest/decompressor.h"

namespace sanscope {
namespace {

using testing::Each;
using testing::IsEmpty;
using testing::Not;
using testing_gui::loaded;
using testing_gui::loaded_sample;
using testing_gui::sample;
using testing_gui::wait_until;

TEST(Document, LoadsBehindTheWindow) {
    const auto document = loaded_sample("loss-mixed-initiator.pcap.zst");
    ASSERT_TRUE(document);
    EXPECT_FALSE(document->loading());
    EXPECT_EQ(document->warning(), QString());
    const auto reading = document->data()->try_read();
    ASSERT_TRUE(reading);
    EXPECT_EQ(reading->index().packets(), 9856u);
    EXPECT_EQ(reading->store().segments().size(), 9856u);
    EXPECT_EQ(reading->store().summary().commands(), reading->store().commands().size());
    EXPECT_TRUE(reading->timeline().finished());
    // The whole is from the first packet to the last, and the busiest connection is in focus.
    const ViewState& state = document->state();
    EXPECT_EQ(state.whole().begin_ns, reading->engine().totals().first_ns);
    EXPECT_EQ(state.whole().end_ns, reading->engine().totals().last_ns + 1);
    EXPECT_EQ(state.connection(), 1u);
    EXPECT_TRUE(state.sender_is_target());
}

// Also of one that was stopped: not before all is in place, and to all who are told.
TEST(Document, HasLoadedAsSoonAsItIsTold) {
    for (const bool stopped : {false, true}) {
        const auto document = testing_gui::opened(sample("loss-mixed-initiator.pcap.zst"));
        ASSERT_TRUE(document);
        EXPECT_FALSE(document->has_loaded());
        bool early = false;
        bool told = false;
        QObject::connect(document.get(), &Document::grown, [&] { early = early || document->has_loaded(); });
        QObject::connect(document.get(), &Document::loaded, [&] { told = document->has_loaded(); });
        if (stopped) document->stop_loading();
        ASSERT_TRUE(wait_until([&] { return document->has_loaded(); }));
        EXPECT_FALSE(early);
        EXPECT_TRUE(told);
        EXPECT_FALSE(document->loading());
    }
}

// Whenever the window first looked at the capture: the connections of this one take turns in being the busiest.
TEST(Document, TheConnectionInFocusIsTheBusiestOfTheWholeFile) {
    for (int round = 0; round < 5; ++round) {
        const auto document = loaded_sample("two-sessions.pcap.lz4");
        ASSERT_TRUE(document);
        const auto reading = document->data()->try_read();
        const auto& connections = reading->store().connections();
        const auto bytes = [](const ConnectionRow& row) { return row.bytes_in + row.bytes_out; };
        uint32_t busiest = 1;
        for (uint32_t i = 2; i <= connections.size(); ++i) {
            if (bytes(connections[i - 1]) > bytes(connections[busiest - 1])) busiest = i;
        }
        EXPECT_EQ(document->state().connection(), busiest);
        EXPECT_EQ(document->state().sender_is_target(),
                  connections[busiest - 1].bytes_in >= connections[busiest - 1].bytes_out);
    }
}

TEST(Document, AConnectionThatTheUserChoseStaysInFocus) {
    const auto document = testing_gui::opened(sample("two-sessions.pcap.lz4"));
    ASSERT_TRUE(document);
    bool done = false;
    QObject::connect(document.get(), &Document::loaded, [&] { done = true; });
    ASSERT_TRUE(wait_until([&] { return document->state().connection() != 0; }));
    const uint32_t other = document->state().connection() == 1 ? 2 : 1;
    document->state().set_connection(other, false);
    ASSERT_TRUE(wait_until([&] { return done; }));
    EXPECT_EQ(document->state().connection(), other);
    EXPECT_FALSE(document->state().sender_is_target());
}

TEST(Document, ASelectedCommandBringsItsPdusAndPackets) {
    const auto document = loaded_sample("loss-mixed-initiator.pcap.zst");
    ASSERT_TRUE(document);
    const auto reading = document->data()->try_read();
    ASSERT_TRUE(reading);
    const ResultStore& store = reading->store();
    for (uint64_t number = 1; number <= store.commands().size(); number += 7) {
        const CommandRow& command = store.commands()[number - 1];
        document->state().select({Selection::Kind::command, number});
        ASSERT_TRUE(wait_until([&] { return document->state().selected().command == number; }));
        const SelectedThings& things = document->state().selected();
        std::vector<uint64_t> expected;
        for (uint64_t pdu = 1; pdu <= store.pdus().size(); ++pdu) {
            if (store.pdus()[pdu - 1].command == number) expected.push_back(pdu);
        }
        EXPECT_EQ(things.pdus, expected) << number;
        EXPECT_EQ(things.pdus.size(), command.pdus) << number;
        EXPECT_THAT(things.packets, testing::Contains(command.request_packet));
        EXPECT_THAT(things.packets, testing::Contains(command.response_packet));
        EXPECT_TRUE(std::ranges::is_sorted(things.packets));
        // Of the bytes they carry none is missing.
        uint64_t payload = 0;
        for (const uint32_t packet : things.packets) {
            EXPECT_EQ(store.segments()[packet - 1].connection, command.connection);
            payload += store.segments()[packet - 1].payload_length;
        }
        uint64_t least = 0;
        for (const uint64_t pdu : things.pdus) least += 48 + store.pdus()[pdu - 1].data_length;
        EXPECT_GE(payload, least) << number;
        EXPECT_EQ(things.range.begin_ns, command.request_ns);
    }
}

TEST(Document, APacketInTheMidstOfAPduKnowsItAndItsCommand) {
    const auto document = loaded_sample("reads-256k-qd4.pcapng.zst");
    ASSERT_TRUE(document);
    const auto reading = document->data()->try_read();
    const ResultStore& store = reading->store();
    size_t known = 0;
    size_t payloads = 0;
    for (PacketNumber packet = 1; packet <= store.segments().size(); packet += 11) {
        const SegmentRow& segment = store.segments()[packet - 1];
        if (segment.payload_length == 0) continue;
        ++payloads;
        document->state().select({Selection::Kind::packet, packet});
        ASSERT_TRUE(wait_until([&] { return document->state().selected().packet == packet; }));
        const SelectedThings& things = document->state().selected();
        if (things.pdu == 0) continue;
        ++known;
        const PduRow& pdu = store.pdus()[things.pdu - 1];
        EXPECT_LE(pdu.first_packet, packet);
        EXPECT_GE(pdu.last_packet, packet);
    }
    EXPECT_EQ(known, payloads);
    EXPECT_GT(known, 50u);
}

TEST(Document, WhatActsOnASelectionWaitsUntilItIsResolved) {
    const auto document = loaded_sample("loss-mixed-initiator.pcap.zst");
    ASSERT_TRUE(document);
    ViewState& state = document->state();
    const auto resolved = [&] { return state.selected().selection == state.selection(); };
    const TimeRange whole = state.range();
    QObject context;
    std::vector<uint64_t> acted_on;
    const auto act = [&](const SelectedThings& things) { acted_on.push_back(things.command); };

    state.select({Selection::Kind::command, 7});
    document->when_resolved(&context, act);
    document->frame_when_resolved();
    EXPECT_THAT(acted_on, IsEmpty());
    EXPECT_EQ(state.range(), whole);
    ASSERT_TRUE(wait_until(resolved));
    EXPECT_THAT(acted_on, testing::ElementsAre(7u));
    const TimeRange framed = state.range();
    EXPECT_TRUE(framed.contains(state.selected().range));
    EXPECT_NE(framed, whole);
    // Known: at once.
    document->when_resolved(&context, act);
    EXPECT_THAT(acted_on, testing::ElementsAre(7u, 7u));

    // Of a selection that another one replaces nothing is done, nor for one who is gone.
    state.select({Selection::Kind::command, 40});
    document->when_resolved(&context, act);
    document->frame_when_resolved();
    state.select({Selection::Kind::command, 8});
    {
        QObject gone;
        document->when_resolved(&gone, act);
    }
    ASSERT_TRUE(wait_until(resolved));
    QCoreApplication::processEvents();
    EXPECT_THAT(acted_on, testing::ElementsAre(7u, 7u));
    EXPECT_EQ(state.range(), framed);
    // What acts may select something else: those behind it act on that one or not at all.
    state.select({Selection::Kind::command, 9});
    document->when_resolved(&context, [&](const SelectedThings&) {
        state.select({Selection::Kind::command, 10});
    });
    document->when_resolved(&context, act);
    ASSERT_TRUE(wait_until([&] { return resolved() && state.selected().command == 10; }));
    EXPECT_THAT(acted_on, testing::ElementsAre(7u, 7u));
}

// A click whose answer a worker has to find, which takes as long as the test says.
class SlowPick {
  public:
    explicit SlowPick(Selection found) : found_(found) {}
    Document::Find find() const {
        return [answered = answered_, found = found_](const StopFlag& stop) {
            while (!*answered && !stop) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return found;
        };
    }
    void answer() { *answered_ = true; }
    ~SlowPick() { *answered_ = true; }
    SlowPick(const SlowPick&) = delete;
    SlowPick& operator=(const SlowPick&) = delete;

  private:
    Selection found_;
    std::shared_ptr<std::atomic<bool>> answered_ = std::make_shared<std::atomic<bool>>(false);
};

void let_pass_ms(int ms) {
    QElapsedTimer timer;
    timer.start();
    wait_until([&] { return timer.elapsed() >= ms; });
}

TEST(Document, FramingWaitsForAPickUnderWay) {
    const auto document = loaded_sample("loss-mixed-initiator.pcap.zst");
    ASSERT_TRUE(document);
    ViewState& state = document->state();
    const auto resolved = [&] { return state.selected().selection == state.selection(); };
    state.select({Selection::Kind::command, 40});
    ASSERT_TRUE(wait_until(resolved));
    document->frame_when_resolved();
    const TimeRange of_picked = state.range();
    state.show_all();
    state.select({Selection::Kind::command, 7});
    ASSERT_TRUE(wait_until(resolved));
    const TimeRange whole = state.range();

    SlowPick pick({Selection::Kind::command, 40});
    document->pick(document.get(), pick.find());
    EXPECT_TRUE(document->picking());
    document->frame_when_resolved();
    let_pass_ms(30);
    EXPECT_EQ(state.range(), whole);
    pick.answer();
    ASSERT_TRUE(wait_until([&] { return !document->picking() && resolved(); }));
    EXPECT_EQ(state.selection(), (Selection{Selection::Kind::command, 40}));
    EXPECT_EQ(state.range(), of_picked);
}

TEST(Document, APickEndsWithAnotherSelection) {
    const auto document = loaded_sample("loss-mixed-initiator.pcap.zst");
    ASSERT_TRUE(document);
    ViewState& state = document->state();
    QObject context;
    bool acted = false;
    {
        SlowPick pick({Selection::Kind::command, 40});
        document->pick(document.get(), pick.find());
        document->when_picked(&context, [&] { acted = true; });
        state.select({Selection::Kind::command, 7});
        EXPECT_FALSE(document->picking());
    }
    let_pass_ms(30);
    EXPECT_EQ(state.selection(), (Selection{Selection::Kind::command, 7}));
    EXPECT_FALSE(acted);
}

// As a click does on what is selected already.
TEST(Document, APickThatIsEndedSelectsNothing) {
    const auto document = loaded_sample("loss-mixed-initiator.pcap.zst");
    ASSERT_TRUE(document);
    ViewState& state = document->state();
    state.select({Selection::Kind::command, 7});
    {
        SlowPick pick({Selection::Kind::command, 40});
        document->pick(document.get(), pick.find());
        document->end_pick();
        state.select({Selection::Kind::command, 7});
        EXPECT_FALSE(document->picking());
    }
    let_pass_ms(30);
    EXPECT_EQ(state.selection(), (Selection{Selection::Kind::command, 7}));
}

TEST(Document, AViewThatIsGoneIsNotToldOfItsPick) {
    const auto document = loaded_sample("loss-mixed-initiator.pcap.zst");
    ASSERT_TRUE(document);
    bool told = false;
    SlowPick pick({Selection::Kind::command, 40});
    {
        QObject context;
        document->pick(&context, pick.find(), [&] { told = true; });
    }
    pick.answer();
    ASSERT_TRUE(wait_until([&] { return !document->picking(); }));
    EXPECT_EQ(document->state().selection(), (Selection{Selection::Kind::command, 40}));
    EXPECT_FALSE(told);
}

// The selection stays, and what waited acts on that.
TEST(Document, APickOfNothingLeavesTheSelection) {
    const auto document = loaded_sample("loss-mixed-initiator.pcap.zst");
    ASSERT_TRUE(document);
    ViewState& state = document->state();
    state.select({Selection::Kind::command, 7});
    ASSERT_TRUE(wait_until([&] { return state.selected().command == 7; }));
    QObject context;
    uint64_t acted_on = 0;
    bool selected = false;
    SlowPick pick({});
    document->pick(document.get(), pick.find(), [&] { selected = true; });
    document->when_resolved(&context, [&](const SelectedThings& things) { acted_on = things.command; });
    EXPECT_EQ(acted_on, 0u);
    pick.answer();
    ASSERT_TRUE(wait_until([&] { return acted_on != 0; }));
    EXPECT_EQ(acted_on, 7u);
    EXPECT_FALSE(selected);
}

TEST(Document, NumbersThatAreNoneSelectNothing) {
    const auto document = loaded_sample("nop-logout.pcap");
    ASSERT_TRUE(document);
    for (const auto kind : {Selection::Kind::packet, Selection::Kind::pdu, Selection::Kind::command,
                            Selection::Kind::connection, Selection::Kind::session, Selection::Kind::loss}) {
        document->state().select({kind, 1'000'000});
        ASSERT_TRUE(wait_until([&] { return document->state().selected().selection.kind == kind; }));
        EXPECT_EQ(document->state().selected().packet, 0u);
    }
}

TEST(Document, ADamagedFileIsOpenUpToTheDamage) {
    const auto document = loaded_sample("cut-off.pcap");
    ASSERT_TRUE(document);
    EXPECT_TRUE(document->warning().contains(QStringLiteral("damaged at byte")));
    EXPECT_GT(document->data()->try_read()->index().packets(), 0u);
}

TEST(Document, WhatIsNoCaptureIsRefused) {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("no.pcap"));
    std::ofstream(path.toStdString()) << "this is no capture, nor ever was one";
    QString error;
    EXPECT_FALSE(Document::open(path, error));
    EXPECT_THAT(error.toStdString(), Not(IsEmpty()));
    error.clear();
    EXPECT_FALSE(Document::open(folder.filePath(QStringLiteral("none")), error));
    EXPECT_THAT(error.toStdString(), Not(IsEmpty()));
}

TEST(Document, MayBeClosedOrStoppedAtAnyMoment) {
    for (int round = 0; round < 8; ++round) {
        auto document = testing_gui::opened(sample("loss-mixed-initiator.pcap.zst"));
        ASSERT_TRUE(document);
        for (int i = 0; i < round; ++i) QCoreApplication::processEvents();
        if (round % 2 == 0) {
            bool done = false;
            QObject::connect(document.get(), &Document::loaded, [&] { done = true; });
            document->stop_loading();
            EXPECT_TRUE(wait_until([&] { return done; }));
            EXPECT_TRUE(document->data()->complete());
        }
    }
}

// The bytes of a sample, decompressed.
std::vector<uint8_t> bytes_of(const char* name) {
    auto input = open_input(sample(name).toStdString());
    if (!input) return {};
    const auto bytes =
        make_decompressor(Compression::zstd, std::make_unique<FileSource>(std::move(input->descriptor)), {});
    std::vector<uint8_t> all;
    std::array<uint8_t, 65536> some;
    while (const size_t read = bytes->read(some)) all.insert(all.end(), some.begin(), some.begin() + read);
    return all;
}

TEST(Document, FollowsACaptureWhileItIsRecorded) {
    const std::vector<uint8_t> bytes = bytes_of("loss-mixed-initiator.pcap.zst");
    ASSERT_GT(bytes.size(), 100'000u);
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("live.pcap"));
    std::ofstream file(path.toStdString(), std::ios::binary);
    const auto growth = std::make_shared<FileGrowth>();
    size_t written = 0;
    const auto write = [&](size_t length) {
        file.write(reinterpret_cast<const char*>(bytes.data()) + written,
                   static_cast<std::streamsize>(length));
        file.flush();
        written += length;
        growth->grown_to(written);
    };
    write(1000);
    QString error;
    const auto document = Document::follow(path, growth, error);
    ASSERT_TRUE(document) << error.toStdString();
    uint64_t before = 0;
    for (int step = 1; step <= 4; ++step) {
        write(bytes.size() / 5);
        const auto packets = [&] { return document->data()->progress().packets; };
        ASSERT_TRUE(wait_until([&] { return packets() > before && !document->state().whole().empty(); }));
        EXPECT_TRUE(document->live());
        before = packets();
    }
    // What is there can be read while more comes.
    {
        const auto reading = document->data()->read();
        EXPECT_TRUE(reading.packets().read(before));
    }
    write(bytes.size() - written);
    growth->end();
    ASSERT_TRUE(wait_until([&] { return !document->loading(); }));
    EXPECT_FALSE(document->live());
    EXPECT_EQ(document->warning(), QString());

    const auto afterwards = loaded(path);
    ASSERT_TRUE(afterwards);
    const auto live = document->data()->try_read();
    const auto later = afterwards->data()->try_read();
    ASSERT_TRUE(live && later);
    ASSERT_EQ(live->index().packets(), later->index().packets());
    ASSERT_EQ(live->store().commands().size(), later->store().commands().size());
    for (size_t i = 0; i < live->store().commands().size(); ++i) {
        const CommandRow& a = live->store().commands()[i];
        const CommandRow& b = later->store().commands()[i];
        EXPECT_EQ(std::tie(a.itt, a.request_ns, a.response_ns, a.response_packet, a.queue_depth, a.pdus),
                  std::tie(b.itt, b.request_ns, b.response_ns, b.response_packet, b.queue_depth, b.pdus))
            << i;
    }
    EXPECT_EQ(document->state().whole(), afterwards->state().whole());
}

TEST(Document, MemoryIsLookedAfterOnceRowsAreInAFile) {
    const std::vector<uint8_t> bytes = bytes_of("loss-mixed-initiator.pcap.zst");
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("recorded.pcap"));
    std::ofstream(path.toStdString(), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    for (const bool in_file : {false, true}) {
        const auto growth = std::make_shared<FileGrowth>();
        growth->grown_to(bytes.size());
        growth->end();
        QString error;
        const size_t most_in_memory = in_file ? 0 : CaptureData::most_in_memory_of_recording;
        const auto document = Document::follow(path, growth, error, most_in_memory);
        ASSERT_TRUE(document) << error.toStdString();
        EXPECT_FALSE(document->keeps_within_memory()) << "there is nothing yet";
        ASSERT_TRUE(wait_until([&] { return !document->loading(); }));
        EXPECT_EQ(document->data()->has_rows_in_file(), in_file);
        EXPECT_EQ(document->keeps_within_memory(), in_file);
        EXPECT_EQ(document->data()->try_read()->index().packets(), 9856u);
    }
}

TEST(Document, ARecordingThatIsLeftEndsItsFollowing) {
    const std::vector<uint8_t> bytes = bytes_of("loss-mixed-initiator.pcap.zst");
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("left.pcap"));
    const auto growth = std::make_shared<FileGrowth>();
    std::ofstream(path.toStdString(), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size() / 2));
    growth->grown_to(bytes.size() / 2);
    QString error;
    auto document = Document::follow(path, growth, error);
    ASSERT_TRUE(document) << error.toStdString();
    ASSERT_TRUE(wait_until([&] { return document->data()->progress().packets > 10; }));
    document.reset();  // would wait for ever
    EXPECT_TRUE(growth->ended());
}

}  // namespace
}  // namespace sanscope
