// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the tables of a followed recording say in the end is what those of its file say when it is opened afterwards.
#include <QTemporaryDir>
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "gui/recording/live_recording.h"
#include "gui/testing/loaded_document.h"
#include "gui/testing/replayed_recording.h"

#include "analyzer/tables/packets_table.h"
#include "analyzer/tables/tables.h"
#include "analyzer/tables/testing/table_text.h"

namespace sanscope {
namespace {

using testing_gui::loaded;
using testing_gui::ReplayedRecording;
using testing_gui::sample;
using testing_gui::wait_until;

// Returns how many rows there are.
size_t expect_same(const Table& live, const Table& later) {
    EXPECT_EQ(live.rows(), later.rows()) << live.name();
    if (live.rows() != later.rows()) return 0;
    int differences = 0;
    for (size_t row = 0; row < live.rows(); ++row) {
        for (size_t column = 0; column < live.columns().size(); ++column) {
            Cell a;
            Cell b;
            live.cell(row, column, a);
            later.cell(row, column, b);
            constexpr int enough = 5;
            if (text_of(a) == text_of(b) || ++differences > enough) continue;
            ADD_FAILURE() << fmt::format("{}, row {}, {}: {} while recorded, {} afterwards", live.name(),
                                         row + 1, live.columns()[column].name, text_of(a), text_of(b));
        }
    }
    return live.rows();
}

// A document that has followed the sample being recorded to its end; nullptr where that did not work.
std::unique_ptr<Document> followed(const char* name, const QString& path) {
    const ReplayedRecording replayed(sample(name));
    v1::RecordingRequest request;
    request.add_interfaces("replay");
    request.set_path(path.toStdString());
    request.mutable_stop_after()->set_seconds(1);
    QString error;
    const auto recording = LiveRecording::start(request, error);
    EXPECT_TRUE(recording) << error.toStdString();
    if (!recording) return nullptr;
    std::unique_ptr<Document> document;
    QObject::connect(recording.get(), &LiveRecording::readable,
                     [&] { document = Document::follow(recording->path(), recording->growth(), error); });
    uint64_t packets = 0;
    int grown = 0;
    const bool ended = wait_until([&] {
        if (document == nullptr) return !recording->running();
        const uint64_t now = document->data()->progress().packets;
        if (now > std::exchange(packets, now)) ++grown;
        return !document->loading();
    });
    EXPECT_TRUE(ended && document) << error.toStdString() << recording->last_trouble().toStdString();
    if (!ended || !document) return nullptr;
    EXPECT_EQ(document->warning().toStdString(), "");
    constexpr int few = 100;
    if (packets > few) {
        EXPECT_GT(grown, 3) << "it was not followed, but opened at its end";
    }
    return document;
}

class LiveTables : public testing::TestWithParam<const char*> {};

TEST_P(LiveTables, EqualThoseOfTheFileRowByRow) {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("live.pcapng"));
    const auto live = followed(GetParam(), path);
    const auto later = loaded(path);
    ASSERT_TRUE(live && later);
    const auto one = live->data()->read();
    const auto other = later->data()->read();
    size_t rows = 0;
    for (const TableInfo& table : table_infos()) {
        SCOPED_TRACE(table.name);
        rows += expect_same(*table.make(one.store()), *table.make(other.store()));
    }
    rows += expect_same(*make_packets_table(one.index(), one.store(), &one.pdu_index()),
                        *make_packets_table(other.index(), other.store(), &other.pdu_index()));
    EXPECT_GT(rows, one.index().packets());
    EXPECT_EQ(live->state().whole(), later->state().whole());
    if (std::string_view(GetParam()).starts_with("kernel-truth")) {
        EXPECT_GT(kernel_windows_table.make(one.store())->rows(), 0u);
        EXPECT_GT(kernel_ca_transitions_table.make(one.store())->rows(), 0u);
    }
}

INSTANTIATE_TEST_SUITE_P(Samples, LiveTables,
                         testing::Values("loss-mixed-initiator.pcap.zst", "loss-mixed-target.pcap.zst",
                                         "reordered.pcap.zst", "sniffer-drops.pcap.zst",
                                         "mirrored-twice.pcapng.zst", "two-sessions.pcap.lz4",
                                         "two-interfaces.pcapng.zst", "task-management.pcap.zst",
                                         "mid-connection.pcap.zst", "snap128-reads-64k-qd32.pcap.zst",
                                         "super-packets.pcap.zst", "killed-initiator.pcap.zst",
                                         "kernel-truth-target.pcapng.zst"),
                         [](const auto& named) {
                             std::string name = named.param;
                             name.resize(name.find('.'));
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace sanscope
