// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "analyzer/report/findings.h"
#include "analyzer/report/testing/frames_capture.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::FramesCapture;
using test::FramesConnection;
using test::Host;
using test::ms;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

using Kind = Finding::Kind;
using Severity = Finding::Severity;

constexpr uint32_t jumbo = 8948;
constexpr bool initiator = false;
constexpr bool target = true;

Host host(uint8_t number, uint16_t mss = 1460) {
    return {.ip = "10.0.0." + std::to_string(number),
            .mac = number,
            .syn_options = test::syn_options_with_mss(mss)};
}

void expect_no_problem(FramesCapture& capture) {
    for (const Finding& finding : capture.find())
        EXPECT_EQ(finding.severity, Severity::information) << finding.title;
}

// Jumbo frames of the target, which a hop drops; captured at the target.
class BlackHole : public testing::Test {
  protected:
    void begin(uint16_t mss = jumbo) {
        connection.host(initiator).syn_options = test::syn_options_with_mss(mss);
        connection.host(target).syn_options = test::syn_options_with_mss(mss);
        // Between the SYN-ACK and its acknowledgement is the path: the capture is the target's.
        connection.open(0, 0);
        connection.login(2 * ms);
        for (int64_t i = 0; i < 20; ++i) connection.read(10 * ms + i * 5 * ms);
        connection.request_read(200 * ms, 100);
        connection.receives[target] = false;
        first_lost = connection.next_seq(target);
        for (int i = 0; i < 3; ++i) connection.send(target, Bytes(mss), 201 * ms);
    }
    // The timer repeats the first one; the initiator asks again and again whether the target is there.
    void back_off(uint16_t mss, int64_t until_ms) {
        for (int64_t at_ms = 401, wait_ms = 200; at_ms < until_ms; at_ms += wait_ms, wait_ms *= 2) {
            connection.segment_at(target, first_lost, Bytes(mss), at_ms * ms);
            connection.acknowledge(initiator, at_ms * ms + ms);
            connection.send(initiator,
                            test::PduBuilder(Opcode::nop_out).immediate().flags(0x80).itt(900).bytes(),
                            at_ms * ms + 2 * ms);
            connection.segment_at(target, connection.next_seq(target), {}, at_ms * ms + 3 * ms);
        }
    }
    void say_too_big(int64_t at_ns, uint32_t mtu, uint16_t to_port = 50001) {
        say_too_big(at_ns, mtu, to_port, first_lost);
    }
    void say_too_big(int64_t at_ns, uint32_t mtu, uint16_t to_port, uint32_t seq) {
        const frames::Layer quoted = frames::ipv4(
            {.source = "10.0.0.2", .destination = "10.0.0.1"},
            frames::tcp({.source_port = 3260, .destination_port = to_port, .seq = seq}, Bytes(jumbo)));
        capture.add(
            frames::ethernet(frames::ipv4({.source = "10.0.0.254", .destination = "10.0.0.2"},
                                          frames::icmp({.type = 3, .code = 4, .rest = mtu},
                                                       {quoted.bytes.begin(), quoted.bytes.begin() + 28}))),
            at_ns);
    }

    FramesCapture capture;
    FramesConnection connection{capture, host(1), host(2)};
    uint32_t first_lost = 0;
};

TEST_F(BlackHole, is_told_with_the_mss_of_both_syns) {
    begin();
    back_off(jumbo, 4000);
    const std::vector<Finding> found = capture.find();
    ASSERT_EQ(found.front().kind, Kind::mtu_black_hole);
    EXPECT_EQ(found.front().severity, Severity::problem);
    EXPECT_EQ(found.front().side, Finding::Side::path);
    EXPECT_THAT(found.front().evidence,
                Contains("MSS announced in the SYNs: 8948 by the initiator, 8948 by the target"));
    // Nothing but TCP was captured: nobody knows what routers said.
    EXPECT_THAT(found.front().explanation, HasSubstr("nothing but TCP"));
    EXPECT_THAT(found.front().evidence, Not(Contains(HasSubstr("no ICMP"))));
}

