// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/login/login_exchange.h"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/iscsi/login_negotiation.h"
#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope {
namespace {

using testing::HasSubstr;
using testing::IsNull;
using testing::Pointee;

using State = LoginExchange::State;
using test::PduBuilder;

constexpr unsigned security_to_operational = 0x81;
constexpr unsigned operational_to_full_feature = 0x87;

LoginOffer offer() {
    LoginOffer offer;
    offer.initiator_name = "iqn.2026-11.org.example:initiator";
    offer.target_name = "iqn.2026-11.org.example:disk";
    offer.isid = 0x80123456789a;
    return offer;
}

// A target by its answers. What goes over the wire is shown to the analyser as well.
class Login : public testing::Test {
  protected:
    const LoginExchange::Request& ask() {
        request = exchange.request();
        shown(test::Bytes(request.header.bytes().begin(), request.header.bytes().end()), request.data);
        auto read = read_text_keys(request.data);
        EXPECT_TRUE(read);
        keys = std::move(*read);
        return request;
    }
    Result<State> answer(unsigned flags, const TextKeys& said, unsigned status_class = 0,
                         unsigned detail = 0) {
        const std::string text = write_text_keys(said);
        return answer_text(flags, text, status_class, detail);
    }
    Result<State> answer_text(unsigned flags, const std::string& text, unsigned status_class = 0,
                              unsigned detail = 0) {
        test::Bytes header = PduBuilder(Opcode::login_response)
                                 .flags(flags)
                                 .isid(offer().isid)
                                 .tsih((flags & 3) == 3 ? 7 : 0)
                                 .stat_sn(stat_sn++)
                                 .exp_cmd_sn(100)
                                 .status_class(status_class)
                                 .data_length(static_cast<uint32_t>(text.size()))
                                 .header();
        header[37] = static_cast<uint8_t>(detail);
        shown(header, text);
        return exchange.on_response(Bhs(header.data()), text);
    }
    Result<State> pass_security() {
        ask();
        return answer(security_to_operational, {{"AuthMethod", "None"}, {"TargetPortalGroupTag", "1"}});
    }
    void shown(const test::Bytes& header, const std::string& text) {
        Pdu pdu;
        pdu.header = header.data();
        pdu.header_captured = bhs_length;
        pdu.data = {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
        uint64_t& offset = offsets[is_from_target(header[0]) ? 1 : 0];
        pdu.offset = offset;
        offset += bhs_length + pdu.bhs().padded_data_length();
        analyser.on_pdu(pdu);
    }

    LoginExchange exchange{offer(), 100};
    LoginExchange::Request request{BhsWriter(Opcode::login_request), {}};
    TextKeys keys;
    uint32_t stat_sn = 5000;
    LoginNegotiation analyser;
    std::array<uint64_t, 2> offsets{};  // of the next PDU in the streams of initiator and target
};

TEST_F(Login, GoesThroughBothStagesToTheFullFeaturePhase) {
    ask();
    const Bhs first = request.header.view();
    EXPECT_TRUE(first.immediate());
    EXPECT_TRUE(first.transit());
    EXPECT_EQ(first.current_stage(), 0);
    EXPECT_EQ(first.next_stage(), 1);
    EXPECT_EQ(first.isid(), offer().isid);
    EXPECT_EQ(first.tsih(), 0);
    EXPECT_EQ(first.cmd_sn().value, 100u);
    EXPECT_EQ(first.data_segment_length(), request.data.size());
    EXPECT_THAT(find_key(keys, "SessionType"), Pointee(std::string("Normal")));
    EXPECT_THAT(find_key(keys, "TargetName"), Pointee(offer().target_name));
    EXPECT_THAT(find_key(keys, "AuthMethod"), Pointee(std::string("None")));
    auto state = answer(security_to_operational, {{"AuthMethod", "None"}, {"TargetPortalGroupTag", "1"}});
    ASSERT_TRUE(state);
    EXPECT_EQ(*state, State::goes_on);

    ask();
    EXPECT_EQ(request.header.view().current_stage(), 1);
    EXPECT_EQ(request.header.view().next_stage(), 3);
    EXPECT_EQ(request.header.view().exp_stat_sn().value, 5001u);
    EXPECT_EQ(request.header.view().cmd_sn().value, 100u) << "no login request takes a number";
    EXPECT_THAT(find_key(keys, "TargetName"), IsNull());
    EXPECT_THAT(find_key(keys, "MaxRecvDataSegmentLength"), Pointee(std::string("262144")));
    state = answer(operational_to_full_feature, {{"HeaderDigest", "None"},
                                                 {"DataDigest", "None"},
                                                 {"MaxRecvDataSegmentLength", "65536"},
                                                 {"MaxBurstLength", "1048576"},
                                                 {"FirstBurstLength", "0x10000"},
                                                 {"MaxOutstandingR2T", "1"},
                                                 {"MaxConnections", "1"},
                                                 {"ErrorRecoveryLevel", "0"},
                                                 {"DefaultTime2Wait", "2"},
                                                 {"DefaultTime2Retain", "0"},
                                                 {"InitialR2T", "Yes"},
                                                 {"ImmediateData", "Yes"},
                                                 {"DataPDUInOrder", "Yes"},
                                                 {"DataSequenceInOrder", "Yes"}});
    ASSERT_TRUE(state) << state.error().message;
    ASSERT_EQ(*state, State::complete);
    const LoginOutcome& outcome = exchange.outcome();
    EXPECT_EQ(outcome.tsih, 7);
    EXPECT_EQ(outcome.max_recv_data_segment_length_initiator, 262144u);
    EXPECT_EQ(outcome.max_recv_data_segment_length_target, 65536u);
    EXPECT_EQ(outcome.max_burst_length, 1048576u);
    EXPECT_EQ(outcome.first_burst_length, 65536u);
    EXPECT_TRUE(outcome.initial_r2t);
    EXPECT_TRUE(outcome.immediate_data);
    EXPECT_FALSE(outcome.header_digest);
    EXPECT_EQ(outcome.target_portal_group_tag, "1");
    EXPECT_EQ(exchange.exp_stat_sn(), 5002u);
    EXPECT_EQ(exchange.exp_cmd_sn(), 100u);
    EXPECT_EQ(exchange.max_cmd_sn(), 131u);

    EXPECT_TRUE(analyser.full_feature());
    EXPECT_EQ(analyser.tsih(), 7);
    SessionRow row;
    analyser.describe(row);
    EXPECT_EQ(row.max_burst_length, outcome.max_burst_length);
    EXPECT_EQ(row.first_burst_length, outcome.first_burst_length);
    EXPECT_EQ(row.max_recv_data_segment_length_initiator, outcome.max_recv_data_segment_length_initiator);
    EXPECT_EQ(row.max_recv_data_segment_length_target, outcome.max_recv_data_segment_length_target);
}

TEST_F(Login, OfADiscoverySessionAsksForNoTargetAndNoBursts) {
    LoginOffer discovery = offer();
    discovery.target_name.clear();
    exchange = LoginExchange(discovery, 1);
    ask();
    EXPECT_THAT(find_key(keys, "SessionType"), Pointee(std::string("Discovery")));
    EXPECT_THAT(find_key(keys, "TargetName"), IsNull());
    ASSERT_TRUE(answer(security_to_operational, {{"AuthMethod", "None"}}));
    ask();
    EXPECT_THAT(find_key(keys, "MaxBurstLength"), IsNull());
    EXPECT_THAT(find_key(keys, "MaxRecvDataSegmentLength"), Pointee(std::string("262144")));
}

// As LIO answers, the target of the Linux kernel.
TEST_F(Login, WhatOneSideDecidesNeedsNoAnswer) {
    LoginOffer offered = offer();
    offered.initial_r2t = true;
    offered.immediate_data = false;
    exchange = LoginExchange(offered, 1);
    ASSERT_TRUE(pass_security());
    ask();
    const TextKeys said = {{"HeaderDigest", "None"},      {"DataDigest", "None"},
                           {"MaxConnections", "1"},       {"MaxBurstLength", "262144"},
                           {"DefaultTime2Wait", "2"},     {"DefaultTime2Retain", "0"},
                           {"FirstBurstLength", "65536"}, {"MaxOutstandingR2T", "1"},
                           {"ErrorRecoveryLevel", "0"},   {"MaxRecvDataSegmentLength", "262144"}};
    ASSERT_TRUE(answer(operational_to_full_feature, said));
    EXPECT_TRUE(exchange.outcome().initial_r2t);
    EXPECT_FALSE(exchange.outcome().immediate_data) << "No was offered, which no answer can change";
    SessionRow row;
    analyser.describe(row);
    EXPECT_EQ(row.immediate_data, Ternary::no);
}

TEST_F(Login, ARefusedKeyStaysAtItsDefault) {
    LoginOffer offered = offer();
    offered.immediate_data = false;
    exchange = LoginExchange(offered, 1);
    ASSERT_TRUE(pass_security());
    ask();
    ASSERT_TRUE(answer(operational_to_full_feature, {{"ImmediateData", "NotUnderstood"}}));
    EXPECT_TRUE(exchange.outcome().immediate_data);
}

// LIO refuses such keys there, and says so in the kernel's log.
TEST_F(Login, AConnectionThatJoinsSaysOnlyWhatIsItsOwnAndKeepsToTheSession) {
    LoginOutcome session;
    session.tsih = 92;
    session.max_burst_length = 131072;
    session.first_burst_length = 16384;
    session.immediate_data = false;
    session.initial_r2t = false;
    session.max_outstanding_r2t = 4;
    session.header_digest = true;
    LoginOffer joining = offer();
    joining.joined = session;
    joining.cid = 1;
    exchange = LoginExchange(joining, 1);
    ask();
    EXPECT_EQ(request.header.view().tsih(), 92);
    EXPECT_THAT(find_key(keys, "SessionType"), IsNull());
    EXPECT_THAT(find_key(keys, "TargetName"), Pointee(offer().target_name));
    ASSERT_TRUE(answer(security_to_operational, {{"AuthMethod", "None"}}));
    ask();
    std::vector<std::string> names;
    for (const auto& [name, value] : keys) names.push_back(name);
    EXPECT_THAT(names,
                testing::UnorderedElementsAre("HeaderDigest", "DataDigest", "MaxRecvDataSegmentLength"));
    ASSERT_TRUE(answer(operational_to_full_feature, {{"HeaderDigest", "None"},
                                                     {"DataDigest", "None"},
                                                     {"MaxRecvDataSegmentLength", "65536"},
                                                     {"ImmediateData", "NotUnderstood"},
                                                     {"MaxBurstLength", "524288"}}));
    const LoginOutcome& outcome = exchange.outcome();
    EXPECT_EQ(outcome.max_burst_length, 131072u) << "no connection changes its session";
    EXPECT_EQ(outcome.first_burst_length, 16384u);
    EXPECT_FALSE(outcome.immediate_data);
    EXPECT_FALSE(outcome.initial_r2t);
    EXPECT_EQ(outcome.max_outstanding_r2t, 4u);
    EXPECT_FALSE(outcome.header_digest) << "each connection has digests of its own";
    EXPECT_EQ(outcome.max_recv_data_segment_length_target, 65536u);
}

TEST_F(Login, DigestsAreWhatTheTargetChoosesOfThoseOffered) {
    LoginOffer with_digests = offer();
    with_digests.header_digest = "CRC32C,None";
    with_digests.data_digest = "CRC32C";
    exchange = LoginExchange(with_digests, 1);
    ASSERT_TRUE(pass_security());
    ask();
    ASSERT_TRUE(answer(operational_to_full_feature, {{"HeaderDigest", "None"}, {"DataDigest", "CRC32C"}}));
    EXPECT_FALSE(exchange.outcome().header_digest);
    EXPECT_TRUE(exchange.outcome().data_digest);
}

TEST_F(Login, WhatTheTargetMayNotChooseEndsTheLogin) {
    struct Case {
        const char* name;
        const char* value;
    };
    for (const auto& [name, value] :
         {Case{"HeaderDigest", "CRC32C"}, Case{"MaxBurstLength", "16777215"}, Case{"MaxBurstLength", "many"},
          Case{"InitialR2T", "Maybe"}, Case{"ImmediateData", "1"}, Case{"FirstBurstLength", "1"},
          Case{"DefaultTime2Wait", "1"}, Case{"MaxRecvDataSegmentLength", "16777216"},
          Case{"MaxRecvDataSegmentLength", "-1"}}) {
        exchange = LoginExchange(offer(), 1);
        ASSERT_TRUE(pass_security());
        ask();
        const auto state = answer(operational_to_full_feature, {{name, value}});
        ASSERT_FALSE(state) << name << "=" << value;
        EXPECT_THAT(state.error().message, HasSubstr(name)) << value;
    }
}

TEST_F(Login, WhatTheTargetAsksForIsAnswered) {
    ASSERT_TRUE(pass_security());
    exchange.request();
    // Its own wishes come only now, and it does not go on before it has answers.
    const auto state = answer(0x04, {{"X-org.example.speed", "9"}, {"MaxBurstLength", "524288"}});
    ASSERT_TRUE(state);
    ASSERT_EQ(*state, State::goes_on);
    ask();
    EXPECT_THAT(find_key(keys, "X-org.example.speed"), Pointee(std::string("NotUnderstood")));
    EXPECT_THAT(find_key(keys, "MaxRecvDataSegmentLength"), IsNull()) << "said once";
    const auto end = answer(operational_to_full_feature, {});
    ASSERT_TRUE(end) << end.error().message;
    EXPECT_EQ(exchange.outcome().max_burst_length, 524288u);
}

TEST_F(Login, TextThatGoesOnIsWaitedForAndReadAsOne) {
    ASSERT_TRUE(pass_security());
    ask();
    constexpr unsigned operational_continues = 0x44;
    auto state = answer_text(operational_continues, "MaxBurst");
    ASSERT_TRUE(state);
    EXPECT_EQ(*state, State::goes_on);
    ask();
    EXPECT_TRUE(request.data.empty());
    EXPECT_FALSE(request.header.view().transit()) << "an empty request lets the target go on, no more";
    state = answer_text(operational_to_full_feature, std::string("Length=65536\0", 13));
    ASSERT_TRUE(state);
    EXPECT_EQ(*state, State::complete);
    EXPECT_EQ(exchange.outcome().max_burst_length, 65536u);
    EXPECT_EQ(exchange.outcome().first_burst_length, 65536u);
}

TEST_F(Login, ARedirectionTellsWhereTo) {
    ask();
    const auto state = answer(0, {{"TargetAddress", "[2001:db8::1]:3261,2"}}, 1, 1);
    ASSERT_TRUE(state);
    EXPECT_EQ(*state, State::redirected);
    EXPECT_EQ(exchange.target_address(), "[2001:db8::1]:3261,2");
    EXPECT_FALSE(answer(0, {}, 1, 1)) << "without saying where to";
}

TEST_F(Login, RefusalsAreToldInWords) {
    ask();
    const auto state = answer(0, {}, 2, 3);
    ASSERT_FALSE(state);
    EXPECT_EQ(state.error().message, "the target does not exist there (status 2/3)");
    EXPECT_EQ(login_status_text(2, 0x7f), "the target refuses the initiator (status 2/127)");
    EXPECT_EQ(login_status_text(3, 1), "the target is out of service (status 3/1)");
}

TEST_F(Login, ATargetThatWantsToKnowWhoThisIsIsToldOf) {
    ask();
    const auto state = answer(0x00, {{"AuthMethod", "CHAP"}});
    ASSERT_FALSE(state);
    EXPECT_EQ(state.error().message, "the target wants authentication: CHAP");
}

// The target's half of CHAP beside the login.
class LoginWithChap : public Login {
  protected:
    static constexpr unsigned stays = 0;

