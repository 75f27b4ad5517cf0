// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/initiator/send_targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using State = SendTargets::State;
using test::PduBuilder;

constexpr unsigned final = 0x80;
constexpr unsigned continues = 0x40;

// A target by its answers.
class Discovery : public testing::Test {
  protected:
    const Bhs ask() {
        request = exchange.request();
        return request.header.view();
    }
    Result<State> answer(Opcode opcode, unsigned flags, uint32_t ttt, const std::string& text) {
        const Bhs asked = request.header.view();
        const test::Bytes header = PduBuilder(opcode)
                                       .flags(flags)
                                       .itt(asked.itt())
                                       .ttt(ttt)
                                       .stat_sn(stat_sn++)
                                       .data_length(static_cast<uint32_t>(text.size()))
                                       .header();
        return exchange.on_response(Bhs(header.data()), text);
    }
    Result<State> answer(const TextKeys& keys) {
        ask();
        return answer(Opcode::text_response, final, reserved_tag, write_text_keys(keys));
    }
    static std::string error_of(const Result<State>& state) {
        return state ? "no error" : state.error().message;
    }

    SendTargets exchange{7, 5000};
    SendTargets::Request request{BhsWriter(Opcode::nop_out), {}};
    uint32_t stat_sn = 5000;
};

TEST_F(Discovery, AsksForAllTargetsAndLogsOut) {
    const Bhs question = ask();
    EXPECT_EQ(question.opcode(), Opcode::text_request);
    EXPECT_TRUE(question.immediate());
    EXPECT_TRUE(question.final());
    EXPECT_EQ(question.ttt(), reserved_tag);
    EXPECT_NE(question.itt(), reserved_tag);
    EXPECT_EQ(question.cmd_sn().value, 7u);
    EXPECT_EQ(question.exp_stat_sn().value, 5000u);
    EXPECT_EQ(request.data, std::string("SendTargets=All\0", 16));
    const uint32_t first_itt = question.itt();

    auto state = answer(Opcode::text_response, final, reserved_tag,
                        write_text_keys({{"TargetName", "iqn.2026-11.org.example:a"},
                                         {"TargetAddress", "192.0.2.1:3260,1"},
                                         {"TargetAddress", "[2001:db8::1]:3261,2"},
                                         {"TargetName", "iqn.2026-11.org.example:b"}}));
    ASSERT_TRUE(state) << state.error().message;
    EXPECT_EQ(*state, State::goes_on);
    EXPECT_TRUE(exchange.answered());
    ASSERT_EQ(exchange.targets().size(), 2u);
    EXPECT_EQ(exchange.targets()[0].name, "iqn.2026-11.org.example:a");
    EXPECT_THAT(exchange.targets()[0].portals,
                ElementsAre(TargetPortal{.host = "192.0.2.1", .port = 3260, .group = 1},
                            TargetPortal{.host = "2001:db8::1", .port = 3261, .group = 2}));
    EXPECT_EQ(exchange.targets()[1].name, "iqn.2026-11.org.example:b");
    EXPECT_THAT(exchange.targets()[1].portals, IsEmpty());

    const Bhs logout = ask();
    EXPECT_EQ(logout.opcode(), Opcode::logout_request);
    EXPECT_TRUE(logout.immediate());
    EXPECT_TRUE(logout.final());
    EXPECT_EQ(logout.reason(), 0);
    EXPECT_NE(logout.itt(), first_itt);
    EXPECT_EQ(logout.cmd_sn().value, 7u) << "no immediate request takes a number";
    EXPECT_EQ(logout.exp_stat_sn().value, 5001u);
    EXPECT_TRUE(request.data.empty());
    state = answer(Opcode::logout_response, final, 0, "");
    ASSERT_TRUE(state) << state.error().message;
    EXPECT_EQ(*state, State::complete);
}

