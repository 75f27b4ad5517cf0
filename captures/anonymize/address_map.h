// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <unordered_map>

#include "captures/anonymize/keyed_random.h"

#include "analyzer/base/result.h"
#include "analyzer/vocabulary/ip_address.h"
#include "analyzer/vocabulary/mac_address.h"

namespace sanscope {

// IP addresses to others, one to one, such that two addresses have as many leading bits in common as their replacements: Xu,
// Fan, Ammar, Moon: "Prefix-Preserving IP Address Anonymization" (2002), Crypto-PAn.
//
// These stay what they are, and nothing else becomes one of them: unspecified, broadcast, loopback and multicast addresses, the
// prefix fe80::/64. What in an IPv6 group tells of an address is replaced: the last 24 bits of a solicited-node address (RFC
// 4291 §2.7.1), the prefix in a group made of one (RFC 3306). The price: the first bits of an address, up to where it parts
// from all of these, stay as well: of 10.0.0.0/8 five, of 192.168.0.0/16 and 172.16.0.0/12 three, of 2001:db8::/32 three.
class AddressMap {
  public:
    enum class Special : uint8_t { stay, as_any };  // as_any: the plain method of the paper

    static Result<AddressMap> create(const MappingKey& key, Special special = Special::stay);

    // 4 bytes.
    void map_v4(const uint8_t* from, uint8_t* to);
    // 16 bytes.
    void map_v6(const uint8_t* from, uint8_t* to);
    IpAddress map(const IpAddress& address);

  private:
    struct Hash {
        size_t operator()(const IpAddress& address) const;
    };
    // What was worked out, so that it is not for every packet; forgotten as a whole once full.
    static constexpr size_t max_remembered = 65536;

    AddressMap(KeyedRandom random, const RandomBlock& pad, Special special)
        : random_(std::move(random)), pad_(pad), special_(special) {}
    IpAddress work_out(const IpAddress& address) const;

    KeyedRandom random_;
    RandomBlock pad_;
    Special special_;
    std::unordered_map<IpAddress, IpAddress, Hash> remembered_;
};

// MAC addresses to others, one to one. The bits for groups and for locally administered addresses stay; so do groups and
// broadcast, all zeros, and the addresses of VRRP, HSRP and GLBP, and nothing else becomes one of them. Of the group of a
// solicited-node address (33:33:ff…), the last 24 bits are replaced as the AddressMap does.
class MacMap {
  public:
    static Result<MacMap> create(const MappingKey& key, AddressMap& addresses);

    MacAddress map(const MacAddress& address) const;

  private:
    MacMap(KeyedRandom random, AddressMap& addresses) : random_(std::move(random)), addresses_(&addresses) {}
    uint64_t permute(uint64_t bits, uint8_t kept) const;

    KeyedRandom random_;
    AddressMap* addresses_;
};

}  // namespace sanscope
