// SPDX-License-Identifier: GPL-3.0-or-later
//
// The window on captures that were made to break it: samples changed at random, times and lengths that cannot be, names of
// every bad kind, what the fuzzers of parsers begin with. Every view is shown and drawn. What goes wrong is for the
// sanitizers to find; without them, that it ends and that no name is taken for HTML.
#include <QDirIterator>
#include <QFile>
#include <QHelpEvent>
#include <QLineEdit>
#include <QMessageBox>
#include <QSettings>
#include <QTemporaryDir>
#include <QToolTip>
#include <algorithm>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "gui/app/capture_window.h"
#include "gui/app/main_window.h"
#include "gui/testing/conversation_capture.h"
#include "gui/testing/loaded_document.h"
#include "gui/testing/pointer_events.h"
#include "gui/testing/shown_markup.h"
#include "gui/view_engine/view.h"
#include "gui/views/filter_line/filter_line.h"

namespace sanscope {
namespace {

using test::Bytes;
using testing_gui::ShownMarkup;
using testing_gui::wait_until;

constexpr size_t pcap_file_header = 24;
constexpr size_t pcap_record_header = 16;
constexpr size_t headers_of_a_packet = 54;  // Ethernet, IPv4, TCP without options

Bytes read_file(const QString& path) {
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << path.toStdString();
    const QByteArray bytes = file.readAll();
    return {bytes.begin(), bytes.end()};
}

// The packets of a pcap of this machine's byte order.
struct Record {
    uint32_t seconds = 0;
    uint32_t fraction = 0;
    uint32_t original = 0;
    Bytes data;
};

std::vector<Record> records_of(const Bytes& pcap) {
    std::vector<Record> records;
    const auto number = [&](size_t at) {
        uint32_t value = 0;
        std::memcpy(&value, &pcap[at], sizeof value);
        return value;
    };
    for (size_t at = pcap_file_header; at + pcap_record_header <= pcap.size();) {
        const size_t length = number(at + 8);
        if (length > pcap.size() - at - pcap_record_header) break;
        const auto begin = pcap.begin() + static_cast<ptrdiff_t>(at + pcap_record_header);
        records.push_back({number(at), number(at + 4), number(at + 12),
                           Bytes(begin, begin + static_cast<ptrdiff_t>(length))});
        at += pcap_record_header + length;
    }
    return records;
}

Bytes pcap_of(const std::vector<Record>& records, uint32_t link_type = 1) {
    test::PcapBuilder builder({.network = link_type});
    for (const Record& one : records)
        builder.record(one.seconds, one.fraction, static_cast<uint32_t>(one.data.size()), one.original,
                       one.data);
    return builder.bytes();
}

class HostileCapturesTest : public testing::Test {
  protected:
    void SetUp() override { QSettings().clear(); }
    void TearDown() override {
        QToolTip::hideText();
        QSettings().clear();
        EXPECT_TRUE(markup.found().isEmpty()) << markup.found().first().toStdString();
    }

    uint32_t below(uint64_t limit) { return static_cast<uint32_t>(random() % limit); }

