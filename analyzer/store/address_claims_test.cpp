// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/address_claims.h"

#include <gtest/gtest.h>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using test::ms;
const LinkId lan;

IpAddress ip(uint8_t host) {
    const std::array<uint8_t, 4> bytes = {10, 0, 0, host};
    return IpAddress::from_v4(bytes.data());
}

MacAddress mac(uint8_t last) {
    return {{2, 0, 0, 0, 0, last}};
}

class Claims : public testing::Test {
  protected:
    void asks(uint8_t asker, int64_t at_ms, const LinkId& link = lan) {
        claims.on_request(link, ip(asker), ip(1), at_ms * ms);
    }
    void answers(uint8_t from_mac, uint8_t asker, int64_t at_ms, const LinkId& link = lan) {
        claims.on_claim(link, {ip(1), mac(from_mac), ip(asker), true, ++packet, at_ms * ms});
    }
    void announces(uint8_t from_mac, int64_t at_ms) {
        claims.on_claim(lan, {ip(1), mac(from_mac), {}, false, ++packet, at_ms * ms});
    }
    const ClaimedAddress& address() { return claims.addresses().at({lan, ip(1).words}); }

    AddressClaims claims;
    PacketNumber packet = 0;
};

TEST_F(Claims, two_answers_to_one_request_contest) {
    asks(2, 0);
    answers(0xa, 2, 1);
    answers(0xb, 2, 2);
    EXPECT_EQ(address().contested, 1u);
    EXPECT_EQ(address().contested_packet, 2u);
    EXPECT_EQ(address().owners.size(), 2u);
}

// The first that had the address has gone long ago.
TEST_F(Claims, tell_which_of_several_owners_are_at_odds) {
    announces(0xc, 0);
    asks(2, 500'000);
    answers(0xb, 2, 500'001);
    answers(0xa, 2, 500'002);
    EXPECT_EQ(address().contested_by, (OwnerPair{1, 2}));
    answers(0xb, 2, 500'010);
    EXPECT_EQ(address().returned_between, (OwnerPair{2, 1}));
}

TEST_F(Claims, a_later_answer_to_another_request_does_not) {
    asks(2, 0);
    answers(0xa, 2, 1);
    asks(2, 60);
    answers(0xb, 2, 61);
    answers(0xa, 3, 62);
    EXPECT_EQ(address().contested, 0u);
    EXPECT_EQ(address().returns, 0u);
}

TEST_F(Claims, an_owner_that_comes_back_returns) {
    announces(0xa, 0);
    announces(0xb, 100);
    EXPECT_EQ(address().returns, 0u);
    announces(0xa, 200);
    announces(0xa, 250);
    announces(0xb, 300);
    EXPECT_EQ(address().returns, 2u);
    EXPECT_EQ(address().return_packet, 3u);
}

TEST_F(Claims, an_address_that_is_given_back_much_later_does_not) {
    announces(0xa, 0);
    announces(0xb, 100);
    announces(0xa, 600'000);
    EXPECT_EQ(address().returns, 0u);
}

TEST_F(Claims, each_asker_may_be_told_another_owner) {
    for (int64_t i = 0; i < 10; ++i) {
        asks(2, 100 * i);
        answers(0xa, 2, 100 * i + 1);
        asks(3, 100 * i + 50);
        answers(0xb, 3, 100 * i + 51);
    }
    EXPECT_EQ(address().contested, 0u);
    EXPECT_EQ(address().returns, 0u);
}

TEST_F(Claims, of_several_links_each_is_for_itself) {
    const LinkId other{.interface = 1};
    asks(2, 0);
    asks(2, 0, other);
    answers(0xa, 2, 1);
    answers(0xb, 2, 2, other);
    EXPECT_EQ(address().contested, 0u);
    EXPECT_EQ(address().owners.size(), 1u);
}

TEST_F(Claims, segments_of_two_neighbours_on_one_connection_are_mixed) {
    const SegmentOrigin first{.mac = mac(0xa), .ttl = 64, .packet = 1, .time_ns = 0};
    claims.on_segment(ip(1), first, {}, 7);
    claims.on_segment(ip(1), {.mac = mac(0xb), .ttl = 63, .packet = 2}, first, 7);
    EXPECT_EQ(address().mixed_connections, 0u);  // a router's
    claims.on_segment(ip(1), {.mac = mac(0xb), .ttl = 128, .packet = 3}, first, 7);
    EXPECT_EQ(address().mixed_connections, 1u);
    EXPECT_EQ(address().mixed_connection, 7u);
    EXPECT_EQ(address().mixed[1].packet, 3u);
    EXPECT_FALSE(address().mixed_returned);
}

TEST_F(Claims, an_address_that_was_taken_over_does_not_return_soon) {
    const SegmentOrigin first{.mac = mac(0xa), .ttl = 64, .packet = 1, .time_ns = 0};
    const SegmentOrigin odd{.mac = mac(0xb), .ttl = 64, .packet = 2, .time_ns = 100 * ms};
    claims.on_segment(ip(1), first, {}, 7);
    claims.on_segment(ip(1), odd, first, 7);
    claims.on_segment(ip(1), {.mac = mac(0xa), .ttl = 64, .packet = 3, .time_ns = 60'000 * ms}, {}, 8);
    EXPECT_FALSE(address().mixed_returned);
    claims.on_segment(ip(1), {.mac = mac(0xb), .ttl = 64, .packet = 4, .time_ns = 61'000 * ms}, first, 8);
    claims.on_segment(ip(1), {.mac = mac(0xa), .ttl = 64, .packet = 5, .time_ns = 62'000 * ms}, {}, 9);
    EXPECT_TRUE(address().mixed_returned);
}

TEST_F(Claims, hold_no_more_than_they_may) {
    for (uint32_t i = 0; i < 3 * AddressClaims::most_addresses; ++i) {
        const std::array<uint8_t, 4> bytes = {10, static_cast<uint8_t>(i >> 16), static_cast<uint8_t>(i >> 8),
                                              static_cast<uint8_t>(i)};
        const IpAddress address = IpAddress::from_v4(bytes.data());
        claims.on_request(lan, ip(9), address, 0);
        claims.on_claim(lan, {address, mac(static_cast<uint8_t>(i)), ip(9), true, i, 0});
        claims.on_claim(lan, {ip(1), {{2, 0, 0, 0, bytes[2], bytes[3]}}, address, true, i, 0});
    }
    EXPECT_EQ(claims.addresses().size(), AddressClaims::most_addresses);
    EXPECT_LE(address().owners.size(), AddressClaims::most_owners);
}

}  // namespace
}  // namespace sanscope
