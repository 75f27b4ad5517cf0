// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/anonymize/frame_rewriter.h"

#include <algorithm>

#include "captures/anonymize/internet_checksum.h"

#include "analyzer/base/byte_order.h"
#include "analyzer/net/decode_frame.h"
#include "analyzer/net/ether_type.h"
#include "analyzer/net/ip_protocol.h"

namespace sanscope {
namespace {

void store_be16(uint8_t* p, uint16_t value) {
    p[0] = static_cast<uint8_t>(value >> 8);
    p[1] = static_cast<uint8_t>(value);
}

// As decode_tunnel.cpp judges what is below a label stack.
bool is_believable_ip(std::span<const uint8_t> bytes, size_t wire) {
    if (bytes.size() < 6) return false;
    const uint8_t version = bytes[0] >> 4;
    if (version == 4) {
        const size_t header_length = size_t{bytes[0] & 0x0fu} * 4;
        const size_t total_length = load_be16(bytes.data() + 2);
        return header_length >= 20 && total_length <= wire &&
               (total_length == 0 || total_length >= header_length);
    }
    return version == 6 && load_be16(bytes.data() + 4) <= wire;
}

bool is_believable_ethernet(std::span<const uint8_t> bytes) {
    size_t type_at = 12;
    for (int tags = 0; tags < 3; ++tags) {
        if (bytes.size() < type_at + 3) return false;
        const uint16_t type = load_be16(bytes.data() + type_at);
        const uint8_t version = bytes[type_at + 2] >> 4;
        if (type == ether_type_ipv4) return version == 4;
        if (type == ether_type_ipv6) return version == 6;
        if (type != ether_type_vlan && type != ether_type_service_vlan) return false;
        type_at += 4;
    }
    return false;
}

}  // namespace

uint32_t FrameRewriter::rewrite(LinkType link_type, std::span<const uint8_t> original,
                                std::span<uint8_t> frame, uint32_t wire_length, Payload payload) {
    original_ = original;
    frame_ = frame.first(std::min(frame.size(), original.size()));
    end_ = frame_.size();
    payload_ = payload;
    headers_left_ = max_headers;
    quoted_ = false;
    checksum_count_ = 0;
    rewrite_link(link_type, {0, frame_.size(), std::max<size_t>(frame_.size(), wire_length)});
    update_checksums();
    return static_cast<uint32_t>(end_);
}

void FrameRewriter::cut(Rest rest, size_t keep) {
    end_ = std::min(end_, std::min(rest.at + keep, rest.captured));
}

void FrameRewriter::zero(size_t from, size_t to) {
    to = std::min(to, frame_.size());
    if (from < to) {
        std::fill(frame_.begin() + static_cast<std::ptrdiff_t>(from),
                  frame_.begin() + static_cast<std::ptrdiff_t>(to), uint8_t{0});
    }
}

// What lies behind `length` bytes is padding, of which nothing is known.
FrameRewriter::Rest FrameRewriter::narrow(Rest rest, size_t length) {
    const size_t wire = std::min(rest.wire, rest.at + length);
    const size_t captured = std::min(rest.captured, wire);
    if (wire < rest.wire) zero(captured, rest.captured);
    return {rest.at, captured, wire};
}

void FrameRewriter::add(const Checksum& checksum) {
    if (checksum_count_ < checksums_.size()) checksums_[checksum_count_++] = checksum;
}

// From the innermost outwards: an outer one covers the inner ones.
void FrameRewriter::update_checksums() {
    for (size_t i = checksum_count_; i-- > 0;) {
        const Checksum& each = checksums_[i];
        if (each.at + 2 > end_) continue;
        const uint16_t checksum = load_be16(original_.data() + each.at);
        if (each.kind == Checksum::Kind::udp && checksum == 0) continue;
        uint16_t updated = 0;
        const uint64_t length = (each.length >> 16) + (each.length & 0xffff);
        const uint16_t without_length = fold_sum(each.pseudo_before + each.protocol);
        const uint16_t with_length = fold_sum(each.pseudo_before + each.protocol + length);
        // One in 32768 right ones looks as if offload had left it half done.
        const auto is_right = [&] {
            const auto covered = original_.subspan(each.begin, each.end - each.begin);
            return covered.size() == each.length &&
                   fold_sum(each.pseudo_before + each.protocol + length + internet_sum(covered)) == 0xffff;
        };
        const bool looks_offloaded =
            each.kind != Checksum::Kind::plain && (checksum == with_length || checksum == without_length);
        if (looks_offloaded && !is_right()) {
            updated = fold_sum(each.pseudo_after + each.protocol + (checksum == with_length ? length : 0));
        } else {
            const size_t end = std::max(each.begin, std::min(each.end, end_));
            const uint64_t before = internet_sum(original_.subspan(each.begin, end - each.begin));
            const uint64_t after = internet_sum(frame_.subspan(each.begin, end - each.begin));
            updated = update_checksum(checksum, each.pseudo_before + before, each.pseudo_after + after);
            if (each.kind == Checksum::Kind::udp && updated == 0) updated = 0xffff;
        }
        store_be16(frame_.data() + each.at, updated);
    }
}

void FrameRewriter::rewrite_link(LinkType link_type, Rest rest) {
    const uint8_t* const p = frame_.data();
    switch (link_type) {
        case LinkType::ethernet:
            return rewrite_ethernet(rest);
        case LinkType::linux_sll:
            if (!rest.has(16)) return cut(rest);
            return rewrite_cooked(rest, 16, load_be16(p + 2), load_be16(p + 14), 6, load_be16(p + 4));
        case LinkType::linux_sll2:
            if (!rest.has(20)) return cut(rest);
            return rewrite_cooked(rest, 20, load_be16(p + 8), load_be16(p), 12, p[11]);
        case LinkType::null:
        case LinkType::loop:
            if (!rest.has(4)) return cut(rest);
            if (const uint32_t family = load_be32(p) <= 0xffff ? load_be32(p) : load_le32(p); family == 2)
                return rewrite_ipv4(rest.after(4));
            return rest.has(5) && p[4] >> 4 == 6 ? rewrite_ipv6(rest.after(4)) : cut(rest, 4);
        case LinkType::raw:
        case LinkType::raw_bsd:
        case LinkType::raw_openbsd:
            return rewrite_ip(rest);
        case LinkType::ipv4:
            return rewrite_ipv4(rest);
        case LinkType::ipv6:
            return rewrite_ipv6(rest);
        case LinkType::ppp:
        case LinkType::fddi:
        case LinkType::ppp_hdlc:
        case LinkType::ppp_ether:
        case LinkType::cisco_hdlc:
        case LinkType::ppi:
        case LinkType::erf:
        case LinkType::ppp_with_direction:
        case LinkType::nflog:
        case LinkType::netlink:
        case LinkType::not_a_packet:
            break;
    }
    cut(rest);
}

void FrameRewriter::rewrite_cooked(Rest rest, size_t length, uint16_t hardware, uint16_t protocol,
                                   size_t address_at, size_t address_length) {
    constexpr uint16_t arphrd_netlink = 824;
    constexpr uint16_t linux_llc = 0x0004;
    constexpr size_t address_field = 8;
    if (address_length == 6) {
        anonymizer_->map_mac(frame_.data() + address_at);
        zero(address_at + 6, address_at + address_field);
    } else {
        zero(address_at, address_at + address_field);
    }
    const Rest behind = rest.after(length);
    if (hardware == arphrd_netlink) return cut(behind);
    if (protocol == linux_llc) return rewrite_llc(behind);
    rewrite_ether_type(protocol, behind);
}

void FrameRewriter::rewrite_ethernet(Rest rest) {
    if (!rest.has(14)) return cut(rest);
    anonymizer_->map_mac(frame_.data() + rest.at);
    anonymizer_->map_mac(frame_.data() + rest.at + 6);
    rewrite_type_or_length(load_be16(frame_.data() + rest.at + 12), rest.after(14));
}

void FrameRewriter::rewrite_type_or_length(uint16_t value, Rest rest) {
    if (value >= ether_type_min) return rewrite_ether_type(value, rest);
    rewrite_llc(narrow(rest, value));
}

void FrameRewriter::rewrite_llc(Rest rest) {
    if (!rest.has(8)) return cut(rest);
    const uint8_t* const p = frame_.data() + rest.at;
    // Of other frames of this kind, their type is enough: the two bytes tell a spanning tree's.
    if (load_be24(p) != 0xaaaa03 || load_be24(p + 3) != 0) return cut(rest, 2);
    rewrite_ether_type(load_be16(p + 6), rest.after(8));
}

void FrameRewriter::rewrite_ether_type(uint16_t type, Rest rest) {
    switch (type) {
        case ether_type_ipv4:
            return rewrite_ipv4(rest);
        case ether_type_ipv6:
            return rewrite_ipv6(rest);
        case ether_type_vlan:
        case ether_type_service_vlan:
        case ether_type_vlan_9100:
        case ether_type_vlan_9200:
            if (!descend() || !rest.has(4)) return cut(rest);
            return rewrite_type_or_length(load_be16(frame_.data() + rest.at + 2), rest.after(4));
        case ether_type_arp:
            return rewrite_arp(rest);
        case ether_type_mpls:
        case ether_type_mpls_upstream:
            return rewrite_mpls(rest);
        case ether_type_pppoe_session:
            return rewrite_pppoe(rest);
        case ether_type_transparent_bridging:
            return descend() ? rewrite_ethernet(rest) : cut(rest);
        default:
            return cut(rest);
    }
}

void FrameRewriter::rewrite_arp(Rest rest) {
    constexpr size_t length = 28;
    if (!rest.has(length)) return cut(rest);
    uint8_t* const arp = frame_.data() + rest.at;
    if (load_be16(arp) != 1 || load_be16(arp + 2) != ether_type_ipv4 || load_be16(arp + 4) != 0x0604)
        return cut(rest);
    anonymizer_->map_mac(arp + 8);
    anonymizer_->map_v4(arp + 14);
    anonymizer_->map_mac(arp + 18);
    anonymizer_->map_v4(arp + 24);
    zero(rest.at + length, rest.captured);
}

void FrameRewriter::rewrite_mpls(Rest rest) {
    for (bool bottom = false; !bottom;) {
        if (!descend() || !rest.has(4)) return cut(rest);
        bottom = (frame_[rest.at + 2] & 1) != 0;
        rest = rest.after(4);
    }
    const auto bytes = original_.subspan(rest.at, rest.captured - rest.at);
    if (is_believable_ip(bytes, rest.wire - rest.at)) return rewrite_ip(rest);
    if (is_believable_ethernet(bytes)) return rewrite_ethernet(rest);
    if (bytes.size() >= 4 && bytes[0] >> 4 == 0 && is_believable_ethernet(bytes.subspan(4)))
        return rewrite_ethernet(rest.after(4));
    if (!bytes.empty() && (bytes[0] >> 4 == 4 || bytes[0] >> 4 == 6)) return rewrite_ip(rest);
    cut(rest);
}

void FrameRewriter::rewrite_pppoe(Rest rest) {
    if (!descend() || !rest.has(8)) return cut(rest);
    const uint8_t* const p = frame_.data() + rest.at;
    const size_t payload_length = load_be16(p + 4);
    const uint16_t protocol = load_be16(p + 6);
    if (p[0] != 0x11 || p[1] != 0 || payload_length == 1) return cut(rest);
    rest = rest.after(6);
    if (payload_length != 0) rest = narrow(rest, payload_length);
    if (!rest.has(2)) return cut(rest);
    rest = rest.after(2);
    switch (protocol) {
        case 0x0021:
            return rewrite_ipv4(rest);
        case 0x0057:
            return rewrite_ipv6(rest);
        case 0x0281:
            return rewrite_mpls(rest);
        default:
            return cut(rest);
    }
}

void FrameRewriter::rewrite_ip(Rest rest) {
    if (!rest.has(1)) return cut(rest);
    return frame_[rest.at] >> 4 == 6 ? rewrite_ipv6(rest) : rewrite_ipv4(rest);
}

void FrameRewriter::rewrite_ipv4(Rest rest) {
    constexpr size_t fixed_length = 20;
    if (!descend() || !rest.has(fixed_length)) return cut(rest);
    uint8_t* const ip = frame_.data() + rest.at;
    const size_t header_length = size_t{ip[0] & 0x0fu} * 4;
    if (ip[0] >> 4 != 4 || header_length < fixed_length) return cut(rest);
    const size_t total_length = load_be16(ip + 2);
    if (total_length != 0 && !quoted_) {
        if (total_length < header_length) return cut(rest);
        rest = narrow(rest, total_length);
    }
    if (!rest.has(header_length)) return cut(rest);
    anonymizer_->map_v4(ip + 12);
    anonymizer_->map_v4(ip + 16);
    rewrite_ipv4_options(rest.at + fixed_length, rest.at + header_length);
    add({.at = rest.at + 10, .begin = rest.at, .end = rest.at + header_length});

    Ip state;
    state.source_before = internet_sum(original_.subspan(rest.at + 12, 4));
    state.source_after = internet_sum(frame_.subspan(rest.at + 12, 4));
    state.before = state.source_before + internet_sum(original_.subspan(rest.at + 16, 4));
    state.after = state.source_after + internet_sum(frame_.subspan(rest.at + 16, 4));
    const uint16_t flags_and_offset = load_be16(ip + 6);
    constexpr uint16_t more_fragments_and_offset = 0x3fff;
    constexpr uint16_t offset = 0x1fff;
    state.fragment = (flags_and_offset & (quoted_ ? offset : more_fragments_and_offset)) != 0;
    rewrite_protocol(ip[9], rest.after(header_length), state);
}

void FrameRewriter::rewrite_ipv4_options(size_t from, size_t to) {
    constexpr uint8_t end_of_list = 0;
    constexpr uint8_t no_operation = 1;
    constexpr uint8_t record_route = 7;
    constexpr uint8_t timestamp = 68;
    constexpr uint8_t loose_route = 131;
    constexpr uint8_t strict_route = 137;
    constexpr uint8_t router_alert = 148;
    while (from < to) {
        const uint8_t kind = frame_[from];
        if (kind == end_of_list) return zero(from, to);
        if (kind == no_operation) {
            ++from;
            continue;
        }
        if (from + 2 > to || frame_[from + 1] < 2 || from + frame_[from + 1] > to) return zero(from, to);
        const size_t end = from + frame_[from + 1];
        size_t slot = from + 3;
        if (kind == record_route || kind == loose_route || kind == strict_route) {
            for (; slot + 4 <= end; slot += 4) anonymizer_->map_v4(frame_.data() + slot);
            zero(slot, end);
        } else if (kind == timestamp) {
            const unsigned flag = end >= from + 4 ? frame_[from + 3] & 0x0fu : 0;
            for (slot = from + 4; flag != 0 && slot + 8 <= end; slot += 8)
                anonymizer_->map_v4(frame_.data() + slot);
        } else if (kind != router_alert) {
            zero(from + 2, end);
        }
        from = end;
    }
}

void FrameRewriter::rewrite_ipv6(Rest rest) {
    constexpr size_t header_length = 40;
    if (!descend() || !rest.has(header_length)) return cut(rest);
    uint8_t* const ip = frame_.data() + rest.at;
    if (ip[0] >> 4 != 6) return cut(rest);
    const size_t payload_length = load_be16(ip + 4);
    anonymizer_->map_v6(ip + 8);
    anonymizer_->map_v6(ip + 24);
    Ip state;
    state.v6 = true;
    state.source_before = internet_sum(original_.subspan(rest.at + 8, 16));
    state.source_after = internet_sum(frame_.subspan(rest.at + 8, 16));
    state.before = state.source_before + internet_sum(original_.subspan(rest.at + 24, 16));
    state.after = state.source_after + internet_sum(frame_.subspan(rest.at + 24, 16));
    Rest payload = rest.after(header_length);
    if (payload_length != 0 && !quoted_) payload = narrow(payload, payload_length);
    rewrite_protocol(ip[6], payload, state);
}

void FrameRewriter::rewrite_ipv6_options(size_t from, size_t to) {
    constexpr uint8_t pad1 = 0x00;
    constexpr uint8_t router_alert = 0x05;
    constexpr uint8_t jumbo_payload = 0xc2;
    constexpr uint8_t home_address = 0xc9;
    while (from < to) {
        const uint8_t kind = frame_[from];
        if (kind == pad1) {
            ++from;
            continue;
        }
        if (from + 2 > to || from + 2 + frame_[from + 1] > to) return zero(from, to);
        const size_t length = frame_[from + 1];
        if (kind == home_address && length == 16) {
            anonymizer_->map_v6(frame_.data() + from + 2);
        } else if (kind != router_alert && kind != jumbo_payload) {
            zero(from + 2, from + 2 + length);
        }
        from += 2 + length;
    }
}

bool FrameRewriter::rewrite_routing_header(Rest rest, size_t length, Ip& ip) {
    const uint8_t type = frame_[rest.at + 2];
    const uint8_t segments_left = frame_[rest.at + 3];
    size_t addresses = (length - 8) / 16;
    // Of segment routing (RFC 8754 §2), TLVs may follow the list.
    if (type == 4) addresses = std::min<size_t>(addresses, frame_[rest.at + 4] + size_t{1});
    if (type != 0 && type != 2 && type != 4) return false;
    for (size_t i = 0; i < addresses; ++i) anonymizer_->map_v6(frame_.data() + rest.at + 8 + i * 16);
    zero(rest.at + 8 + addresses * 16, rest.at + length);
    if (segments_left == 0 || addresses == 0) return true;
    const size_t final_at = rest.at + 8 + (type == 4 ? 0 : (addresses - 1) * 16);
    ip.before = ip.source_before + internet_sum(original_.subspan(final_at, 16));
    ip.after = ip.source_after + internet_sum(frame_.subspan(final_at, 16));
    return true;
}

void FrameRewriter::rewrite_protocol(uint8_t protocol, Rest rest, Ip ip) {
    if (ip.fragment) return cut(rest);
    while (descend()) {
        size_t length = 0;
        switch (protocol) {
            case ip_protocol_tcp:
                return rewrite_tcp(rest, ip);
            case ip_protocol_udp:
                return rewrite_udp(rest, ip);
            case ip_protocol_ipv4:
                return rewrite_ipv4(rest);
            case ip_protocol_ipv6:
                return rewrite_ipv6(rest);
            case ip_protocol_gre:
                return rewrite_gre(rest);
            case ip_protocol_mpls:
                return rewrite_mpls(rest);
            case ip_protocol_icmp:
                return ip.v6 ? cut(rest) : rewrite_icmp(rest);
            case ip_protocol_icmpv6:
                return ip.v6 ? rewrite_icmpv6(rest, ip) : cut(rest);
            case ip_protocol_esp:
                return cut(rest, 8);  // security parameters index, sequence number

            case ip_protocol_authentication:
                if (!rest.has(12)) return cut(rest);
                length = (frame_[rest.at + 1] + size_t{2}) * 4;
                if (length < 12 || !rest.has(length)) return cut(rest);
                zero(rest.at + 12, rest.at + length);
                break;
            case ip_protocol_hop_by_hop:
            case ip_protocol_destination_options:
            case ip_protocol_routing:
                if (!ip.v6 || !rest.has(8)) return cut(rest);
                length = (frame_[rest.at + 1] + size_t{1}) * 8;
                if (!rest.has(length)) return cut(rest);
                if (protocol != ip_protocol_routing) {
                    rewrite_ipv6_options(rest.at + 2, rest.at + length);
                } else if (!rewrite_routing_header(rest, length, ip)) {
                    return cut(rest);
                }
                break;
            case ip_protocol_fragment: {
                if (!ip.v6 || !rest.has(8)) return cut(rest);
                length = 8;
                const uint16_t offset_and_more = load_be16(frame_.data() + rest.at + 2);
                const bool is_part = (offset_and_more & (quoted_ ? 0xfff8 : 0xfff9)) != 0;
                if (is_part) return cut(rest, length);
                break;
            }
            default:
                return cut(rest);
        }
        protocol = frame_[rest.at];
        rest = rest.after(length);
    }
    cut(rest);
}

void FrameRewriter::rewrite_tcp(Rest rest, const Ip& ip) {
    constexpr size_t fixed_length = 20;
    if (!rest.has(fixed_length))
        return quoted_ || rest.wire - rest.at >= fixed_length ? cut(rest, fixed_length) : cut(rest);
    const size_t header_length = static_cast<size_t>(frame_[rest.at + 12] >> 4) * 4;
    if (header_length < fixed_length) return cut(rest, fixed_length);
    const size_t options_end = std::min(rest.at + header_length, rest.captured);
    rewrite_tcp_options(rest.at + fixed_length, options_end);
    add({.kind = Checksum::Kind::transport,
         .at = rest.at + 16,
         .begin = rest.at,
         .end = rest.captured,
         .pseudo_before = ip.before,
         .pseudo_after = ip.after,
         .protocol = ip_protocol_tcp,
         .length = rest.wire - rest.at});
    const Rest behind{options_end, rest.captured, rest.wire};
    cut(behind, !quoted_ && payload_.at == behind.at ? payload_.kept : 0);
}

void FrameRewriter::rewrite_tcp_options(size_t from, size_t to) {
    while (from < to) {
        const uint8_t kind = frame_[from];
        if (kind == 0) return zero(from, to);
        if (kind == 1) {
            ++from;
            continue;
        }
        if (from + 2 > to || frame_[from + 1] < 2) return zero(from, to);
        const size_t end = from + frame_[from + 1];
        // MSS, window scale, SACK permitted, SACK, timestamps, and the counters of AccECN (draft-ietf-tcpm-accurate-ecn).
        const bool stays = (kind >= 2 && kind <= 5) || kind == 8 || kind == 172 || kind == 174;
        if (!stays) zero(from + 2, std::min(end, to));
        from = end;
    }
}

void FrameRewriter::rewrite_udp(Rest rest, const Ip& ip) {
    constexpr size_t header_length = 8;
    if (!rest.has(header_length)) return cut(rest);
    const uint16_t port = load_be16(frame_.data() + rest.at + 2);
    const size_t udp_length = load_be16(frame_.data() + rest.at + 4);
    if (udp_length != 0 && !quoted_) {
        if (udp_length < header_length) return cut(rest, header_length);
        rest = narrow(rest, udp_length);
    }
    add({.kind = Checksum::Kind::udp,
         .at = rest.at + 6,
         .begin = rest.at,
         .end = rest.captured,
         .pseudo_before = ip.before,
         .pseudo_after = ip.after,
         .protocol = ip_protocol_udp,
         .length = rest.wire - rest.at});
    const Rest inside = rest.after(header_length);
    const uint8_t* const p = frame_.data() + inside.at;
    switch (port) {
        case 4789:  // VXLAN
        case 8472:
        case 4790: {  // VXLAN-GPE
            if (!inside.has(8)) return cut(inside);
            const Rest frame = inside.after(8);
            if (port == 4790 && (p[0] & 0x04) != 0) {
                if (p[3] == 1) return rewrite_ipv4(frame);
                if (p[3] == 2) return rewrite_ipv6(frame);
                if (p[3] == 3) return rewrite_ethernet(frame);
                if (p[3] == 5) return rewrite_mpls(frame);
                return cut(frame);
            }
            return (p[0] & 0x08) != 0 ? rewrite_ethernet(frame) : cut(inside);
        }
        case 6081: {  // GENEVE
            if (!inside.has(8) || p[0] >> 6 != 0) return cut(inside);
            const size_t length = 8 + (p[0] & 0x3fu) * 4;
            if (!inside.has(length)) return cut(inside, 8);
            zero(inside.at + 8, inside.at + length);
            return rewrite_ether_type(load_be16(p + 2), inside.after(length));
        }
        case 6635:
            return rewrite_mpls(inside);
        default:
            return cut(inside);
    }
}

void FrameRewriter::rewrite_gre(Rest rest) {
    if (!rest.has(4)) return cut(rest);
    const uint16_t flags = load_be16(frame_.data() + rest.at);
    const uint16_t protocol = load_be16(frame_.data() + rest.at + 2);
    const bool has_checksum = (flags & 0x8000) != 0;
    const bool has_routing = (flags & 0x4000) != 0;
    const bool has_sequence = (flags & 0x1000) != 0;
    if ((flags & 7) != 0 || has_routing) return cut(rest, 4);
    const size_t length =
        4 + (has_checksum ? 4u : 0u) + ((flags & 0x2000) != 0 ? 4u : 0u) + (has_sequence ? 4u : 0u);
    if (!rest.has(length)) return cut(rest, 4);
    if (has_checksum) add({.at = rest.at + 4, .begin = rest.at, .end = rest.captured});
    const Rest inside = rest.after(length);
    const uint8_t* const p = frame_.data() + inside.at;
    if (protocol == ether_type_erspan) {
        if (!has_sequence) return rewrite_ethernet(inside);
        if (!inside.has(8) || p[0] >> 4 != 1) return cut(inside);
        return rewrite_ethernet(inside.after(8));
    }
    if (protocol == ether_type_erspan_3) {
        if (!inside.has(12) || p[0] >> 4 != 2) return cut(inside);
        const uint16_t last_word = load_be16(p + 10);
        const size_t header = 12 + ((last_word & 1) != 0 ? 8u : 0u);
        if (!inside.has(header)) return cut(inside);
        const unsigned type = last_word >> 10 & 0x1f;
        if (type == 0) return rewrite_ethernet(inside.after(header));
        return type == 2 ? rewrite_ip(inside.after(header)) : cut(inside);
    }
    rewrite_ether_type(protocol, inside);
}

// The headers of a packet within an ICMP error, which may be cut anywhere.
void FrameRewriter::rewrite_quoted(Rest rest) {
    if (quoted_) return cut(rest);
    quoted_ = true;
    rewrite_ip(rest);
}

void FrameRewriter::rewrite_icmp(Rest rest) {
    constexpr size_t header_length = 8;
    if (!rest.has(header_length)) return cut(rest);
    add({.at = rest.at + 2, .begin = rest.at, .end = rest.captured});
    switch (frame_[rest.at]) {
        case 5:  // redirect, to this router
            anonymizer_->map_v4(frame_.data() + rest.at + 4);
            return rewrite_quoted(rest.after(header_length));
        case 3:   // destination unreachable
        case 4:   // source quench
        case 11:  // time exceeded
        case 12:  // parameter problem
            return rewrite_quoted(rest.after(header_length));
        case 0:
        case 8:
            return cut(rest, header_length);
        case 13:
        case 14:
            return cut(rest, 20);
        default:
            return cut(rest, 4);
    }
}

void FrameRewriter::rewrite_icmpv6(Rest rest, const Ip& ip) {
    if (!rest.has(8)) return cut(rest);
    add({.kind = Checksum::Kind::transport,
         .at = rest.at + 2,
         .begin = rest.at,
         .end = rest.captured,
         .pseudo_before = ip.before,
         .pseudo_after = ip.after,
         .protocol = ip_protocol_icmpv6,
         .length = rest.wire - rest.at});
    uint8_t* const p = frame_.data() + rest.at;
    switch (p[0]) {
        case 1:
        case 2:
        case 3:
        case 4:
            return rewrite_quoted(rest.after(8));
        case 128:
        case 129:
            return cut(rest, 8);
        case 130:  // multicast listener query, report, done; the second version of a query goes on
        case 131:
        case 132:
            if (!rest.has(24)) return cut(rest, 8);
            anonymizer_->map_v6(p + 8);
            return cut(rest, 24);
        case 133:  // router solicitation
            return rewrite_neighbour_options(rest.after(8));
        case 134:  // router advertisement
            if (!rest.has(16)) return cut(rest, 8);
            return rewrite_neighbour_options(rest.after(16));
        case 135:  // neighbour solicitation, advertisement
        case 136:
            if (!rest.has(24)) return cut(rest, 8);
            anonymizer_->map_v6(p + 8);
            return rewrite_neighbour_options(rest.after(24));
        case 137:  // redirect
            if (!rest.has(40)) return cut(rest, 8);
            anonymizer_->map_v6(p + 8);
            anonymizer_->map_v6(p + 24);
            return rewrite_neighbour_options(rest.after(40));
        case 143:
            return rewrite_listener_report(rest.after(8));
        default:
            return cut(rest, 4);
    }
}

// By prefix preservation, its bits are those of every mapped address in it.
void FrameRewriter::map_prefix(size_t at, uint8_t bits) {
    anonymizer_->map_v6(frame_.data() + at);
    for (unsigned bit = bits; bit < 128; ++bit) {
        uint8_t& byte = frame_[at + bit / 8];
        byte = static_cast<uint8_t>(byte & ~(0x80 >> bit % 8));
    }
}

void FrameRewriter::rewrite_neighbour_options(Rest rest) {
    constexpr uint8_t source_link_address = 1;
    constexpr uint8_t target_link_address = 2;
    constexpr uint8_t prefix_information = 3;
    constexpr uint8_t redirected_header = 4;
    constexpr uint8_t mtu = 5;
    constexpr uint8_t recursive_dns_server = 25;
    while (rest.captured > rest.at) {
        if (!rest.has(8)) return cut(rest);
        const uint8_t kind = frame_[rest.at];
        const size_t length = frame_[rest.at + 1] * size_t{8};
        if (kind == redirected_header) return rewrite_quoted(rest.after(8));
        if (length == 0 || !rest.has(length)) return cut(rest);
        if ((kind == source_link_address || kind == target_link_address) && length == 8) {
            anonymizer_->map_mac(frame_.data() + rest.at + 2);
        } else if (kind == prefix_information && length == 32) {
            map_prefix(rest.at + 16, frame_[rest.at + 2]);
        } else if (kind == recursive_dns_server) {
            for (size_t at = 8; at + 16 <= length; at += 16)
                anonymizer_->map_v6(frame_.data() + rest.at + at);
        } else if (kind != mtu) {
            zero(rest.at + 2, rest.at + length);
        }
        rest = rest.after(length);
    }
}

void FrameRewriter::rewrite_listener_report(Rest rest) {
    while (rest.captured > rest.at) {
        if (!rest.has(20)) return cut(rest);
        const uint8_t* const p = frame_.data() + rest.at;
        const size_t sources = load_be16(p + 2);
        const size_t auxiliary = p[1] * size_t{4};
        const size_t length = 20 + sources * 16 + auxiliary;
        if (!rest.has(length)) return cut(rest);
        for (size_t i = 0; i <= sources; ++i) anonymizer_->map_v6(frame_.data() + rest.at + 4 + i * 16);
        zero(rest.at + length - auxiliary, rest.at + length);
        rest = rest.after(length);
    }
}

}  // namespace sanscope
