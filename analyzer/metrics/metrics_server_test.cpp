// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/metrics/metrics_server.h"

#include <arpa/inet.h>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <vector>

#include "analyzer/base/file_descriptor.h"

#ifdef __SANITIZE_THREAD__
// Debian's CivetWeb writes the Date header with gmtime(), whose buffer all threads share; nothing of ours calls it.
extern "C" [[gnu::visibility("default")]] const char*
__tsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
    return "race:libcivetweb.so\n";
}
#endif

namespace sanscope {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ServerOfMetrics : public testing::Test {
  protected:
    void SetUp() override {
        auto started = MetricsServer::start(*parse_listen_address("127.0.0.1:0"), "1.2.3");
        ASSERT_TRUE(started) << started.error().message;
        server = std::move(*started);
        ASSERT_NE(server->address().port, 0);
    }
    FileDescriptor connected() const {
        FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        at.sin_port = htons(server->address().port);
        EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
        return socket;
    }
    // What comes until the server closes, or for so long.
    static std::string rest(const FileDescriptor& socket, int ms = 10'000) {
        std::string text;
        char piece[4096];
        pollfd ready{socket.get(), POLLIN, 0};
        while (::poll(&ready, 1, ms) == 1) {
            const ssize_t size = ::recv(socket.get(), piece, sizeof piece, 0);
            if (size <= 0) break;
            text.append(piece, static_cast<size_t>(size));
        }
        return text;
    }
    std::string answer(const std::string& request) const {
        const FileDescriptor socket = connected();
        EXPECT_EQ(::send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(request.size()));
        return rest(socket);
    }
    std::string scrape() const { return answer("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"); }

