// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/metrics/listen_address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "analyzer/base/file_descriptor.h"

namespace sanscope {
namespace {

TEST(ListenAddress, numbers_of_both_kinds) {
    const auto v4 = parse_listen_address("127.0.0.1:9260");
    ASSERT_TRUE(v4);
    EXPECT_EQ(v4->text(), "127.0.0.1:9260");
    EXPECT_TRUE(v4->is_loopback);
    const auto v6 = parse_listen_address("[::1]:0");
    ASSERT_TRUE(v6);
    EXPECT_EQ(v6->text(), "[::1]:0");
    EXPECT_TRUE(v6->is_loopback);
}

TEST(ListenAddress, without_an_address_it_is_this_host_alone) {
    for (const char* text : {":9260", "localhost:9260"}) {
        const auto address = parse_listen_address(text);
        ASSERT_TRUE(address) << text;
        EXPECT_EQ(address->text(), "127.0.0.1:9260");
        EXPECT_TRUE(address->is_loopback);
    }
}

TEST(ListenAddress, what_others_reach_is_no_loopback) {
    for (const char* text :
         {"0.0.0.0:1", "[::]:1", "192.0.2.1:1", "[2001:db8::1]:1", "[::ffff:127.0.0.1]:1", "128.0.0.1:1"}) {
        const auto address = parse_listen_address(text);
        ASSERT_TRUE(address) << text;
        EXPECT_FALSE(address->is_loopback) << text;
    }
    EXPECT_TRUE(parse_listen_address("127.255.0.9:1")->is_loopback);
}

TEST(ListenAddress, nothing_else_passes_for_one) {
    for (const char* text : {"", "9260", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536",
                             "127.0.0.1:-1", "::1:9260", "[::1]", "[]:1", "[127.0.0.1]:1", "host.example:1",
                             "127.0.0.1:80s", "127.0.0.1:80,81", "1.2.3:1", "127.0.0.1 :1", "[::1%lo]:1"})
        EXPECT_FALSE(parse_listen_address(text)) << text;
}

TEST(ListenAddress, a_port_that_is_taken_is_told_by_name) {
    const FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof at;
    auto* const any = reinterpret_cast<sockaddr*>(&at);
    ASSERT_EQ(::bind(socket.get(), any, length), 0);
    ASSERT_EQ(::listen(socket.get(), 1), 0);
    ASSERT_EQ(::getsockname(socket.get(), any, &length), 0);
    auto address = parse_listen_address(":0");
    ASSERT_TRUE(address);
    EXPECT_TRUE(check_listening(*address));
    address->port = ntohs(at.sin_port);
    const auto checked = check_listening(*address);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().message, "cannot listen on " + address->text() + ": Address already in use");
}

TEST(ListenAddress, an_address_of_no_interface_is_refused) {
    const auto checked = check_listening(*parse_listen_address("192.0.2.77:9260"));
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().message, "cannot listen on 192.0.2.77:9260: Cannot assign requested address");
}

}  // namespace
}  // namespace sanscope
