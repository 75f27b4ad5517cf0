// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/fair_tcp/status_text.h"

#include <algorithm>
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "captures/fair_tcp/named_object.h"

#include "analyzer/base/congestion_control_name.h"

namespace sanscope {
namespace {

using testing::HasSubstr;
using testing::Not;

FairTcpStatus with_one_ensemble() {
    FairTcpStatus status;
    status.name = "fair";
    status.map_id = 17;
    FairTcpEnsemble one;
    one.key.network_namespace = 5;
    one.key.local_address[2] = htonl(0xffff);
    one.key.local_address[3] = htonl(0xc0000201);
    one.key.remote_address[0] = htonl(0x20010db8);
    one.key.remote_address[3] = htonl(7);
    one.value.state.members = 4;
    one.value.state.counted = 2;
    one.value.state.window = 25;
    one.value.state.ssthresh = ENSEMBLE_INFINITE_SSTHRESH;
    one.value.state.srtt_us = 1500;
    status.ensembles.push_back(one);
    return status;
}

TEST(FairTcpStatus, ShowsEachEnsemblesWindowAndShare) {
    const std::string text = fair_tcp_status_text({with_one_ensemble()});
    EXPECT_THAT(text, HasSubstr("fair: registered (map 17); 1 ensemble;"));
    EXPECT_THAT(text, HasSubstr("192.0.2.1 "));
    EXPECT_THAT(text, HasSubstr("2001:db8::7 "));
    EXPECT_THAT(text, HasSubstr(" 12.5 "));
    EXPECT_THAT(text, HasSubstr("1.500"));
    EXPECT_THAT(text, Not(HasSubstr("2147483647"))) << "no threshold";
    EXPECT_THAT(text, HasSubstr("repaired: nothing"));
    EXPECT_EQ(fair_tcp_status_text({}), "not started\n");
}

TEST(FairTcpStatus, SaysWhatWasRepaired) {
    FairTcpStatus status = with_one_ensemble();
    status.counters.at(FAIR_TCP_REPAIRED + 5) = 3;
    EXPECT_THAT(fair_tcp_status_text({status}), HasSubstr("repaired: 3 thresholds of a socket"));
}

TEST(FairTcpStatus, IsALineOfJsonForEach) {
    FairTcpStatus status = with_one_ensemble();
    status.counters.at(FAIR_TCP_JOINED) = 4;
    const std::string text = fair_tcp_status_json({status, status});
    EXPECT_THAT(text,
                HasSubstr(R"({"name":"fair","registered":true,"map":17,"counters":{"joined":4,"left":0,)"));
    EXPECT_THAT(text, HasSubstr(R"("ensembles":[{"network_namespace":5,"local":"192.0.2.1",)"
                                R"("remote":"2001:db8::7","connections":4,"active":2,"window":25,)"
                                R"("srtt_us":1500,"rttvar_us":0}]})"
                                "\n"));
    EXPECT_EQ(std::ranges::count(text, '\n'), 2);
}

TEST(FairTcpName, HasUpTo15PlainCharacters) {
    for (const char* good : {"fair", "a", "fair_2", "123456789012345"})
        EXPECT_TRUE(is_congestion_control_name(good)) << good;
    for (const char* bad : {"", "1234567890123456", "Fair", "a b", "../x", "a.b", "fair\n"})
        EXPECT_FALSE(is_congestion_control_name(bad)) << bad;
}

TEST(FairTcpName, IsPutInPlaceOfTheCompiledOne) {
    std::vector<unsigned char> object(40, 1);
    const auto put = [&](size_t at) {
        std::fill_n(object.begin() + static_cast<std::ptrdiff_t>(at), 16, static_cast<unsigned char>(0));
        std::ranges::copy(std::string("fair"), object.begin() + static_cast<std::ptrdiff_t>(at));
    };
    EXPECT_FALSE(named_object(object, "x")) << "there is none";
    put(3);
    const auto named = named_object(object, "other");
    ASSERT_TRUE(named);
    EXPECT_EQ(std::string(named->begin() + 3, named->begin() + 9), std::string("other\0", 6));
    EXPECT_EQ(named->size(), object.size());
    EXPECT_EQ(named->at(19), 1);
    EXPECT_FALSE(named_object(object, "1234567890123456"));
    put(22);
    EXPECT_FALSE(named_object(object, "x")) << "which of the two";
}

}  // namespace
}  // namespace sanscope
