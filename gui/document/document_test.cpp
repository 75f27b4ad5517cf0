// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/document.h"

#include <QTemporaryDir>
#include <algorithm>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/testing/loaded_document.h"

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

}  // namespace
}  // namespace sanscope