    static ChapCredentials credentials(bool mutual) {
        ChapCredentials credentials{.initiator = {"host", Secret("a secret of the host")},
                                    .target = std::nullopt};
        if (mutual) credentials.target = ChapAccount{"disk", Secret("a secret of the disk")};
        return credentials;
    }
    void begin(bool mutual, bool required = false) {
        LoginOffer with_chap = offer();
        with_chap.chap = credentials(mutual);
        with_chap.chap_required = required;
        exchange = LoginExchange(with_chap, 100);
        target = ChapTarget(credentials(mutual));
        ask();
    }
    // Up to the request in which the initiator proves itself.
    void prove() {
        ASSERT_TRUE(answer(stays, {{"TargetPortalGroupTag", "1"}, {"AuthMethod", "CHAP"}}));
        ask();
        EXPECT_FALSE(request.header.view().transit());
        const auto challenge = target.answer(keys);
        ASSERT_TRUE(challenge);
        const auto state = answer(stays, *challenge);
        ASSERT_TRUE(state) << state.error().message;
        ask();
    }
    std::string error_of(const Result<State>& state) { return state ? "no error" : state.error().message; }

    ChapTarget target{credentials(false)};
};

TEST_F(LoginWithChap, ProvesTheInitiator) {
    begin(false);
    EXPECT_THAT(find_key(keys, "AuthMethod"), Pointee(std::string("CHAP,None")));
    EXPECT_FALSE(request.header.view().transit()) << "the target has not yet chosen";
    prove();
    EXPECT_TRUE(request.header.view().transit());
    EXPECT_EQ(request.header.view().next_stage(), 1);
    EXPECT_THAT(find_key(keys, "CHAP_N"), Pointee(std::string("host")));
    ASSERT_TRUE(target.answer(keys));
    EXPECT_TRUE(target.done());
    ASSERT_TRUE(answer(security_to_operational, {}));
    ask();
    EXPECT_THAT(find_key(keys, "MaxRecvDataSegmentLength"), Pointee(std::string("262144")));
    const auto state = answer(operational_to_full_feature, {});
    ASSERT_TRUE(state) << state.error().message;
    EXPECT_EQ(*state, State::complete);
    EXPECT_EQ(exchange.outcome().chap_algorithm, ChapAlgorithm::sha3_256);
    EXPECT_FALSE(exchange.outcome().target_proved_itself);
    EXPECT_TRUE(analyser.full_feature());
}

TEST_F(LoginWithChap, ProvesTheTargetWhereItIsMutual) {
    begin(true);
    EXPECT_THAT(find_key(keys, "AuthMethod"), Pointee(std::string("CHAP")));
    prove();
    const auto proof = target.answer(keys);
    ASSERT_TRUE(proof);
    const auto state = answer(security_to_operational, *proof);
    ASSERT_TRUE(state) << state.error().message;
    ask();
    ASSERT_TRUE(answer(operational_to_full_feature, {}));
    EXPECT_TRUE(exchange.outcome().target_proved_itself);
}

TEST_F(LoginWithChap, WaitsForATargetThatGoesOnLaterOrInPieces) {
    begin(true);
    prove();
    const std::string proof = write_text_keys(*target.answer(keys));
    constexpr unsigned continues = 0x40;
    ASSERT_TRUE(answer_text(continues, proof.substr(0, 10)));
    ask();
    EXPECT_TRUE(request.data.empty());
    auto state = answer_text(stays, proof.substr(10));
    ASSERT_TRUE(state) << state.error().message;
    EXPECT_EQ(*state, State::goes_on);
    ask();
    EXPECT_TRUE(request.data.empty());
    EXPECT_TRUE(request.header.view().transit());
    state = answer(security_to_operational, {});
    ASSERT_TRUE(state) << state.error().message;
    ask();
    EXPECT_EQ(request.header.view().current_stage(), 1);
}

TEST_F(LoginWithChap, DoesWithoutWhereTheTargetDoes) {
    begin(false);
    auto state = answer(stays, {{"AuthMethod", "None"}});
    ASSERT_TRUE(state);
    ask();
    EXPECT_TRUE(request.data.empty());
    EXPECT_TRUE(request.header.view().transit());
    ASSERT_TRUE(answer(security_to_operational, {}));
    ask();
    ASSERT_TRUE(answer(operational_to_full_feature, {}));
    EXPECT_FALSE(exchange.outcome().chap_algorithm);

    begin(false);
    EXPECT_TRUE(answer(security_to_operational, {{"AuthMethod", "None"}})) << "at once";
}

TEST_F(LoginWithChap, DoesNotDoWithoutWhereItIsRequired) {
    for (const bool mutual : {false, true}) {
        for (const unsigned flags : {stays, security_to_operational}) {
            begin(mutual, true);
            EXPECT_THAT(error_of(answer(flags, {{"AuthMethod", "None"}})),
                        HasSubstr("wants no authentication"));
        }
        begin(mutual, true);
        EXPECT_THAT(error_of(answer(security_to_operational, {})), HasSubstr("without the authentication"));
    }
}

TEST_F(LoginWithChap, NobodyGetsPastMutualAuthentication) {
    begin(true);
    EXPECT_THAT(error_of(answer(security_to_operational, {{"AuthMethod", "CHAP"}})),
                HasSubstr("proved itself"));
    begin(true);
    ASSERT_TRUE(answer(stays, {{"AuthMethod", "CHAP"}}));
    ask();
    EXPECT_THAT(error_of(answer(security_to_operational, *target.answer(keys))), HasSubstr("proved itself"));
    begin(true);
    prove();
    EXPECT_EQ(error_of(answer(security_to_operational, {})),
              "the target goes on without having proved itself");
    begin(true);
    prove();
    EXPECT_THAT(error_of(answer(security_to_operational, {{"CHAP_N", "disk"}, {"CHAP_R", "0x00"}})),
                HasSubstr("could not prove itself"));
}

TEST_F(LoginWithChap, NoTargetGoesOnBeforeTheProofItAskedFor) {
    begin(false);
    ASSERT_TRUE(answer(stays, {{"AuthMethod", "CHAP"}}));
    ask();
    EXPECT_THAT(error_of(answer(security_to_operational, *target.answer(keys))),
                HasSubstr("before the initiator has proved itself"));
}

TEST_F(LoginWithChap, EveryFailureIsTold) {
    begin(false);
    EXPECT_THAT(error_of(answer(stays, {{"AuthMethod", "Reject"}})), HasSubstr("no authentication by CHAP"));
    begin(false);
    EXPECT_THAT(error_of(answer(stays, {{"AuthMethod", "KRB5"}})), HasSubstr("KRB5"));
    begin(false);
    EXPECT_THAT(error_of(answer(stays, {{"CHAP_A", "5"}})), HasSubstr("CHAP_A without CHAP"));
    begin(false);
    EXPECT_THAT(error_of(answer(stays, {{"AuthMethod", "CHAP"}, {"CHAP_A", "5"}})),
                HasSubstr("not its turn"));
    begin(false);
    ASSERT_TRUE(answer(stays, {{"AuthMethod", "CHAP"}}));
    ask();
    EXPECT_THAT(error_of(answer(stays, {{"AuthMethod", "CHAP"}})), HasSubstr("twice"));
    begin(false);
    prove();
    EXPECT_EQ(error_of(answer(stays, {}, 2, 1)),
              "the target does not believe who this is: authentication failed (status 2/1)");
    begin(false);
    int requests = 0;
    while (answer(stays, {}) && requests < 1000) {
        ask();
        ++requests;
    }
    EXPECT_LT(requests, 100) << "a target that never chooses";
}

TEST_F(Login, ATargetThatNeverComesToAnEndIsLeft) {
    int answers = 0;
    while (answers < 1000) {
        ask();
        if (!answer(0x00, {})) break;
        ++answers;
    }
    EXPECT_LT(answers, 100);

    exchange = LoginExchange(offer(), 1);
    for (answers = 0; answers < 1000; ++answers) {
        exchange.request();
        if (!answer_text(0x40, std::string(8000, 'x'))) break;
    }
    EXPECT_LT(answers, 10);
}

TEST_F(Login, StagesComeInTheirOrder) {
    ask();
    EXPECT_FALSE(answer(0x80, {})) << "security to security";
    exchange = LoginExchange(offer(), 1);
    ask();
    EXPECT_FALSE(answer(operational_to_full_feature, {})) << "a stage that was not asked for";
    exchange = LoginExchange(offer(), 1);
    ask();
    const test::Bytes other = PduBuilder(Opcode::text_response).header();
    EXPECT_FALSE(exchange.on_response(Bhs(other.data()), {}));
}

TEST(TextKeys, AreReadAsTheyAreWritten) {
    const TextKeys keys = {{"A", "1"}, {"B", ""}, {"C", "x=y"}};
    const std::string text = write_text_keys(keys);
    EXPECT_EQ(text, std::string("A=1\0B=\0C=x=y\0", 13));
    const auto read = read_text_keys(text + std::string(3, '\0'));
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, keys);
    EXPECT_THAT(find_key(keys, "C"), Pointee(std::string("x=y")));
    EXPECT_THAT(find_key(keys, "c"), IsNull());
}

TEST(TextKeys, WhatIsNoneIsRefused) {
    using namespace std::string_literals;
    for (const std::string& text :
         {"A\0"s, "=1\0"s, std::string(64, 'A') + "=1\0"s, "A=" + std::string(9000, 'x') + "\0"s}) {
        EXPECT_FALSE(read_text_keys(text)) << text.size();
    }
    std::string many;
    for (int i = 0; i < 1025; ++i) many += "A=1\0"s;
    EXPECT_FALSE(read_text_keys(many));
    EXPECT_TRUE(read_text_keys("A=1"s)) << "the last zero may be missing";
}

}  // namespace
}  // namespace sanscope
