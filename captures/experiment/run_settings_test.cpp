// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/run_settings.h"

#include <gmock/gmock.h>

namespace sanscope::lab {
namespace {

TEST(RunSettings, EachSettingReadsWhatItWrites) {
    RunSettings settings;
    settings.delay_ms = 0.5;
    settings.loss_percent = 0.001;
    settings.congestion_control = "bbr";
    settings.operation = Operation::write;
    settings.jitter_percent = 70;
    settings.targets = 4;
    settings.background_mbit = 12.5;
    settings.pdu_bytes = 16776704;
    settings.connections = 4;
    settings.blast_mbit = 95.5;
    settings.priority = Priority::storage;
    settings.pattern = Pattern::seeks;
    RunSettings read;
    for (const SettingColumn& column : setting_columns())
        EXPECT_TRUE(column.set(read, column.text(settings))) << column.name;
    EXPECT_EQ(read, settings);
}

TEST(RunSettings, RefusesWhatIsNoValueAndLeavesItAsItWas) {
    RunSettings settings;
    const RunSettings before = settings;
    const auto refuses = [&](const char* name, const char* value) {
        EXPECT_FALSE(find_setting(name)->set(settings, value)) << name << ' ' << value;
        EXPECT_EQ(settings, before);
    };
    refuses("delay_ms", "");
    refuses("delay_ms", "-1");
    refuses("delay_ms", "nan");
    refuses("delay_ms", "1 ");
    refuses("pdu_bytes", "32k");
    refuses("pdu_bytes", "1.5M");
    refuses("pdu_bytes", "99999999999");
    refuses("window_bytes", "131072M");  // more than is taken where it is written out
    refuses("window_bytes", "4294967295K");
    refuses("delay_ms", "10001");
    refuses("loss_percent", "100.5");
    refuses("mtu", "9001");
    refuses("queue_frames", "0");
    refuses("request_bytes", "1000");  // no whole blocks
    refuses("request_bytes", "2048M");
    refuses("queue_depth", "0");
    refuses("connections", "257");
    refuses("operation", "verify");
    refuses("load", "tcp");
    refuses("blast_mbit", "0");
    refuses("priority", "7");
    refuses("pattern", "random");
    refuses("congestion_control", "");
    refuses("congestion_control", "a b");
    refuses("congestion_control", "--help");
}

TEST(RunSettings, ASizeWithAUnitIsTakenAgainAsItIsWritten) {
    for (const char* const text : {"4096", "2147483647", "2097151K", "2047M"}) {
        RunSettings settings;
        const SettingColumn& column = *find_setting("window_bytes");
        ASSERT_TRUE(column.set(settings, text)) << text;
        RunSettings again;
        EXPECT_TRUE(column.set(again, column.text(settings))) << text;
        EXPECT_EQ(again, settings);
    }
}

TEST(RunSettings, EachSaysWhatItTakesAndTakesThat) {
    for (const SettingColumn& column : setting_columns()) {
        RunSettings settings;
        EXPECT_TRUE(column.set(settings, column.text(settings))) << column.name << ": its default";
        EXPECT_FALSE(column.bounds().empty()) << column.name;
    }
    EXPECT_EQ(find_setting("loss_percent")->bounds(), "a number from 0 to 100");
    EXPECT_EQ(find_setting("operation")->bounds(), "read or write");
    RunSettings settings;
    EXPECT_TRUE(find_setting("delay_ms")->set(settings, "10000"));
    EXPECT_TRUE(find_setting("mtu")->set(settings, "576"));
    EXPECT_TRUE(find_setting("request_bytes")->set(settings, "1536"));
    EXPECT_TRUE(find_setting("delay_ms")->set(settings, "-0"));
    EXPECT_EQ(find_setting("delay_ms")->text(settings), "0");
}

TEST(RunSettings, APlainSocketHasNoPdus) {
    RunSettings settings;
    settings.load = Load::socket;
    RunSettings other = settings;
    other.pdu_bytes = 512;
    EXPECT_EQ(settings_text(settings), settings_text(other));
    other.delay_ms = 3;
    EXPECT_NE(settings_text(settings), settings_text(other));
}

TEST(RunSettings, ABlastHasARateAndNeitherConnectionsNorTcp) {
    RunSettings settings;
    settings.load = Load::blast;
    RunSettings other = settings;
    other.connections = 8;
    other.window_bytes = 4096;
    other.congestion_control = "reno";
    other.pdu_bytes = 512;
    EXPECT_EQ(settings_text(settings), settings_text(other));
    other.blast_mbit = 50;
    EXPECT_NE(settings_text(settings), settings_text(other));
    other.load = settings.load = Load::socket;
    other.connections = settings.connections;
    other.window_bytes = settings.window_bytes;
    other.congestion_control = settings.congestion_control;
    EXPECT_EQ(settings_text(settings), settings_text(other)) << "and it is of a blast alone";
}

TEST(RunSettings, LabelsHaveUnits) {
    RunSettings settings;
    settings.pdu_bytes = 16776704;
    settings.request_bytes = 32768;
    settings.delay_ms = 0.5;
    EXPECT_EQ(find_setting("pdu_bytes")->label(settings), "16 MiB − 512");
    EXPECT_EQ(find_setting("request_bytes")->label(settings), "32 KiB");
    EXPECT_EQ(find_setting("delay_ms")->label(settings), "0.5 ms");
}

}  // namespace
}  // namespace sanscope::lab