    // Bytes anywhere in the file, its headers among them.
    Bytes with_bytes_changed(Bytes bytes) {
        for (uint32_t i = 0, changes = 1 + below(40); i < changes; ++i)
            bytes[below(bytes.size())] = static_cast<uint8_t>(random());
        if (below(4) == 0) bytes.resize(below(bytes.size()));
        return bytes;
    }
    // What is within TCP: the lengths, tags and numbers of iSCSI and SCSI.
    Bytes with_payloads_changed(std::vector<Record> records) {
        for (Record& one : records) {
            if (one.data.size() <= headers_of_a_packet || below(3) != 0) continue;
            for (uint32_t i = 0, changes = 1 + below(6); i < changes; ++i) {
                const size_t pdu = std::min<size_t>(48, one.data.size() - headers_of_a_packet);
                one.data[headers_of_a_packet + below(pdu)] = static_cast<uint8_t>(random());
            }
        }
        return pcap_of(records);
    }
    // Sequence numbers, acknowledgements, windows, flags.
    Bytes with_headers_changed(std::vector<Record> records) {
        for (Record& one : records) {
            if (one.data.size() < headers_of_a_packet || below(4) != 0) continue;
            one.data[34 + below(20)] = static_cast<uint8_t>(random());
        }
        return pcap_of(records);
    }
    // Moments out of order, at the ends of what can be written, and all the same; lengths likewise.
    Bytes with_times_changed(std::vector<Record> records) {
        const uint32_t kind = below(4);
        for (Record& one : records) {
            if (kind == 0 || below(8) == 0)
                one.seconds = below(3) == 0 ? 0xffffffff : static_cast<uint32_t>(random());
            if (kind == 1) one.fraction = static_cast<uint32_t>(random());
            if (kind == 2) one.seconds = one.fraction = 0;
            if (kind == 3) one.original = below(2) == 0 ? 0 : 0xffffffff;
        }
        return pcap_of(records);
    }
    // Packets left out, sent twice, and in another order.
    Bytes shuffled(std::vector<Record> records) {
        for (uint32_t i = 0; i < 30; ++i) {
            const size_t from = below(records.size());
            switch (below(3)) {
                case 0:
                    std::swap(records[from].data, records[below(records.size())].data);
                    break;
                case 1:
                    records.insert(records.begin() + static_cast<ptrdiff_t>(below(records.size())),
                                   Record(records[from]));
                    break;
                default:
                    if (records.size() > 4) records.erase(records.begin() + static_cast<ptrdiff_t>(from));
            }
        }
        return pcap_of(records);
    }

    // Shows the views, or with `details` all of them and what Wireshark's dissectors make of a packet.
    void look_at(const std::string& name, const Bytes& bytes, bool details = false) {
        SCOPED_TRACE(name);
        std::printf("%s\n", name.c_str());
        std::fflush(stdout);  // a sanitizer's report ends the program
        const QString path = folder.filePath(QStringLiteral("%1.pcapng").arg(++files));
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<qint64>(bytes.size()));
        file.close();

        MainWindow window;
        window.resize(1200, 760);
        window.show();
        if (window.open({path})) {
            show_views(*window.current(), details);
            ++opened;
        }
        markup.look_at_everything();
        for (QMessageBox* const box : window.findChildren<QMessageBox*>()) box->close();
        QFile::remove(path);
    }

