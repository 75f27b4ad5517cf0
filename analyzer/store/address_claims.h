// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analyzer/vocabulary/mac_address.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// A broadcast domain, as far as a capture tells them apart: the same IP address may be in use in each of them.
struct LinkId {
    uint16_t interface = 0;  // of the capture
    uint32_t vlans = 0;      // see EthernetLink
    bool operator==(const LinkId&) const = default;
    bool operator<(const LinkId& other) const {
        return interface != other.interface ? interface < other.interface : vlans < other.vlans;
    }
};

// Where a segment with SYN, FIN or RST came from. `packet` is 0 where there is none.
struct SegmentOrigin {
    LinkId link = {};
    MacAddress mac = {};
    uint8_t ttl = 0;
    PacketNumber packet = 0;
    int64_t time_ns = no_time;

    // As hosts send it (64, 128, 255): no router took one off.
    bool is_of_neighbour() const { return ttl == 64 || ttl == 128 || ttl == 255; }
};

// One that claims an IP address.
struct AddressOwner {
    MacAddress mac;
    uint64_t claims = 0;    // by ARP
    uint64_t segments = 0;  // with SYN, FIN or RST, sent by a neighbour
    uint8_t ttl = 0;        // of the last of these
    PacketNumber first_packet = 0;
    int64_t first_ns = no_time;
    int64_t last_ns = no_time;
};

// Two owners by their places in `ClaimedAddress::owners`.
using OwnerPair = std::array<uint8_t, 2>;

struct ClaimedAddress {
    std::vector<AddressOwner> owners;  // in order of their first claim, the first few

    // One request, and answers from two owners.
    uint64_t contested = 0;
    PacketNumber contested_packet = 0;  // the second answer to the first of these
    OwnerPair contested_by = {};
    // To one asker, or to all, the address went back to an owner whose place another one had taken not long before.
    uint64_t returns = 0;
    PacketNumber return_packet = 0;
    OwnerPair returned_between = {};  // the first time
    // Connections in which segments of two neighbours came from this one address.
    uint64_t mixed_connections = 0;
    ConnectionNumber mixed_connection = 0;
    SegmentOrigin mixed[2];       // of the last one that was noticed: its first segment, and the other's
    bool mixed_returned = false;  // soon after such a segment the first neighbour still sent as the address
};

// Who said that an IP address is theirs, in bounded memory: ARP (RFC 826, RFC 5227), and the segments that only the owner of an
// address sends.
class AddressClaims {
  public:
    static constexpr size_t most_addresses = 4096;
    static constexpr size_t most_owners = 4;
    static constexpr size_t most_askers = 8;
    using Key = std::pair<LinkId, std::array<uint64_t, 2>>;  // with the address's words

    struct Claim {
        IpAddress address;
        MacAddress mac;
        IpAddress asker;  // to whom it is said, if it is an answer
        bool is_answer = false;
        PacketNumber packet = 0;
        int64_t time_ns = no_time;
    };

    void on_request(const LinkId& link, const IpAddress& asker, const IpAddress& asked_for, int64_t time_ns);
    void on_claim(const LinkId& link, const Claim& claim);
    // `first`: of the same side of the connection, its `packet` 0 where this is the first.
    void on_segment(const IpAddress& address, const SegmentOrigin& origin, const SegmentOrigin& first,
                    ConnectionNumber connection);

    const std::map<Key, ClaimedAddress>& addresses() const { return addresses_; }

  private:
    // What one asker was told: balancing (balance-alb of Linux) tells each another MAC address, and that is no conflict.
    struct Told {
        IpAddress asker;
        uint8_t owner = 0;
        std::array<bool, most_owners> had{};  // has claimed it before
        int64_t changed_ns = no_time;         // when the owner took it
        int64_t asked_ns = no_time;           // the last request, not known to be answered yet
        uint8_t answered_by = most_owners;    // most_owners: by nobody yet
    };

    static void note_return(ClaimedAddress& address, size_t owner, int64_t time_ns);
    ClaimedAddress* find_or_add(const Key& key);
    static size_t owner_of(ClaimedAddress& address, const MacAddress& mac, PacketNumber packet,
                           int64_t time_ns);
    Told* told(const Key& key, const IpAddress& asker);

    std::map<Key, ClaimedAddress> addresses_;
    std::map<Key, std::vector<Told>> told_;
};

}  // namespace sanscope
