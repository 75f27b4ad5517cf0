// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/tcp_settings.h"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "analyzer/base/file_descriptor.h"

namespace sanscope {
namespace {

using testing::HasSubstr;

class TcpSettingsTest : public testing::Test {
  protected:
    int option(int level, int name) const { return option_of(socket_.get(), level, name); }
    static int option_of(int socket, int level, int name) {
        int value = 0;
        socklen_t length = sizeof value;
        EXPECT_EQ(::getsockopt(socket, level, name, &value, &length), 0);
        return value;
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
    std::array<char, 16> control{};
    socklen_t length = control.size();
    ASSERT_EQ(::getsockopt(socket_.get(), IPPROTO_TCP, TCP_CONGESTION, control.data(), &length), 0);
    EXPECT_STREQ(control.data(), "reno");
}

TEST_F(TcpSettingsTest, what_is_not_asked_for_stays_the_systems) {
    const int receive = option(SOL_SOCKET, SO_RCVBUF);
    ASSERT_TRUE(set_tcp_settings(socket_.get(), {.send_buffer = 30'000}));
    EXPECT_EQ(option(SOL_SOCKET, SO_RCVBUF), receive);
}

TEST_F(TcpSettingsTest, connections_that_come_to_a_socket_have_its_settings) {
    ASSERT_TRUE(set_tcp_settings(
        socket_.get(), {.receive_buffer = 40'000, .maximum_segment_size = 700, .window_clamp = 20'000}));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    socklen_t length = sizeof address;
    ASSERT_EQ(::bind(socket_.get(), any, length), 0);
    ASSERT_EQ(::listen(socket_.get(), 1), 0);
    ASSERT_EQ(::getsockname(socket_.get(), any, &length), 0);
    const FileDescriptor other(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(other.get(), any, length), 0);
    const FileDescriptor accepted(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    EXPECT_EQ(option_of(accepted.get(), SOL_SOCKET, SO_RCVBUF), 80'000);
    EXPECT_EQ(option_of(accepted.get(), IPPROTO_TCP, TCP_WINDOW_CLAMP), 20'000);
    EXPECT_LE(option_of(other.get(), IPPROTO_TCP, TCP_MAXSEG), 700);
}

TEST_F(TcpSettingsTest, what_there_is_not_is_an_error_that_names_it) {
    const auto control = set_tcp_settings(socket_.get(), {.congestion_control = "nosuch"});
    ASSERT_FALSE(control);
    EXPECT_THAT(control.error().message, HasSubstr("congestion control nosuch cannot be used"));
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
