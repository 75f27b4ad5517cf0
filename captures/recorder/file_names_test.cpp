// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/file_names.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace sanscope {
namespace {

TEST(FileNames, NumberAndLocalTimeComeBeforeTheEnding) {
    ::setenv("TZ", "UTC-1", 1);
    ::tzset();
    constexpr std::time_t time = 1'763'802'000;  // 2025-11-22 09:00:00 UTC
    EXPECT_EQ(numbered_file_name("out.pcapng", 1, time), "out_00001_20251122100000.pcapng");
    EXPECT_EQ(numbered_file_name("/tmp/a.b/out", 12, time), "/tmp/a.b/out_00012_20251122100000");
    EXPECT_EQ(numbered_file_name("/tmp/a.b/.out", 12, time), "/tmp/a.b/.out_00012_20251122100000");
    EXPECT_EQ(numbered_file_name("x.y.pcapng", 100'003, time), "x.y_00003_20251122100000.pcapng");
}

}  // namespace
}  // namespace sanscope