// The capture begins behind the handshake: what the hosts agreed on is in no packet.
TEST_F(BlackHole, does_not_know_what_was_agreed_on_where_no_syn_was_seen) {
    connection.login(2 * ms);
    for (int64_t i = 0; i < 20; ++i) connection.read(10 * ms + i * 5 * ms);
    connection.request_read(200 * ms, 100);
    connection.receives[target] = false;
    first_lost = connection.next_seq(target);
    for (int i = 0; i < 3; ++i) connection.send(target, Bytes(jumbo), 201 * ms);
    back_off(jumbo, 4000);
    const std::vector<Finding> found = capture.find(Kind::mtu_black_hole);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_THAT(found[0].explanation, Not(HasSubstr("agreed on segments of")));
    EXPECT_THAT(found[0].title, Not(HasSubstr("Full-size")));
}

TEST_F(BlackHole, says_that_nothing_was_said_where_it_would_have_been_seen) {
    capture.add(frames::ethernet(frames::arp({})), 0);
    begin();
    back_off(jumbo, 4000);
    const std::vector<Finding> found = capture.find(Kind::mtu_black_hole);
    ASSERT_THAT(found, SizeIs(1));
    const std::string all = found[0].explanation + testing::PrintToString(found[0].evidence);
    EXPECT_THAT(all, testing::AnyOf(HasSubstr("no ICMP message"), HasSubstr("No ICMP message")));
}

TEST_F(BlackHole, names_the_router_that_says_so_and_its_mtu) {
    begin();
    say_too_big(202 * ms, 1500);
    const PacketNumber said = capture.packets();
    back_off(jumbo, 4000);
    const std::vector<Finding> found = capture.find(Kind::mtu_black_hole);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_THAT(found[0].evidence,
                Contains("ICMP \"fragmentation needed\" from 10.0.0.254 in packet " + std::to_string(said) +
                         ": a packet of 8988 bytes is too big for the next hop, whose MTU is 1500"));
}

TEST_F(BlackHole, is_not_told_with_what_was_said_of_others) {
    begin();
    say_too_big(202 * ms, 1500, 50002);
    say_too_big(203 * ms, 9000);  // it would have fitted
    back_off(jumbo, 4000);
    const std::vector<Finding> found = capture.find(Kind::mtu_black_hole);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_THAT(found[0].evidence, Not(Contains(HasSubstr("ICMP \"fragmentation"))));
}

// net.ipv4.tcp_mtu_probing=1.
TEST_F(BlackHole, that_the_sender_found_out_cost_the_time_until_then) {
    begin();
    back_off(jumbo, 1000);
    connection.segment_at(target, first_lost, Bytes(1012), 2000 * ms);
    connection.set_received(target, first_lost + 1012);
    connection.acknowledge(initiator, 2001 * ms);
    const uint32_t end = connection.next_seq(target);
    for (uint32_t seq = first_lost + 1012, at_ms = 2002; seq < end; seq += 1012, ++at_ms) {
        const uint32_t length = std::min(1012u, end - seq);
        connection.segment_at(target, seq, Bytes(length), at_ms * ms);
        connection.set_received(target, seq + length);
        connection.acknowledge(initiator, (at_ms + 1) * ms);
    }
    const std::vector<Finding> found = capture.find(Kind::mtu_black_hole);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_THAT(found[0].title,
                HasSubstr("Segments of 8948 bytes of target 10.0.0.2:3260 did not arrive, pieces of 1012"));
    EXPECT_GT(found[0].cost_ns, 1500 * ms);
}

// One direction is gone: the acknowledgements of what the initiator sends do not come either, and it sends that again.
TEST_F(BlackHole, is_none_where_acknowledgements_do_not_arrive_either) {
    begin();
    const uint32_t ping_seq = connection.next_seq(initiator);
    const Bytes ping = test::PduBuilder(Opcode::nop_out).immediate().flags(0x80).itt(900).bytes();
    connection.send(initiator, ping, 390 * ms);
    connection.segment_at(target, connection.next_seq(target), {}, 391 * ms);
    for (int64_t at_ms = 401, wait_ms = 200; at_ms < 4000; at_ms += wait_ms, wait_ms *= 2) {
        connection.segment_at(target, first_lost, Bytes(jumbo), at_ms * ms);
        connection.segment_at(initiator, ping_seq, ping, (at_ms + wait_ms - 10) * ms);
        connection.segment_at(target, connection.next_seq(target), {}, (at_ms + wait_ms - 9) * ms);
    }
    EXPECT_THAT(capture.find(Kind::mtu_black_hole), IsEmpty());
}

