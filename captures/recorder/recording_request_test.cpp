// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/recording_request.h"

#include <gtest/gtest.h>
#include <limits>

namespace sanscope {
namespace {

v1::RecordingRequest sensible() {
    v1::RecordingRequest request;
    request.add_interfaces("eth0");
    request.set_path("out.pcapng");
    return request;
}

TEST(RecordingRequest, NamesEachInterfaceOnceAndTakesNotAllMemory) {
    v1::RecordingRequest request;
    request.set_path("x.pcapng");
    request.add_interfaces("eth0");
    request.add_interfaces("eth1");
    EXPECT_EQ(fault_of(request), std::nullopt);
    request.set_buffer_mib(4096);
    EXPECT_EQ(fault_of(request), std::nullopt);
    request.add_interfaces("eth2");
    EXPECT_NE(fault_of(request), std::nullopt) << "12 GiB";
    request.set_buffer_mib(0);
    EXPECT_EQ(fault_of(request), std::nullopt);
    request.add_interfaces("eth0");
    EXPECT_NE(fault_of(request), std::nullopt) << "twice";
}

TEST(RecordingRequest, WhatIsToBeKeptIsKnown) {
    v1::RecordingRequest request = sensible();
    request.set_keep(v1::RecordingRequest::HEADERS);
    EXPECT_EQ(fault_of(request), std::nullopt);
    request.set_keep(static_cast<v1::RecordingRequest::Keep>(7));
    EXPECT_NE(fault_of(request), std::nullopt) << "not whole packets instead";
}

TEST(RecordingRequest, ASensibleOneHasNoFault) {
    EXPECT_EQ(fault_of(sensible()), std::nullopt);
    v1::RecordingRequest piped = sensible();
    piped.clear_path();
    piped.set_to_descriptor_3(true);
    piped.mutable_stop_after()->set_seconds(0.1);
    piped.mutable_rotation()->set_bytes(1);
    EXPECT_EQ(fault_of(piped), std::nullopt);
}

TEST(RecordingRequest, WhatCannotBeIsToldBeforeAnythingIsOpened) {
    EXPECT_NE(fault_of({}), std::nullopt);
    v1::RecordingRequest request = sensible();
    request.clear_path();
    EXPECT_EQ(fault_of(request), "no file to record into was named");
    request = sensible();
    for (int i = 0; i < 64; ++i) request.add_interfaces("eth0");
    EXPECT_NE(fault_of(request), std::nullopt);
    for (const double seconds :
         {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        request = sensible();
        request.mutable_rotation()->set_seconds(seconds);
        EXPECT_NE(fault_of(request), std::nullopt) << seconds;
        request = sensible();
        request.mutable_stop_after()->set_seconds(seconds);
        EXPECT_NE(fault_of(request), std::nullopt) << seconds;
    }
    request = sensible();
    request.mutable_rotation()->set_bytes(0);
    EXPECT_NE(fault_of(request), std::nullopt);
    request = sensible();
    request.mutable_rotation()->set_ring_files(0);
    EXPECT_NE(fault_of(request), std::nullopt);
    request = sensible();
    request.mutable_stop_after()->set_packets(0);
    EXPECT_NE(fault_of(request), std::nullopt);
}

}  // namespace
}  // namespace sanscope
