// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/anonymize/address_map.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sanscope {
namespace {

// The key of the authors' own sample.
constexpr MappingKey sample_key = {21,  34,  23,  141, 51,  164, 207, 128, 19, 10, 91, 22, 73, 144, 125, 16,
                                   216, 152, 143, 131, 121, 121, 101, 39,  98, 87, 76, 45, 42, 132, 34,  2};

IpAddress parse(const std::string& text) {
    std::array<uint8_t, 16> bytes{};
    if (::inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) return IpAddress::from_v4(bytes.data());
    EXPECT_EQ(::inet_pton(AF_INET6, text.c_str(), bytes.data()), 1) << text;
    return IpAddress::from_v6(bytes.data());
}

AddressMap make(AddressMap::Special special = AddressMap::Special::stay) {
    auto made = AddressMap::create(sample_key, special);
    EXPECT_TRUE(made);
    return std::move(*made);
}

std::string mapped(AddressMap& map, const std::string& address) {
    return format(map.map(parse(address)));
}

unsigned common_bits(const IpAddress& a, const IpAddress& b) {
    const auto left = a.bytes();
    const auto right = b.bytes();
    for (unsigned bit = 0; bit < 128; ++bit) {
        if (((left[bit / 8] ^ right[bit / 8]) >> (7 - bit % 8) & 1) != 0) return bit;
    }
    return 128;
}

void expect_prefixes_kept(const std::vector<IpAddress>& addresses) {
    AddressMap map = make();
    for (size_t i = 0; i < addresses.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
            EXPECT_EQ(common_bits(map.map(addresses[i]), map.map(addresses[j])),
                      common_bits(addresses[i], addresses[j]))
                << format(addresses[i]) << ' ' << format(addresses[j]);
        }
    }
}

TEST(AddressMap, IsCryptoPanWhereNothingIsSpecial) {
    AddressMap map = make(AddressMap::Special::as_any);
    const std::pair<const char*, const char*> of_the_authors[] = {
        {"128.11.68.132", "135.242.180.132"},   {"129.118.74.4", "134.136.186.123"},
        {"130.132.252.244", "133.68.164.234"},  {"141.223.7.43", "141.167.8.160"},
        {"141.233.145.108", "141.129.237.235"}, {"152.163.225.39", "151.140.114.167"},
        {"156.29.3.236", "147.225.12.42"},      {"165.247.96.84", "162.9.99.234"},
        {"166.107.77.190", "160.132.178.185"},  {"192.102.249.13", "252.138.62.131"}};
    for (const auto& [from, to] : of_the_authors) EXPECT_EQ(mapped(map, from), to);
}

TEST(AddressMap, PairsOfIpv4AddressesHaveTheirCommonPrefixes) {
    std::vector<IpAddress> addresses;
    for (const char* const each :
         {"0.0.0.0", "255.255.255.255", "127.0.0.1", "224.0.0.1", "239.255.255.250", "10.0.0.1", "10.0.0.2",
          "10.0.0.255", "10.0.1.1", "10.128.0.1", "192.168.0.1", "192.168.1.1", "172.16.0.1", "169.254.1.1",
          "240.0.0.1", "1.0.0.0", "128.0.0.0", "126.255.255.255", "223.255.255.255"})
        addresses.push_back(parse(each));
    std::mt19937 random(1);
    for (int i = 0; i < 100; ++i) {
        const auto value = static_cast<uint32_t>(random());
        addresses.push_back(IpAddress::from_v4(reinterpret_cast<const uint8_t*>(&value)));
    }
    expect_prefixes_kept(addresses);
}

TEST(AddressMap, PairsOfIpv6AddressesHaveTheirCommonPrefixes) {
    std::vector<IpAddress> addresses;
    for (const char* const each :
         {"::", "::1", "::2", "fe80::1", "fe80::2", "fe80::211:22ff:fe33:4455", "fec0::1", "ff02::1",
          "ff02::1:ff00:1", "ff02::1:ff00:2", "ff02::1:ff12:3456", "ff3e:30:2001:db8::1",
          "ff3e:40:2001:db8:1::1", "2001:db8::1", "2001:db8::2", "2001:db8:1::1", "fd00::1",
          "fd12:3456:789a::1", "64:ff9b::a00:1"})
        addresses.push_back(parse(each));
    std::mt19937_64 random(1);
    for (int i = 0; i < 60; ++i) {
        const uint64_t value[2] = {random(), random()};
        addresses.push_back(IpAddress::from_v6(reinterpret_cast<const uint8_t*>(value)));
    }
    expect_prefixes_kept(addresses);
}

