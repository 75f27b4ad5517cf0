// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/address_claims.h"

#include <algorithm>

namespace sanscope {

ClaimedAddress* AddressClaims::find_or_add(const Key& key) {
    const auto found = addresses_.find(key);
    if (found != addresses_.end()) return &found->second;
    if (addresses_.size() >= most_addresses) return nullptr;
    return &addresses_[key];
}

// Its place among the owners; `most_owners` where there are too many.
size_t AddressClaims::owner_of(ClaimedAddress& address, const MacAddress& mac, PacketNumber packet,
                               int64_t time_ns) {
    const auto found = std::ranges::find(address.owners, mac, &AddressOwner::mac);
    const auto place = static_cast<size_t>(found - address.owners.begin());
    if (found == address.owners.end()) {
        if (place == most_owners) return most_owners;
        address.owners.push_back({.mac = mac, .first_packet = packet, .first_ns = time_ns});
    }
    address.owners[place].last_ns = time_ns;
    return place;
}

AddressClaims::Told* AddressClaims::told(const Key& key, const IpAddress& asker) {
    std::vector<Told>& of_address = told_[key];
    const auto found = std::ranges::find(of_address, asker, &Told::asker);
    if (found != of_address.end()) return &*found;
    if (of_address.size() >= most_askers) return nullptr;
    of_address.push_back({.asker = asker, .owner = most_owners});
    return &of_address.back();
}

void AddressClaims::on_request(const LinkId& link, const IpAddress& asker, const IpAddress& asked_for,
                               int64_t time_ns) {
    const Key key(link, asked_for.words);
    if (find_or_add(key) == nullptr) return;
    Told* const line = told(key, asker);
    if (line == nullptr) return;
    line->asked_ns = time_ns;
    line->answered_by = most_owners;
}

void AddressClaims::on_claim(const LinkId& link, const Claim& claim) {
    const Key key(link, claim.address.words);
    ClaimedAddress* const address = find_or_add(key);
    if (address == nullptr) return;
    const size_t owner = owner_of(*address, claim.mac, claim.packet, claim.time_ns);
    if (owner == most_owners) return;
    ++address->owners[owner].claims;
    note_return(*address, owner, claim.time_ns);
    Told* const line = told(key, claim.asker);
    if (line == nullptr) return;
    if (line->owner != owner) {
        // Hosts that share an address claim it again whenever somebody asks; what takes it over and gives it back does not soon.
        constexpr int64_t soon_ns = 120'000'000'000;
        const bool back = line->had[owner] && claim.time_ns - line->changed_ns < soon_ns;
        if (back && address->returns++ == 0) {
            address->return_packet = claim.packet;
            address->returned_between = {line->owner, static_cast<uint8_t>(owner)};
        }
        line->owner = static_cast<uint8_t>(owner);
        line->changed_ns = claim.time_ns;
    }
    line->had[owner] = true;
    constexpr int64_t one_answer_ns = 1'000'000'000;
    if (!claim.is_answer || line->asked_ns == no_time || claim.time_ns - line->asked_ns > one_answer_ns)
        return;
    if (line->answered_by == most_owners) {
        line->answered_by = static_cast<uint8_t>(owner);
    } else if (line->answered_by != owner && address->contested++ == 0) {
        address->contested_packet = claim.packet;
        address->contested_by = {line->answered_by, static_cast<uint8_t>(owner)};
    }
}

void AddressClaims::on_segment(const IpAddress& address, const SegmentOrigin& origin,
                               const SegmentOrigin& first, ConnectionNumber connection) {
    if (!origin.is_of_neighbour()) return;
    ClaimedAddress* const claimed = find_or_add({origin.link, address.words});
    if (claimed == nullptr) return;
    const size_t owner = owner_of(*claimed, origin.mac, origin.packet, origin.time_ns);
    if (owner == most_owners) return;
    ++claimed->owners[owner].segments;
    claimed->owners[owner].ttl = origin.ttl;
    const bool mixed =
        first.packet != 0 && first.is_of_neighbour() && first.link == origin.link && first.mac != origin.mac;
    if (!mixed) {
        note_return(*claimed, owner, origin.time_ns);
        return;
    }
    if (claimed->mixed_connection != connection) ++claimed->mixed_connections;
    claimed->mixed_connection = connection;
    if (claimed->mixed_returned) return;
    claimed->mixed[0] = first;
    claimed->mixed[1] = origin;
}

// After a takeover the one that had the address is silent.
void AddressClaims::note_return(ClaimedAddress& address, size_t owner, int64_t time_ns) {
    constexpr int64_t soon_ns = 5'000'000'000;
    const bool is_first = address.mixed_connections > 0 && address.owners[owner].mac == address.mixed[0].mac;
    const int64_t since_ns = is_first ? time_ns - address.mixed[1].time_ns : -1;
    if (since_ns >= 0 && since_ns < soon_ns) address.mixed_returned = true;
}

}  // namespace sanscope
