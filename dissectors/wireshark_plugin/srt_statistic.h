// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "dissectors/wireshark_plugin/fields.h"
#include "dissectors/wireshark_plugin/packet_feed.h"

namespace sanscope::wireshark {

// `tshark -z sanscope,srt[,FILTER]`, and Statistics > Service Response Time in Wireshark: the turnaround of SCSI
// commands by operation, from those whose response the filter lets through.
void register_srt_statistic();

// Hands the commands that the packet answers to the statistic. As write_tree(): no destructors.
void tap_answers(const PacketFeed& feed, const PacketRows& rows, packet_info* packet);

}  // namespace sanscope::wireshark
