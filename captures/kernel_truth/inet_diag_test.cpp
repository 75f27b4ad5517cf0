// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/kernel_truth/inet_diag.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "captures/kernel_truth/testing/inet_diag_answers.h"

namespace sanscope {
namespace {

using namespace testing_answers;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr size_t up_to_snd_wnd = offsetof(tcp_info, tcpi_snd_wnd);

std::vector<kernel_event> events_of(const std::vector<uint8_t>& datagram) {
    std::vector<kernel_event> events;
    parse_inet_diag(datagram, sequence, [&](const kernel_event& event) { events.push_back(event); });
    return events;
}

tcp_info info() {
    tcp_info made{};
    made.tcpi_ca_state = 3;
    made.tcpi_snd_cwnd = 40;
    made.tcpi_snd_ssthresh = 20;
    made.tcpi_rtt = 1500;
    made.tcpi_snd_mss = 1448;
    made.tcpi_snd_wnd = 70'000;
    return made;
}

TEST(InetDiag, reads_a_socket) {
    const auto events = events_of(socket_answer(info(), up_to_snd_wnd + 8, 66'000));
    ASSERT_THAT(events, SizeIs(1));
    const kernel_event& event = events[0];
    EXPECT_EQ(event.kind, KERNEL_EVENT_WINDOW);
    EXPECT_EQ(event.cookie, 0x200000001u);
    EXPECT_EQ(event.sock, event.cookie);
    EXPECT_EQ(event.local_port, 40'000);
    EXPECT_EQ(event.remote_port, 3260);
    EXPECT_EQ(event.address_bytes, 4);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(event.remote_address), 4),
              std::string("\xc0\x00\x02\x02", 4));
    EXPECT_STREQ(event.congestion_control, "cubic");
    EXPECT_EQ(event.mss, 1448u);
    EXPECT_EQ(event.snd_cwnd, 40u);
    EXPECT_EQ(event.srtt_us, 1500u);
    EXPECT_EQ(event.ca_state, 3);
    EXPECT_EQ(event.snd_wnd, 70'000u);
    EXPECT_EQ(event.rcv_wnd, 66'000u);
    EXPECT_EQ(event.known,
              KERNEL_EVENT_KNOWS_CA_STATE | KERNEL_EVENT_KNOWS_SND_WND | KERNEL_EVENT_KNOWS_RCV_WND);
}

TEST(InetDiag, knows_what_older_kernels_do_not_tell) {
    EXPECT_EQ(events_of(socket_answer(info(), up_to_snd_wnd)).at(0).known, KERNEL_EVENT_KNOWS_CA_STATE);
    EXPECT_EQ(events_of(socket_answer(info(), up_to_snd_wnd + 4)).at(0).known,
              KERNEL_EVENT_KNOWS_CA_STATE | KERNEL_EVENT_KNOWS_SND_WND);
    EXPECT_THAT(events_of(socket_answer(info(), up_to_snd_wnd - 4)), IsEmpty());
}

// tcp_current_ssthresh(): outside of CWR and Recovery three quarters of the window are as good.
TEST(InetDiag, tells_the_threshold_as_the_tracepoint_does) {
    tcp_info told = info();
    EXPECT_EQ(events_of(socket_answer(told, up_to_snd_wnd + 8)).at(0).ssthresh, 20u);
    told.tcpi_ca_state = 0;
    EXPECT_EQ(events_of(socket_answer(told, up_to_snd_wnd + 8)).at(0).ssthresh, 30u);
    told.tcpi_snd_ssthresh = 35;
    EXPECT_EQ(events_of(socket_answer(told, up_to_snd_wnd + 8)).at(0).ssthresh, 35u);
}

TEST(InetDiag, knows_the_end_of_an_answer) {
    const auto none = [](const kernel_event&) {};
    EXPECT_FALSE(parse_inet_diag(socket_answer(info(), up_to_snd_wnd), sequence, none).is_last);
    EXPECT_TRUE(parse_inet_diag(message(NLMSG_DONE, {0, 0, 0, 0}), sequence, none).is_last);
    EXPECT_FALSE(parse_inet_diag(message(NLMSG_DONE, {0, 0, 0, 0}, sequence - 1), sequence, none).is_last);
}

TEST(InetDiag, says_what_the_kernel_objects_to) {
    std::vector<uint8_t> body;
    append(body, -EPERM);
    const auto answer = parse_inet_diag(message(NLMSG_ERROR, body), sequence, [](const kernel_event&) {});
    EXPECT_TRUE(answer.is_last);
    ASSERT_TRUE(answer.error);
    EXPECT_THAT(answer.error->message, HasSubstr("not permitted"));
}

TEST(InetDiag, an_error_that_is_none_is_one_of_the_protocol) {
    for (const int told : {std::numeric_limits<int>::min(), -5000, 0, 7}) {
        std::vector<uint8_t> body;
        append(body, told);
        const auto answer = parse_inet_diag(message(NLMSG_ERROR, body), sequence, [](const kernel_event&) {});
        ASSERT_TRUE(answer.error) << told;
        EXPECT_THAT(answer.error->message, HasSubstr("Protocol error")) << told;
    }
}

TEST(InetDiag, tells_nothing_of_an_answer_that_is_cut) {
    const std::vector<uint8_t> whole = socket_answer(info(), up_to_snd_wnd + 8);
    for (size_t length = 0; length < whole.size(); ++length) {
        const std::vector<uint8_t> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
        EXPECT_THAT(events_of(cut), IsEmpty()) << length;
    }
}

TEST(InetDiag, ends_a_name_that_has_no_end) {
    std::vector<uint8_t> body(sizeof(inet_diag_msg));
    body[0] = AF_INET;
    const tcp_info told = info();
    append_attribute(body, INET_DIAG_CONG, "a_name_that_is_much_too_long", 28);
    append_attribute(body, INET_DIAG_INFO, &told, sizeof told);
    EXPECT_STREQ(events_of(message(SOCK_DIAG_BY_FAMILY, body)).at(0).congestion_control, "a_name_that_is_");
}

}  // namespace
}  // namespace sanscope