// Path MTU discovery at work (RFC 1191 §6): told of each, the sender sends smaller ones at once.
class Discovery : public BlackHole {
  protected:
    // `quoted`: so many of the three segments that were lost.
    std::vector<Finding> discover(uint32_t quoted) {
        begin();
        const uint32_t end = connection.next_seq(target);
        for (uint32_t i = 0; i < quoted; ++i) say_too_big(202 * ms, 1500, 50001, first_lost + i * jumbo);
        for (uint32_t seq = first_lost; seq < end; seq += 1448)
            connection.segment_at(target, seq, Bytes(std::min(1448u, end - seq)), 203 * ms);
        connection.set_received(target, end);
        connection.acknowledge(initiator, 204 * ms);
        connection.receives[target] = true;
        for (int64_t i = 0; i < 50; ++i) connection.read(300 * ms + i * 20 * ms);
        return capture.find();
    }
    // What was sent there is no iSCSI: of the path alone it is asked.
    static auto told_of_path(const std::vector<Finding>& found) {
        return std::ranges::count_if(found, [](const Finding& finding) {
            return finding.severity != Severity::information && finding.side == Finding::Side::path;
        });
    }
};

TEST_F(Discovery, is_no_fault) {
    const std::vector<Finding> found = discover(3);
    EXPECT_EQ(told_of_path(found), 0);
    const auto losses = std::ranges::find(found, Kind::lost_segments, &Finding::kind);
    ASSERT_NE(losses, found.end());
    EXPECT_THAT(losses->title, HasSubstr("were too big for the path"));
    EXPECT_THAT(losses->explanation, HasSubstr("10.0.0.254"));
}

TEST_F(Discovery, does_not_explain_losses_that_no_router_quotes) {
    const std::vector<Finding> found = discover(1);
    const auto losses = std::ranges::find(found, Kind::lost_segments, &Finding::kind);
    ASSERT_NE(losses, found.end());
    EXPECT_NE(losses->severity, Severity::information);
    EXPECT_THAT(losses->title, HasSubstr("lost on the path"));
    EXPECT_THAT(losses->evidence, Contains(HasSubstr("reports as too big")));
    EXPECT_TRUE(std::ranges::find(found, Kind::mtu_black_hole, &Finding::kind) == found.end());
}

// The path is gone altogether: nothing comes back.
TEST_F(BlackHole, is_none_where_nothing_gets_through) {
    begin(1448);
    for (int64_t at_ms = 401, wait_ms = 200; at_ms < 4000; at_ms += wait_ms, wait_ms *= 2)
        connection.segment_at(target, first_lost, Bytes(1448), at_ms * ms);
    EXPECT_THAT(capture.find(Kind::mtu_black_hole), IsEmpty());
}

// One IP address and who claims it, on a LAN with an iSCSI connection.
class Addresses : public testing::Test {
  protected:
    static constexpr uint8_t intruder = 0x77;
    void SetUp() override {
        connection.open(0);
        connection.login(2 * ms);
        for (int64_t i = 0; i < 20; ++i) connection.read(10 * ms + i * 5 * ms);
    }
    void ask(int64_t at_ms) { capture.add(frames::ethernet_from(1, frames::arp({.mac = 1})), at_ms * ms); }
    void answer(uint8_t mac, int64_t at_ms, std::string_view of = "10.0.0.2") {
        capture.add(frames::ethernet_from(
                        mac, frames::arp({.reply = true, .mac = mac, .sender = of, .target = "10.0.0.1"})),
                    at_ms * ms);
    }
    void announce(uint8_t mac, int64_t at_ms, std::string_view address = "10.0.0.2") {
        capture.add(
            frames::ethernet_from(mac, frames::arp({.mac = mac, .sender = address, .target = address})),
            at_ms * ms);
    }

    FramesCapture capture;
    FramesConnection connection{capture, host(1), host(2)};
};

