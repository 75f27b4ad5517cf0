// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/capture_reader/pcapng_stream.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "analyzer/base/write_all.h"

namespace sanscope {
namespace {

constexpr size_t flushed_at = size_t{256} << 10;

uint32_t padded(size_t length) {
    return static_cast<uint32_t>((length + 3) & ~size_t{3});
}

}  // namespace

PcapngStream::PcapngStream(int descriptor) : descriptor_(descriptor) {
    constexpr uint32_t length = 28;
    put32(0x0a0d0d0a);
    put32(length);
    put32(0x1a2b3c4d);
    put16(1);
    put16(0);
    put32(0xffffffff);  // of unknown length
    put32(0xffffffff);
    put32(length);
}

void PcapngStream::put16(uint16_t value) {
    uint8_t bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    put(bytes);
}

void PcapngStream::put32(uint32_t value) {
    uint8_t bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    put(bytes);
}

void PcapngStream::put(std::span<const uint8_t> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

uint32_t PcapngStream::interface_of(uint16_t link_type) {
    const auto found = std::ranges::find(link_types_, link_type);
    if (found != link_types_.end()) return static_cast<uint32_t>(found - link_types_.begin());
    constexpr uint32_t length = 32;
    put32(1);
    put32(length);
    put16(link_type);
    put16(0);
    put32(0);  // no snap length
    put16(9);  // if_tsresol
    put16(1);
    put(std::array<uint8_t, 4>{9, 0, 0, 0});  // nanoseconds, padded
    put32(0);                                 // end of options
    put32(length);
    link_types_.push_back(link_type);
    return static_cast<uint32_t>(link_types_.size() - 1);
}

void PcapngStream::put_packet(uint32_t interface, uint64_t time_ns, std::span<const uint8_t> before,
                              std::span<const uint8_t> data, uint32_t wire_length) {
    const auto captured = static_cast<uint32_t>(before.size() + data.size());
    const uint32_t length = 32 + padded(captured);
    put32(6);
    put32(length);
    put32(interface);
    put32(static_cast<uint32_t>(time_ns >> 32));
    put32(static_cast<uint32_t>(time_ns));
    put32(captured);
    put32(wire_length);
    put(before);
    put(data);
    bytes_.resize(bytes_.size() + padded(captured) - captured);
    put32(length);
    if (bytes_.size() >= flushed_at) flush();
}

bool PcapngStream::flush() {
    failed_ = failed_ || !write_all(descriptor_, bytes_);
    bytes_.clear();
    return !failed_;
}

}  // namespace sanscope
