// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/iscsi/login_negotiation.h"

#include <array>
#include <gtest/gtest.h>
#include <initializer_list>
#include <string_view>

#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::operator+;
using test::PduBuilder;
using Pairs = std::initializer_list<std::string_view>;

class Login {
  public:
    Login& pdu(const PduBuilder& built) {
        const Bytes bytes = built.bytes();
        Pdu pdu;
        uint64_t& offset = offsets[is_from_target(bytes[0]) ? 1 : 0];
        pdu.header = bytes.data();
        pdu.offset = offset;
        offset += bytes.size();
        pdu.header_captured = bhs_length;
        pdu.data = std::span(bytes).subspan(bhs_length, pdu.bhs().data_segment_length());
        negotiation.on_pdu(pdu);
        return *this;
    }
    // A PDU passed that is in no packet.
    Login& not_captured(const PduBuilder& built) {
        const Bytes bytes = built.bytes();
        offsets[is_from_target(bytes[0]) ? 1 : 0] += bytes.size();
        return *this;
    }
    // The first one names the initiator, as each login must.
    Login& request(Pairs keys, unsigned flags = test::login_operational_to_full_feature) {
        const Bytes name = named ? Bytes{} : test::text_keys({"InitiatorName=iqn.i"});
        named = true;
        return pdu(test::login_request(name + test::text_keys(keys)).flags(flags));
    }
    Login& response(Pairs keys, unsigned flags = test::login_operational_to_full_feature) {
        return pdu(test::login_response(test::text_keys(keys)).flags(flags));
    }
    SessionRow row() const {
        SessionRow row;
        negotiation.describe(row);
        return row;
    }
    LoginNegotiation negotiation;
    std::array<uint64_t, 2> offsets{};
    bool named = false;
};

SessionRow negotiated(Pairs initiator, Pairs target) {
    return Login().request(initiator).response(target).row();
}

TEST(LoginNegotiation, TakesTheDefaultsOfWhatNobodyNames) {
    const SessionRow row = negotiated({"InitiatorName=iqn.i", "TargetName=iqn.t"}, {});
    EXPECT_EQ(row.initiator_name, "iqn.i");
    EXPECT_EQ(row.target_name, "iqn.t");
    EXPECT_EQ(row.isid, 0x00023d000001u);
    EXPECT_EQ(row.tsih, 1u);
    EXPECT_EQ(row.header_digest, "None");
    EXPECT_EQ(row.data_digest, "None");
    EXPECT_EQ(row.max_recv_data_segment_length_initiator, 8192u);
    EXPECT_EQ(row.max_recv_data_segment_length_target, 8192u);
    EXPECT_EQ(row.max_burst_length, 262144u);
    EXPECT_EQ(row.first_burst_length, 65536u);
    EXPECT_EQ(row.initial_r2t, Ternary::yes);
    EXPECT_EQ(row.immediate_data, Ternary::yes);
    EXPECT_EQ(row.max_outstanding_r2t, 1u);
    EXPECT_EQ(row.error_recovery_level, 0u);
    EXPECT_EQ(row.max_connections, 1u);
}

// A login of two steps, the first of which says what the second one need not.
class LoginInSteps : public testing::Test {
  protected:
    static constexpr unsigned to_operational = 0x81;  // CSG security, NSG operational
    PduBuilder first_request =
        test::login_request(test::text_keys({"InitiatorName=iqn.i", "InitialR2T=No", "MaxBurstLength=65536"}))
            .flags(to_operational);
    PduBuilder first_response =
        test::login_response(test::text_keys({"InitialR2T=No", "HeaderDigest=CRC32C"})).flags(to_operational);
    PduBuilder last_request = test::login_request(test::text_keys({"ImmediateData=No"}));
    PduBuilder last_response = test::login_response(test::text_keys({"ImmediateData=No"}));

