// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <atomic>
#include <memory>
#include <optional>

#include "dissectors/client/packet_details.h"
#include "gui/document/capture_data.h"
#include "gui/document/latest_job.h"
#include "gui/models/column_format.h"
#include "gui/views/details/packet_tree.h"

namespace sanscope {

// What is known of a packet.
struct DescribedPacket {
    PacketNumber packet = 0;
    std::shared_ptr<const PacketTree> tree;
    bool dissected = false;  // by Wireshark's dissectors; else the tree is what we know ourselves
    QString notice;          // why it is not, or what befell on the way
};

// What our own tables say of the packet, and its bytes: without Wireshark, and while the capture is still loaded. Any thread
// but the GUI's; fast.
DescribedPacket describe_ourselves(const CaptureData& data, PacketNumber packet, const TimeReference& time);

// The way to Wireshark's dissectors for one capture, which is loaded. One thread at a time.
class Dissection {
  public:
    // `program`: of sanscope-dissectd; empty where it is to be found.
    Dissection(std::shared_ptr<const CaptureData> data, DissectClient::Options options);

    // Both together. May take seconds where much of a conversation comes before the packet; how much is done of that stands in
    // `done` and `total`, for any thread.
    DescribedPacket describe(PacketNumber packet, const TimeReference& time, const StopFlag& stop);
    std::atomic<size_t> done = 0;
    std::atomic<size_t> total = 0;

  private:
    std::shared_ptr<const CaptureData> data_;
    std::string befell_;
    DissectClient client_;
    std::optional<PacketDetails> details_;
};

}  // namespace sanscope
