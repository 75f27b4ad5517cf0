// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/access_states.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

constexpr AccessStates::Path path{1, 0};
constexpr AccessState optimized = AccessState::active_optimized;
constexpr AccessState standby = AccessState::standby;

AccessStates::Place at(PacketNumber packet) {
    return {packet, static_cast<int64_t>(packet) * 100};
}

class States : public testing::Test {
  protected:
    void read(AccessState of_1, AccessState of_2, PacketNumber packet) {
        states.on_groups(path, {{1, of_1, true, {10, 11}}, {2, of_2, false, {20}}}, at(packet));
    }

    AccessStates states;
};

TEST_F(States, have_a_group_by_its_number_or_by_its_port) {
    EXPECT_FALSE(states.group_of(path));
    states.on_port(path, {20, {}});
    EXPECT_FALSE(states.group_of(path)) << "no groups were told";
    read(optimized, standby, 1);
    EXPECT_EQ(states.group_of(path), 2);
    states.on_port(path, {{}, 1});
    EXPECT_EQ(states.group_of(path), 1);
    states.on_port(path, {11, 1});
    EXPECT_EQ(states.group_of(path), 1);
    states.on_port(path, {99, 1});
    EXPECT_EQ(states.group_of(path), 1) << "the groups do not tell of that port";
    states.on_port(path, {11, 2});
    EXPECT_FALSE(states.group_of(path)) << "a contradiction";
    states.on_port(path, {99, {}});
    EXPECT_FALSE(states.group_of(path));
}

TEST_F(States, last_until_another_is_read) {
    read(optimized, standby, 1);
    read(optimized, standby, 5);
    AccessReading reading = states.reading_of(path, 2);
    EXPECT_EQ(reading.state, standby);
    EXPECT_EQ(reading.packet, 5u);
    EXPECT_EQ(reading.since_ns, 100);
    EXPECT_EQ(reading.changed_ns, no_time);
    read(optimized, optimized, 9);
    reading = states.reading_of(path, 2);
    EXPECT_EQ(reading.state, optimized);
    EXPECT_EQ(reading.since_ns, 900);
    EXPECT_EQ(reading.changed_ns, 900);
    EXPECT_EQ(states.reading_of(path, 1).since_ns, 100);
    EXPECT_TRUE(states.reading_of(path, 1).preferred);
}

TEST_F(States, are_not_known_throughout_where_a_change_was_told_between) {
    read(optimized, standby, 1);
    states.on_told(path, AccessState::unknown, at(3));
    read(optimized, standby, 5);
    EXPECT_EQ(states.reading_of(path, 1).since_ns, 500);
    EXPECT_EQ(states.told_of(path).changed_ns, 300);
    read(optimized, standby, 7);
    EXPECT_EQ(states.reading_of(path, 1).since_ns, 500);
}

TEST_F(States, of_a_group_that_is_told_no_more_are_not_known) {
    read(optimized, standby, 1);
    states.on_groups(path, {{1, optimized, false, {}}}, at(2));
    EXPECT_EQ(states.reading_of(path, 2).packet, 0u);
}

TEST_F(States, of_more_groups_than_are_kept_are_not_known) {
    std::vector<TargetPortGroup> many(AccessStates::most_groups + 1);
    for (size_t i = 0; i < many.size(); ++i) many[i].number = static_cast<uint16_t>(i);
    read(optimized, standby, 1);
    states.on_groups(path, many, at(2));
    EXPECT_EQ(states.reading_of(path, 1).packet, 0u);
    many.pop_back();
    states.on_groups(path, many, at(3));
    EXPECT_EQ(states.reading_of(path, 1).packet, 3u);
    many[0].ports.resize(AccessStates::most_ports + 1);
    states.on_groups(path, many, at(4));
    EXPECT_EQ(states.reading_of(path, 1).packet, 0u);
}

TEST_F(States, are_kept_of_the_first_paths) {
    for (uint32_t session = 1; session <= AccessStates::most_paths + 1; ++session)
        states.on_tpgs({session, 0}, 1);
    EXPECT_EQ(states.tpgs_of({AccessStates::most_paths, 0}), 1);
    EXPECT_FALSE(states.tpgs_of({AccessStates::most_paths + 1, 0}));
    states.on_tpgs({1, 0}, 3);
    EXPECT_EQ(states.tpgs_of({1, 0}), 3);
    states.on_tpgs({1, unknown<uint64_t>}, 1);
    EXPECT_FALSE(states.tpgs_of({1, unknown<uint64_t>}));
}

// Two initiators' tools, or one that tries again.
TEST_F(States, stay_in_doubt_while_one_of_several_requests_is_open) {
    states.on_told(path, standby, at(1));
    states.on_asked(path, at(2));
    states.on_asked(path, at(3));
    states.on_refused(path);
    EXPECT_EQ(states.told_of(path).state, AccessState::unknown);
    EXPECT_TRUE(states.told_of(path).asked);
    EXPECT_EQ(states.told_of(path).changed_ns, 100);
    states.on_refused(path);
    EXPECT_EQ(states.told_of(path).state, standby);
}

TEST_F(States, that_were_told_meanwhile_are_not_taken_back_by_a_refusal) {
    states.on_asked(path, at(2));
    states.on_told(path, standby, at(3));
    states.on_refused(path);
    EXPECT_EQ(states.told_of(path).state, standby);
}

}  // namespace
}  // namespace sanscope