    static void expect_nothing_presumed(const SessionRow& row) {
        EXPECT_EQ(row.initial_r2t, Ternary::unknown);
        EXPECT_EQ(row.max_burst_length, unknown<uint32_t>);
        EXPECT_EQ(row.max_recv_data_segment_length_initiator, unknown<uint32_t>);
        EXPECT_EQ(row.data_digest, "");
        EXPECT_EQ(row.max_connections, unknown<uint32_t>);
    }
};

TEST_F(LoginInSteps, PresumesNothingWhereItsFirstRequestIsNotCaptured) {
    Login login;
    login.not_captured(first_request).pdu(first_response).pdu(last_request).pdu(last_response);
    expect_nothing_presumed(login.row());
    EXPECT_EQ(login.row().immediate_data, Ternary::no) << "both sides were heard to say it";
    EXPECT_EQ(login.row().header_digest, "CRC32C") << "the target's choice was heard";
    EXPECT_EQ(login.negotiation.data_digest(), DigestUse::unknown);
}

TEST_F(LoginInSteps, PresumesNothingWhereAnAnswerIsNotCaptured) {
    Login login;
    login.pdu(first_request).not_captured(first_response).pdu(last_request).pdu(last_response);
    expect_nothing_presumed(login.row());
    EXPECT_EQ(login.row().header_digest, "");
}

// The capture begins inside the login: no offset shows it.
TEST_F(LoginInSteps, PresumesNothingWhereTheCaptureBeginsInIt) {
    expect_nothing_presumed(Login().pdu(last_request).pdu(last_response).row());
    expect_nothing_presumed(Login().pdu(first_response).pdu(last_request).pdu(last_response).row());
}

TEST_F(LoginInSteps, IsWholeThoughAnAnswerComesBeforeItsRequest) {
    Login login;
    login.pdu(first_response).pdu(first_request).pdu(last_response).pdu(last_request);
    EXPECT_EQ(login.row().initial_r2t, Ternary::no);
    EXPECT_EQ(login.row().max_connections, 1u);
}

TEST(LoginNegotiation, TakesTheLesserNumber) {
    const SessionRow row = negotiated({"MaxBurstLength=1000", "FirstBurstLength=0x2000",
                                       "MaxOutstandingR2T=8", "MaxConnections=4", "ErrorRecoveryLevel=2"},
                                      {"MaxBurstLength=900", "FirstBurstLength=9000", "MaxOutstandingR2T=16",
                                       "MaxConnections=1", "ErrorRecoveryLevel=1"});
    EXPECT_EQ(row.max_burst_length, 900u);
    EXPECT_EQ(row.first_burst_length, 0x2000u);
    EXPECT_EQ(row.max_outstanding_r2t, 8u);
    EXPECT_EQ(row.max_connections, 1u);
    EXPECT_EQ(row.error_recovery_level, 1u);
}

TEST(LoginNegotiation, KeepsWhatEachSideDeclaresOfItself) {
    const SessionRow row =
        negotiated({"MaxRecvDataSegmentLength=262144"}, {"MaxRecvDataSegmentLength=16777215"});
    EXPECT_EQ(row.max_recv_data_segment_length_initiator, 262144u);
    EXPECT_EQ(row.max_recv_data_segment_length_target, 16777215u);
}

TEST(LoginNegotiation, NeedsOneYesForInitialR2TAndTwoForImmediateData) {
    struct Case {
        const char* initiator;
        const char* target;
        Ternary either;
        Ternary both;
    };
    for (const Case& c :
         {Case{"Yes", "Yes", Ternary::yes, Ternary::yes}, Case{"Yes", "No", Ternary::yes, Ternary::no},
          Case{"No", "Yes", Ternary::yes, Ternary::no}, Case{"No", "No", Ternary::no, Ternary::no}}) {
        const std::string a = std::string("InitialR2T=") + c.initiator;
        const std::string b = std::string("InitialR2T=") + c.target;
        const std::string d = std::string("ImmediateData=") + c.initiator;
        const std::string e = std::string("ImmediateData=") + c.target;
        const SessionRow row = negotiated({a, d}, {b, e});
        EXPECT_EQ(row.initial_r2t, c.either) << a << " " << b;
        EXPECT_EQ(row.immediate_data, c.both) << d << " " << e;
    }
}

