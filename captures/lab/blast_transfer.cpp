// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/lab/blast_transfer.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "analyzer/base/byte_order.h"

namespace sanscope::lab {
namespace {

constexpr uint32_t magic = 0x53424c31;  // "SBL1"

void store_be64(uint8_t* to, uint64_t value) {
    store_be32(to, static_cast<uint32_t>(value >> 32));
    store_be32(to + 4, static_cast<uint32_t>(value));
}

double frame_bits(uint32_t payload_bytes) {
    constexpr double bits = 8;
    return bits * (double{blast_frame_overhead} + payload_bytes);
}

}  // namespace

AnnouncementBytes encode(const BlastAnnouncement& announcement) {
    AnnouncementBytes bytes{};
    store_be32(bytes.data(), magic);
    store_be64(bytes.data() + 4, announcement.transfer);
    store_be32(bytes.data() + 12, announcement.datagrams);
    store_be32(bytes.data() + 16, announcement.payload_bytes);
    return bytes;
}

std::optional<BlastAnnouncement> decode_announcement(const AnnouncementBytes& bytes) {
    if (load_be32(bytes.data()) != magic) return std::nullopt;
    const BlastAnnouncement announcement{.transfer = load_be64(bytes.data() + 4),
                                         .datagrams = load_be32(bytes.data() + 12),
                                         .payload_bytes = load_be32(bytes.data() + 16)};
    if (announcement.datagrams == 0 || announcement.datagrams > most_blast_datagrams ||
        announcement.payload_bytes < blast_header_bytes || announcement.payload_bytes > most_blast_payload)
        return std::nullopt;
    return announcement;
}

void write_blast_header(std::span<uint8_t> datagram, uint64_t transfer, uint32_t sequence) {
    store_be64(datagram.data(), transfer);
    store_be32(datagram.data() + 8, sequence);
}

std::optional<uint32_t> read_blast_header(std::span<const uint8_t> datagram,
                                          const BlastAnnouncement& announcement) {
    if (datagram.size() != announcement.payload_bytes || load_be64(datagram.data()) != announcement.transfer)
        return std::nullopt;
    const uint32_t sequence = load_be32(datagram.data() + 8);
    if (sequence >= announcement.datagrams) return std::nullopt;
    return sequence;
}

BlastTally::BlastTally(uint32_t datagrams) : bits_(missing_bits_bytes(datagrams), 0xff), missing_(datagrams) {
    if (datagrams % 8 != 0) bits_.back() = static_cast<uint8_t>((1u << datagrams % 8) - 1);
}

bool BlastTally::take(uint32_t sequence) {
    uint8_t& byte = bits_[sequence / 8];
    const auto bit = static_cast<uint8_t>(1u << sequence % 8);
    if ((byte & bit) == 0) return false;
    byte = static_cast<uint8_t>(byte & ~bit);
    --missing_;
    return true;
}

std::optional<std::vector<uint32_t>> missing_datagrams(std::span<const uint8_t> bits, uint32_t datagrams,
                                                       uint32_t count) {
    if (bits.size() != missing_bits_bytes(datagrams) || count > datagrams) return std::nullopt;
    std::vector<uint32_t> numbers;
    numbers.reserve(count);
    for (size_t i = 0; i < bits.size(); ++i) {
        for (uint32_t left = bits[i]; left != 0; left &= left - 1) {
            const size_t number = i * 8 + static_cast<size_t>(std::countr_zero(left));
            if (number >= datagrams || numbers.size() == count) return std::nullopt;
            numbers.push_back(static_cast<uint32_t>(number));
        }
    }
    if (numbers.size() != count) return std::nullopt;
    return numbers;
}

uint32_t blast_datagrams(double rate_mbit, double seconds, uint32_t payload_bytes) {
    const double datagrams = rate_mbit * 1e6 * seconds / frame_bits(payload_bytes);
    return static_cast<uint32_t>(std::clamp(std::floor(datagrams), 1.0, double{most_blast_datagrams}));
}

int64_t blast_due_ns(uint64_t number, double rate_mbit, uint32_t payload_bytes) {
    return static_cast<int64_t>(static_cast<double>(number) * frame_bits(payload_bytes) * 1e3 / rate_mbit);
}

}  // namespace sanscope::lab
