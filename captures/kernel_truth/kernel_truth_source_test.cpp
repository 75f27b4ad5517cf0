// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/kernel_truth/kernel_truth_source.h"

#include <arpa/inet.h>
#include <array>
#include <cstring>
#include <ctime>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <set>
#include <string>
#include <sys/socket.h>
#include <vector>

#include "captures/kernel_truth/file_handles.h"

namespace sanscope {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using Method = v1::KernelTruth;
using std::chrono::milliseconds;

int64_t now_ns() {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// A connection through the loopback interface, with both of its ends.
class LoopbackConnection {
  public:
    LoopbackConnection()
        : listener_(::socket(AF_INET, SOCK_STREAM, 0)), client_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), length), 0);
        EXPECT_EQ(::listen(listener_.get(), 1), 0);
        EXPECT_EQ(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &length), 0);
        port_ = ntohs(address.sin_port);
    }
    void connect() {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(port_);
        ASSERT_EQ(::connect(client_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
        server_ = Descriptor(::accept(listener_.get(), nullptr, nullptr));
        ASSERT_TRUE(server_);
    }
    // So many answers of one byte to questions of one byte: each end hears of as many acknowledgements at least.
    void exchange(int times) {
        std::array<char, 1> byte{};
        for (int i = 0; i < times; ++i) {
            ASSERT_EQ(::send(client_.get(), byte.data(), 1, 0), 1);
            ASSERT_EQ(::recv(server_.get(), byte.data(), 1, 0), 1);
            ASSERT_EQ(::send(server_.get(), byte.data(), 1, 0), 1);
            ASSERT_EQ(::recv(client_.get(), byte.data(), 1, 0), 1);
        }
    }
    uint16_t port() const { return port_; }

  private:
    Descriptor listener_;
    Descriptor client_;
    Descriptor server_;
    uint16_t port_ = 0;
};

std::unique_ptr<KernelTruthSource> open_or_skip(const KernelTruthOptions& options, std::string& why_not) {
    auto source = KernelTruthSource::open(options);
    if (source) return std::move(*source);
    why_not = source.error().message;
    return nullptr;
}

class KernelTruthSourceTest : public testing::TestWithParam<Method::Method> {
  protected:
    KernelTruthOptions options() const {
        return {.ports = {connection.port()},
                .method = GetParam(),
                .ring_bytes = 1 << 20,
                .sample_interval = milliseconds(1)};
    }

    LoopbackConnection connection;
};

TEST_P(KernelTruthSourceTest, tells_of_both_ends_of_a_connection) {
    std::string why_not;
    const auto source = open_or_skip(options(), why_not);
    if (!source) GTEST_SKIP() << why_not;
    EXPECT_EQ(source->method(), GetParam());
    EXPECT_EQ(source->why_not_better(), "");

    const int64_t start_ns = now_ns();
    connection.connect();
    v1::KernelTruth truth;
    std::vector<v1::KernelSocket> sockets;
    std::vector<v1::KernelWindow> windows;
    const auto take = [&] {
        EXPECT_EQ(truth.method(), GetParam());
        EXPECT_EQ(truth.events_lost(), 0u);
        sockets.insert(sockets.end(), truth.sockets().begin(), truth.sockets().end());
        windows.insert(windows.end(), truth.windows().begin(), truth.windows().end());
    };
    for (int i = 0; i < 5; ++i) {
        connection.exchange(20);
        ASSERT_FALSE(source->poll(milliseconds(20), truth));
        take();
    }
    do {
        ASSERT_FALSE(source->finish(truth));
        take();
    } while (!is_empty(truth));
    const int64_t end_ns = now_ns();

    // A socket is reported again where something of it changes.
    std::set<uint32_t> numbers;
    for (const auto& socket : sockets) {
        numbers.insert(socket.socket());
        EXPECT_EQ(socket.local_address(), std::string("\x7f\0\0\x01", 4));
        EXPECT_EQ(socket.remote_address(), std::string("\x7f\0\0\x01", 4));
        EXPECT_NE(socket.local_port() == connection.port(), socket.remote_port() == connection.port());
        if (GetParam() != Method::METHOD_PERF_EVENTS) {
            EXPECT_NE(socket.congestion_control(), "");
            EXPECT_GT(socket.mss(), 0u);
        }
    }
    EXPECT_EQ(numbers, (std::set<uint32_t>{1, 2}));
    if (GetParam() != Method::METHOD_INET_DIAG) {
        EXPECT_GE(windows.size(), 200u);
    }
    ASSERT_THAT(windows, Not(IsEmpty()));
    int64_t last_ns = start_ns - 1'000'000;
    for (const auto& window : windows) {
        EXPECT_GE(window.time_ns(), last_ns);
        last_ns = window.time_ns();
        EXPECT_GT(window.cwnd(), 0u);
        EXPECT_EQ(window.has_snd_una(), GetParam() != Method::METHOD_INET_DIAG);
        EXPECT_EQ(window.has_ca_state(), GetParam() != Method::METHOD_PERF_EVENTS);
        EXPECT_TRUE(numbers.contains(window.socket()));
    }
    EXPECT_LE(last_ns, end_ns + 1'000'000);
}

TEST_P(KernelTruthSourceTest, tells_nothing_of_other_ports) {
    LoopbackConnection other;
    KernelTruthOptions narrow = options();
    narrow.ports = {other.port(), 1};
    std::string why_not;
    const auto source = open_or_skip(narrow, why_not);
    if (!source) GTEST_SKIP() << why_not;
    connection.connect();
    connection.exchange(100);
    v1::KernelTruth truth;
    ASSERT_FALSE(source->finish(truth));
    EXPECT_THAT(truth.sockets(), IsEmpty());
    EXPECT_THAT(truth.windows(), IsEmpty());
}

TEST_P(KernelTruthSourceTest, tells_sockets_again_for_another_file) {
    std::string why_not;
    const auto source = open_or_skip(options(), why_not);
    if (!source) GTEST_SKIP() << why_not;
    connection.connect();
    connection.exchange(20);
    v1::KernelTruth truth;
    for (int i = 0; i < 5; ++i) ASSERT_FALSE(source->poll(milliseconds(5), truth));
    source->restart_file();
    // Enough that INET_DIAG sees a change too: the smoothed round trip.
    std::set<uint32_t> numbers;
    for (int i = 0; i < 200 && numbers.size() < 2; ++i) {
        connection.exchange(50);
        ASSERT_FALSE(source->poll(milliseconds(5), truth));
        for (const auto& socket : truth.sockets()) numbers.insert(socket.socket());
    }
    EXPECT_EQ(numbers, (std::set<uint32_t>{1, 2}));
}

INSTANTIATE_TEST_SUITE_P(Methods, KernelTruthSourceTest,
                         testing::Values(Method::METHOD_BPF, Method::METHOD_PERF_EVENTS,
                                         Method::METHOD_INET_DIAG),
                         [](const auto& tested) { return Method::Method_Name(tested.param); });

class CountingSourceTest : public testing::TestWithParam<Method::Method> {};

// What does not fit into the ring is counted: told and lost make up what a reader with room enough was told.
TEST_P(CountingSourceTest, counts_what_the_ring_had_no_room_for) {
    LoopbackConnection connection;
    KernelTruthOptions small{.ports = {connection.port()}, .method = GetParam(), .ring_bytes = 64 << 10};
    KernelTruthOptions large = small;
    large.ring_bytes = 8 << 20;
    std::string why_not;
    const auto short_of_room = open_or_skip(small, why_not);
    const auto with_room = open_or_skip(large, why_not);
    if (!short_of_room || !with_room) GTEST_SKIP() << why_not;
    connection.connect();
    connection.exchange(3000);
    v1::KernelTruth first;
    v1::KernelTruth all;
    ASSERT_FALSE(short_of_room->poll(milliseconds(0), first));
    connection.exchange(1);
    v1::KernelTruth rest;
    ASSERT_FALSE(short_of_room->finish(rest));
    ASSERT_FALSE(with_room->finish(all));
    const auto events_of = [](const v1::KernelTruth& truth) {
        return static_cast<uint64_t>(truth.windows_size() + truth.transitions_size());
    };
    // What the kernel passes over for other reasons than room it passes over for one reader or the other, by and by.
    const uint64_t passed_over = 100;
    EXPECT_GE(events_of(all), 6000u);
    EXPECT_LE(all.events_lost(), passed_over);
    const uint64_t lost = first.events_lost() + rest.events_lost();
    EXPECT_GT(lost, events_of(all) / 2);
    EXPECT_GE(events_of(first) + events_of(rest) + lost + passed_over, events_of(all));
    EXPECT_LE(events_of(first) + events_of(rest) + lost, events_of(all) + passed_over);
}

INSTANTIATE_TEST_SUITE_P(Methods, CountingSourceTest,
                         testing::Values(Method::METHOD_BPF, Method::METHOD_PERF_EVENTS),
                         [](const auto& tested) { return Method::Method_Name(tested.param); });

TEST(KernelTruthSourceLadder, ends_where_no_rights_are_needed) {
    const auto source = KernelTruthSource::open({});
    ASSERT_TRUE(source) << source.error().message;
    EXPECT_EQ((*source)->why_not_better().empty(), (*source)->method() == Method::METHOD_BPF);
}

TEST(KernelTruthSourceLadder, says_what_is_too_much) {
    const auto source = KernelTruthSource::open({.ports = std::vector<uint16_t>(17, 3260)});
    ASSERT_FALSE(source);
    EXPECT_THAT(source.error().message, HasSubstr("16 ports"));
}

TEST(KernelTruthSourceLadder, says_what_a_method_cannot_do) {
    const auto perf = KernelTruthSource::open({.network_namespace = 1, .method = Method::METHOD_PERF_EVENTS});
    ASSERT_FALSE(perf);
    EXPECT_THAT(perf.error().message,
                HasSubstr("perf events: they do not tell one network namespace from another"));
    const auto diag = KernelTruthSource::open({.network_namespace = 1, .method = Method::METHOD_INET_DIAG});
    ASSERT_FALSE(diag);
    EXPECT_THAT(diag.error().message, HasSubstr("own network namespace"));
}

TEST(KernelTruthSourceLadder, tells_of_one_network_namespace_by_bpf) {
    LoopbackConnection connection;
    std::string why_not;
    KernelTruthOptions nowhere{
        .ports = {connection.port()}, .network_namespace = 1, .method = Method::METHOD_BPF};
    const auto source = open_or_skip(nowhere, why_not);
    if (!source) GTEST_SKIP() << why_not;
    connection.connect();
    connection.exchange(10);
    v1::KernelTruth truth;
    ASSERT_FALSE(source->finish(truth));
    EXPECT_TRUE(is_empty(truth));
}

}  // namespace
}  // namespace sanscope
