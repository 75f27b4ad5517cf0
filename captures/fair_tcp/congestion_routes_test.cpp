// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/fair_tcp/congestion_routes.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <sched.h>
#include <string>
#include <thread>
#include <utility>

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Reno and CUBIC are in every kernel: what is selected does not matter here.
constexpr const char* control = "reno";

// A host of its own, in a network namespace: 192.0.2.1/24 and 2001:db8::1/64 on one device, 198.51.100.1/24 on another.
class CongestionRoutes : public testing::Test {
  protected:
    void SetUp() override {
        if (::unshare(CLONE_NEWNET) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
            GTEST_SKIP() << "no network namespace without rights";
        for (const char* device : {"one", "two"}) {
            if (!ip(fmt::format("link add {0} type veth peer name {0}-end", device)))
                GTEST_SKIP() << "no virtual devices";
            for (const char* end : {"", "-end"})
                ASSERT_TRUE(ip(fmt::format("link set {}{} addrgenmode none", device, end)));
            ASSERT_TRUE(ip(fmt::format("link set {} up", device)));
            ASSERT_TRUE(ip(fmt::format("link set {}-end up", device)));
        }
        ASSERT_TRUE(ip("address add 192.0.2.1/24 dev one"));
        ASSERT_TRUE(ip("address add 2001:db8::1/64 dev one nodad"));
        ASSERT_TRUE(ip("address add 198.51.100.1/24 dev two"));
        before_ = settled_routes();
    }
    // IPv6's own routes of a device come once its carrier is up: on a busy machine that is later, and while they come a listing lacks
    // some.
    static std::string settled_routes() {
        constexpr int most_tries = 100;
        std::string last = routes();
        for (int i = 0; i < most_tries; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            std::string now = routes();
            if (now == last && now.find("ff00::/8 dev one-end") != std::string::npos &&
                now.find("ff00::/8 dev two-end") != std::string::npos)
                break;
            last = std::move(now);
        }
        return last;
    }
    static bool ip(const std::string& arguments) {
        return std::system(("ip " + arguments + " 2>/dev/null").c_str()) == 0;
    }
    static std::string output(const std::string& arguments) {
        const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(("ip " + arguments).c_str(), "r"), ::pclose);
        std::string text;
        std::array<char, 4096> part{};
        while (std::fgets(part.data(), part.size(), pipe.get()) != nullptr) text += part.data();
        return text;
    }
    static std::string routes() { return output("route show table all") + output("-6 route show table all"); }
    void expect_nothing_changed() const { EXPECT_EQ(routes(), before_); }

    std::string before_;
};

TEST_F(CongestionRoutes, IsAddedOnceAndTakenAwayAgain) {
    auto added = add_congestion_route("192.0.2.7", control);
    ASSERT_TRUE(added) << added.error().message;
    EXPECT_EQ(*added, Selected::now);
    EXPECT_THAT(output("route get 192.0.2.7"), HasSubstr("congctl reno"));
    EXPECT_THAT(output("route get 192.0.2.8"), Not(HasSubstr("congctl")));
    added = add_congestion_route("192.0.2.7", control);
    ASSERT_TRUE(added);
    EXPECT_EQ(*added, Selected::before);
    EXPECT_THAT(*congestion_routes(control), ElementsAre("192.0.2.7"));
    EXPECT_THAT(*congestion_routes("cubic"), IsEmpty());
    EXPECT_THAT(*remove_congestion_routes("cubic"), IsEmpty()) << "it is of another";
    EXPECT_THAT(*remove_congestion_routes(control), ElementsAre("192.0.2.7"));
    expect_nothing_changed();
}

TEST_F(CongestionRoutes, OfIPv6) {
    ASSERT_TRUE(add_congestion_route("2001:db8::7", control));
    EXPECT_THAT(output("-6 route get 2001:db8::7"), HasSubstr("congctl reno"));
    EXPECT_THAT(*congestion_routes(control), ElementsAre("2001:db8::7"));
    EXPECT_THAT(*remove_congestion_routes(control), ElementsAre("2001:db8::7"));
    expect_nothing_changed();
}

TEST_F(CongestionRoutes, LeadWherePacketsWentWithAllMetrics) {
    ASSERT_TRUE(
        ip("route add 203.0.113.0/24 via 192.0.2.9 src 192.0.2.1 mtu lock 1400 initcwnd 4 congctl cubic"));
    before_ = routes();
    ASSERT_TRUE(add_congestion_route("203.0.113.5", control));
    const std::string route = output("route show 203.0.113.5");
    for (const char* part :
         {"via 192.0.2.9", "dev one", "src 192.0.2.1", "mtu lock 1400", "initcwnd 4", "congctl reno"})
        EXPECT_THAT(route, HasSubstr(part));
    ASSERT_TRUE(remove_congestion_routes(control));
    expect_nothing_changed();
}

