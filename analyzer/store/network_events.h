// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/store/address_claims.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// A TCP segment that was not delivered, as a router or host on its way reports it.
struct IcmpErrorRow {
    PacketNumber packet = 0;
    int64_t time_ns = no_time;
    IpAddress reporter = {};
    Endpoint source = {};  // of the segment
    Endpoint destination = {};
    uint32_t seq = 0;
    uint32_t mtu = 0;              // of the next hop; 0 where it is not told
    uint32_t datagram_length = 0;  // of the packet that was not delivered
    uint8_t type = 0;
    uint8_t code = 0;
    bool too_big = false;
    bool ipv6 = false;
};

// What routers and the link layer said during a capture, in bounded memory: the first ones, and how many there were.
class NetworkEvents {
  public:
    static constexpr size_t most_kept = 1024;

    void add_icmp_error(const IcmpErrorRow& error) {
        ++icmp_errors_seen_;
        if (icmp_errors_.size() < most_kept) icmp_errors_.push_back(error);
    }
    const std::vector<IcmpErrorRow>& icmp_errors() const { return icmp_errors_; }
    uint64_t icmp_errors_seen() const { return icmp_errors_seen_; }

    AddressClaims& address_claims() { return address_claims_; }
    const AddressClaims& address_claims() const { return address_claims_; }

  private:
    std::vector<IcmpErrorRow> icmp_errors_;
    uint64_t icmp_errors_seen_ = 0;
    AddressClaims address_claims_;
};

}  // namespace sanscope