    void show_views(CaptureWindow& capture, bool details) {
        ASSERT_TRUE(wait_until([&] { return capture.document().has_loaded(); }));
        const uint64_t packets = capture.document().data()->progress().packets;
        packets_seen += packets;
        for (const ViewKind& kind : view_kinds()) {
            if (std::string_view(kind.name) == "details" && !details) continue;
            capture.show_view(kind.name);
            View* const view = capture.view(kind.name);
            if (packets > 0) capture.go_to_packet(static_cast<PacketNumber>(1 + below(packets)));
            if (below(3) == 0) capture.document().frame_when_resolved();
            if (below(4) == 0)
                capture.state().zoom(1e9, capture.state().whole().begin_ns + below(1'000'000'000));
            ASSERT_TRUE(wait_until([&] { return view->settled(); })) << kind.name;
            rest_on(*view);
            EXPECT_FALSE(view->grab().isNull()) << kind.name;
            ++drawn;
            if (below(4) == 0) capture.state().show_all();
            if (below(8) == 0) capture.select_neighbour(1);
        }
        EXPECT_FALSE(capture.grab().isNull());
    }

    // What views show at the places the pointer rests at.
    void rest_on(View& view) {
        QList<QWidget*> widgets = view.findChildren<QWidget*>();
        widgets.append(&view);
        for (QWidget* const widget : std::as_const(widgets)) {
            if (!widget->isVisible() || widget->width() < 100 || widget->height() < 50) continue;
            constexpr int steps = 4;
            for (int i = 0; i < steps * steps; ++i) {
                const QPoint at(widget->width() * (2 * (i % steps) + 1) / (2 * steps),
                                widget->height() * (2 * (i / steps) + 1) / (2 * steps));
                testing_gui::send_mouse(*widget, QEvent::MouseMove, at, Qt::NoButton);
                QHelpEvent help(QEvent::ToolTip, at, widget->mapToGlobal(at));
                QApplication::sendEvent(widget, &help);
                markup.look_at(QToolTip::text(), QString::fromLatin1(widget->metaObject()->className()));
            }
        }
    }

    std::mt19937 random{20261123};
    QTemporaryDir folder;
    ShownMarkup markup{QStringLiteral("<img src=HOSTILE>")};
    int files = 0;
    int opened = 0;
    int drawn = 0;
    uint64_t packets_seen = 0;
};

TEST_F(HostileCapturesTest, SamplesChangedAtRandom) {
    const std::vector<Record> login =
        records_of(read_file(testing_gui::sample("login-discovery-inquiry.pcap")));
    const std::vector<Record> checks = records_of(read_file(testing_gui::sample("check-conditions.pcap")));
    ASSERT_GT(login.size(), 20u);
    ASSERT_GT(checks.size(), 20u);
    for (int round = 0; round < 3; ++round) {
        const std::string number = ", " + std::to_string(round);
        for (const auto& [name, records] :
             {std::pair{"login", &login}, std::pair{"check conditions", &checks}}) {
            const std::string of = name + number;
            look_at("bytes: " + of, with_bytes_changed(pcap_of(*records)));
            look_at("payloads: " + of, with_payloads_changed(*records));
            look_at("headers: " + of, with_headers_changed(*records));
            look_at("times: " + of, with_times_changed(*records));
            look_at("shuffled: " + of, shuffled(*records));
        }
        look_at("pcapng" + number, with_bytes_changed(testing_gui::conversation_capture("iqn.x", 30)));
        look_at("compressed" + number, with_bytes_changed(read_file(testing_gui::sample("ipv6.pcap.zst"))));
    }
    EXPECT_GT(opened, 24);
    EXPECT_GT(drawn, 300);
    EXPECT_GT(packets_seen, 1000u);
}

TEST_F(HostileCapturesTest, NamesOfEveryBadKind) {
    const std::string html = "<img src=HOSTILE>";
    std::string long_one;
    while (long_one.size() < 12'000) long_one += html;
    look_at("HTML", testing_gui::conversation_capture(html), true);
    look_at("long", testing_gui::conversation_capture(long_one, 20));
    look_at("control characters",
            testing_gui::conversation_capture("\x1b]0;x\x07\r\n\t\x7f\xc2\x9b" + html, 20));
    look_at("no UTF-8",
            testing_gui::conversation_capture("\xff\xfe\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80" + html, 20));
    look_at("right to left",
            testing_gui::conversation_capture("\xe2\x80\xae\xe2\x81\xa6%1%2%n&&" + html, 20));
    look_at("marks on marks", testing_gui::conversation_capture(
                                  [] {
                                      std::string text = "a";
                                      for (int i = 0; i < 2000; ++i) text += "\xcc\x81";
                                      return text;
                                  }(),
                                  20));
    EXPECT_EQ(opened, 6);
    EXPECT_GT(markup.seen(), 20) << "the names were not even there";
}

// The seeds of all fuzzers: as a file, as what a TCP segment to and from a target brings, as a frame of each link type.
TEST_F(HostileCapturesTest, WhatFuzzersBeginWith) {
    std::vector<Record> segments;
    std::vector<Record> frames_of_types;
    uint32_t seq[2] = {1, 1};
    int seeds = 0;
    QStringList paths;
    for (const char* const part : {"analyzer", "captures", "dissectors"}) {
        QDirIterator each(QStringLiteral(SANSCOPE_SOURCES "/") + QString::fromLatin1(part), QDir::Files,
                          QDirIterator::Subdirectories);
        while (each.hasNext()) {
            const QString path = each.next();
            if (path.contains(QStringLiteral("/fuzz/seeds/"))) paths << path;
        }
    }
    paths.sort();
    for (const QString& path : std::as_const(paths)) {
        Bytes seed = read_file(path);
        if (seed.empty()) continue;
        ++seeds;
        if (path.contains(QStringLiteral("/decode_frame/"))) {
            frames_of_types.push_back(
                {static_cast<uint32_t>(seeds), 0, static_cast<uint32_t>(seed.size()), seed});
            continue;
        }
        if (seeds % 8 == 0) look_at(path.toStdString(), seed);
        seed.resize(std::min<size_t>(seed.size(), 60'000));
        for (const bool from_target : {false, true}) {
            frames::Ipv4 ip;
            frames::Tcp tcp;
            if (from_target) {
                std::swap(ip.source, ip.destination);
                std::swap(tcp.source_port, tcp.destination_port);
            }
            tcp.seq = std::exchange(seq[from_target], seq[from_target] + static_cast<uint32_t>(seed.size()));
            tcp.ack = seq[!from_target];
            tcp.flags = tcp_ack;
            const Bytes frame = frames::ethernet(frames::ipv4(ip, frames::tcp(tcp, seed))).bytes;
            segments.push_back(
                {static_cast<uint32_t>(seeds), from_target, static_cast<uint32_t>(frame.size()), frame});
        }
    }
    ASSERT_GT(seeds, 100);
    look_at("all seeds within TCP", pcap_of(segments), true);
    for (const uint32_t link_type : {1u, 113u, 276u, 0u, 101u, 12u, 228u})
        look_at("frames as link type " + std::to_string(link_type), pcap_of(frames_of_types, link_type));
    EXPECT_GT(packets_seen, 400u);
}

// Filters as another might hand them on, in the line where they are typed.
TEST_F(HostileCapturesTest, FiltersThatAreTyped) {
    const QString path = folder.filePath(QStringLiteral("names.pcapng"));
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    const Bytes bytes = testing_gui::conversation_capture("<img src=HOSTILE>", 20);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<qint64>(bytes.size()));
    file.close();
    MainWindow window;
    window.show();
    ASSERT_TRUE(window.open({path}));
    CaptureWindow& capture = *window.current();
    ASSERT_TRUE(wait_until([&] { return capture.document().has_loaded(); }));
    auto* const edit = capture.filter_line().findChild<QLineEdit*>();
    ASSERT_NE(edit, nullptr);
    QStringList filters{QStringLiteral("<img src=HOSTILE>"),
                        QStringLiteral("target == \"<img src=HOSTILE>\""), QStringLiteral("((((((((((("),
                        QString(20'000, u'('), QString(5000, u'!') + u'1'};
    QDirIterator each(QStringLiteral(SANSCOPE_SOURCES "/analyzer/query/fuzz/seeds/query"), QDir::Files);
    while (each.hasNext()) {
        const Bytes seed = read_file(each.next());
        filters << QString::fromUtf8(reinterpret_cast<const char*>(seed.data()),
                                     static_cast<qsizetype>(seed.size()));
    }
    ASSERT_GT(filters.size(), 8);
    for (const QString& filter : std::as_const(filters)) {
        edit->setText(filter);
        Q_EMIT edit->returnPressed();
        ASSERT_TRUE(wait_until([&] { return capture.filter_line().settled(); }))
            << filter.left(80).toStdString();
        markup.look_at_everything();
        EXPECT_FALSE(window.grab().isNull());
    }
}

}  // namespace
}  // namespace sanscope
