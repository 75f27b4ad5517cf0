// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/login/chap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

namespace sanscope {
namespace {

using testing::HasSubstr;
using testing::IsNull;
using testing::Not;
using testing::Pointee;
using testing::StartsWith;

ChapCredentials one_way() {
    return {.initiator = {"host", Secret("a secret of the host")}, .target = std::nullopt};
}

ChapCredentials mutual() {
    ChapCredentials credentials = one_way();
    credentials.target = ChapAccount{"disk", Secret("a secret of the disk")};
    return credentials;
}

std::string value(const TextKeys& keys, std::string_view name) {
    const std::string* const found = find_key(keys, name);
    return found == nullptr ? "(none)" : *found;
}

void set(TextKeys& keys, std::string_view name, const std::string& to) {
    for (auto& [key, old] : keys) {
        if (key == name) old = to;
    }
}

// Both sides up to the initiator's proof, which is not yet shown to the target.
struct Handshake {
    Handshake(const ChapCredentials& at_initiator, const ChapCredentials& at_target)
        : initiator(at_initiator), target(at_target) {
        const auto offer = initiator.say();
        EXPECT_TRUE(offer);
        const auto challenge = target.answer(*offer);
        EXPECT_TRUE(challenge) << challenge.error().message;
        EXPECT_TRUE(initiator.hear(*challenge));
        EXPECT_FALSE(initiator.has_proved_itself());
        const auto said = initiator.say();
        EXPECT_TRUE(said);
        proof = *said;
        EXPECT_TRUE(initiator.has_proved_itself());
    }
    ChapInitiator initiator;
    ChapTarget target;
    TextKeys proof;
};

TEST(ChapResponse, IsTheHashOfIdentifierSecretAndChallenge) {
    std::vector<uint8_t> challenge(32);
    std::iota(challenge.begin(), challenge.end(), uint8_t{0x10});
    const Secret secret("a secret of some length");
    // By Python's hashlib.
    const std::pair<ChapAlgorithm, const char*> known[] = {
        {ChapAlgorithm::md5, "0xb0881ec07c4a507d0a22a908a08b682f"},
        {ChapAlgorithm::sha1, "0x472b2bce3e75a120fd7253e41fd19216c6dba7bc"},
        {ChapAlgorithm::sha256, "0xf6bda6474461fc70024b5cf9819d1101eff6a0bcfb18895ebd93d37da5b7529a"},
        {ChapAlgorithm::sha3_256, "0xebc24b322c0a359d2bfa6c7c0fd4111a9479703c5694e62741a0cd9c8a05dba5"},
    };
    for (const auto& [algorithm, expected] : known) {
        const auto response = chap_response(algorithm, 0x27, secret, challenge);
        ASSERT_TRUE(response) << chap_algorithm_name(algorithm);
        EXPECT_EQ(write_binary_value(*response), expected) << chap_algorithm_name(algorithm);
    }
}

TEST(BinaryValue, IsReadInHexadecimalAndBase64) {
    using Bytes = std::vector<uint8_t>;
    EXPECT_EQ(read_binary_value("0x00ff"), (Bytes{0x00, 0xff}));
    EXPECT_EQ(read_binary_value("0X00Ff"), (Bytes{0x00, 0xff}));
    EXPECT_EQ(read_binary_value("0bAP8="), (Bytes{0x00, 0xff}));
    EXPECT_EQ(read_binary_value("0BAQ=="), (Bytes{0x01}));
    EXPECT_EQ(read_binary_value("0b8PHy8/T19vf4+fr7/P3+/w=="),
              (Bytes{0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe,
                     0xff}));
    EXPECT_EQ(read_binary_value("0x" + std::string(2048, 'a'))->size(), 1024u);
    EXPECT_EQ(write_binary_value(Bytes{0x00, 0x0f, 0xff}), "0x000fff");
}

TEST(BinaryValue, IsNothingElse) {
    for (const std::string& text :
         {std::string(""), std::string("0"), std::string("0x"), std::string("0b"), std::string("0x123"),
          std::string("0xzz"), std::string("0x-1"), std::string("0x+1"), std::string("1234"),
          std::string("0bA"), std::string("0bAP8"), std::string("0bAP 8"), std::string("0b===="),
          std::string("0bA==="), std::string("0bA=8="), std::string("0b\nAP8"), "0x" + std::string(2050, 'a'),
          "0b" + std::string(1368, 'a')}) {
        EXPECT_FALSE(read_binary_value(text)) << text.substr(0, 20);
    }
}

TEST(Chap, OneWayProvesTheInitiator) {
    Handshake h(one_way(), one_way());
    EXPECT_EQ(value(h.proof, "CHAP_N"), "host");
    EXPECT_THAT(find_key(h.proof, "CHAP_C"), IsNull());
    EXPECT_TRUE(h.initiator.done());
    EXPECT_EQ(h.initiator.algorithm(), ChapAlgorithm::sha3_256) << "the best that both have";
    const auto answer = h.target.answer(h.proof);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_TRUE(answer->empty());
    EXPECT_TRUE(h.target.done());
}

TEST(Chap, MutualProvesTheTargetToo) {
    Handshake h(mutual(), mutual());
    EXPECT_FALSE(h.initiator.done());
    const auto answer = h.target.answer(h.proof);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(value(*answer, "CHAP_N"), "disk");
    const auto heard = h.initiator.hear(*answer);
    ASSERT_TRUE(heard) << heard.error().message;
    EXPECT_TRUE(h.initiator.done());
    EXPECT_TRUE(h.initiator.say()->empty());
}

TEST(Chap, EveryAlgorithmCanBeChosen) {
    for (const ChapAlgorithm algorithm : chap_algorithms) {
        ChapTarget target(mutual());
        ChapInitiator initiator(mutual());
        ASSERT_TRUE(initiator.say());
        const std::string number = std::to_string(static_cast<unsigned>(algorithm));
        const auto challenge = target.answer({{"CHAP_A", "4,99," + number + ",5"}});
        ASSERT_TRUE(challenge) << number;
        EXPECT_EQ(value(*challenge, "CHAP_A"), number);
        ASSERT_TRUE(initiator.hear(*challenge));
        const auto answer = target.answer(*initiator.say());
        ASSERT_TRUE(answer) << number;
        EXPECT_TRUE(initiator.hear(*answer)) << number;
        EXPECT_EQ(initiator.algorithm(), algorithm);
    }
}

TEST(Chap, OffersEveryAlgorithm) {
    ChapInitiator initiator(one_way());
    EXPECT_EQ(value(*initiator.say(), "CHAP_A"), "8,6,5,7");
    EXPECT_TRUE(initiator.say()->empty()) << "said once";
}

TEST(Chap, OnlyTheAlgorithmsAllowedAreUsed) {
    ChapCredentials strong = mutual();
    strong.algorithms = *parse_chap_algorithms("sha3-256,sha256");
    ChapInitiator initiator(strong);
    EXPECT_EQ(value(*initiator.say(), "CHAP_A"), "8,7");
    EXPECT_FALSE(initiator.hear({{"CHAP_A", "5"}, {"CHAP_I", "0"}, {"CHAP_C", "0x" + std::string(64, '1')}}))
        << "MD5 was not offered";
    ChapTarget target(strong);
    EXPECT_EQ(value(*target.answer({{"CHAP_A", "5,6,7"}}), "CHAP_A"), "7");
    ChapTarget other(strong);
    EXPECT_FALSE(other.answer({{"CHAP_A", "5,6"}}));
}

TEST(Chap, AlgorithmsAreNamedAsUsersKnowThem) {
    EXPECT_THAT(*parse_chap_algorithms("md5"), testing::ElementsAre(ChapAlgorithm::md5));
    EXPECT_THAT(*parse_chap_algorithms("sha256,sha1,sha256"),
                testing::ElementsAre(ChapAlgorithm::sha256, ChapAlgorithm::sha1));
    for (const char* const wrong : {"", "sha512", "md5,", "MD5", "md5 sha1"})
        EXPECT_FALSE(parse_chap_algorithms(wrong)) << wrong;
}

TEST(Chap, ChallengesAreNewEachTime) {
    std::set<std::string> challenges;
    for (int i = 0; i < 16; ++i) {
        ChapTarget target(one_way());
        challenges.insert(value(*target.answer({{"CHAP_A", "5"}}), "CHAP_C"));
        challenges.insert(value(Handshake(mutual(), mutual()).proof, "CHAP_C"));
    }
    EXPECT_EQ(challenges.size(), 32u);
    for (const std::string& challenge : challenges) EXPECT_EQ(read_binary_value(challenge)->size(), 32u);
}

TEST(ChapInitiator, AnswersWhatItWasAsked) {
    ChapInitiator initiator(one_way());
    ASSERT_TRUE(initiator.say());
    std::vector<uint8_t> challenge(18);
    std::iota(challenge.begin(), challenge.end(), uint8_t{1});
    ASSERT_TRUE(
        initiator.hear({{"CHAP_A", "0x7"}, {"CHAP_I", "0xff"}, {"CHAP_C", "0bAQIDBAUGBwgJCgsMDQ4PEBES"}}));
    const auto said = initiator.say();
    ASSERT_TRUE(said);
    EXPECT_EQ(value(*said, "CHAP_R"),
              write_binary_value(
                  *chap_response(ChapAlgorithm::sha256, 0xff, one_way().initiator.secret, challenge)));
}

TEST(ChapInitiator, RefusesChallengesThatAreNone) {
    const TextKeys good = {{"CHAP_A", "5"}, {"CHAP_I", "0"}, {"CHAP_C", "0x" + std::string(32, '1')}};
    const std::pair<const char*, std::string> wrong[] = {
        {"CHAP_A", "Reject"}, {"CHAP_A", "9"},
        {"CHAP_A", "5,6"},    {"CHAP_A", ""},
        {"CHAP_I", "256"},    {"CHAP_I", "-1"},
        {"CHAP_I", "0x"},     {"CHAP_C", "0x"},
        {"CHAP_C", "1"},      {"CHAP_C", "0x" + std::string(2050, '0')},
        {"CHAP_C", "0x01"},   {"CHAP_C", "0x" + std::string(30, '1')},
    };
    for (const auto& [name, to] : wrong) {
        ChapInitiator initiator(one_way());
        ASSERT_TRUE(initiator.say());
        TextKeys keys = good;
        set(keys, name, to);
        const auto heard = initiator.hear(keys);
        ASSERT_FALSE(heard) << name << "=" << to;
        EXPECT_THAT(heard.error().message, StartsWith("the target"));
    }
    for (size_t missing = 0; missing < good.size(); ++missing) {
        ChapInitiator initiator(one_way());
        ASSERT_TRUE(initiator.say());
        TextKeys keys = good;
        keys.erase(keys.begin() + static_cast<ptrdiff_t>(missing));
        EXPECT_FALSE(initiator.hear(keys)) << good[missing].first;
    }
    ChapInitiator initiator(one_way());
    EXPECT_FALSE(initiator.hear(good)) << "before it was offered anything";
}

TEST(ChapInitiator, RefusesATargetThatDoesNotProveItself) {
    const auto answered = [](auto change) {
        Handshake h(mutual(), mutual());
        TextKeys answer = *h.target.answer(h.proof);
        change(answer, h);
        const auto heard = h.initiator.hear(answer);
        EXPECT_FALSE(h.initiator.done());
        return heard ? std::string("believed") : heard.error().message;
    };
    EXPECT_THAT(answered([](TextKeys& keys, Handshake&) { keys.erase(keys.begin()); }), HasSubstr("CHAP_N"));
    EXPECT_THAT(answered([](TextKeys& keys, Handshake&) { set(keys, "CHAP_R", "0x00"); }),
                HasSubstr("wrong"));
    EXPECT_THAT(answered([](TextKeys& keys, Handshake&) { set(keys, "CHAP_R", "none"); }),
                HasSubstr("wrong"));
    EXPECT_THAT(
        answered([](TextKeys& keys, Handshake&) { set(keys, "CHAP_R", value(keys, "CHAP_R") + "00"); }),
        HasSubstr("wrong"));
    EXPECT_THAT(answered([](TextKeys& keys, Handshake&) { set(keys, "CHAP_N", "other"); }),
                HasSubstr("name is not disk"));
    EXPECT_THAT(
        answered([](TextKeys& keys, Handshake& h) { keys.emplace_back("CHAP_C", value(h.proof, "CHAP_C")); }),
        HasSubstr("another challenge"));

    ChapCredentials other = mutual();
    other.target->secret = Secret("another secret altogether");
    Handshake h(mutual(), other);
    EXPECT_FALSE(h.initiator.hear(*h.target.answer(h.proof)));
}

TEST(ChapInitiator, RefusesItsOwnProofFromAnotherConnection) {
    // Someone without a secret lets the initiator answer its own challenge on a second connection.
    ChapInitiator first(mutual());
    ASSERT_TRUE(first.say());
    ASSERT_TRUE(first.hear({{"CHAP_A", "7"}, {"CHAP_I", "1"}, {"CHAP_C", "0x" + std::string(32, '2')}}));
    const TextKeys asked = *first.say();
    ChapInitiator second(mutual());
    ASSERT_TRUE(second.say());
    ASSERT_TRUE(second.hear(
        {{"CHAP_A", "7"}, {"CHAP_I", value(asked, "CHAP_I")}, {"CHAP_C", value(asked, "CHAP_C")}}));
    const TextKeys proof = *second.say();
    const auto heard = first.hear({{"CHAP_N", "disk"}, {"CHAP_R", value(proof, "CHAP_R")}});
    ASSERT_FALSE(heard);
    EXPECT_THAT(heard.error().message, HasSubstr("initiator's secret"));
}

TEST(ChapInitiator, TakesAnyNameOfTheTargetWhereNoneIsAskedFor) {
    ChapCredentials nameless = mutual();
    nameless.target->name.clear();
    Handshake h(nameless, mutual());
    EXPECT_TRUE(h.initiator.hear(*h.target.answer(h.proof)));
}

TEST(ChapInitiator, SaysNothingWithCredentialsThatAreNone) {
    ChapCredentials same = mutual();
    same.target->secret = same.initiator.secret;
    ChapCredentials nameless = one_way();
    nameless.initiator.name.clear();
    ChapCredentials empty = mutual();
    empty.target->secret = Secret();
    for (const ChapCredentials& credentials : {same, nameless, empty}) {
        EXPECT_FALSE(ChapInitiator(credentials).say());
        EXPECT_FALSE(ChapTarget(credentials).answer({{"CHAP_A", "5"}}));
    }
}

TEST(ChapTarget, RefusesAnInitiatorThatDoesNotProveItself) {
    const auto answered = [](auto change) {
        Handshake h(mutual(), mutual());
        change(h.proof);
        const auto answer = h.target.answer(h.proof);
        EXPECT_FALSE(h.target.done());
        return answer ? std::string("believed") : answer.error().message;
    };
    EXPECT_THAT(answered([](TextKeys& keys) { set(keys, "CHAP_R", "0x00"); }), HasSubstr("wrong"));
    EXPECT_THAT(answered([](TextKeys& keys) { set(keys, "CHAP_N", "guest"); }), HasSubstr("wrong"));
    EXPECT_THAT(answered([](TextKeys& keys) { keys.erase(keys.begin()); }), HasSubstr("CHAP_N"));
    EXPECT_THAT(answered([](TextKeys& keys) { set(keys, "CHAP_I", "300"); }), HasSubstr("CHAP_I"));
    EXPECT_THAT(answered([](TextKeys& keys) { keys.pop_back(); }), HasSubstr("CHAP_C"));

    ChapCredentials other = one_way();
    other.initiator.secret = Secret("another secret altogether");
    Handshake h(other, one_way());
    EXPECT_FALSE(h.target.answer(h.proof));
}

TEST(ChapTarget, RefusesItsOwnChallenge) {
    ChapInitiator initiator(one_way());
    ChapTarget target(mutual());
    const TextKeys challenge = *target.answer(*initiator.say());
    ASSERT_TRUE(initiator.hear(challenge));
    TextKeys proof = *initiator.say();
    proof.emplace_back("CHAP_I", value(challenge, "CHAP_I"));
    proof.emplace_back("CHAP_C", value(challenge, "CHAP_C"));
    const auto answer = target.answer(proof);
    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error().message, HasSubstr("own challenge back"));
}

TEST(ChapTarget, WithoutASecretOfItsOwnCannotProveItself) {
    Handshake h(mutual(), one_way());
    EXPECT_FALSE(h.target.answer(h.proof));
}

TEST(ChapTarget, WantsAnAlgorithmItHas) {
    for (const char* offered : {"", "4", "9,10", ",", "x"}) {
        EXPECT_FALSE(ChapTarget(one_way()).answer({{"CHAP_A", offered}})) << offered;
    }
    EXPECT_FALSE(ChapTarget(one_way()).answer({{"CHAP_N", "host"}, {"CHAP_R", "0x00"}}));
    EXPECT_TRUE(ChapTarget(one_way()).answer({{"AuthMethod", "CHAP"}})->empty()) << "not of CHAP";
}

}  // namespace
}  // namespace sanscope
