// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/scsi/asymmetric_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "analyzer/scsi/sense_keys.h"

namespace sanscope {
namespace {

using Bytes = std::vector<uint8_t>;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Bytes group(uint8_t state, uint8_t number, std::initializer_list<uint8_t> ports) {
    Bytes bytes = {state, 0x8f, 0, number, 0, 0, 0, static_cast<uint8_t>(ports.size())};
    for (const uint8_t port : ports) bytes.insert(bytes.end(), {0, 0, 0, port});
    return bytes;
}

Bytes report(std::initializer_list<Bytes> parts) {
    Bytes bytes(4);
    for (const Bytes& part : parts) bytes.insert(bytes.end(), part.begin(), part.end());
    bytes[3] = static_cast<uint8_t>(bytes.size() - 4);
    return bytes;
}

const Bytes extended_header = {0x10, 60, 0, 0};

TEST(AsymmetricAccess, is_told_by_group_with_the_ports_of_each) {
    for (const Bytes& data :
         {report({group(0x80, 1, {1, 2}), group(0x01, 2, {3}), group(0x0f, 7, {})}),
          report({extended_header, group(0x80, 1, {1, 2}), group(0x01, 2, {3}), group(0x0f, 7, {})})}) {
        const auto groups = target_port_groups_of(data);
        ASSERT_TRUE(groups);
        ASSERT_THAT(*groups, SizeIs(3));
        EXPECT_EQ((*groups)[0].state, AccessState::active_optimized);
        EXPECT_TRUE((*groups)[0].preferred);
        EXPECT_THAT((*groups)[0].ports, ElementsAre(1, 2));
        EXPECT_EQ((*groups)[1].number, 2);
        EXPECT_EQ((*groups)[1].state, AccessState::active_non_optimized);
        EXPECT_FALSE((*groups)[1].preferred);
        EXPECT_EQ((*groups)[2].state, AccessState::transitioning);
        EXPECT_THAT((*groups)[2].ports, IsEmpty());
    }
}

TEST(AsymmetricAccess, is_not_known_from_a_list_that_was_cut) {
    for (const Bytes& whole :
         {report({group(0, 1, {1}), group(1, 2, {2})}), report({extended_header, group(0, 1, {1})})}) {
        for (size_t length = 0; length < whole.size(); ++length) {
            const Bytes cut(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(length));
            EXPECT_FALSE(target_port_groups_of(cut)) << length;
        }
        Bytes padded = whole;
        padded.insert(padded.end(), 20, 0xff);
        EXPECT_TRUE(target_port_groups_of(padded)) << "what follows the told length is none of it";
    }
}

TEST(AsymmetricAccess, is_not_known_from_a_list_that_does_not_hold_together) {
    EXPECT_FALSE(target_port_groups_of(report({group(0, 1, {1}), group(1, 1, {2})}))) << "one group twice";
    Bytes more_ports = report({group(0, 1, {1})});
    more_ports[4 + 7] = 2;
    EXPECT_FALSE(target_port_groups_of(more_ports));
    EXPECT_FALSE(target_port_groups_of(report({{0x20, 0, 0, 0}, group(0, 1, {1})}))) << "another format";
    EXPECT_FALSE(target_port_groups_of(Bytes{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1}));
    EXPECT_THAT(*target_port_groups_of(report({})), IsEmpty());
}

TEST(AsymmetricAccess, has_no_state_of_a_reserved_code) {
    EXPECT_EQ(target_port_groups_of(report({group(0x7, 1, {1})}))->front().state, AccessState::unknown);
    EXPECT_EQ(target_port_groups_of(report({group(0xe, 1, {1})}))->front().state, AccessState::offline);
    EXPECT_EQ(target_port_groups_of(report({group(0x4, 1, {1})}))->front().state, AccessState::lba_dependent);
}

TEST(AsymmetricAccess, support_is_in_the_sixth_byte_of_inquiry_data) {
    const Bytes data = {0, 0, 6, 2, 31, 0x30, 0, 0};
    EXPECT_EQ(tpgs_of(data), 3);
    EXPECT_EQ(tpgs_of(std::span(data).first(6)), 3);
    EXPECT_FALSE(tpgs_of(std::span(data).first(5)));
    EXPECT_EQ(tpgs_of(Bytes{0, 0, 6, 2, 31, 0x0f, 0, 0}), 0);
    EXPECT_FALSE(tpgs_of(Bytes{0, 0, 6, 2, 0, 0x30})) << "it says that its data end before";
}

TEST(AsymmetricAccess, is_told_by_sense_data_of_their_key_alone) {
    const auto told = [](uint16_t key, uint16_t asc, uint16_t ascq, bool deferred = false) {
        SenseData sense;
        sense.sense_key = key;
        sense.asc = asc;
        sense.ascq = ascq;
        sense.deferred = deferred;
        return access_state_told_by(sense);
    };
    EXPECT_EQ(told(sense_key::not_ready, 0x04, 0x0a), AccessState::transitioning);
    EXPECT_EQ(told(sense_key::not_ready, 0x04, 0x0b), AccessState::standby);
    EXPECT_EQ(told(sense_key::not_ready, 0x04, 0x0c), AccessState::unavailable);
    EXPECT_EQ(told(sense_key::unit_attention, 0x2a, 0x06), AccessState::unknown);
    EXPECT_FALSE(told(sense_key::not_ready, 0x04, 0x01));
    EXPECT_FALSE(told(sense_key::unit_attention, 0x2a, 0x01));
    EXPECT_FALSE(told(sense_key::hardware_error, 0x04, 0x0b));
    EXPECT_FALSE(told(sense_key::not_ready, 0x04, 0x0b, true)) << "of an earlier command";
    EXPECT_FALSE(access_state_told_by(SenseData{}));
}

}  // namespace
}  // namespace sanscope
