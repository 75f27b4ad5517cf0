// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/sessions/address_findings.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/vocabulary/iscsi_port.h"

namespace sanscope {
namespace {

using Kind = Finding::Kind;
using Severity = Finding::Severity;

// RFC 5227 §2.4: an address whose ARP tells of two owners in turn. Once is a takeover, as VRRP, a cluster or a bond make it.
constexpr uint64_t least_returns = 2;

// The addresses each neighbour stands for, on each link.
class Neighbours {
  public:
    explicit Neighbours(const AddressClaims& claims) {
        for (const auto& [key, claimed] : claims.addresses()) {
            for (const AddressOwner& owner : claimed.owners)
                addresses_[{key.first, owner.mac}].insert(key.second);
        }
    }
    // Whether it has another address of the same kind: it may be a router that answers for others (proxy ARP, RFC 1027), or one
    // of two ports of a host, each of which answers for both addresses (Linux without arp_ignore).
    bool stands_for_others(const LinkId& link, const MacAddress& mac, const IpAddress& address) const {
        const auto found = addresses_.find({link, mac});
        if (found == addresses_.end()) return false;
        return std::ranges::any_of(found->second, [&](const auto& words) {
            const IpAddress other{words};
            return other != address && other.is_v4() == address.is_v4();
        });
    }

  private:
    std::map<std::pair<LinkId, MacAddress>, std::set<std::array<uint64_t, 2>>> addresses_;
};

// Ports of one card have addresses side by side, and a team of them may send with each.
bool may_be_ports_of_one_card(const MacAddress& a, const MacAddress& b) {
    constexpr int ports = 8;
    const bool alike = std::equal(a.bytes.begin(), a.bytes.end() - 1, b.bytes.begin());
    return alike && std::abs(int{a.bytes.back()} - int{b.bytes.back()}) < ports;
}

// Of the connections, the first iSCSI one that has this address.
struct Use {
    uint32_t connection = 0;
    bool by_target = false;
    std::vector<uint32_t> connections;  // all of them, the first few
};

Use use_of(const IpAddress& address, const ResultStore& store) {
    constexpr size_t most = 1024;
    Use use;
    uint32_t number = 0;
    for (const ConnectionRow& row : store.connections()) {
        ++number;
        if (!row.iscsi && !is_iscsi_port(row.target.port)) continue;
        const bool by_target = row.target.address == address;
        if (!by_target && row.initiator.address != address) continue;
        if (use.connection == 0) {
            use.connection = number;
            use.by_target = by_target;
        }
        if (use.connections.size() < most) use.connections.push_back(number);
    }
    return use;
}

// Segments of one connection's side from two neighbours show two hosts where the first is still there afterwards.
bool shows_two_hosts(const ClaimedAddress& claimed) {
    return claimed.mixed_connections > 0 && claimed.mixed_returned;
}

bool is_told_by_arp(const ClaimedAddress& claimed) {
    return claimed.contested > 0 || claimed.returns >= least_returns;
}

// One request that two answer is what a takeover makes as well: the one that has the address answers, and a moment later the one
// that takes it over tells so. Again and again it is none.
constexpr uint64_t least_contested = 2;

// The two that are at odds; others may have had the address before.
struct Rivals {
    const AddressOwner* one;
    const AddressOwner* other;

