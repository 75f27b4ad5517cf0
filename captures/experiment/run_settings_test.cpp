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
    settings.pdu_bytes = 16776704;
    settings.connections = 4;
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
    refuses("load", "tcp");
    refuses("congestion_control", "");
    refuses("congestion_control", "a b");
    refuses("congestion_control", "--help");
}

TEST(RunSettings, ASizeWithAUnitIsTakenAgainAsItIsWritten) {
    for (const char* const text : {"0", "4294967295", "4194303K", "4095M"}) {
        RunSettings settings;
        const SettingColumn& column = *find_setting("window_bytes");
        ASSERT_TRUE(column.set(settings, text)) << text;
        RunSettings again;
        EXPECT_TRUE(column.set(again, column.text(settings))) << text;
        EXPECT_EQ(again, settings);
    }
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
