// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/anonymize/address_map.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "analyzer/base/byte_order.h"

namespace sanscope {
namespace {

// Addresses that begin with `length` bits of `prefix`: of these, only the bits [free_from, free_to) are replaced.
struct SpecialBlock {
    std::array<uint8_t, 16> prefix{};
    unsigned length = 0;
    unsigned free_from = 0;
    unsigned free_to = 0;
};

// Where one lies within another, the smaller one comes first.
constexpr std::array<SpecialBlock, 4> special_v4{
    {{{0, 0, 0, 0}, 32}, {{127}, 8}, {{255, 255, 255, 255}, 32}, {{224}, 4}}};
constexpr std::array<SpecialBlock, 6> special_v6{
    {{{}, 128},
     {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 128},
     {{0xfe, 0x80}, 10, 64, 128},
     {{0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff}, 104, 104, 128},
     {{0xff, 0x30}, 12, 32, 96},
     {{0xff}, 8}}};

bool bit_at(const uint8_t* bytes, unsigned place) {
    return (bytes[place / 8] >> (7 - place % 8) & 1) != 0;
}

unsigned common_bits(const uint8_t* a, const uint8_t* b, unsigned most) {
    unsigned common = 0;
    while (common < most && bit_at(a, common) == bit_at(b, common)) ++common;
    return common;
}

// Whether the bit behind the first `place` ones stays, which depends on those alone: that keeps prefixes.
bool stays(std::span<const SpecialBlock> blocks, const uint8_t* address, unsigned place) {
    for (const SpecialBlock& block : blocks) {
        if (common_bits(address, block.prefix.data(), std::min(place, block.length)) <
            std::min(place, block.length))
            continue;
        if (place < block.length) return true;
        return place < block.free_from || place >= block.free_to;
    }
    return false;
}

constexpr uint64_t half_mask = (uint64_t{1} << 23) - 1;

bool is_reserved(const MacAddress& address) {
    const auto& b = address.bytes;
    const uint32_t first = load_be24(b.data());
    if (address == MacAddress{}) return true;
    if (first == 0x00005e && b[3] == 0 && (b[4] == 1 || b[4] == 2)) return true;  // VRRP (RFC 9568 §7.3)
    if (first == 0x00000c && b[3] == 0x07 && b[4] == 0xac) return true;           // HSRP
    if (first == 0x00000c && b[3] == 0x9f && b[4] >= 0xf0) return true;           // HSRP version 2
    return first == 0x0007b4 && b[3] == 0;                                        // GLBP
}

}  // namespace

Result<AddressMap> AddressMap::create(const MappingKey& key, Special special) {
    auto random = KeyedRandom::create(key, 0);
    if (!random) return random.error();
    RandomBlock pad;
    std::copy_n(key.begin() + 16, pad.size(), pad.begin());
    pad = random->encrypt(pad);
    return AddressMap(std::move(*random), pad, special);
}

size_t AddressMap::Hash::operator()(const IpAddress& address) const {
    const uint64_t h = (address.words[0] * 0x9e3779b97f4a7c15 ^ address.words[1]) * 0x9e3779b97f4a7c15;
    return h ^ h >> 32;
}

IpAddress AddressMap::work_out(const IpAddress& address) const {
    const std::array<uint8_t, 16> whole = address.bytes();
    const bool is_v4 = address.is_v4();
    const uint8_t* const from = is_v4 ? whole.data() + 12 : whole.data();
    const unsigned bits = is_v4 ? 32 : 128;
    const std::span<const SpecialBlock> blocks =
        is_v4 ? std::span<const SpecialBlock>(special_v4) : std::span<const SpecialBlock>(special_v6);
    std::array<uint8_t, 16> to{};
    std::copy_n(from, bits / 8, to.begin());
    RandomBlock block = pad_;
    for (unsigned place = 0; place < bits; ++place) {
        const auto mask = static_cast<uint8_t>(0x80 >> place % 8);
        const bool kept = special_ == Special::stay && stays(blocks, from, place);
        if (!kept && (random_.encrypt(block)[0] & 0x80) != 0)
            to[place / 8] = static_cast<uint8_t>(to[place / 8] ^ mask);
        block[place / 8] = static_cast<uint8_t>((block[place / 8] & ~mask) | (from[place / 8] & mask));
    }
    return is_v4 ? IpAddress::from_v4(to.data()) : IpAddress::from_v6(to.data());
}

IpAddress AddressMap::map(const IpAddress& address) {
    const auto found = remembered_.find(address);
    if (found != remembered_.end()) return found->second;
    if (remembered_.size() >= max_remembered) remembered_.clear();
    return remembered_.emplace(address, work_out(address)).first->second;
}

void AddressMap::map_v4(const uint8_t* from, uint8_t* to) {
    const auto bytes = map(IpAddress::from_v4(from)).bytes();
    std::copy_n(bytes.data() + 12, 4, to);
}

void AddressMap::map_v6(const uint8_t* from, uint8_t* to) {
    const IpAddress address = IpAddress::from_v6(from);
    const auto bytes = map(address).bytes();
    std::copy_n(bytes.data(), 16, to);
}

Result<MacMap> MacMap::create(const MappingKey& key, AddressMap& addresses) {
    auto random = KeyedRandom::create(key, 1);
    if (!random) return random.error();
    return MacMap(std::move(*random), addresses);
}

// A Feistel network over 46 bits.
uint64_t MacMap::permute(uint64_t bits, uint8_t kept) const {
    constexpr uint8_t rounds = 8;
    uint64_t left = bits >> 23 & half_mask;
    uint64_t right = bits & half_mask;
    for (uint8_t round = 0; round < rounds; ++round) {
        RandomBlock block{};
        block[0] = round;
        block[1] = kept;
        store_be32(block.data() + 4, static_cast<uint32_t>(right));
        const uint64_t next = (left ^ load_be32(random_.encrypt(block).data())) & half_mask;
        left = right;
        right = next;
    }
    return left << 23 | right;
}

MacAddress MacMap::map(const MacAddress& address) const {
    MacAddress out = address;
    if (is_reserved(address)) return out;
    if ((address.bytes[0] & 1) != 0) {
        if (load_be24(address.bytes.data()) != 0x3333ff) return out;
        std::array<uint8_t, 16> group{0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff};
        std::copy_n(address.bytes.begin() + 3, 3, group.begin() + 13);
        addresses_->map_v6(group.data(), group.data());
        std::copy_n(group.begin() + 13, 3, out.bytes.begin() + 3);
        return out;
    }
    const auto kept = static_cast<uint8_t>(address.bytes[0] & 3);
    // Walked until it is none of those that stay: so it remains one to one.
    do {
        const uint64_t value = load_be48(out.bytes.data());
        const uint64_t bits = (value >> 42) << 40 | (value & 0xffffffffff);
        const uint64_t mapped = permute(bits, kept);
        out.bytes[0] = static_cast<uint8_t>((mapped >> 40) << 2 | kept);
        for (unsigned i = 1; i < 6; ++i) out.bytes[i] = static_cast<uint8_t>(mapped >> (8 * (5 - i)));
    } while (is_reserved(out));
    return out;
}

}  // namespace sanscope
