// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dissectors/client/dissect_client.h"

#include "analyzer/packets/packet_reader.h"

namespace sanscope {

// The protocol tree of any packet of a capture, as Wireshark shows it. What of the packet's conversation was not yet
// fed to the helper process is fed first; the next packet of the same conversation is answered at once. When the helper
// dies, all is fed again; a packet that kills it twice is left out from then on.
class PacketDetails {
  public:
    struct Options {
        // Of a conversation, so many packets before the one asked for are fed at most.
        size_t context = 50'000;
        // Also so many behind it, so that its tree refers to them ("response in").
        size_t look_ahead = 0;
        // Set from elsewhere to give up.
        const std::atomic<bool>* stop = nullptr;
        // Packets fed of how many, for a conversation that takes long.
        std::function<void(size_t, size_t)> progress = nullptr;
    };

    // Both must outlive this. The helper keeps some 2 KiB of each packet fed: beyond `most_fed`, another conversation
    // makes it begin afresh.
    PacketDetails(const PacketReader& reader, DissectClient& client, size_t most_fed = 200'000)
        : reader_(reader), client_(client), most_fed_(most_fed) {}

    // An Error where the capture has no such packet, or Wireshark cannot take it.
    Result<v1::PacketTree> describe(PacketNumber packet, const Options& options);
    Result<v1::PacketTree> describe(PacketNumber packet) { return describe(packet, Options{}); }

    // Packets that killed the helper, or that Wireshark cannot take, and were left out.
    const std::vector<std::string>& left_out() const { return left_out_; }

  private:
    enum class Step : uint8_t { done, died };
    struct Fed {
        PacketNumber first = 0;  // of the conversation, all of [first, last] were fed
        PacketNumber last = 0;
    };

    Result<bool> open();
    void forget();
    void plan(PacketNumber packet, const Options& options);
    Result<Step> send_sections(PacketNumber packet, const Options& options);
    Result<Step> feed(const Options& options, size_t at_once);
    Result<Step> ask_for(PacketNumber packet, v1::PacketTree& tree);
    bool add(PacketNumber packet, v1::CapturedPacket& message, std::string& fault) const;
    void send_time_before(PacketNumber packet, v1::DescribePacket& message) const;
    void take_refused(const v1::Done& done);

    const PacketReader& reader_;
    DissectClient& client_;
    size_t most_fed_;
    uint64_t run_ = 0;  // of the helper that all below is about
    std::unordered_map<uint32_t, Fed> fed_;
    std::unordered_set<PacketNumber> fed_fragments_;
    size_t fed_packets_ = 0;
    size_t next_block_ = 0;           // of the capture's sections
    std::vector<PacketNumber> plan_;  // packets to be fed next
    std::unordered_set<PacketNumber> deadly_;
    PacketNumber suspect_ = 0;  // was on its way alone when the helper died
    std::vector<std::string> left_out_;
};

}  // namespace sanscope
