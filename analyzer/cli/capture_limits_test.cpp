// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/capture_limits.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

TEST(CaptureLimits, AreDumpcaps) {
    v1::RecordingRequest request;
    ASSERT_TRUE(set_limits({"duration:1.5", "files:7"},
                           {"filesize:64", "packets:10", "files:3", "duration:60"}, request));
    EXPECT_EQ(request.stop_after().seconds(), 1.5);
    EXPECT_EQ(request.stop_after().files(), 7u);
    EXPECT_FALSE(request.stop_after().has_bytes());
    EXPECT_EQ(request.rotation().bytes(), 64'000u);
    EXPECT_EQ(request.rotation().packets(), 10u);
    EXPECT_EQ(request.rotation().ring_files(), 3u);
    EXPECT_EQ(request.rotation().seconds(), 60);
}

TEST(CaptureLimits, OfOneFileAreThoseOfTheRecordingUnlessThereAreMore) {
    v1::RecordingRequest alone;
    ASSERT_TRUE(set_limits({"filesize:64", "packets:10"}, {}, alone));
    EXPECT_EQ(alone.stop_after().bytes(), 64'000u);
    EXPECT_EQ(alone.stop_after().packets(), 10u);
    v1::RecordingRequest of_many;
    ASSERT_TRUE(set_limits({"filesize:64", "packets:10"}, {"duration:60"}, of_many));
    EXPECT_FALSE(of_many.stop_after().has_bytes());
    EXPECT_EQ(of_many.rotation().bytes(), 64'000u);
    EXPECT_EQ(of_many.rotation().packets(), 10u);
}

TEST(CaptureLimits, SayWhatIsWrong) {
    for (const char* text : {"", "duration", "duration:", "duration:0", "duration:-1", "duration:inf",
                             "duration:1s", "packets:0", "packets:-1", "packets:1e3",
                             "filesize:18446744073709551615", "files:4294967296", "size:3"}) {
        v1::RecordingRequest request;
        const auto set = set_limits({text}, {}, request);
        ASSERT_FALSE(set) << text;
        EXPECT_NE(set.error().message.find("-a " + std::string(text)), std::string::npos)
            << set.error().message;
        EXPECT_FALSE(set_limits({}, {text}, request)) << text;
    }
    v1::RecordingRequest request;
    EXPECT_FALSE(set_limits({}, {"files:3"}, request)) << "a ring that never turns";
}

}  // namespace
}  // namespace sanscope
