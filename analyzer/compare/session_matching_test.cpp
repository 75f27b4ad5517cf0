// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/compare/session_matching.h"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

IpAddress address(uint8_t last) {
    const std::array<uint8_t, 4> bytes{10, 0, 0, last};
    return IpAddress::from_v4(bytes.data());
}

SessionFigures session(const std::string& initiator, const std::string& target, uint8_t from, uint8_t to) {
    SessionFigures figures;
    figures.initiator_name = initiator;
    figures.target_name = target;
    figures.initiator_address = address(from);
    figures.target = {address(to), 3260};
    return figures;
}

TEST(SessionMatching, NamesAndAddressesInAnyOrder) {
    const std::vector before = {session("i", "a", 1, 9), session("i", "b", 1, 9), session("j", "a", 2, 9)};
    const std::vector after = {session("j", "a", 2, 9), session("i", "a", 1, 9), session("i", "b", 1, 9)};
    const SessionMatching matching = match_sessions(before, after);
    EXPECT_THAT(matching.pairs, ElementsAre(Pair(0, 1), Pair(1, 2), Pair(2, 0)));
    EXPECT_THAT(matching.only_before, IsEmpty());
    EXPECT_THAT(matching.only_after, IsEmpty());
}

TEST(SessionMatching, PathsOfOneLogicalUnitByTheirAddresses) {
    const std::vector before = {session("i", "a", 1, 8), session("i", "a", 1, 9)};
    const std::vector after = {session("i", "a", 1, 9), session("i", "a", 1, 8)};
    EXPECT_THAT(match_sessions(before, after).pairs, ElementsAre(Pair(0, 1), Pair(1, 0)));
}

TEST(SessionMatching, AMovedTargetByItsNames) {
    const std::vector before = {session("i", "a", 1, 8), session("i", "b", 1, 8)};
    const std::vector after = {session("i", "b", 1, 8), session("i", "a", 1, 77)};
    EXPECT_THAT(match_sessions(before, after).pairs, ElementsAre(Pair(0, 1), Pair(1, 0)));
}

// Two paths before, two others after: which became which, nobody knows.
TEST(SessionMatching, NoneIsGuessedOfSeveral) {
    const std::vector before = {session("i", "a", 1, 8), session("i", "a", 1, 9)};
    const std::vector after = {session("i", "a", 1, 17), session("i", "a", 1, 18)};
    const SessionMatching matching = match_sessions(before, after);
    EXPECT_THAT(matching.pairs, IsEmpty());
    EXPECT_THAT(matching.only_before, ElementsAre(0, 1));
    EXPECT_THAT(matching.only_after, ElementsAre(0, 1));
}

// One of two paths fell away: the other is not taken for it, nor for its successor.
TEST(SessionMatching, APathThatIsGoneIsNotTheOneThatCame) {
    const std::vector before = {session("i", "a", 1, 8), session("i", "a", 1, 9)};
    const std::vector after = {session("i", "a", 1, 9)};
    const SessionMatching matching = match_sessions(before, after);
    EXPECT_THAT(matching.pairs, ElementsAre(Pair(1, 0)));
    EXPECT_THAT(matching.only_before, ElementsAre(0));
}

TEST(SessionMatching, ALoginThatWasNotCapturedByAddresses) {
    const std::vector before = {session("i", "a", 1, 8)};
    EXPECT_THAT(match_sessions(before, std::vector{session("", "", 1, 8)}).pairs, ElementsAre(Pair(0, 0)));
    EXPECT_THAT(match_sessions(before, std::vector{session("", "", 1, 9)}).pairs, IsEmpty());
    EXPECT_THAT(match_sessions(before, std::vector{session("i", "other", 1, 8)}).pairs, IsEmpty());
    // Two targets at one address: either may be it.
    const std::vector two = {session("i", "a", 1, 8), session("i", "b", 1, 8)};
    EXPECT_THAT(match_sessions(two, std::vector{session("", "", 1, 8)}).pairs, IsEmpty());
}

}  // namespace
}  // namespace sanscope