TEST_F(Discovery, AsksOnUntilAllIsTold) {
    const Bhs question = ask();
    const uint32_t itt = question.itt();
    // The first piece ends within a pair, the second between two.
    ASSERT_TRUE(answer(Opcode::text_response, continues, 9, "TargetName=iqn.2026-11.org."));
    EXPECT_THAT(exchange.targets(), IsEmpty());
    Bhs more = ask();
    EXPECT_EQ(more.opcode(), Opcode::text_request);
    EXPECT_EQ(more.itt(), itt);
    EXPECT_EQ(more.ttt(), 9u);
    EXPECT_EQ(more.exp_stat_sn().value, 5001u);
    EXPECT_TRUE(request.data.empty());
    using namespace std::string_literals;
    ASSERT_TRUE(answer(Opcode::text_response, 0, 10, "example:a\0TargetAddress=192.0.2.1\0"s));
    more = ask();
    EXPECT_EQ(more.ttt(), 10u);
    ASSERT_TRUE(answer(Opcode::text_response, final, reserved_tag, "TargetAddress=192.0.2.2,3"s));
    ASSERT_EQ(exchange.targets().size(), 1u);
    EXPECT_EQ(exchange.targets()[0].name, "iqn.2026-11.org.example:a");
    EXPECT_THAT(exchange.targets()[0].portals,
                ElementsAre(TargetPortal{.host = "192.0.2.1", .port = 3260, .group = std::nullopt},
                            TargetPortal{.host = "192.0.2.2", .port = 3260, .group = 3}));
    EXPECT_EQ(ask().opcode(), Opcode::logout_request);
}

TEST_F(Discovery, OfManyTargetsIsWhole) {
    TextKeys keys;
    for (int i = 0; i < 3000; ++i)
        keys.emplace_back("TargetName", "iqn.2026-11.org.example:" + std::to_string(i));
    ASSERT_TRUE(answer(keys));
    ASSERT_EQ(exchange.targets().size(), 3000u);
    EXPECT_EQ(exchange.targets().back().name, "iqn.2026-11.org.example:2999");
}

TEST_F(Discovery, OfNothingIsNoError) {
    ASSERT_TRUE(answer({}));
    EXPECT_TRUE(exchange.answered());
    EXPECT_THAT(exchange.targets(), IsEmpty());
}

TEST_F(Discovery, AsksAboutOneTarget) {
    exchange = SendTargets(1, 1, "iqn.2026-11.org.example:a");
    ask();
    EXPECT_EQ(request.data, std::string("SendTargets=iqn.2026-11.org.example:a\0", 38));
}

TEST_F(Discovery, WhatNoTargetMaySayIsAnError) {
    EXPECT_THAT(error_of(answer({{"TargetAddress", "192.0.2.1"}})), HasSubstr("before the name"));
    exchange = SendTargets(7, 1);
    EXPECT_THAT(error_of(answer({{"TargetName", "\x1b[2J"}})), HasSubstr("names one as"));
    exchange = SendTargets(7, 1);
    EXPECT_THAT(error_of(answer({{"TargetName", "iqn.a"}, {"TargetAddress", "::1"}})), HasSubstr("brackets"));
    exchange = SendTargets(7, 1);
    EXPECT_THAT(error_of(answer({{"SendTargets", "Reject"}})), HasSubstr("Reject"));
    exchange = SendTargets(7, 1);
    ask();
    EXPECT_THAT(error_of(answer(Opcode::text_response, final | continues, 1, "")), HasSubstr("at its end"));
    exchange = SendTargets(7, 1);
    ask();
    EXPECT_THAT(error_of(answer(Opcode::text_response, 0, reserved_tag, "")), HasSubstr("ask for the rest"));
    exchange = SendTargets(7, 1);
    ask();
    EXPECT_THAT(error_of(answer(Opcode::logout_response, final, 0, "")), HasSubstr("opcode 0x26"));
    exchange = SendTargets(7, 1);
    ask();
    EXPECT_THAT(error_of(answer(Opcode::reject, final, 0, "")), HasSubstr("rejects the question"));
    exchange = SendTargets(7, 1);
    ask();
    const test::Bytes other =
        PduBuilder(Opcode::text_response).flags(final).itt(99).ttt(reserved_tag).header();
    EXPECT_THAT(error_of(exchange.on_response(Bhs(other.data()), {})), HasSubstr("not made"));
}

TEST_F(Discovery, ALogoutThatIsRefusedIsTold) {
    ASSERT_TRUE(answer({}));
    const uint32_t itt = ask().itt();
    test::Bytes header = PduBuilder(Opcode::logout_response).flags(final).itt(itt).header();
    header[2] = 3;
    EXPECT_EQ(error_of(exchange.on_response(Bhs(header.data()), {})), "the target could not clean up");
}

TEST_F(Discovery, ATargetThatNeverComesToAnEndIsLeft) {
    int answers = 0;
    for (; answers < 100'000; ++answers) {
        ask();
        if (!answer(Opcode::text_response, 0, 1, "")) break;
    }
    EXPECT_LT(answers, 10'000);
    exchange = SendTargets(7, 1);
    for (answers = 0; answers < 100'000; ++answers) {
        ask();
        if (!answer(Opcode::text_response, continues, 1, std::string(8000, 'x'))) break;
    }
    EXPECT_LT(answers, 1000);
}

}  // namespace
}  // namespace sanscope
