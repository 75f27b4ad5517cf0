// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/tcp_settings.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <sys/socket.h>
#include <utility>
#include <vector>

#include "analyzer/base/file_descriptor.h"

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Linux's struct tcp_info up to tcpi_snd_wnd (5.4), which glibc's may not have.
struct tcp_info_with_window {
    std::array<char, 228> before;
    uint32_t window;
};

class TcpSettingsTest : public testing::Test {
  protected:
    int option(int level, int name) const { return option_of(socket_.get(), level, name); }
    static int option_of(int socket, int level, int name) {
        int value = 0;
        socklen_t length = sizeof value;
        EXPECT_EQ(::getsockopt(socket, level, name, &value, &length), 0);
        return value;
    }

    static std::string congestion_control_of(int socket) {
        std::array<char, 17> control{};
        socklen_t length = 16;
        EXPECT_EQ(::getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, control.data(), &length), 0);
        return control.data();
    }
    // Of `socket_`, whose settings are `ours`, to one that comes to it.
    struct Connection {
        FileDescriptor theirs;
        FileDescriptor ours;
    };
    Connection connect(const TcpSettings& ours) const {
        EXPECT_TRUE(set_tcp_settings(socket_.get(), ours));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        auto* const any = reinterpret_cast<sockaddr*>(&address);
        socklen_t length = sizeof address;
        EXPECT_EQ(::bind(socket_.get(), any, length), 0);
        EXPECT_EQ(::listen(socket_.get(), 1), 0);
        EXPECT_EQ(::getsockname(socket_.get(), any, &length), 0);
        FileDescriptor other(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        EXPECT_EQ(::connect(other.get(), any, length), 0);
        return {std::move(other), FileDescriptor(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC))};
    }

    FileDescriptor socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
};