    // Both open, close or refuse connections as this address: two TCPs, and no port that only answers ARP.
    bool have_both_a_tcp() const { return one->segments > 0 && other->segments > 0; }
};

Rivals rivals_of(const ClaimedAddress& claimed) {
    const auto pair = [&](size_t one, size_t other) {
        return Rivals{&claimed.owners[std::min(one, other)], &claimed.owners[std::max(one, other)]};
    };
    if (claimed.contested > 0) return pair(claimed.contested_by[0], claimed.contested_by[1]);
    if (claimed.returns >= least_returns)
        return pair(claimed.returned_between[0], claimed.returned_between[1]);
    const auto place_of = [&](const SegmentOrigin& origin) {
        const auto found = std::ranges::find(claimed.owners, origin.mac, &AddressOwner::mac);
        return static_cast<size_t>(found - claimed.owners.begin());
    };
    const size_t one = place_of(claimed.mixed[0]);
    const size_t other = place_of(claimed.mixed[1]);
    const bool known = one < claimed.owners.size() && other < claimed.owners.size() && one != other;
    return known ? pair(one, other) : pair(0, 1);
}

void add_signs(Finding& finding, const ClaimedAddress& claimed, const Rivals& rivals) {
    if (claimed.contested > 0) {
        finding.add_sign(fmt::format("{} answered from two MAC addresses, first in packet {}",
                                     counted(claimed.contested, "ARP request"), claimed.contested_packet));
    }
    if (claimed.returns >= least_returns) {
        finding.add_sign(fmt::format(
            "the claim to the address went back and forth: {} back, first in packet {}",
            claimed.returns == 1 ? "once" : human_count(claimed.returns) + " times", claimed.return_packet));
    }
    if (rivals.have_both_a_tcp() && !shows_two_hosts(claimed))
        finding.add_sign("SYN, FIN or RST segments come from both, with the TTL of a neighbour");
    if (shows_two_hosts(claimed)) {
        const SegmentOrigin& one = claimed.mixed[0];
        const SegmentOrigin& other = claimed.mixed[1];
        finding.add_sign(
            fmt::format("on one connection it sent packet {} from {} (TTL {}) and packet {} from {} (TTL {})",
                        one.packet, format(one.mac), one.ttl, other.packet, format(other.mac), other.ttl));
    }
}

PacketNumber best_packet(const ClaimedAddress& claimed) {
    if (claimed.contested > 0) return claimed.contested_packet;
    return claimed.returns >= least_returns ? claimed.return_packet : claimed.mixed[1].packet;
}

// How sure it is that there are two hosts.
enum class Certainty : uint8_t {
    two_hosts,
    maybe_moved,        // or one address that moves to and fro
    maybe_one_host,     // or a router: nothing but ARP shows it
    maybe_interference  // nothing but segments shows it
};

Certainty certainty(const ClaimedAddress& claimed, const Rivals& rivals, bool may_be_one_host) {
    if (!is_told_by_arp(claimed)) return Certainty::maybe_interference;
    if (!rivals.have_both_a_tcp() || may_be_one_host) return Certainty::maybe_one_host;
    return claimed.contested >= least_contested ? Certainty::two_hosts : Certainty::maybe_moved;
}

std::string_view advice(Certainty certainty) {
    switch (certainty) {
        case Certainty::two_hosts:
            return "Frames go now to the one and now to the other, which resets connections it does not "
                   "know. Find "
                   "the port of each MAC address in the switches' tables, and give one of the two hosts "
                   "another "
                   "address.";
        case Certainty::maybe_moved:
            return "Two hosts with one address look like this, and so does one address that moves to and fro "
                   "between two hosts of a cluster (VRRP, failover) or two ports of a team (active-backup). "
                   "Look at their logs at that moment, and find the port of each MAC address in the "
                   "switches' tables.";
        case Certainty::maybe_one_host:
            return "Two hosts with one address look like this, and so do two ports of one host that each "
                   "answer for "
                   "both addresses (on Linux: arp_ignore=1, arp_announce=2; or the settings of a team), and "
                   "a router "
                   "with proxy ARP. Find the port of each MAC address in the switches' tables.";
        case Certainty::maybe_interference:
            break;
    }
    return "Two hosts with one address look like this, and so do a device on the path that sends segments in "
           "a "
           "host's name, as intrusion prevention does, and a team of ports that each send with an address of "
           "their own (balance-tlb of Linux). Find the port of each MAC address in the switches' tables.";
}

Finding duplicate_address(const IpAddress& address, const ClaimedAddress& claimed, const Rivals& rivals,
                          Certainty sure, const ResultStore& store) {
    const AddressOwner& one = *rivals.one;
    const AddressOwner& other = *rivals.other;
    const Use use = use_of(address, store);
    Finding finding;
    finding.kind = Kind::duplicate_address;
    const bool is_sure = sure == Certainty::two_hosts;
    finding.severity = is_sure && use.connection != 0 ? Severity::problem : Severity::notice;
    finding.confidence = is_sure                          ? Finding::Confidence::firm
                         : sure == Certainty::maybe_moved ? Finding::Confidence::likely
                                                          : Finding::Confidence::possible;
    finding.side = use.connection == 0 ? Finding::Side::none
                   : use.by_target     ? Finding::Side::target
                                       : Finding::Side::initiator;
    finding.connection = use.connection;
    finding.connections = use.connections;
    if (use.connection != 0) finding.session = store.connection(use.connection).session;
    finding.sender = use.connection == 0 ? Finding::Sender::unknown
                     : use.by_target     ? Finding::Sender::target
                                         : Finding::Sender::initiator;
    finding.begin_ns = std::max(one.first_ns, other.first_ns);
    finding.end_ns = std::max(one.last_ns, other.last_ns);
    finding.packet = best_packet(claimed);
    finding.title = fmt::format("Two MAC addresses claim the IP address {}: {} and {}", format(address),
                                format(one.mac), format(other.mac));
    finding.explanation = advice(sure);
    add_signs(finding, claimed, rivals);
    return finding;
}

}  // namespace

void add_address_findings(FindingList& list, const FindingsInput& input) {
    const AddressClaims& claims = input.store.network_events().address_claims();
    const Neighbours neighbours(claims);
    for (const auto& [key, claimed] : claims.addresses()) {
        const bool shown = is_told_by_arp(claimed) || shows_two_hosts(claimed);
        if (!shown || claimed.owners.size() < 2) continue;
        const LinkId& link = key.first;
        const IpAddress address{key.second};
        const Rivals rivals = rivals_of(claimed);
        const bool may_be_one_host = may_be_ports_of_one_card(rivals.one->mac, rivals.other->mac) ||
                                     neighbours.stands_for_others(link, rivals.one->mac, address) ||
                                     neighbours.stands_for_others(link, rivals.other->mac, address);
        const Certainty sure = certainty(claimed, rivals, may_be_one_host);
        list.push_back(duplicate_address(address, claimed, rivals, sure, input.store));
    }
}

}  // namespace sanscope
