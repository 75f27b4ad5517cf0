// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/generating/load_settings.h"

#include <QSettings>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace sanscope {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const QString url = QStringLiteral("iscsi://192.0.2.7:3260/iqn.2026-11.org.example:disk/1");

LoadSettings usual() {
    LoadSettings settings;
    settings.luns = QStringList(url);
    return settings;
}

std::vector<std::string> words(const QStringList& arguments) {
    std::vector<std::string> all;
    for (const QString& argument : arguments) all.push_back(argument.toStdString());
    return all;
}

// The value behind an option; "none" where it is not there.
std::string value_of(const LoadSettings& settings, const char* option) {
    const QStringList arguments = load_arguments(settings);
    const auto at = arguments.indexOf(QString::fromUtf8(option));
    return at < 0 ? "none" : arguments.value(at + 1).toStdString();
}

TEST(LoadSettings, PresetsAreWhatTheirNamesSay) {
    struct Expected {
        const char* name;
        const char* pdu;
        const char* request;
        const char* depth;
        const char* pattern;
    };
    const Expected expected[] = {
        {"Founding paper, PDUs of 32 KiB", "32K", "32K", "1", "sequential"},
        {"Founding paper, PDUs of 1 MiB", "1M", "1M", "1", "sequential"},
        {"Database 8K", "256K", "8K", "32", "random"},
        {"Backup 1M", "1M", "1M", "4", "sequential"},
    };
    ASSERT_EQ(load_presets().size(), std::size(expected));
    for (size_t i = 0; i < load_presets().size(); ++i) {
        EXPECT_STREQ(load_presets()[i].name, expected[i].name);
        LoadSettings settings = usual();
        settings.connections = 7;
        settings.read_percent = 10;
        settings.rate = 5;
        apply(load_presets()[i], settings);
        EXPECT_EQ(value_of(settings, "--pdu-size"), expected[i].pdu);
        EXPECT_EQ(value_of(settings, "--request-size"), expected[i].request);
        EXPECT_EQ(value_of(settings, "--queue-depth"), expected[i].depth);
        EXPECT_EQ(value_of(settings, "--pattern"), expected[i].pattern);
        for (const char* const usual_there : {"--connections", "--sessions", "--read-percent", "--rate"})
            EXPECT_EQ(value_of(settings, usual_there), "none");
        EXPECT_EQ(preset_of(settings), i);
        EXPECT_EQ(trouble_with(settings).toStdString(), "");
        // When it ends, and by which congestion control, is no part of it.
        settings.seconds = 77;
        settings.congestion_control = QStringLiteral("reno");
        EXPECT_EQ(preset_of(settings), i);
        ++settings.queue_depth;
        EXPECT_EQ(preset_of(settings), std::nullopt);
    }
}

TEST(LoadSettings, AllOfThemBecomeArguments) {
    LoadSettings settings = usual();
    settings.luns << QStringLiteral("iscsi://[2001:db8::7]:3260/iqn.2026-11.org.example:other/0");
    settings.user = QStringLiteral("a/b:c d");
    settings.mutual_user = QStringLiteral("target");
    settings.pdu_bytes = 65536;
    settings.request_bytes = 1536;
    settings.queue_depth = 9;
    settings.connections = 2;
    settings.sessions = 3;
    settings.pattern = LoadSettings::Pattern::zipf;
    settings.read_percent = 70;
    settings.rate = 5000;
    settings.seconds = 90;
    settings.congestion_control = QStringLiteral("bbr");
    settings.receive_buffer = 65536;
    settings.send_buffer = 100'000;
    settings.maximum_segment_size = 1024;
    settings.window_clamp = uint64_t{1} << 20;
    settings.header_digest = true;
    settings.data_digest = true;
    settings.writable_serials = QStringList{QStringLiteral("A1"), QStringLiteral("B2")};
    settings.really = true;
    EXPECT_THAT(words(load_arguments(settings)),
                ElementsAre("generate", "--events", "--pdu-size", "64K", "--request-size", "1536",
                            "--queue-depth", "9", "--pattern", "zipf", "--connections", "2", "--sessions",
                            "3", "--rate", "5000", "--read-percent", "70", "--allow-writes", "A1",
                            "--allow-writes", "B2", "--really", "--duration", "90s", "--tcp-congestion",
                            "bbr", "--receive-buffer", "64K", "--send-buffer", "100000", "--mss", "1024",
                            "--window-clamp", "1M", "--header-digest", "CRC32C", "--data-digest", "CRC32C",
                            "--mutual-user", "target", "--secret-file", "-", "--mutual-secret-file", "-",
                            "--", "iscsi://a%2Fb%3Ac%20d@192.0.2.7:3260/iqn.2026-11.org.example:disk/1",
                            "iscsi://a%2Fb%3Ac%20d@[2001:db8::7]:3260/iqn.2026-11.org.example:other/0"));
    settings.read_percent = 100;
    EXPECT_EQ(value_of(settings, "--allow-writes"), "none") << "who only reads is allowed nothing";
    EXPECT_THAT(words(load_arguments(settings)), Not(Contains("--really")));
}

