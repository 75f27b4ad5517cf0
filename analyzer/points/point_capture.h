// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/flow/flow_table.h"
#include "analyzer/ingest/packet_source.h"
#include "analyzer/net/fragment_reassembler.h"
#include "analyzer/points/segment_record.h"
#include "analyzer/store/chunked_rows.h"
#include "analyzer/vocabulary/decode_as.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// The directions of a connection: `out` from the initiator to the target.
enum class Way : uint8_t { out, in };
constexpr Way other_way(Way way) {
    return way == Way::out ? Way::in : Way::out;
}
constexpr size_t index_of(Way way) {
    return static_cast<size_t>(way);
}

// A connection as one point saw it. The initiator is who sent the SYN; where none was captured, the end whose port is not
// iSCSI's, by the user's word or else by number; else the one with the higher port.
struct PointConnection {
    Endpoint initiator;
    Endpoint target;
    bool initiator_known = false;                  // not by which port is the higher one
    std::array<std::optional<uint32_t>, 2> isn{};  // by Way
    PacketNumber first_packet = 0;
    PacketNumber last_packet = 0;
    std::array<bool, 2> sack_permitted{};  // in that way's SYN
    bool sack_seen = false;                // some segment had SACK blocks
    // For PointCapture: the initiator is the end that FlowKey calls low.
    bool initiator_is_low = false;
};

// Every TCP segment of one capture as a record of 48 bytes, by connection and direction. Filled once, then looked at.
// Memory: the records, in `memory`, and 4 bytes each besides; of connections and segments there are at most so many, those
// beyond are only counted.
class PointCapture {
  public:
    static constexpr uint32_t most_connections = 131072;
    static constexpr size_t most_segments = size_t{1} << 28;

    PointCapture(std::string name, std::pmr::memory_resource* memory)
        : name_(std::move(name)), records_(memory), sacks_(memory) {}

    // What the user says ports are, before anything is added: which end without a SYN is the target.
    void decode_as(DecodeAs rules) { decode_as_ = std::move(rules); }
    // Packets of one batch, in order; decode is done here. Fragments are put together first.
    void add(const PacketBatch& batch);
    // One decoded segment.
    void add(const DecodedPacket& packet, PacketNumber number, int64_t time_ns);
    // All was added: records can be asked for.
    void finish();

    const std::string& name() const { return name_; }
    const std::vector<PointConnection>& connections() const { return connections_; }
    // The places of the connection's records in one direction, in the order of the capture; for record().
    std::span<const uint32_t> segments(size_t connection, Way way) const;
    const SegmentRecord& record(uint32_t place) const { return records_[place]; }
    // The record of a packet; nullopt where it is none of those.
    std::optional<uint32_t> place_of(PacketNumber packet) const;
    // Who sent it.
    size_t connection_of(const SegmentRecord& record) const { return record.flow / 2; }
    Way way_of(const SegmentRecord& record) const {
        const bool from_low = record.flow % 2 == 0;
        return from_low == connections_[connection_of(record)].initiator_is_low ? Way::out : Way::in;
    }
    // nullptr for a segment without SACK blocks.
    const SackRecord* sack(const SegmentRecord& record) const {
        return record.sack == 0 ? nullptr : &sacks_[record.sack - 1];
    }

    size_t tcp_segments() const { return records_.size(); }
    uint64_t left_out() const { return left_out_; }  // segments beyond the limits
    uint64_t packets() const { return packets_; }
    int64_t first_ns() const { return first_ns_; }  // of the segments; no_time where there is none
    int64_t last_ns() const { return last_ns_; }
    // What times are multiples of: 1000 where all of them are whole microseconds, else 1.
    int64_t resolution_ns() const { return whole_microseconds_ ? 1000 : 1; }

  private:
    struct Open {
        std::array<std::optional<uint32_t>, 2> isn{};  // by "source is not low"
        std::array<bool, 2> seen{};
        std::array<bool, 2> sack_permitted{};
        std::array<Endpoint, 2> ends{};
        std::optional<size_t> initiator;  // index into `ends`
    };
    uint32_t open_connection(const DecodedPacket& packet, const FlowKey& key, size_t side,
                             PacketNumber number);

    std::string name_;
    ChunkedRows<SegmentRecord> records_;
    ChunkedRows<SackRecord> sacks_;
    FlowTable flows_{0x70a97f3c};
    std::vector<PointConnection> connections_;
    std::vector<Open> open_;
    std::vector<uint32_t> order_;
    std::vector<uint32_t> starts_;
    FragmentReassembler fragments_;
    DecodeAs decode_as_;
    uint64_t packets_ = 0;
    uint64_t left_out_ = 0;
    int64_t first_ns_ = no_time;
    int64_t last_ns_ = no_time;
    bool whole_microseconds_ = true;
};

struct PointReadOptions {
    const std::atomic<bool>* stop = nullptr;
    std::function<void(uint64_t packets)> progress;  // after each batch
};

// Reads the whole source. False where it was stopped.
bool read_point(PacketSource& source, PointCapture& capture, const PointReadOptions& options);

}  // namespace sanscope
