// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/remote_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sanscope {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

TEST(RemoteLimits, WithoutLimitsNothingIsTooMuch) {
    const RemoteLimits limits{v1::RecordingRequest()};
    EXPECT_FALSE(limits.broken_by(
        {.time = seconds(1'000'000), .packets = 1ull << 40, .bytes = 1ull << 50, .files = 1}));
}

TEST(RemoteLimits, EachLimitOfTheRequestHolds) {
    v1::RecordingRequest request;
    request.mutable_stop_after()->set_seconds(60);
    request.mutable_stop_after()->set_packets(1000);
    request.mutable_stop_after()->set_bytes(1'000'000);
    request.mutable_stop_after()->set_files(3);
    const RemoteLimits limits(request);
    EXPECT_FALSE(limits.broken_by({.time = seconds(61), .packets = 1000, .bytes = 1'000'000, .files = 3}));
    EXPECT_THAT(*limits.broken_by({.time = seconds(100)}), HasSubstr("longer"));
    EXPECT_THAT(*limits.broken_by({.packets = 1001}), HasSubstr("packets"));
    EXPECT_THAT(*limits.broken_by({.bytes = 3'000'000}), HasSubstr("bytes"));
    EXPECT_THAT(*limits.broken_by({.files = 4}), HasSubstr("files"));
}

TEST(RemoteLimits, FilesAreFilledBeforeTheNextBegins) {
    v1::RecordingRequest request;
    request.mutable_rotation()->set_bytes(100'000'000);
    const RemoteLimits by_bytes(request);
    EXPECT_FALSE(by_bytes.broken_by({.bytes = 1'000'000'000, .files = 11, .file_bytes = 100'000'000}));
    EXPECT_THAT(*by_bytes.broken_by({.bytes = 150'000'000, .files = 1, .file_bytes = 150'000'000}),
                HasSubstr("more into a file"));
    EXPECT_THAT(*by_bytes.broken_by({.bytes = 1'000'000, .files = 100}),
                HasSubstr("before the last one is full"));

    v1::RecordingRequest timed;
    timed.mutable_rotation()->set_seconds(1);
    const RemoteLimits by_time(timed);
    EXPECT_FALSE(by_time.broken_by({.time = seconds(100), .files = 101}));
    EXPECT_TRUE(by_time.broken_by({.time = seconds(100), .files = 1000}));

    v1::RecordingRequest counted;
    counted.mutable_rotation()->set_packets(10);
    const RemoteLimits by_packets(counted);
    EXPECT_FALSE(by_packets.broken_by({.packets = 100, .files = 11, .file_packets = 10}));
    EXPECT_TRUE(by_packets.broken_by({.packets = 100, .files = 10, .file_packets = 11}));
    EXPECT_TRUE(by_packets.broken_by({.packets = 100, .files = 50}));
}

}  // namespace
}  // namespace sanscope