TEST(AddressMap, SpecialAddressesStay) {
    AddressMap map = make();
    for (const char* const each : {"0.0.0.0", "255.255.255.255", "127.0.0.1", "127.8.9.10", "224.0.0.18",
                                   "239.1.2.3", "::", "::1", "ff02::1", "ff02::16", "ff05::1:3"})
        EXPECT_EQ(mapped(map, each), each);
    EXPECT_THAT(mapped(map, "fe80::1:2"), testing::StartsWith("fe80::"));
}

TEST(AddressMap, WhatTellsOfAnAddressIsReplaced) {
    AddressMap map = make();
    for (const char* const each : {"10.0.0.1", "192.168.1.1", "8.8.8.8", "fe80::211:22ff:fe33:4455",
                                   "2001:db8::1", "ff02::1:ff33:4455", "ff3e:30:2001:db8::1"})
        EXPECT_NE(mapped(map, each), each);
    EXPECT_THAT(mapped(map, "ff02::1:ff33:4455"), testing::StartsWith("ff02::1:ff"));
}

TEST(AddressMap, AnotherKeyIsAnotherMapping) {
    MappingKey key = sample_key;
    key[0] ^= 1;
    auto other = AddressMap::create(key);
    ASSERT_TRUE(other);
    AddressMap map = make();
    EXPECT_NE(mapped(map, "10.1.2.3"), mapped(*other, "10.1.2.3"));
}

class MacMapTest : public testing::Test {
  protected:
    AddressMap addresses_ = make();
    Result<MacMap> macs_ = MacMap::create(sample_key, addresses_);

    MacAddress map(std::array<uint8_t, 6> bytes) const { return macs_->map(MacAddress{bytes}); }
};

TEST_F(MacMapTest, GroupsBroadcastAndSharedRoutersStay) {
    for (const auto& each :
         std::initializer_list<std::array<uint8_t, 6>>{{0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
                                                       {1, 0, 0x5e, 0, 0, 0x12},
                                                       {0x33, 0x33, 0, 0, 0, 1},
                                                       {1, 0x80, 0xc2, 0, 0, 0x0e},
                                                       {0, 0, 0, 0, 0, 0},
                                                       {0, 0, 0x5e, 0, 1, 7},
                                                       {0, 0, 0x5e, 0, 2, 7},
                                                       {0, 0, 0x0c, 7, 0xac, 1},
                                                       {0, 0, 0x0c, 0x9f, 0xf0, 1},
                                                       {0, 7, 0xb4, 0, 1, 1}})
        EXPECT_EQ(map(each).bytes, each);
}

TEST_F(MacMapTest, TheLastBytesOfASolicitedNodeGroupAreThoseOfItsAddress) {
    const MacAddress mac = map({0x33, 0x33, 0xff, 0x33, 0x44, 0x55});
    const auto address = addresses_.map(parse("ff02::1:ff33:4455")).bytes();
    EXPECT_EQ(std::vector<uint8_t>(mac.bytes.begin() + 2, mac.bytes.end()),
              std::vector<uint8_t>(address.begin() + 12, address.end()));
    EXPECT_NE(mac.bytes[5], 0x55);
}

TEST_F(MacMapTest, IsOneToOneAndKeepsTheBitOfLocalAddresses) {
    std::set<std::array<uint8_t, 6>> seen;
    for (unsigned i = 0; i < 4096; ++i) {
        const std::array<uint8_t, 6> from = {static_cast<uint8_t>((i & 1) * 2),
                                             0x11,
                                             0x22,
                                             0x33,
                                             static_cast<uint8_t>(i >> 8),
                                             static_cast<uint8_t>(i)};
        const MacAddress to = map(from);
        EXPECT_EQ(to.bytes[0] & 3, from[0] & 3);
        EXPECT_NE(to.bytes, from);
        EXPECT_EQ(map(from), to);
        seen.insert(to.bytes);
    }
    EXPECT_EQ(seen.size(), 4096u);
}

}  // namespace
}  // namespace sanscope
