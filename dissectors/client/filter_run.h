// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dissectors/client/dissect_client.h"

#include "analyzer/ingest/packet_source.h"

namespace sanscope {

// Runs a Wireshark display filter over the packets of a capture, all of which the helper process gets to see, in order.
// Should it die, the packet it died of is left out and it goes on behind it, no longer knowing what came before.
class FilterRun {
  public:
    struct Options {
        const std::atomic<bool>* stop = nullptr;           // set from elsewhere to end early
        std::function<void(uint64_t)> progress = nullptr;  // packets filtered so far
    };
    using OnMatch = std::function<void(const RawPacket& packet, uint64_t number)>;

    struct Outcome {
        uint64_t packets = 0;
        uint64_t matched = 0;
        std::vector<std::string> left_out;  // a reason each
    };

    // The client must outlive this. The sources are to be of one capture each, and nothing claimed from them yet.
    FilterRun(DissectClient& client, std::string filter) : client_(client), filter_(std::move(filter)) {}

    // Lets the helper see all packets of the capture, so that the filter, run over the same capture then, knows of each
    // what later packets show of it.
    Result<Outcome> look(PacketSource& source, const Options& options);
    // `on_match` gets the packets that match, in order, with the interfaces of `source` known up to them. An Error
    // where the filter is not valid, or the helper cannot be had.
    Result<Outcome> run(PacketSource& source, const Options& options, const OnMatch& on_match);

  private:
    enum class Pass : uint8_t { look, filter };
    // Packets that travel in one message.
    struct Part {
        std::shared_ptr<PacketBatch> batch;
        size_t first = 0;
        size_t count = 0;
        size_t behind = 0;  // so many responses come before that to the packets
    };

    Result<Outcome> pass(PacketSource& source, const Options& options, Pass pass, const OnMatch* on_match);
    Result<bool> open();
    bool send(Part& part, Pass pass);
    bool take_answer(const Part& part, Outcome& outcome, const OnMatch* on_match);
    Result<bool> recover(Pass pass, Outcome& outcome, const OnMatch* on_match);

    DissectClient& client_;
    std::string filter_;
    std::string fault_;  // what the helper said against the filter
    const PacketSource* source_ = nullptr;
    bool opened_ = false;
    int64_t first_time_ns_ = 0;
    size_t next_block_ = 0;  // of the capture's sections
    std::deque<Part> under_way_;
};

}  // namespace sanscope