// Where the paths of a host are several, to pin its connections to one would change what is measured.
TEST_F(CongestionRoutes, KeepAllNextHops) {
    ASSERT_TRUE(
        ip("route add 203.0.113.0/24 nexthop via 192.0.2.9 weight 1 nexthop via 198.51.100.9 weight 3"));
    before_ = routes();
    ASSERT_TRUE(add_congestion_route("203.0.113.5", control));
    const std::string route = output("route show 203.0.113.5");
    EXPECT_THAT(route, HasSubstr("nexthop via 192.0.2.9 dev one weight 1"));
    EXPECT_THAT(route, HasSubstr("nexthop via 198.51.100.9 dev two weight 3"));
    ASSERT_TRUE(remove_congestion_routes(control));
    expect_nothing_changed();
}

TEST_F(CongestionRoutes, KeepNextHopObjectsAndOnlinkGateways) {
    ASSERT_TRUE(ip("nexthop add id 5 via 192.0.2.9 dev one"));
    ASSERT_TRUE(ip("route add 203.0.113.0/25 nhid 5"));
    ASSERT_TRUE(ip("route add 203.0.113.128/25 via 10.9.9.9 dev two onlink"));
    before_ = routes();
    ASSERT_TRUE(add_congestion_route("203.0.113.5", control));
    EXPECT_THAT(output("route show 203.0.113.5"), HasSubstr("nhid 5"));
    ASSERT_TRUE(add_congestion_route("203.0.113.200", control));
    EXPECT_THAT(output("route show 203.0.113.200"), HasSubstr("via 10.9.9.9 dev two"));
    EXPECT_THAT(*remove_congestion_routes(control), ElementsAre("203.0.113.5", "203.0.113.200"));
    expect_nothing_changed();
}

TEST_F(CongestionRoutes, AreOfTheTableThatTheRulesLookUp) {
    ASSERT_TRUE(ip("route add 203.0.113.0/24 via 198.51.100.9 table 1000"));
    ASSERT_TRUE(ip("rule add to 203.0.113.0/24 lookup 1000"));
    before_ = routes();
    const auto added = add_congestion_route("203.0.113.5", control);
    ASSERT_TRUE(added) << added.error().message;
    EXPECT_THAT(output("route get 203.0.113.5"), HasSubstr("congctl reno"));
    EXPECT_THAT(output("route show table 1000"), HasSubstr("203.0.113.5"));
    EXPECT_THAT(*remove_congestion_route("203.0.113.5", control), ElementsAre("203.0.113.5"));
    expect_nothing_changed();
}

TEST_F(CongestionRoutes, AreRefusedWhereTheyCannotBe) {
    const auto refusal = [](const std::string& address) {
        const auto added = add_congestion_route(address, control);
        return added ? std::string("added") : added.error().message;
    };
    ASSERT_TRUE(ip("route add 192.0.2.20 dev one"));
    ASSERT_TRUE(ip("route add unreachable 203.0.113.0/24"));
    before_ = routes();
    EXPECT_THAT(refusal("192.0.2.1"), HasSubstr("not another host's address"));
    EXPECT_THAT(refusal("192.0.2.255"), HasSubstr("not another host's address"));
    EXPECT_THAT(refusal("192.0.2.20"), HasSubstr("there is a route to 192.0.2.20 alone already"));
    EXPECT_THAT(refusal("10.1.1.1"), HasSubstr("no route to 10.1.1.1"));
    EXPECT_THAT(refusal("203.0.113.5"), HasSubstr("no route to 203.0.113.5"));
    EXPECT_THAT(refusal("fe80::1%one"), HasSubstr("an address of one link"));
    EXPECT_THAT(refusal("nonsense"), HasSubstr("is no IP address"));
    expect_nothing_changed();
    ASSERT_TRUE(add_congestion_route("192.0.2.7", "cubic"));
    EXPECT_THAT(refusal("192.0.2.7"), HasSubstr("cubic is selected for 192.0.2.7 already"));
    EXPECT_FALSE(add_congestion_route("192.0.2.8", "nosuchcontrol"));
}

// The kernel does not name a congestion control that is gone; here the route has none, which looks the same.
TEST_F(CongestionRoutes, OfAControlThatIsGoneGiveWay) {
    const auto leave_behind = [] {
        return ip(fmt::format("route add 192.0.2.7 dev one proto {}", congestion_route_protocol));
    };
    ASSERT_TRUE(leave_behind());
    EXPECT_THAT(*congestion_routes(control), IsEmpty());
    auto added = add_congestion_route("192.0.2.7", control);
    ASSERT_TRUE(added) << added.error().message;
    EXPECT_EQ(*added, Selected::now);
    EXPECT_THAT(*remove_congestion_routes(control), ElementsAre("192.0.2.7"));
    ASSERT_TRUE(leave_behind());
    EXPECT_THAT(*remove_congestion_routes(control), ElementsAre("192.0.2.7"));
    expect_nothing_changed();
}

}  // namespace
}  // namespace sanscope