    std::unique_ptr<MetricsServer> server;
};

TEST_F(ServerOfMetrics, shows_what_was_published_last) {
    EXPECT_THAT(scrape(), HasSubstr("sanscope_analysed_packets_total 0\n"));
    auto snapshot = std::make_shared<MetricsSnapshot>();
    snapshot->packets = 42;
    server->publish(snapshot);
    const std::string text = scrape();
    EXPECT_THAT(text, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(text, HasSubstr("sanscope_analysed_packets_total 42\n"));
    EXPECT_THAT(text, HasSubstr("version=\"1.2.3\""));
}

TEST_F(ServerOfMetrics, the_format_is_what_the_request_accepts) {
    const auto accepting = [&](const std::string& headers) {
        return answer("GET /metrics HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n");
    };
    EXPECT_THAT(scrape(), HasSubstr("\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
    const std::string openmetrics = accepting("Accept: application/openmetrics-text;version=1.0.0\r\n");
    EXPECT_THAT(
        openmetrics,
        HasSubstr("\r\nContent-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n"));
    EXPECT_THAT(openmetrics, HasSubstr("# TYPE sanscope_build info\n"));
    EXPECT_THAT(openmetrics, EndsWith("# EOF\n"));
    // A list may be in several headers, whose names are in any case.
    const std::string protobuf = accepting(
        "accept: text/plain;q=0.5\r\nACCEPT: application/vnd.google.protobuf;"
        "proto=io.prometheus.client.MetricFamily;encoding=delimited\r\n");
    EXPECT_THAT(protobuf, HasSubstr("\r\nContent-Type: application/vnd.google.protobuf; "
                                    "proto=io.prometheus.client.MetricFamily; encoding=delimited\r\n"));
    EXPECT_THAT(protobuf, HasSubstr("sanscope_build_info"));
    const std::string counted = scrape();
    EXPECT_THAT(counted, HasSubstr("sanscope_scrapes_total{format=\"text\"} 2\n"));
    EXPECT_THAT(counted, HasSubstr("sanscope_scrapes_total{format=\"openmetrics\"} 1\n"));
    EXPECT_THAT(counted, HasSubstr("sanscope_scrapes_total{format=\"protobuf\"} 1\n"));
    EXPECT_THAT(accepting("Accept: " + std::string(4000, ',') + "\r\n"),
                HasSubstr("Content-Type: text/plain;"));
}

TEST_F(ServerOfMetrics, gzip_where_the_request_accepts_it) {
    const std::string text = answer("GET /metrics HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n");
    EXPECT_THAT(text, HasSubstr("\r\nContent-Encoding: gzip\r\n"));
    EXPECT_THAT(text, HasSubstr("\r\n\r\n\x1f\x8b"));
    EXPECT_THAT(text, Not(HasSubstr("# TYPE")));
    EXPECT_THAT(scrape(), Not(HasSubstr("Content-Encoding")));
}

TEST_F(ServerOfMetrics, a_second_one_at_the_same_place_is_told) {
    const auto second = MetricsServer::start(server->address(), "1");
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().message, HasSubstr("Address already in use"));
}

TEST_F(ServerOfMetrics, nothing_but_a_scrape_is_answered) {
    EXPECT_THAT(answer("POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"),
                StartsWith("HTTP/1.1 405 "));
    EXPECT_THAT(answer("DELETE /metrics HTTP/1.1\r\nHost: x\r\n\r\n"), StartsWith("HTTP/1.1 405 "));
    EXPECT_THAT(answer("OPTIONS /metrics HTTP/1.1\r\nHost: x\r\n\r\n"), StartsWith("HTTP/1.1 405 "));
    for (const char* path : {"/", "/metrics/", "/metrics/x", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
                             "/metricsx", "//etc/passwd", "/cgi-bin/x", "/%00"}) {
        const std::string text = answer("GET " + std::string(path) + " HTTP/1.1\r\nHost: x\r\n\r\n");
        EXPECT_THAT(text, Not(HasSubstr(" 200 "))) << path;
        EXPECT_THAT(text, Not(HasSubstr("root:"))) << path;
    }
    EXPECT_THAT(answer("GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"),
                StartsWith("HTTP/1.1 413 "));
    EXPECT_THAT(scrape(), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST_F(ServerOfMetrics, no_http_is_no_harm) {
    for (const std::string& text : {std::string("\r\n\r\n"), std::string(4000, '\0') + "\r\n\r\n",
                                    std::string("GET\r\n\r\n"), std::string("GET /metrics HTTP/9.9\r\n\r\n"),
                                    std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n")})
        EXPECT_THAT(answer(text), Not(HasSubstr(" 200 ")));
    EXPECT_THAT(scrape(), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST_F(ServerOfMetrics, a_request_has_a_few_kilobytes) {
    const FileDescriptor socket = connected();
    const std::string endless = "GET /metrics HTTP/1.1\r\nX: " + std::string(64 * 1024, 'a');
    ::send(socket.get(), endless.data(), endless.size(), MSG_NOSIGNAL);
    EXPECT_THAT(rest(socket), Not(HasSubstr(" 200 ")));
    EXPECT_THAT(scrape(), StartsWith("HTTP/1.1 200 OK\r\n"));
}

// More of them than there are threads and places to wait.
TEST_F(ServerOfMetrics, who_says_nothing_is_closed_and_others_are_served) {
    std::vector<FileDescriptor> silent;
    for (unsigned i = 0; i < 2 * (MetricsServer::threads + MetricsServer::waiting_connections); ++i)
        silent.push_back(connected());
    const std::string begun = "GET /metrics HTTP/1.1\r\n";
    for (const FileDescriptor& socket : silent)
        ::send(socket.get(), begun.data(), begun.size(), MSG_NOSIGNAL);
    const auto begin = std::chrono::steady_clock::now();
    std::string text;
    while (text.find(" 200 OK") == std::string::npos &&
           std::chrono::steady_clock::now() - begin < std::chrono::seconds(60))
        text = scrape();
    EXPECT_THAT(text, StartsWith("HTTP/1.1 200 OK\r\n"));
    for (const FileDescriptor& socket : silent) EXPECT_THAT(rest(socket, 60'000), Not(HasSubstr(" 200 ")));
}

TEST_F(ServerOfMetrics, scrapes_and_publishing_at_once) {
    std::vector<std::jthread> scrapers;
    std::atomic<unsigned> good = 0;
    for (int i = 0; i < 3; ++i) {
        scrapers.emplace_back([&] {
            for (int n = 0; n < 20; ++n)
                if (scrape().find(" 200 OK") != std::string::npos) ++good;
        });
    }
    for (uint64_t n = 0; n < 2000; ++n) {
        auto snapshot = std::make_shared<MetricsSnapshot>();
        snapshot->packets = n;
        snapshot->commands[{}].commands = n;
        server->publish(std::move(snapshot));
    }
    scrapers.clear();
    EXPECT_EQ(good, 60u);
}

}  // namespace
}  // namespace sanscope