TEST_F(Addresses, that_two_hosts_answer_for_are_told) {
    for (int64_t i = 0; i < 3; ++i) {
        ask(200 + 100 * i);
        answer(2, 201 + 100 * i);
        answer(intruder, 202 + 100 * i);
    }
    connection.host(target).mac = intruder;
    connection.reset(target, 900 * ms);
    const std::vector<Finding> found = capture.find(Kind::duplicate_address);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].severity, Severity::problem);
    EXPECT_EQ(found[0].confidence, Finding::Confidence::firm);
    EXPECT_EQ(found[0].side, Finding::Side::target);
    EXPECT_THAT(found[0].title, HasSubstr("10.0.0.2: 02:00:00:00:00:02 and 02:00:00:00:00:77"));
    EXPECT_THAT(found[0].evidence, Contains(HasSubstr("3 ARP requests answered from two")));
    EXPECT_THAT(found[0].evidence, Contains(HasSubstr("back and forth")));
    EXPECT_THAT(found[0].evidence, Contains(HasSubstr("from both, with the TTL of a neighbour")));
}

// The one that has it answers, and a moment later the one that takes it over tells the one that asked.
TEST_F(Addresses, that_are_taken_over_behind_an_answer_are_told_with_doubt) {
    ask(200);
    answer(2, 201);
    answer(intruder, 600);
    connection.host(target).mac = intruder;
    connection.reset(target, 900 * ms);
    const std::vector<Finding> found = capture.find(Kind::duplicate_address);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].severity, Severity::notice);
    EXPECT_NE(found[0].confidence, Finding::Confidence::firm);
    EXPECT_THAT(found[0].explanation, HasSubstr("moves to and fro"));
}

// A cluster whose two hosts take the address from each other.
TEST_F(Addresses, that_move_to_and_fro_are_told_with_doubt) {
    for (int64_t i = 0; i < 3; ++i) {
        announce(2, 200 + 200 * i);
        announce(intruder, 300 + 200 * i);
    }
    connection.host(target).mac = intruder;
    connection.reset(target, 900 * ms);
    const std::vector<Finding> found = capture.find(Kind::duplicate_address);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].severity, Severity::notice);
    EXPECT_NE(found[0].confidence, Finding::Confidence::firm);
}

TEST_F(Addresses, that_a_third_had_before_name_the_two_that_have_it) {
    constexpr uint8_t third = 0x55;
    for (int64_t i = 0; i < 3; ++i) {
        ask(200'000 + 100 * i);
        answer(third, 200'001 + 100 * i);
        answer(intruder, 200'002 + 100 * i);
    }
    const std::vector<Finding> found = capture.find(Kind::duplicate_address);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_THAT(found[0].title, HasSubstr("02:00:00:00:00:55 and 02:00:00:00:00:77"));
    EXPECT_THAT(found[0].evidence, Not(Contains(HasSubstr("come from both"))));
}

// Whatever ARP may mean, that nothing listens there is a fact.
TEST_F(Addresses, that_may_be_of_two_hosts_hide_no_problem) {
    ask(200);
    answer(2, 201);
    answer(intruder, 202);
    FramesConnection refused(capture, host(1), host(2), 50002);
    refused.refuse(300 * ms);
    const std::vector<Finding> found = capture.find();
    EXPECT_EQ(found.front().kind, Kind::connection_refused);
    EXPECT_EQ(found.front().severity, Severity::problem);
}

// One of two ports of the same host answers for the other as well, whose own address nobody asks for: ARP alone proves nothing.
TEST_F(Addresses, that_only_arp_tells_two_owners_of_are_told_with_doubt) {
    for (int64_t i = 0; i < 3; ++i) {
        ask(200 + 100 * i);
        answer(2, 201 + 100 * i);
        answer(intruder, 202 + 100 * i);
    }
    connection.reset(target, 900 * ms);
    const std::vector<Finding> found = capture.find(Kind::duplicate_address);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].severity, Severity::notice);
    EXPECT_EQ(found[0].confidence, Finding::Confidence::possible);
    EXPECT_THAT(found[0].explanation, HasSubstr("two ports of one host"));
}

TEST_F(Addresses, that_are_taken_over_once_are_fine) {
    ask(200);
    answer(2, 201);
    announce(intruder, 500);
    announce(intruder, 600);
    ask(1000);
    answer(intruder, 1001);
    EXPECT_THAT(capture.find(Kind::duplicate_address), IsEmpty());
}

// The new owner resets what it does not know; the old one is silent.
TEST_F(Addresses, whose_new_owner_resets_connections_are_fine) {
    announce(intruder, 500);
    connection.host(target).mac = intruder;
    connection.host(target).ttl = 128;
    connection.reset(target, 600 * ms);
    EXPECT_THAT(capture.find(Kind::duplicate_address), IsEmpty());
}

TEST_F(Addresses, whose_old_owner_goes_on_beside_a_reset_are_told_with_doubt) {
    connection.host(target).mac = intruder;
    connection.host(target).ttl = 128;
    connection.reset(target, 600 * ms);
    FramesConnection again(capture, host(1), host(2), 50002);
    again.open(700 * ms);
    const std::vector<Finding> found = capture.find(Kind::duplicate_address);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].severity, Severity::notice);
    EXPECT_EQ(found[0].confidence, Finding::Confidence::possible);
    EXPECT_THAT(found[0].evidence, Contains(HasSubstr("(TTL 64) and packet")));
}

