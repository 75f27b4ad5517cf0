// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/net/decoded_packet.h"

namespace sanscope {

// The two ends of a TCP connection, the same for both directions. VLAN tags and tunnel identifiers are no part of them:
// a mirror port may show one packet under several.
struct FlowKey {
    IpAddress low;  // the end whose (address, port) is the lesser
    IpAddress high;
    uint16_t low_port = 0;
    uint16_t high_port = 0;
    uint32_t network = 0;  // apart from others with the same addresses; 0: the one that was seen first

    // Of keys with one hash, all parts are equal nearly always: looking at them one by one would only cost branches.
    bool operator==(const FlowKey& other) const {
        const bool ports = low_port == other.low_port && high_port == other.high_port;
        return low == other.low && high == other.high && ports && network == other.network;
    }

    // `source_is_low` shows in which direction the packet went.
    static FlowKey of(const DecodedPacket& packet, bool& source_is_low);
    // Another `seed` gives another order, so that nobody can make an input whose keys collide.
    uint64_t hash(uint64_t seed) const;
};

// Without branches: which end is the lesser changes with every packet, as good as at random.
inline FlowKey FlowKey::of(const DecodedPacket& packet, bool& source_is_low) {
    const auto& s = packet.source.words;
    const auto& d = packet.destination.words;
    const unsigned by_port = packet.source_port <= packet.destination_port;
    const unsigned by_first = unsigned{s[0] < d[0]} | (unsigned{s[0] == d[0]} & by_port);
    source_is_low = (unsigned{s[1] < d[1]} | (unsigned{s[1] == d[1]} & by_first)) != 0;
    const IpAddress* const addresses[2] = {&packet.destination, &packet.source};
    const uint16_t ports[2] = {packet.destination_port, packet.source_port};
    const size_t low = source_is_low ? 1 : 0;
    return {*addresses[low], *addresses[1 - low], ports[low], ports[1 - low]};
}

inline uint64_t FlowKey::hash(uint64_t seed) const {
    constexpr uint64_t k = 0x9e3779b97f4a7c15;
    uint64_t h = (seed ^ low.words[1] ^ (high.words[1] << 32 | high.words[1] >> 32)) * k;
    h = (h ^ h >> 32 ^ low.words[0] ^ (high.words[0] << 1)) * k;
    h = (h ^ h >> 29 ^
         (static_cast<uint64_t>(network) << 32 | static_cast<uint64_t>(low_port) << 16 | high_port)) *
        k;
    return h ^ h >> 32;
}

// From the ends of a connection to the number of what stands for it. Open addressing over hashes, so that a lookup
// touches one cache line of the table and the key it finds. Entries are never removed, only pointed elsewhere.
class FlowTable {
  public:
    static constexpr uint32_t none = 0xffffffff;

    explicit FlowTable(uint64_t seed) : seed_(seed) {}

    // The number kept under the key; a place for it, holding `none`, is made where there was none. The reference holds
    // until the next call.
    uint32_t& find_or_add(const FlowKey& key) {
        if ((entries_.size() + 1) * 2 > places_.size()) [[unlikely]]
            grow();
        const uint64_t hash = key.hash(seed_);
        const auto tag = static_cast<uint32_t>(hash >> 32);
        for (size_t i = hash & mask();; i = (i + 1) & mask()) {
            Place& place = places_[i];
            if (place.entry == none) {
                place = {tag, static_cast<uint32_t>(entries_.size())};
                entries_.push_back({key, none});
                return entries_.back().value;
            }
            if (place.tag == tag && entries_[place.entry].key == key) return entries_[place.entry].value;
        }
    }

    bool contains(const FlowKey& key) const {
        if (places_.empty()) return false;
        const uint64_t hash = key.hash(seed_);
        const auto tag = static_cast<uint32_t>(hash >> 32);
        for (size_t i = hash & mask(); places_[i].entry != none; i = (i + 1) & mask()) {
            if (places_[i].tag == tag && entries_[places_[i].entry].key == key) return true;
        }
        return false;
    }

    size_t size() const { return entries_.size(); }

  private:
    struct Place {
        uint32_t tag;
        uint32_t entry;
    };
    struct Entry {
        FlowKey key;
        uint32_t value;
    };
    size_t mask() const { return places_.size() - 1; }

    void grow() {
        places_.assign(places_.empty() ? 256 : places_.size() * 2, Place{0, none});
        for (uint32_t entry = 0; entry < entries_.size(); ++entry) {
            const uint64_t hash = entries_[entry].key.hash(seed_);
            size_t i = hash & mask();
            while (places_[i].entry != none) i = (i + 1) & mask();
            places_[i] = {static_cast<uint32_t>(hash >> 32), entry};
        }
    }

    uint64_t seed_;
    std::vector<Place> places_;
    std::vector<Entry> entries_;
};

}  // namespace sanscope
