// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/iscsi_traffic.h"

#include <gtest/gtest.h>

#include "gui/testing/loaded_document.h"

namespace sanscope {
namespace {

using testing_gui::loaded_sample;

// Its sessions end after 9 ms; ARP comes a second and three quarters later.
TEST(IscsiTraffic, WhatComesAfterItDoesNotStretchTheFirstView) {
    const auto document = loaded_sample("two-sessions.pcap.lz4");
    const ViewState& state = document->state();
    EXPECT_LT(state.range().span_ns(), state.whole().span_ns() / 50);
    EXPECT_EQ(state.range(), state.first_view());
    const auto reading = document->data()->try_read();
    ASSERT_FALSE(reading->store().commands().empty());
    for (const CommandRow& row : reading->store().commands()) {
        EXPECT_TRUE(state.range().contains(row.request_ns));
        EXPECT_TRUE(state.range().contains(row.response_ns));
    }
}

// Whoever sees one end of each command and PDU sees all of them.
TEST(IscsiTraffic, HoldsEveryPduOfASample) {
    for (const char* const sample :
         {"loss-mixed-initiator.pcap.zst", "killed-initiator.pcap.zst", "mid-connection.pcap.zst",
          "snap128-reads-64k-qd32.pcap.zst", "task-management.pcap.zst", "cut-off.pcap"}) {
        const auto document = loaded_sample(sample);
        const auto reading = document->data()->try_read();
        const TimeRange traffic = iscsi_traffic(*reading);
        for (const PduRow& row : reading->store().pdus()) {
            EXPECT_TRUE(traffic.contains(reading->timeline().time_of(row.first_packet))) << sample;
            if (row.last_packet == 0) continue;
            EXPECT_TRUE(traffic.contains(reading->timeline().time_of(row.last_packet))) << sample;
        }
        for (const LossRow& row : reading->store().losses()) {
            if (!reading->store().connection(row.connection).iscsi || row.kind == LossKind::keep_alive)
                continue;
            EXPECT_LT(row.time_ns, traffic.end_ns) << sample;
        }
    }
}

TEST(IscsiTraffic, AConnectionWithPdusIsNeverIdle) {
    const auto document = loaded_sample("two-sessions.pcap.lz4");
    const auto reading = document->data()->try_read();
    for (uint32_t number = 1; number <= reading->store().connections().size(); ++number) {
        const ConnectionTrack* const track = reading->timeline().track(number);
        if (track == nullptr || track->pdus.empty()) continue;
        EXPECT_FALSE(is_idle(*reading, number)) << number;
    }
}

}  // namespace
}  // namespace sanscope
