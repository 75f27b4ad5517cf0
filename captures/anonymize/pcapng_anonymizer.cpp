// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/anonymize/pcapng_anonymizer.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "sanscope/v1/kernel_truth.pb.h"

#include "analyzer/base/congestion_control_name.h"
#include "analyzer/ingest/kernel_truth_block.h"
#include "analyzer/ingest/pcapng_blocks.h"

namespace sanscope {
namespace {

// Not all that pcapng_blocks.h needs for reading captures.
constexpr uint16_t if_speed = 8;
constexpr uint16_t if_fcslen = 13;
constexpr uint16_t epb_flags = 2;
constexpr uint16_t epb_dropcount = 4;
constexpr uint16_t epb_packetid = 5;
constexpr uint16_t epb_queue = 6;

constexpr size_t block_head = 8;
constexpr size_t block_frame = 12;  // with the length behind it

void append16(std::vector<uint8_t>& bytes, uint16_t value, FileByteOrder order) {
    const auto high = static_cast<uint8_t>(value >> 8);
    const auto low = static_cast<uint8_t>(value);
    bytes.push_back(order.swapped ? high : low);
    bytes.push_back(order.swapped ? low : high);
}

void append32(std::vector<uint8_t>& bytes, uint32_t value, FileByteOrder order) {
    const auto high = static_cast<uint16_t>(value >> 16);
    const auto low = static_cast<uint16_t>(value);
    append16(bytes, order.swapped ? high : low, order);
    append16(bytes, order.swapped ? low : high, order);
}

void append(std::vector<uint8_t>& bytes, std::span<const uint8_t> more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
}

void pad(std::vector<uint8_t>& bytes) {
    bytes.resize((bytes.size() + 3) & ~size_t{3});
}

std::vector<uint8_t> make_block(uint32_t type, std::span<const uint8_t> body, FileByteOrder order) {
    std::vector<uint8_t> block;
    const auto length = static_cast<uint32_t>(((body.size() + 3) & ~size_t{3}) + block_frame);
    append32(block, type, order);
    append32(block, length, order);
    append(block, body);
    pad(block);
    append32(block, length, order);
    return block;
}

void append_option(std::vector<uint8_t>& bytes, uint16_t code, std::span<const uint8_t> value,
                   FileByteOrder order) {
    append16(bytes, code, order);
    append16(bytes, static_cast<uint16_t>(value.size()), order);
    append(bytes, value);
    pad(bytes);
}

void map_address(std::string& address, Anonymizer& anonymizer) {
    auto* const bytes = reinterpret_cast<uint8_t*>(address.data());
    if (address.size() == 4) {
        anonymizer.map_v4(bytes);
    } else if (address.size() == 16) {
        anonymizer.map_v6(bytes);
    } else {
        address.clear();
    }
}

// Without the fields of later versions, which may tell more names: copying a whole message would keep them.
v1::KernelSocket known_fields(const v1::KernelSocket& from) {
    v1::KernelSocket to;
    to.set_socket(from.socket());
    to.set_local_address(from.local_address());
    to.set_remote_address(from.remote_address());
    to.set_local_port(from.local_port());
    to.set_remote_port(from.remote_port());
    if (is_congestion_control_name(from.congestion_control()))
        to.set_congestion_control(from.congestion_control());
    to.set_mss(from.mss());
    return to;
}

v1::KernelWindow known_fields(const v1::KernelWindow& from) {
    v1::KernelWindow to;
    to.set_socket(from.socket());
    to.set_time_ns(from.time_ns());
    if (from.has_snd_una()) to.set_snd_una(from.snd_una());
    if (from.has_snd_nxt()) to.set_snd_nxt(from.snd_nxt());
    to.set_cwnd(from.cwnd());
    if (from.has_ssthresh()) to.set_ssthresh(from.ssthresh());
    if (from.has_snd_wnd()) to.set_snd_wnd(from.snd_wnd());
    to.set_srtt_us(from.srtt_us());
    if (from.has_rcv_wnd()) to.set_rcv_wnd(from.rcv_wnd());
    if (from.has_ca_state()) to.set_ca_state(from.ca_state());
    return to;
}

v1::KernelTransition known_fields(const v1::KernelTransition& from) {
    v1::KernelTransition to;
    to.set_socket(from.socket());
    to.set_time_ns(from.time_ns());
    to.set_state(from.state());
    return to;
}

v1::KernelTruth known_fields(const v1::KernelTruth& from) {
    v1::KernelTruth to;
    to.set_method(from.method());
    to.set_events_lost(from.events_lost());
    for (const auto& socket : from.sockets()) *to.add_sockets() = known_fields(socket);
    for (const auto& window : from.windows()) *to.add_windows() = known_fields(window);
    for (const auto& transition : from.transitions()) *to.add_transitions() = known_fields(transition);
    return to;
}

}  // namespace

std::vector<uint8_t> PcapngAnonymizer::rewrite_options(std::span<const uint8_t> options, FileByteOrder order,
                                                       std::span<const uint16_t> kept) {
    std::vector<uint8_t> out;
    while (options.size() >= 4) {
        const uint16_t code = order.load16(options.data());
        const size_t length = order.load16(options.data() + 2);
        options = options.subspan(4);
        if (code == pcapng::opt_endofopt || length > options.size()) break;
        if (code == pcapng::opt_comment) {
            ++dropped_.comments;
        } else if (std::ranges::find(kept, code) == kept.end()) {
            ++dropped_.options;
        } else {
            append_option(out, code, options.first(length), order);
        }
        options = options.subspan(std::min(options.size(), (length + 3) & ~size_t{3}));
    }
    return out;
}

std::vector<uint8_t> PcapngAnonymizer::rewrite_packet_options(std::span<const uint8_t> options,
                                                              FileByteOrder order) {
    constexpr std::array<uint16_t, 4> kept = {epb_flags, epb_dropcount, epb_packetid, epb_queue};
    return rewrite_options(options, order, kept);
}

// §4.5: records of an address and the names that it has, each ended by a zero byte.
std::vector<uint8_t> PcapngAnonymizer::rewrite_names(std::span<const uint8_t> body, FileByteOrder order) {
    std::vector<uint8_t> out;
    while (body.size() >= 4) {
        const uint16_t kind = order.load16(body.data());
        const size_t length = order.load16(body.data() + 2);
        body = body.subspan(4);
        if (kind == 0 || length > body.size()) break;
        std::vector<uint8_t> record(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(length));
        body = body.subspan(std::min(body.size(), (length + 3) & ~size_t{3}));
        const size_t address = kind == pcapng::nrb_record_ipv4 ? 4 : kind == pcapng::nrb_record_ipv6 ? 16 : 0;
        if (address == 0 || record.size() < address) {
            ++dropped_.options;
            continue;
        }
        if (address == 4) {
            anonymizer_->map_v4(record.data());
        } else {
            anonymizer_->map_v6(record.data());
        }
        for (auto at = record.begin() + static_cast<std::ptrdiff_t>(address); at != record.end();) {
            const auto end = std::find(at, record.end(), uint8_t{0});
            if (at != end) std::ranges::copy(anonymizer_->map_name(std::string(at, end)), at);
            at = end == record.end() ? end : end + 1;
        }
        append_option(out, kind, record, order);
    }
    append32(out, 0, order);
    // What is behind it are the name and address of whoever was asked.
    if (body.size() >= 4) rewrite_options(body, order, {});
    return out;
}

std::vector<uint8_t> PcapngAnonymizer::rewrite_custom(std::span<const uint8_t> block, uint32_t type,
                                                      FileByteOrder order) {
    const auto body = block.subspan(block_head, block.size() - block_frame);
    const KernelTruthBlock read = read_kernel_truth_block(body);
    v1::KernelTruth read_truth;
    const bool is_truth =
        read.kind == KernelTruthBlock::Kind::kernel_truth &&
        read_truth.ParseFromArray(read.payload.data(), static_cast<int>(read.payload.size()));
    if (is_truth) {
        v1::KernelTruth truth = known_fields(read_truth);
        for (v1::KernelSocket& socket : *truth.mutable_sockets()) {
            map_address(*socket.mutable_local_address(), *anonymizer_);
            map_address(*socket.mutable_remote_address(), *anonymizer_);
        }
        return make_kernel_truth_block(truth.SerializeAsString(), order.swapped);
    }
    ++dropped_.blocks;
    return make_block(type, body.first(std::min<size_t>(body.size(), 4)), order);
}

std::vector<uint8_t> PcapngAnonymizer::rewrite_block(std::span<const uint8_t> block, FileByteOrder order) {
    if (block.size() < block_frame) return {};
    const uint32_t type = order.load32(block.data());
    const auto body = block.subspan(block_head, block.size() - block_frame);
    const auto with_options = [&](size_t fixed, std::span<const uint16_t> kept) {
        if (body.size() < fixed) return std::vector<uint8_t>();
        std::vector<uint8_t> out(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(fixed));
        const std::vector<uint8_t> options = rewrite_options(body.subspan(fixed), order, kept);
        append(out, options);
        if (!options.empty()) append32(out, 0, order);
        return make_block(type, out, order);
    };
    switch (type) {
        case pcapng::section_header_block: {
            constexpr size_t fixed = 16;
            constexpr size_t section_length_at = 8;
            std::vector<uint8_t> out = with_options(fixed, {});
            // The section's length is another one now: unknown.
            if (!out.empty()) std::fill_n(out.begin() + block_head + section_length_at, 8, uint8_t{0xff});
            return out;
        }
        case pcapng::interface_description_block: {
            constexpr std::array<uint16_t, 4> kept = {if_speed, pcapng::if_tsresol, if_fcslen,
                                                      pcapng::if_tsoffset};
            return with_options(8, kept);
        }
        case pcapng::interface_statistics_block: {
            constexpr std::array<uint16_t, 7> kept = {
                pcapng::isb_starttime,    pcapng::isb_endtime, pcapng::isb_ifrecv,  pcapng::isb_ifdrop,
                pcapng::isb_filteraccept, pcapng::isb_osdrop,  pcapng::isb_usrdeliv};
            return with_options(12, kept);
        }
        case pcapng::name_resolution_block:
            return make_block(type, rewrite_names(body, order), order);
        case pcapng::custom_block:
        case pcapng::custom_block_not_copied:
            return rewrite_custom(block, type, order);
        case pcapng::systemd_journal_export_block:
            ++dropped_.blocks;
            return make_block(type, {}, order);
        default:
            ++dropped_.blocks;
            return {};
    }
}

}  // namespace sanscope
