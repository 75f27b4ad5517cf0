// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "captures/anonymize/anonymizer.h"

#include "analyzer/base/link_type.h"

namespace sanscope {

// Replaces the addresses in a frame, in place, wherever decode_frame() follows its headers, and in ARP, ICMP, neighbour discovery
// and the packets that ICMP errors quote. What it does not know is cut off or zero: nothing is left standing because nobody
// knew what it was. Checksums (IPv4, TCP, UDP, ICMP, GRE; of inner packets too) that were right are right behind it, wrong ones
// stay wrong, and those that offload left half done are still that.
class FrameRewriter {
  public:
    explicit FrameRewriter(Anonymizer& anonymizer) : anonymizer_(&anonymizer) {}

    // The TCP payload of the innermost segment, as decode_frame() finds it: where it begins, and how much of it is to stay, from
    // its first byte on. All other payload is cut off.
    struct Payload {
        size_t at = 0;
        size_t kept = 0;
    };

    // `original` is the frame as captured, `frame` a copy of it in which the payload was changed already. The answer is how many
    // bytes of it are left. `wire_length` is at least as many as were captured.
    uint32_t rewrite(LinkType link_type, std::span<const uint8_t> original, std::span<uint8_t> frame,
                     uint32_t wire_length, Payload payload);

  private:
    // What is left behind the headers passed: from `at` on, up to where it was captured and where it ended on the wire.
    struct Rest {
        size_t at = 0;
        size_t captured = 0;
        size_t wire = 0;

        bool has(size_t n) const { return captured - at >= n; }
        Rest after(size_t n) const { return {at + n, captured, wire}; }
    };
    struct Checksum {
        enum class Kind : uint8_t { plain, transport, udp };
        Kind kind = Kind::plain;
        size_t at = 0;
        size_t begin = 0;  // what it covers
        size_t end = 0;
        uint64_t pseudo_before = 0;  // addresses of the pseudo-header
        uint64_t pseudo_after = 0;
        uint32_t protocol = 0;
        size_t length = 0;  // of the segment on the wire
    };
    struct Ip {
        bool v6 = false;
        bool fragment = false;
        uint64_t before = 0;
        uint64_t source_before = 0;
        uint64_t source_after = 0;
        uint64_t after = 0;
    };

    void cut(Rest rest, size_t keep = 0);
    void zero(size_t from, size_t to);
    Rest narrow(Rest rest, size_t length);
    void add(const Checksum& checksum);
    void update_checksums();
    bool descend() { return headers_left_-- > 0; }

    void rewrite_link(LinkType link_type, Rest rest);
    void rewrite_ethernet(Rest rest);
    void rewrite_cooked(Rest rest, size_t length, uint16_t hardware, uint16_t protocol, size_t address_at,
                        size_t address_length);
    void rewrite_type_or_length(uint16_t value, Rest rest);
    void rewrite_ether_type(uint16_t type, Rest rest);
    void rewrite_llc(Rest rest);
    void rewrite_arp(Rest rest);
    void rewrite_mpls(Rest rest);
    void rewrite_pppoe(Rest rest);
    void rewrite_ip(Rest rest);
    void rewrite_ipv4(Rest rest);
    void rewrite_ipv4_options(size_t from, size_t to);
    void rewrite_ipv6(Rest rest);
    bool rewrite_routing_header(Rest rest, size_t length, Ip& ip);
    void rewrite_ipv6_options(size_t from, size_t to);
    void rewrite_protocol(uint8_t protocol, Rest rest, Ip ip);
    void rewrite_tcp(Rest rest, const Ip& ip);
    void rewrite_tcp_options(size_t from, size_t to);
    void rewrite_udp(Rest rest, const Ip& ip);
    void rewrite_gre(Rest rest);
    void rewrite_icmp(Rest rest);
    void rewrite_icmpv6(Rest rest, const Ip& ip);
    void rewrite_neighbour_options(Rest rest);
    void rewrite_listener_report(Rest rest);
    void rewrite_quoted(Rest rest);
    void map_prefix(size_t at, uint8_t bits);

    Anonymizer* anonymizer_;
    std::span<const uint8_t> original_;
    std::span<uint8_t> frame_;
    size_t end_ = 0;  // the bytes from here on are cut off
    Payload payload_;
    int headers_left_ = 0;
    bool quoted_ = false;
    std::array<Checksum, 80> checksums_;
    size_t checksum_count_ = 0;
};

}  // namespace sanscope