TEST(LoginNegotiation, StaysAtTheDefaultWhereOneSideRefusesTheKey) {
    for (const char* refusal : {"Reject", "NotUnderstood", "Irrelevant"}) {
        const std::string r2t = std::string("InitialR2T=") + refusal;
        const std::string immediate = std::string("ImmediateData=") + refusal;
        const std::string burst = std::string("MaxBurstLength=") + refusal;
        const SessionRow row =
            negotiated({"InitialR2T=No", "ImmediateData=No", "MaxBurstLength=512"}, {r2t, immediate, burst});
        EXPECT_EQ(row.initial_r2t, Ternary::yes) << refusal;
        EXPECT_EQ(row.immediate_data, Ternary::yes) << refusal;
        EXPECT_EQ(row.max_burst_length, 262144u) << refusal;
    }
}

TEST(LoginNegotiation, TakesTheAnswerToAListOfDigests) {
    Login chosen;
    chosen.request({"HeaderDigest=CRC32C,None", "DataDigest=None,CRC32C"});
    EXPECT_EQ(chosen.negotiation.header_digest(), DigestUse::unknown);
    chosen.response({"HeaderDigest=CRC32C", "DataDigest=None"});
    EXPECT_EQ(chosen.negotiation.header_digest(), DigestUse::yes);
    EXPECT_EQ(chosen.negotiation.data_digest(), DigestUse::no);
    EXPECT_EQ(chosen.row().header_digest, "CRC32C");

    Login offered_by_target;
    offered_by_target.request({"DataDigest=CRC32C"}).response({"DataDigest=CRC32C,None"});
    EXPECT_EQ(offered_by_target.negotiation.data_digest(), DigestUse::yes);
}

TEST(LoginNegotiation, GathersKeysOverBothPhases) {
    constexpr unsigned security_to_operational = 0x81;
    Login login;
    login.request({"InitiatorName=iqn.i", "TargetName=iqn.t", "SessionType=Normal", "AuthMethod=CHAP,None"},
                  security_to_operational);
    login.response({"TargetPortalGroupTag=1", "AuthMethod=None"}, security_to_operational);
    EXPECT_FALSE(login.negotiation.full_feature());
    EXPECT_EQ(login.row().max_burst_length, unknown<uint32_t>);
    EXPECT_EQ(login.row().initiator_name, "iqn.i");
    login.request({"MaxBurstLength=4096"}).response({"MaxBurstLength=4096"});
    EXPECT_TRUE(login.negotiation.full_feature());
    EXPECT_EQ(login.row().max_burst_length, 4096u);
    EXPECT_EQ(login.row().initiator_name, "iqn.i");
}

TEST(LoginNegotiation, JoinsKeysThatSeveralPdusCarryTogether) {
    constexpr unsigned continues = 0x44;
    const Bytes text = test::text_keys({"InitiatorName=iqn.long", "MaxBurstLength=4096"});
    for (size_t split = 1; split < text.size(); ++split) {
        const auto at = text.begin() + static_cast<std::ptrdiff_t>(split);
        Login login;
        login.pdu(test::login_request(Bytes(text.begin(), at)).flags(continues));
        login.response({}, 0x04);
        EXPECT_EQ(login.negotiation.initiator_name(), "");
        login.pdu(test::login_request(Bytes(at, text.end())));
        login.response({});
        EXPECT_EQ(login.negotiation.initiator_name(), "iqn.long") << split;
        EXPECT_EQ(login.row().max_burst_length, 4096u) << split;
    }
}

