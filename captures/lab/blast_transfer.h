// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sanscope::lab {

// A bulk transfer in the manner of Reliable Blast UDP (He, Leigh, Yu 2002): all datagrams at a fixed rate; then, over a TCP
// connection, the receiver tells which are missing, and those are sent again, until none is. Integers are in network order.

// What the sender tells first.
struct BlastAnnouncement {
    uint64_t transfer = 0;       // in each datagram: those of another transfer do not count
    uint32_t datagrams = 0;      // 1 … most_blast_datagrams
    uint32_t payload_bytes = 0;  // of each, with its header: blast_header_bytes … most_blast_payload

    bool operator==(const BlastAnnouncement&) const = default;
};

constexpr uint32_t most_blast_datagrams = 1 << 26;
constexpr uint32_t blast_header_bytes = 12;
constexpr uint32_t most_blast_payload = 65'507;         // RFC 768, in one IPv4 packet without options
constexpr uint32_t blast_frame_overhead = 14 + 20 + 8;  // headers of Ethernet, IPv4 and UDP

using AnnouncementBytes = std::array<uint8_t, 20>;
AnnouncementBytes encode(const BlastAnnouncement& announcement);
// Nothing where they are no announcement, or one out of bounds.
std::optional<BlastAnnouncement> decode_announcement(const AnnouncementBytes& bytes);

// The header of a datagram, in its first blast_header_bytes, which are there.
void write_blast_header(std::span<uint8_t> datagram, uint64_t transfer, uint32_t sequence);
// Its sequence number; nothing where the datagram is none of this transfer.
std::optional<uint32_t> read_blast_header(std::span<const uint8_t> datagram,
                                          const BlastAnnouncement& announcement);

// What has arrived.
class BlastTally {
  public:
    explicit BlastTally(uint32_t datagrams);

    // Whether it was missing until now. The number is one of the transfer's.
    bool take(uint32_t sequence);
    uint32_t missing() const { return missing_; }
    // A bit for each datagram, set where it is missing: the first is the least significant bit of the first byte.
    const std::vector<uint8_t>& missing_bits() const { return bits_; }

  private:
    std::vector<uint8_t> bits_;
    uint32_t missing_;
};

constexpr size_t missing_bits_bytes(uint32_t datagrams) {
    return (size_t{datagrams} + 7) / 8;
}

// The numbers of the datagrams that are to be sent again, in order. Nothing where they are not `count`, or beyond the last.
std::optional<std::vector<uint32_t>> missing_datagrams(std::span<const uint8_t> bits, uint32_t datagrams,
                                                       uint32_t count);

// How many datagrams fill so many seconds at this rate of frames: at least one.
uint32_t blast_datagrams(double rate_mbit, double seconds, uint32_t payload_bytes);

// When the datagram of this number in a round is due, since the round began.
int64_t blast_due_ns(uint64_t number, double rate_mbit, uint32_t payload_bytes);

}  // namespace sanscope::lab
