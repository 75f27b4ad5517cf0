// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/engine/vantage_agreement.h"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

namespace sanscope {
namespace {

using testing::ElementsAre;

struct VantageAgreement : testing::Test {
    static Endpoint host(uint8_t number, uint16_t port) {
        const std::array<uint8_t, 4> address = {10, 0, 0, number};
        return {IpAddress::from_v4(address.data()), port};
    }
    void add(uint8_t initiator, uint8_t target, Vantage vantage) {
        uint32_t number = 0;
        ConnectionRow& row = store.add_connection(number);
        row.initiator = host(initiator, static_cast<uint16_t>(50'000 + number));
        row.target = host(target, 3260);
        row.vantage = vantage;
        row.rtt_to_initiator_ns = 20'000;
        row.rtt_to_target_ns = 11'000;
        row.rtt_min_ns = vantage == Vantage::initiator ? 11'000 : 20'000;
    }
    std::vector<Vantage> settled() {
        settle_vantages(store);
        std::vector<Vantage> vantages;
        for (const ConnectionRow& row : store.connections()) vantages.push_back(row.vantage);
        return vantages;
    }
    ResultStore store{ResultStore::Keep::nothing()};
};

TEST_F(VantageAgreement, the_fewer_that_contradict_are_of_unknown_vantage) {
    add(1, 2, Vantage::target);
    add(1, 2, Vantage::initiator);
    add(1, 2, Vantage::initiator);
    EXPECT_THAT(settled(), ElementsAre(Vantage::unknown, Vantage::initiator, Vantage::initiator));
    EXPECT_EQ(store.connection(1).rtt_min_ns, 31'000);
    EXPECT_EQ(store.connection(2).rtt_min_ns, 11'000);
}

TEST_F(VantageAgreement, as_many_on_both_sides_leave_all_unknown) {
    add(1, 2, Vantage::target);
    add(1, 2, Vantage::initiator);
    EXPECT_THAT(settled(), ElementsAre(Vantage::unknown, Vantage::unknown));
}

TEST_F(VantageAgreement, it_is_hosts_that_count_and_not_who_initiates) {
    add(1, 2, Vantage::initiator);
    add(2, 1, Vantage::target);
    EXPECT_THAT(settled(), ElementsAre(Vantage::initiator, Vantage::target));
    add(2, 1, Vantage::initiator);
    EXPECT_THAT(settled(), ElementsAre(Vantage::initiator, Vantage::target, Vantage::unknown));
}

TEST_F(VantageAgreement, other_hosts_and_what_is_between_contradict_nothing) {
    add(1, 2, Vantage::initiator);
    add(1, 3, Vantage::target);
    add(1, 2, Vantage::middle);
    add(1, 2, Vantage::unknown);
    EXPECT_THAT(settled(),
                ElementsAre(Vantage::initiator, Vantage::target, Vantage::middle, Vantage::unknown));
}

// What the initiator acknowledged at once the clocks hide; what is left was acknowledged late.
TEST_F(VantageAgreement, clocks_that_are_apart_tell_nothing) {
    add(1, 2, Vantage::target);
    add(1, 3, Vantage::initiator);
    for (const uint32_t number : {1u, 2u}) {
        ConnectionRow& row = store.connection(number);
        row.in.new_segments = row.in.late_segments = 100;
        row.in.late_ns = 15'000;
    }
    store.connection(2).rtt_to_initiator_ns = 5'000;
    EXPECT_THAT(settled(), ElementsAre(Vantage::unknown, Vantage::initiator));
    EXPECT_EQ(store.connection(1).rtt_min_ns, no_time);
    EXPECT_EQ(store.connection(2).rtt_min_ns, 11'000);
}

}  // namespace
}  // namespace sanscope
