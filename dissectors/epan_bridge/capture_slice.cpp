// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/epan_bridge/capture_slice.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzer/ingest/pcapng_blocks.h"

namespace sanscope {
namespace {

constexpr int64_t ns_per_second = 1'000'000'000;

using namespace pcapng;

constexpr size_t min_block = 12;

const uint8_t* bytes_at(std::string_view bytes, size_t at) {
    return reinterpret_cast<const uint8_t*>(bytes.data()) + at;
}

// The length of the block that `bytes` begin with; 0 where they begin with none that is whole.
size_t block_length(std::string_view bytes, FileByteOrder order) {
    if (bytes.size() < min_block) return 0;
    const uint32_t length = order.load32(bytes_at(bytes, 4));
    if (length < min_block || length % 4 != 0 || length > bytes.size()) return 0;
    return order.load32(bytes_at(bytes, length - 4)) == length ? length : 0;
}

bool is_packet(uint32_t block_type) {
    return block_type == enhanced_packet_block || block_type == simple_packet_block ||
           block_type == packet_block;
}

// How many of its section's interfaces a packet's block needs: those up to its own.
size_t interfaces_needed(std::string_view block, FileByteOrder order) {
    constexpr size_t interface_at = 8;
    switch (order.load32(bytes_at(block, 0))) {
        case enhanced_packet_block:
            return size_t{order.load32(bytes_at(block, interface_at))} + 1;
        case packet_block:
            return size_t{order.load16(bytes_at(block, interface_at))} + 1;
        case simple_packet_block:
            return 1;
        default:
            return 0;
    }
}

}  // namespace

CaptureSlice::CaptureSlice(bool names_in_one_row)
    : names_in_one_row_(names_in_one_row), file_(::memfd_create("sanscope-packets", MFD_CLOEXEC)) {
    path_ = fmt::format("/proc/self/fd/{}", file_);
}

CaptureSlice::~CaptureSlice() {
    if (file_ >= 0) ::close(file_);
}

void CaptureSlice::open(const v1::OpenCapture& capture) {
    pcap_ = capture.format() == v1::OpenCapture::PCAP;
    pcap_interface_ = capture.interface();
    sections_.clear();
    described_.clear();
}

Result<std::monostate> CaptureSlice::add(const v1::SectionBlocks& blocks) {
    const auto [entry, is_new] = sections_.try_emplace(blocks.section());
    Section& section = entry->second;
    section.order = {.swapped = blocks.big_endian()};
    std::string_view left = blocks.interfaces();
    while (!left.empty()) {
        const size_t length = block_length(left, section.order);
        if (length == 0) return Error{"what describes interfaces is no pcapng block"};
        if (section.ends.empty()) described_.push_back(blocks.section());
        section.interfaces += left.substr(0, length);
        section.ends.push_back(section.interfaces.size());
        left.remove_prefix(length);
    }
    return std::monostate{};
}

Result<int> CaptureSlice::write(const Packets& packets, int first) {
    bytes_.clear();
    Result<int> put = pcap_ ? Result<int>(put_pcap(packets, first)) : put_pcapng(packets, first);
    if (!put) return put;
    if (const auto written = write_file(); !written) return written.error();
    return put;
}

Result<std::monostate> CaptureSlice::write_others(const v1::SectionBlocks& blocks) {
    bytes_.clear();
    put_section({.swapped = blocks.big_endian()});
    put(blocks.others());
    return write_file();
}

Result<std::monostate> CaptureSlice::write_file() {
    size_t written = 0;
    while (written < bytes_.size()) {
        const ssize_t now =
            ::pwrite(file_, bytes_.data() + written, bytes_.size() - written, static_cast<off_t>(written));
        if (now < 0 && errno == EINTR) continue;
        if (now <= 0) return Error{fmt::format("no memory for the packets: {}", std::strerror(errno))};
        written += static_cast<size_t>(now);
    }
    if (::ftruncate(file_, static_cast<off_t>(bytes_.size())) != 0)
        return Error{fmt::format("no memory for the packets: {}", std::strerror(errno))};
    return std::monostate{};
}

int CaptureSlice::put_pcap(const Packets& packets, int first) {
    const auto put32 = [this](uint32_t value) {
        for (unsigned shift = 0; shift < 32; shift += 8)
            bytes_.push_back(static_cast<uint8_t>(value >> shift));
    };
    put32(0xa1b23c4d);             // nanoseconds
    put32(2 | uint32_t{4} << 16);  // version 2.4
    put32(0);
    put32(0);
    put32(pcap_interface_.snap_length());
    put32(pcap_interface_.link_type());
    for (int i = first; i < packets.size(); ++i) {
        const v1::CapturedPacket& packet = packets[i];
        const int64_t time_ns = std::max<int64_t>(packet.time_ns(), 0);
        const auto length = static_cast<uint32_t>(packet.data().size());
        put32(static_cast<uint32_t>(time_ns / ns_per_second));
        put32(static_cast<uint32_t>(time_ns % ns_per_second));
        put32(length);
        put32(std::max(packet.wire_length(), length));
        put(packet.data());
    }
    return packets.size() - first;
}

void CaptureSlice::put_section(FileByteOrder order) {
    const auto put_bytes = [&](uint64_t value, unsigned length) {
        for (unsigned byte = 0; byte < length; ++byte)
            bytes_.push_back(static_cast<uint8_t>(value >> 8 * (order.swapped ? length - 1 - byte : byte)));
    };
    constexpr uint32_t length = 28;
    put_bytes(section_header_block, 4);
    put_bytes(length, 4);
    put_bytes(byte_order_magic, 4);
    put_bytes(1, 2);  // version 1.0
    put_bytes(0, 2);
    put_bytes(~uint64_t{0}, 8);  // of unknown length
    put_bytes(length, 4);
}

void CaptureSlice::put_interfaces(const Section& section, size_t count) {
    if (count == 0) return;
    put(std::string_view(section.interfaces).substr(0, section.ends[count - 1]));
}

Result<int> CaptureSlice::put_pcapng(const Packets& packets, int first) {
    const uint32_t number = packets[first].section();
    // One that describes no interface was not announced.
    const auto found = sections_.find(number);
    Section none;
    none.order = {.swapped = packets[first].big_endian()};
    const Section& section = found == sections_.end() ? none : found->second;

    int end = first;
    size_t needed = 0;
    for (; end < packets.size() && packets[end].section() == number; ++end) {
        const std::string& block = packets[end].block();
        const bool whole = !block.empty() && block_length(block, section.order) == block.size();
        if (!whole && end == first) return Error{"it is no pcapng block"};
        // What is no packet goes alone: so it is not mistaken for another should Wireshark pass it over.
        const bool alone = whole && !is_packet(section.order.load32(bytes_at(block, 0)));
        if (!whole || (alone && end > first)) break;
        needed = std::max(needed, std::min(interfaces_needed(block, section.order), section.ends.size()));
        if (alone) {
            ++end;
            break;
        }
    }

    if (names_in_one_row_) {
        size_t in_front = 0;
        for (const uint32_t other : described_) {
            if (other == number || in_front >= needed) break;
            const Section& before = sections_.at(other);
            const size_t count = std::min(before.ends.size(), needed - in_front);
            put_section(before.order);
            put_interfaces(before, count);
            in_front += count;
        }
    }
    put_section(section.order);
    put_interfaces(section, needed);
    for (int i = first; i < end; ++i) put(packets[i].block());
    return end - first;
}

}  // namespace sanscope