TEST_F(TcpSettingsTest, a_socket_has_what_is_asked_for) {
    ASSERT_TRUE(set_tcp_settings(socket_.get(), {.congestion_control = "reno",
                                                 .receive_buffer = 40'000,
                                                 .send_buffer = 30'000,
                                                 .maximum_segment_size = 700,
                                                 .window_clamp = 20'000}));
    EXPECT_EQ(option(SOL_SOCKET, SO_RCVBUF), 80'000);
    EXPECT_EQ(option(SOL_SOCKET, SO_SNDBUF), 60'000);
    EXPECT_EQ(option(IPPROTO_TCP, TCP_WINDOW_CLAMP), 20'000);
    EXPECT_EQ(congestion_control_of(socket_.get()), "reno");
}

TEST_F(TcpSettingsTest, what_is_not_asked_for_stays_the_systems) {
    const int receive = option(SOL_SOCKET, SO_RCVBUF);
    ASSERT_TRUE(set_tcp_settings(socket_.get(), {.send_buffer = 30'000}));
    EXPECT_EQ(option(SOL_SOCKET, SO_RCVBUF), receive);
}

TEST_F(TcpSettingsTest, connections_that_come_to_a_socket_have_its_settings) {
    const Connection connection =
        connect({.receive_buffer = 40'000, .maximum_segment_size = 700, .window_clamp = 20'000});
    EXPECT_EQ(option_of(connection.ours.get(), SOL_SOCKET, SO_RCVBUF), 80'000);
    EXPECT_EQ(option_of(connection.ours.get(), IPPROTO_TCP, TCP_WINDOW_CLAMP), 20'000);
    EXPECT_LE(option_of(connection.theirs.get(), IPPROTO_TCP, TCP_MAXSEG), 700);
}

TEST_F(TcpSettingsTest, what_a_connection_has_as_asked_is_not_told) {
    const TcpSettings asked{.congestion_control = "reno", .send_buffer = 30'000, .window_clamp = 20'000};
    const Connection connection = connect(asked);
    EXPECT_THAT(settle_tcp_settings(connection.ours.get(), asked), IsEmpty());
    EXPECT_THAT(settle_tcp_settings(connection.ours.get(), {}), IsEmpty());
}

TEST_F(TcpSettingsTest, what_a_connection_has_other_than_asked_is_told) {
    // Each below the least that the kernel gives.
    const TcpSettings asked{.receive_buffer = 1, .send_buffer = 1, .window_clamp = 1};
    const Connection connection = connect(asked);
    const int socket = connection.ours.get();
    EXPECT_THAT(settle_tcp_settings(socket, asked),
                ElementsAre(fmt::format("receive buffer: 1 bytes were asked for, the connection has {}",
                                        option_of(socket, SOL_SOCKET, SO_RCVBUF) / 2),
                            fmt::format("send buffer: 1 bytes were asked for, the connection has {}",
                                        option_of(socket, SOL_SOCKET, SO_SNDBUF) / 2),
                            fmt::format("window clamp: 1 bytes were asked for, the connection has {}",
                                        option_of(socket, IPPROTO_TCP, TCP_WINDOW_CLAMP))));
    const auto segment = settle_tcp_settings(socket, {.maximum_segment_size = 100});
    EXPECT_THAT(segment,
                ElementsAre(HasSubstr(fmt::format("100 bytes were asked for, a segment has {} of data",
                                                  option_of(socket, IPPROTO_TCP, TCP_MAXSEG)))));
}

TEST_F(TcpSettingsTest, a_congestion_control_that_was_replaced_meanwhile_is_set_again) {
    const Connection connection = connect({.congestion_control = "reno"});
    const int socket = connection.ours.get();
    ASSERT_EQ(::setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5), 0);
    EXPECT_THAT(settle_tcp_settings(socket, {.congestion_control = "reno"}), IsEmpty());
    EXPECT_EQ(congestion_control_of(socket), "reno");
    EXPECT_THAT(settle_tcp_settings(socket, {.congestion_control = "nosuch"}),
                ElementsAre(HasSubstr("nosuch was asked for, the connection has reno")));
}

// tcp(7) says that the clamp bounds the window; without more, the first segments raise it a hundredfold.
TEST_F(TcpSettingsTest, a_window_clamp_holds_while_data_come) {
    constexpr int clamp = 20'000;
    const TcpSettings asked{.maximum_segment_size = 1448, .window_clamp = clamp};
    const Connection connection = connect(asked);
    ASSERT_THAT(settle_tcp_settings(connection.ours.get(), {.window_clamp = clamp}), IsEmpty());
    std::vector<char> bytes(size_t{1} << 16);
    int largest = 0;
    for (int turn = 0; turn < 2000; ++turn) {
        while (::send(connection.theirs.get(), bytes.data(), bytes.size(), MSG_DONTWAIT) > 0) {
        }
        renew_window_clamp(connection.ours.get(), asked);
        ASSERT_GT(::recv(connection.ours.get(), bytes.data(), bytes.size(), 0), 0);
        tcp_info_with_window told{};
        socklen_t length = sizeof told;
        ASSERT_EQ(::getsockopt(connection.theirs.get(), IPPROTO_TCP, TCP_INFO, &told, &length), 0);
        if (length < sizeof told) GTEST_SKIP() << "this kernel does not tell the window";
        if (turn > 10) largest = std::max(largest, static_cast<int>(told.window));
    }
    EXPECT_GT(largest, 0);
    EXPECT_LE(largest, clamp);
}

TEST(TcpDifferences, are_told_once_and_not_without_end) {
    std::vector<std::string> all{"a"};
    merge_tcp_differences(all, {"a", "b"});
    EXPECT_THAT(all, ElementsAre("a", "b"));
    for (int i = 0; i < 1000; ++i) merge_tcp_differences(all, {std::to_string(i)});
    EXPECT_LT(all.size(), 100U);
}

TEST_F(TcpSettingsTest, what_there_is_not_is_an_error_that_names_it) {
    const auto control = set_tcp_settings(socket_.get(), {.congestion_control = "nosuch"});
    ASSERT_FALSE(control);
    EXPECT_THAT(control.error().message, HasSubstr("congestion control nosuch cannot be used"));
    EXPECT_FALSE(set_tcp_settings(socket_.get(), {.congestion_control = "reno_and_some_more"}));
    const auto size = set_tcp_settings(socket_.get(), {.maximum_segment_size = 3});
    ASSERT_FALSE(size);
    EXPECT_THAT(size.error().message, HasSubstr("a maximum segment size of 3 bytes is refused"));
}

// One that goes beyond the system's limit unnoticed would make what is measured something else.
TEST_F(TcpSettingsTest, a_buffer_is_as_large_as_asked_or_an_error_says_how_large_it_may_be) {
    constexpr int bytes = 1 << 29;
    const auto done = set_tcp_settings(socket_.get(), {.send_buffer = bytes});
    if (done)
        EXPECT_GE(option(SOL_SOCKET, SO_SNDBUF) / 2, bytes);
    else
        EXPECT_THAT(done.error().message, HasSubstr("net.core.wmem_max bounds it"));
}

}  // namespace
}  // namespace sanscope