TEST(LoadSettings, EndsByTimeDataOrCommands) {
    LoadSettings settings = usual();
    EXPECT_EQ(value_of(settings, "--duration"), "10s");
    settings.end = LoadSettings::End::bytes;
    settings.bytes = uint64_t{3} << 40;
    EXPECT_EQ(value_of(settings, "--duration"), "none");
    EXPECT_EQ(value_of(settings, "--bytes"), "3072G");
    settings.end = LoadSettings::End::commands;
    settings.commands = 2'000'000'000'000;
    EXPECT_EQ(value_of(settings, "--commands"), "2000000000000");
    EXPECT_EQ(value_of(settings, "--bytes"), "none");
    settings.commands = 0;
    EXPECT_NE(trouble_with(settings).toStdString(), "");
}

TEST(LoadSettings, SecretsAreInNoArgumentAndNoCommand) {
    LoadSettings settings = usual();
    settings.user = QStringLiteral("user");
    settings.mutual_user = QStringLiteral("target");
    const LoadSecrets secrets{.initiator = "first secret", .target = "second secret"};
    EXPECT_EQ(secret_lines(settings, secrets), "first secret\nsecond secret\n");
    settings.mutual_user.clear();
    EXPECT_EQ(secret_lines(settings, secrets), "first secret\n");
    settings.user.clear();
    EXPECT_EQ(secret_lines(settings, secrets), "");
    EXPECT_EQ(value_of(settings, "--secret-file"), "none");
}

TEST(LoadSettings, TheCommandIsWhatAShellTakes) {
    LoadSettings settings = usual();
    settings.seconds = 60;
    EXPECT_EQ(command_line(settings).toStdString(),
              "sanscope generate --pdu-size 256K --request-size 64K --queue-depth 1 --pattern sequential "
              "--duration 1min --capture load.pcapng iscsi://192.0.2.7:3260/iqn.2026-11.org.example:disk/1");
    settings.record = false;
    settings.kernel_truth = true;
    EXPECT_THAT(command_line(settings).toStdString(), Not(HasSubstr("--kernel-truth")));
    settings.record = true;
    settings.snap_length = 256;
    EXPECT_THAT(command_line(settings).toStdString(), HasSubstr("--capture load.pcapng --kernel-truth"));
    settings.keep_headers = false;
    EXPECT_THAT(command_line(settings).toStdString(),
                HasSubstr("--capture load.pcapng --snapshot-length 256 --kernel-truth"));
    settings.snap_length = 0;
    EXPECT_THAT(command_line(settings).toStdString(),
                HasSubstr("--capture load.pcapng --keep all --kernel-truth"));
    settings.read_percent = 0;
    settings.writable_serials = QStringList{QStringLiteral("$(reboot); it's; ")};
    EXPECT_THAT(command_line(settings).toStdString(), HasSubstr("--allow-writes '$(reboot); it'\\''s; '"));
}

TEST(LoadSettings, WhatCannotBeIsToldInWords) {
    const auto fault_of = [](auto change) {
        LoadSettings settings = usual();
        change(settings);
        return trouble_with(settings).toStdString();
    };
    EXPECT_EQ(fault_of([](LoadSettings&) {}), "");
    EXPECT_THAT(fault_of([](LoadSettings& s) { s.luns.clear(); }), HasSubstr("Which LUN?"));
    EXPECT_THAT(fault_of([](LoadSettings& s) { s.pdu_bytes = 511; }), HasSubstr("512 bytes to 16 MiB"));
    EXPECT_EQ(fault_of([](LoadSettings& s) { s.pdu_bytes = uint64_t{16} << 20; }), "");
    EXPECT_THAT(fault_of([](LoadSettings& s) { s.pdu_bytes = (uint64_t{16} << 20) + 1; }),
                HasSubstr("16 MiB"));
    EXPECT_THAT(fault_of([](LoadSettings& s) { s.request_bytes = 0; }), HasSubstr("one block to 2 GiB"));
    EXPECT_THAT(fault_of([](LoadSettings& s) { s.request_bytes = UINT64_MAX; }), HasSubstr("2 GiB"));
    EXPECT_THAT(fault_of([](LoadSettings& s) { s.seconds = 1e12; }), HasSubstr("a year at most"));
    EXPECT_NE(fault_of([](LoadSettings& s) { s.seconds = std::numeric_limits<double>::quiet_NaN(); }), "");
    EXPECT_THAT(fault_of([](LoadSettings& s) { s.congestion_control = QStringLiteral("bbr --really"); }),
                HasSubstr("cubic, reno or bbr"));
    // As `sanscope generate` takes them.
    EXPECT_EQ(fault_of([](LoadSettings& s) { s.receive_buffer = 1073741823; }), "");
    for (uint64_t LoadSettings::*const size :
         {&LoadSettings::receive_buffer, &LoadSettings::send_buffer, &LoadSettings::window_clamp})
        EXPECT_THAT(fault_of([size](LoadSettings& s) { s.*size = 1073741824; }), HasSubstr("1 GiB"));
    for (const uint64_t good : {0U, 88U, 32767U})
        EXPECT_EQ(fault_of([good](LoadSettings& s) { s.maximum_segment_size = good; }), "") << good;
    for (const uint64_t wrong : {1U, 87U, 32768U})
        EXPECT_THAT(fault_of([wrong](LoadSettings& s) { s.maximum_segment_size = wrong; }),
                    HasSubstr("88 to 32767"))
            << wrong;
    EXPECT_THAT(fault_of([](LoadSettings& s) { s.mutual_user = QStringLiteral("target"); }),
                HasSubstr("with a user and a secret"));
    EXPECT_THAT(fault_of([](LoadSettings& s) { s.read_percent = 99; }), HasSubstr("serial number"));
}