TEST(LoginNegotiation, KeepsOnlySoMuchOfATextThatNeverEnds) {
    Login login;
    login.request({"InitiatorName=iqn.i"});
    const Bytes endless(8192, 'x');
    for (int i = 0; i < 1000; ++i) login.pdu(test::login_request(endless).flags(0x44));
    login.request({});
    EXPECT_EQ(login.negotiation.initiator_name(), "iqn.i");
    Login long_name;
    const Bytes name = test::text_keys({"InitiatorName="});
    long_name.pdu(test::login_request(Bytes(name.begin(), name.end() - 1) + Bytes(60000, 'n')));
    EXPECT_LE(long_name.negotiation.initiator_name().size(), 4096u);
}

TEST(LoginNegotiation, LeavesOutWhatHasNoMeaningInADiscoverySession) {
    Login login;
    login.request({"InitiatorName=iqn.i", "SessionType=Discovery"}).response({});
    EXPECT_TRUE(login.negotiation.discovery());
    const SessionRow row = login.row();
    EXPECT_EQ(row.max_burst_length, unknown<uint32_t>);
    EXPECT_EQ(row.initial_r2t, Ternary::unknown);
    EXPECT_EQ(row.header_digest, "None");
    EXPECT_EQ(row.target_name, "");
}

TEST(LoginNegotiation, TellsALoginThatWasRefused) {
    Login refused;
    refused.request({"InitiatorName=iqn.i"});
    refused.pdu(test::login_response({}, 1, 0).status_class(2).flags(0));
    EXPECT_TRUE(refused.negotiation.failed());
    EXPECT_FALSE(refused.negotiation.full_feature());
    EXPECT_EQ(refused.row().tsih, unknown<uint16_t>);
    Login redirected;
    redirected.request({"InitiatorName=iqn.i"});
    redirected.pdu(test::login_response(test::text_keys({"TargetAddress=10.0.0.1:3260,1"}), 1, 0)
                       .status_class(1)
                       .flags(0));
    EXPECT_FALSE(redirected.negotiation.failed());
    EXPECT_FALSE(redirected.negotiation.full_feature());
}

TEST(LoginNegotiation, IgnoresTextItCannotRead) {
    const SessionRow row =
        negotiated({"MaxBurstLength=", "FirstBurstLength=12x", "MaxOutstandingR2T=99999999999", "=", "", "X",
                    "X-com.example=1", "ErrorRecoveryLevel=-1"},
                   {"MaxConnections=0x"});
    EXPECT_EQ(row.max_burst_length, 262144u);
    EXPECT_EQ(row.first_burst_length, 65536u);
    EXPECT_EQ(row.max_outstanding_r2t, 1u);
    EXPECT_EQ(row.error_recovery_level, 0u);
    EXPECT_EQ(row.max_connections, 1u);
}

TEST(LoginNegotiation, TakesALaterDeclarationOfATextNegotiation) {
    Login login;
    login.request({"MaxRecvDataSegmentLength=1024"}).response({});
    login.pdu(PduBuilder(Opcode::text_request)
                  .flags(0x80)
                  .data(test::text_keys({"MaxRecvDataSegmentLength=2048"})));
    EXPECT_EQ(login.row().max_recv_data_segment_length_initiator, 2048u);
}

TEST(LoginNegotiation, KnowsNothingOfDigestsWhereTheRequestsWereNotCaptured) {
    Login login;
    login.response({});
    EXPECT_TRUE(login.negotiation.full_feature());
    EXPECT_EQ(login.negotiation.header_digest(), DigestUse::unknown);
    EXPECT_EQ(login.negotiation.isid(), 0x00023d000001u);
}

TEST(LoginNegotiation, RemembersWhichSessionTheFirstRequestAskedFor) {
    Login login;
    login.pdu(test::login_request({}, 0xabc, 7)).pdu(test::login_response({}, 0xabc, 7));
    EXPECT_EQ(login.negotiation.tsih_requested(), 7u);
    EXPECT_EQ(login.negotiation.isid(), 0xabcu);
    EXPECT_EQ(login.negotiation.tsih(), 7u);
}

}  // namespace
}  // namespace sanscope
