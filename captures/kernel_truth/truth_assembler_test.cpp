// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/kernel_truth/truth_assembler.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uint64_t always = std::numeric_limits<uint64_t>::max();
constexpr size_t all = std::numeric_limits<size_t>::max();

// Socket `sock` of 192.0.2.1, whose other end is 192.0.2.2:3260.
kernel_event event(uint64_t sock, uint64_t at_ns, kernel_event_kind kind = KERNEL_EVENT_WINDOW) {
    kernel_event made{};
    made.monotonic_ns = at_ns;
    made.sock = sock;
    made.cookie = 100 + sock;
    made.snd_cwnd = 10;
    made.ssthresh = KERNEL_EVENT_INFINITE_SSTHRESH;
    made.mss = 1448;
    made.local_port = static_cast<uint16_t>(40'000 + sock);
    made.remote_port = 3260;
    made.kind = static_cast<uint8_t>(kind);
    made.known = KERNEL_EVENT_KNOWS_SEQUENCE | KERNEL_EVENT_KNOWS_SND_WND | KERNEL_EVENT_KNOWS_RCV_WND |
                 KERNEL_EVENT_KNOWS_CA_STATE;
    made.address_bytes = 4;
    std::memcpy(made.local_address, "\xc0\x00\x02\x01", 4);
    std::memcpy(made.remote_address, "\xc0\x00\x02\x02", 4);
    std::memcpy(made.congestion_control, "cubic", 6);
    return made;
}

class TruthAssemblerTest : public testing::Test {
  protected:
    v1::KernelTruth take(uint64_t until_ns = always, size_t most = all) {
        v1::KernelTruth truth;
        assembler.take(until_ns, most, ClockOffsets::fixed(1'000'000, 0), truth);
        return truth;
    }
    static std::vector<uint32_t> window_sockets(const v1::KernelTruth& truth) {
        std::vector<uint32_t> numbers;
        for (const auto& window : truth.windows()) numbers.push_back(window.socket());
        return numbers;
    }
    static std::vector<int64_t> window_times(const v1::KernelTruth& truth) {
        std::vector<int64_t> times;
        for (const auto& window : truth.windows()) times.push_back(window.time_ns());
        return times;
    }

    TruthAssembler assembler{v1::KernelTruth::METHOD_BPF};
};

TEST_F(TruthAssemblerTest, tells_a_socket_once_and_with_all_that_is_known_of_it) {
    assembler.add(event(1, 10));
    assembler.add(event(1, 20));
    const v1::KernelTruth truth = take();
    EXPECT_EQ(truth.method(), v1::KernelTruth::METHOD_BPF);
    ASSERT_THAT(truth.sockets(), SizeIs(1));
    const v1::KernelSocket& socket = truth.sockets(0);
    EXPECT_EQ(socket.socket(), 1u);
    EXPECT_EQ(socket.local_address(), std::string("\xc0\x00\x02\x01", 4));
    EXPECT_EQ(socket.remote_address(), std::string("\xc0\x00\x02\x02", 4));
    EXPECT_EQ(socket.local_port(), 40'001u);
    EXPECT_EQ(socket.remote_port(), 3260u);
    EXPECT_EQ(socket.congestion_control(), "cubic");
    EXPECT_EQ(socket.mss(), 1448u);
    EXPECT_THAT(window_sockets(truth), ElementsAre(1, 1));
}

TEST_F(TruthAssemblerTest, hands_every_figure_on) {
    kernel_event told = event(1, 5);
    told.snd_una = 0xfffffff0;
    told.snd_nxt = 16;
    told.snd_cwnd = 77;
    told.ssthresh = 44;
    told.snd_wnd = 0;
    told.srtt_us = 2500;
    told.rcv_wnd = 65'536;
    told.ca_state = 3;
    assembler.add(told);
    const v1::KernelTruth truth = take();
    ASSERT_THAT(truth.windows(), SizeIs(1));
    const v1::KernelWindow& window = truth.windows(0);
    EXPECT_EQ(window.time_ns(), 1'000'005);
    EXPECT_EQ(window.snd_una(), 0xfffffff0u);
    EXPECT_EQ(window.snd_nxt(), 16u);
    EXPECT_EQ(window.cwnd(), 77u);
    EXPECT_EQ(window.ssthresh(), 44u);
    EXPECT_TRUE(window.has_snd_wnd());
    EXPECT_EQ(window.snd_wnd(), 0u);
    EXPECT_EQ(window.srtt_us(), 2500u);
    EXPECT_EQ(window.rcv_wnd(), 65'536u);
    EXPECT_EQ(window.ca_state(), 3u);
}

TEST_F(TruthAssemblerTest, leaves_out_what_is_not_known) {
    kernel_event told = event(1, 5);
    told.known = 0;
    assembler.add(told);
    const v1::KernelTruth truth = take();
    ASSERT_THAT(truth.windows(), SizeIs(1));
    const v1::KernelWindow& window = truth.windows(0);
    EXPECT_FALSE(window.has_snd_una());
    EXPECT_FALSE(window.has_snd_nxt());
    EXPECT_FALSE(window.has_ssthresh());
    EXPECT_FALSE(window.has_snd_wnd());
    EXPECT_FALSE(window.has_rcv_wnd());
    EXPECT_FALSE(window.has_ca_state());
}

TEST_F(TruthAssemblerTest, tells_transitions_apart_from_windows) {
    kernel_event entered = event(1, 7, KERNEL_EVENT_TRANSITION);
    entered.ca_state = 3;
    assembler.add(event(1, 5));
    assembler.add(entered);
    const v1::KernelTruth truth = take();
    EXPECT_THAT(truth.windows(), SizeIs(1));
    ASSERT_THAT(truth.transitions(), SizeIs(1));
    EXPECT_EQ(truth.transitions(0).socket(), 1u);
    EXPECT_EQ(truth.transitions(0).time_ns(), 1'000'007);
    EXPECT_EQ(truth.transitions(0).state(), 3u);
}

TEST_F(TruthAssemblerTest, gives_the_same_memory_with_another_cookie_a_new_number) {
    assembler.add(event(1, 10));
    kernel_event later = event(1, 20);
    later.cookie = 999;
    assembler.add(later);
    const v1::KernelTruth truth = take();
    EXPECT_THAT(truth.sockets(), SizeIs(2));
    EXPECT_THAT(window_sockets(truth), ElementsAre(1, 2));
}

TEST_F(TruthAssemblerTest, gives_the_same_memory_with_other_ends_a_new_number) {
    assembler.add(event(1, 10));
    kernel_event other_port = event(1, 20);
    other_port.local_port = 50'000;
    kernel_event other_address = other_port;
    other_address.monotonic_ns = 30;
    other_address.remote_address[3] = 9;
    assembler.add(other_port);
    assembler.add(other_address);
    EXPECT_THAT(window_sockets(take()), ElementsAre(1, 2, 3));
}

TEST_F(TruthAssemblerTest, takes_an_event_without_cookie_for_the_socket_it_knows) {
    kernel_event transition = event(1, 20, KERNEL_EVENT_TRANSITION);
    transition.cookie = 0;
    assembler.add(event(1, 10));
    assembler.add(transition);
    const v1::KernelTruth truth = take();
    EXPECT_THAT(truth.sockets(), SizeIs(1));
    EXPECT_EQ(truth.transitions(0).socket(), 1u);
}

TEST_F(TruthAssemblerTest, learns_the_cookie_of_a_socket_it_met_without_one) {
    kernel_event first = event(1, 10);
    first.cookie = 0;
    kernel_event reused = event(1, 30);
    reused.cookie = 999;
    assembler.add(first);
    assembler.add(event(1, 20));
    assembler.add(reused);
    EXPECT_THAT(window_sockets(take()), ElementsAre(1, 1, 2));
}

TEST_F(TruthAssemblerTest, forgets_a_socket_that_closed) {
    kernel_event before = event(1, 10);
    kernel_event after = event(1, 30);
    before.cookie = after.cookie = 0;
    assembler.add(before);
    assembler.add(event(1, 20, KERNEL_EVENT_CLOSED));
    assembler.add(after);
    const v1::KernelTruth truth = take();
    EXPECT_THAT(truth.sockets(), SizeIs(2));
    EXPECT_THAT(window_sockets(truth), ElementsAre(1, 2));
}

TEST_F(TruthAssemblerTest, does_not_tell_of_sockets_without_another_end) {
    kernel_event no_address = event(1, 10, KERNEL_EVENT_TRANSITION);
    std::memset(no_address.remote_address, 0, sizeof no_address.remote_address);
    kernel_event no_port = event(2, 20, KERNEL_EVENT_TRANSITION);
    no_port.remote_port = 0;
    assembler.add(no_address);
    assembler.add(no_port);
    const v1::KernelTruth truth = take();
    EXPECT_THAT(truth.sockets(), IsEmpty());
    EXPECT_THAT(truth.transitions(), IsEmpty());
}

TEST_F(TruthAssemblerTest, tells_a_mapped_address_as_the_ipv4_address_it_is) {
    kernel_event mapped = event(1, 10);
    mapped.address_bytes = 16;
    std::memcpy(mapped.local_address, "\0\0\0\0\0\0\0\0\0\0\xff\xff\xc0\x00\x02\x01", 16);
    std::memcpy(mapped.remote_address, "\0\0\0\0\0\0\0\0\0\0\xff\xff\xc0\x00\x02\x02", 16);
    kernel_event ipv6 = event(2, 20);
    ipv6.address_bytes = 16;
    std::memcpy(ipv6.local_address, "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01", 16);
    std::memcpy(ipv6.remote_address, "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x02", 16);
    assembler.add(mapped);
    assembler.add(ipv6);
    const v1::KernelTruth truth = take();
    ASSERT_THAT(truth.sockets(), SizeIs(2));
    EXPECT_EQ(truth.sockets(0).remote_address(), std::string("\xc0\x00\x02\x02", 4));
    EXPECT_EQ(truth.sockets(1).remote_address(),
              std::string("\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x02", 16));
}

TEST_F(TruthAssemblerTest, puts_what_several_processors_told_in_order) {
    assembler.add(event(1, 30));
    assembler.add(event(1, 50));
    assembler.add(event(2, 20));
    assembler.add(event(2, 40));
    const v1::KernelTruth truth = take();
    EXPECT_THAT(window_times(truth), ElementsAre(1'000'020, 1'000'030, 1'000'040, 1'000'050));
    EXPECT_THAT(window_sockets(truth), ElementsAre(1, 2, 1, 2));
}

TEST_F(TruthAssemblerTest, keeps_events_of_one_moment_as_they_came) {
    for (uint32_t i = 0; i < 100; ++i) {
        kernel_event same = event(1, 50);
        same.snd_cwnd = i;
        assembler.add(same);
    }
    assembler.add(event(2, 40));
    const v1::KernelTruth truth = take();
    ASSERT_THAT(truth.windows(), SizeIs(101));
    for (int i = 0; i < 100; ++i) EXPECT_EQ(truth.windows(i + 1).cwnd(), static_cast<uint32_t>(i));
}

TEST_F(TruthAssemblerTest, holds_back_what_may_still_be_preceded) {
    assembler.add(event(1, 30));
    assembler.add(event(1, 50));
    EXPECT_THAT(window_times(take(40)), ElementsAre(1'000'030));
    assembler.add(event(2, 45));
    EXPECT_THAT(window_times(take(50)), ElementsAre(1'000'045, 1'000'050));
    EXPECT_EQ(assembler.pending(), 0u);
}

TEST_F(TruthAssemblerTest, fills_no_message_beyond_its_limit) {
    for (uint64_t at = 0; at < 5; ++at) assembler.add(event(1, at));
    v1::KernelTruth truth;
    const ClockOffsets clocks = ClockOffsets::fixed(1'000'000, 0);
    EXPECT_TRUE(assembler.take(3, 3, clocks, truth));
    EXPECT_THAT(window_times(truth), ElementsAre(1'000'000, 1'000'001, 1'000'002));
    EXPECT_FALSE(assembler.take(3, 3, clocks, truth));
    EXPECT_THAT(window_times(truth), ElementsAre(1'000'003));
    EXPECT_EQ(assembler.pending(), 1u);
}

TEST_F(TruthAssemblerTest, tells_sockets_again_in_another_file_by_the_same_number) {
    assembler.add(event(7, 10));
    assembler.add(event(8, 20));
    EXPECT_THAT(take().sockets(), SizeIs(2));
    assembler.restart_file();
    assembler.add(event(8, 30));
    const v1::KernelTruth truth = take();
    ASSERT_THAT(truth.sockets(), SizeIs(1));
    EXPECT_EQ(truth.sockets(0).socket(), 2u);
    EXPECT_EQ(truth.sockets(0).congestion_control(), "cubic");
    assembler.add(event(8, 40));
    EXPECT_THAT(take().sockets(), IsEmpty());
}

TEST_F(TruthAssemblerTest, tells_a_socket_again_when_something_of_it_changed) {
    assembler.add(event(1, 10));
    kernel_event smaller = event(1, 20);
    smaller.mss = 1220;
    kernel_event silent = event(1, 30);
    silent.mss = 0;
    silent.congestion_control[0] = 0;
    kernel_event other = event(1, 40);
    other.mss = 1220;
    std::memcpy(other.congestion_control, "bbr", 4);
    for (const kernel_event& told : {smaller, silent, other}) assembler.add(told);
    const v1::KernelTruth truth = take();
    ASSERT_THAT(truth.sockets(), SizeIs(3));
    EXPECT_EQ(truth.sockets(1).socket(), 1u);
    EXPECT_EQ(truth.sockets(1).mss(), 1220u);
    EXPECT_EQ(truth.sockets(2).congestion_control(), "bbr");
    EXPECT_THAT(window_sockets(truth), ElementsAre(1, 1, 1, 1));
}

TEST_F(TruthAssemblerTest, tells_losses_once) {
    assembler.add_lost(3);
    assembler.add_lost(4);
    EXPECT_EQ(take().events_lost(), 7u);
    EXPECT_EQ(take().events_lost(), 0u);
}

TEST_F(TruthAssemblerTest, keeps_the_order_of_events_across_a_clock_stepped_back) {
    kernel_event before = event(1, 10);
    before.tai_ns = 5'000'000'000;
    kernel_event after = event(1, 20);
    after.tai_ns = 1'000'000'000;
    assembler.add(after);
    assembler.add(before);
    EXPECT_THAT(window_times(take()), ElementsAre(5'000'000'000, 1'000'000'000));
}

// Two processors, each of which was held up between reading one clock and the other.
TEST_F(TruthAssemblerTest, lets_no_time_go_back_by_what_lies_between_two_readings) {
    kernel_event first = event(1, 10);
    first.tai_ns = 1'000'000'040;
    kernel_event second = event(1, 11);
    second.tai_ns = 1'000'000'020;
    kernel_event third = event(1, 12);
    third.tai_ns = 1'000'000'050;
    assembler.add(first);
    assembler.add(second);
    assembler.add(third);
    EXPECT_THAT(window_times(take()), ElementsAre(1'000'000'040, 1'000'000'040, 1'000'000'050));
}

}  // namespace
}  // namespace sanscope