TEST(LoadSettings, SizesAndDurationsAreReadAsTheyAreWritten) {
    EXPECT_EQ(read_size(QStringLiteral(" 8K ")), 8192u);
    EXPECT_EQ(read_size(QStringLiteral("8 kib")), 8192u);
    EXPECT_EQ(read_size(QStringLiteral("1m")), 1u << 20);
    EXPECT_EQ(read_size(QStringLiteral("2 GB")), uint64_t{2} << 30);
    EXPECT_EQ(read_size(QStringLiteral("512")), 512u);
    for (const char* const wrong : {"", "K", "8X", "-1", "1.5M", "8K8", "0x10", "99999999999T", "1e3", "８"})
        EXPECT_EQ(read_size(QString::fromUtf8(wrong)), std::nullopt) << wrong;
    for (const uint64_t bytes :
         {uint64_t{1}, uint64_t{512}, uint64_t{1536}, uint64_t{1} << 20, uint64_t{3} << 40})
        EXPECT_EQ(read_size(size_text(bytes)), bytes);
    EXPECT_EQ(read_duration(QStringLiteral("10")), 10);
    EXPECT_EQ(read_duration(QStringLiteral("500 ms")), 0.5);
    EXPECT_EQ(read_duration(QStringLiteral("1.5min")), 90);
    EXPECT_EQ(read_duration(QStringLiteral("2h")), 7200);
    for (const char* const wrong : {"", "0", "s", "-3", "10 m", "1e3", "nan", "inf", "1 2"})
        EXPECT_EQ(read_duration(QString::fromUtf8(wrong)), std::nullopt) << wrong;
    for (const double seconds : {0.000'05, 0.25, 1.0, 90.0, 120.0, 7200.0, 100'000.0})
        EXPECT_DOUBLE_EQ(read_duration(duration_text(seconds)).value_or(0), seconds) << seconds;
}

TEST(LoadSettings, AreRememberedButForWhatAllowsWrites) {
    QSettings().clear();
    EXPECT_EQ(remembered_load(), LoadSettings());
    LoadSettings settings = usual();
    apply(load_presets()[2], settings);
    settings.user = QStringLiteral("user");
    settings.rate = 12.5;
    settings.end = LoadSettings::End::commands;
    settings.commands = 4711;
    settings.seconds = 3.25;
    settings.data_digest = true;
    settings.receive_buffer = 65536;
    settings.send_buffer = 100'000;
    settings.maximum_segment_size = 1024;
    settings.window_clamp = 4097;
    settings.record = false;
    settings.keep_headers = false;
    settings.snap_length = 256;
    settings.kernel_truth = true;
    remember(settings);
    EXPECT_EQ(remembered_load(), settings);
    LoadSettings writing = settings;
    writing.read_percent = 0;
    writing.writable_serials = QStringList(QStringLiteral("A1"));
    writing.really = true;
    remember(writing);
    EXPECT_EQ(remembered_load(), settings);
    QSettings().clear();
}

TEST(LoadSettings, WhatIsRememberedMayBeAnything) {
    QSettings store;
    for (const char* const name :
         {"luns", "user", "pdu_size", "request_size", "queue_depth", "connections", "sessions", "pattern",
          "rate", "end", "seconds", "bytes", "commands", "snap_length", "receive_buffer", "send_buffer",
          "maximum_segment_size", "window_clamp"}) {
        store.setValue(QStringLiteral("generating/") + QString::fromUtf8(name),
                       QStringLiteral("-7 nonsense"));
    }
    const LoadSettings read = remembered_load();
    LoadSettings expected;
    expected.luns = read.luns;
    expected.user = read.user;
    EXPECT_EQ(read, expected);
    store.clear();
}

}  // namespace
}  // namespace sanscope