TEST_F(Addresses, behind_two_routers_are_fine) {
    connection.host(target).mac = intruder;
    connection.host(target).ttl = 63;
    connection.reset(target, 600 * ms);
    FramesConnection again(capture, host(1), host(2), 50002);
    again.host(target).ttl = 63;
    again.open(700 * ms);
    EXPECT_THAT(capture.find(Kind::duplicate_address), IsEmpty());
}

TEST_F(Addresses, that_a_probe_asks_for_are_fine) {
    for (int64_t i = 0; i < 4; ++i) {
        announce(2, 200 + 100 * i);
        capture.add(frames::ethernet_from(
                        intruder, frames::arp({.mac = intruder, .sender = "0.0.0.0", .target = "10.0.0.2"})),
                    (250 + 100 * i) * ms);
    }
    EXPECT_THAT(capture.find(Kind::duplicate_address), IsEmpty());
}

TEST_F(Addresses, of_two_vlans_or_two_interfaces_are_fine) {
    for (int64_t i = 0; i < 4; ++i) {
        announce(2, 200 + 100 * i);
        const frames::Layer other =
            frames::arp({.mac = intruder, .sender = "10.0.0.2", .target = "10.0.0.2"});
        capture.add(frames::ethernet_from(intruder, frames::vlan(7, other)), (220 + 100 * i) * ms);
        capture.add(frames::ethernet_from(intruder, other), (230 + 100 * i) * ms, 1);
        capture.add(frames::ethernet(frames::ipv4(
                        {}, frames::udp({.destination_port = 4789},
                                        frames::vxlan(9, frames::ethernet_from(intruder, other))))),
                    (240 + 100 * i) * ms);
    }
    EXPECT_THAT(capture.find(Kind::duplicate_address), IsEmpty());
}

// Linux without arp_ignore: each of a host's two ports answers for both addresses.
TEST_F(Addresses, of_a_host_with_two_ports_are_told_with_doubt) {
    for (int64_t i = 0; i < 3; ++i) {
        ask(200 + 100 * i);
        answer(2, 201 + 100 * i);
        answer(intruder, 202 + 100 * i);
        answer(intruder, 203 + 100 * i, "10.0.0.3");
    }
    const std::vector<Finding> found = capture.find(Kind::duplicate_address);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].severity, Severity::notice);
    EXPECT_EQ(found[0].confidence, Finding::Confidence::possible);
    EXPECT_THAT(found[0].explanation, HasSubstr("two ports of one host"));
}

TEST_F(Addresses, that_one_host_claims_are_fine) {
    for (int64_t i = 0; i < 5; ++i) {
        ask(200 + 100 * i);
        answer(2, 201 + 100 * i);
        answer(2, 202 + 100 * i);
        announce(2, 250 + 100 * i);
    }
    expect_no_problem(capture);
}

}  // namespace
}  // namespace sanscope
