// SPDX-License-Identifier: GPL-3.0-or-later
//
// Logins and discoveries against a target that others wrote.
#include <arpa/inet.h>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "captures/iscsi_peer/initiator/send_targets.h"
#include "captures/iscsi_peer/login/login_exchange.h"

#include "analyzer/base/file_descriptor.h"
#include "analyzer/base/helper_process.h"
#include "analyzer/base/write_all.h"

namespace sanscope {
namespace {

using testing::HasSubstr;

constexpr std::string_view open_target = "iqn.2026-11.org.example:open";
constexpr std::string_view guarded_target = "iqn.2026-11.org.example:guarded";
constexpr std::string_view mutual_target = "iqn.2026-11.org.example:mutual";

sockaddr_in loopback(uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

uint16_t free_port() {
    const FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = loopback(0);
    socklen_t length = sizeof address;
    if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0 ||
        ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0) {
        return 0;
    }
    return ntohs(address.sin_port);
}

// A tgtd of this test's own, on a port of the loopback interface, with one target that everybody may use, one that asks
// who it is, and one that can prove itself too.
class Tgtd : public testing::Test {
  protected:
    static constexpr const char* program = "/usr/sbin/tgtd";

    void SetUp() override {
        if (!std::filesystem::exists(program)) GTEST_SKIP() << "there is no tgtd";
        if (::geteuid() != 0) GTEST_SKIP() << "tgtd needs root";
        port = free_port();
        ASSERT_NE(port, 0);
        auto started = start_helper(program, {"-f", "-t", "1", "-C", std::to_string(control()), "--iscsi",
                                              fmt::format("portal=127.0.0.1:{}", port)});
        ASSERT_TRUE(started) << started.error().message;
        tgtd = std::make_unique<HelperProcess>(std::move(*started));
        bool up = false;
        for (int tries = 0; tries < 100 && !up; ++tries) {
            up = tgtadm("--op show --mode sys");
            if (!up) std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        ASSERT_TRUE(up) << "tgtd does not answer tgtadm";
        int number = 0;
        for (const std::string_view name : {open_target, guarded_target, mutual_target}) {
            ++number;
            ASSERT_TRUE(tgtadm(fmt::format("--op new --mode target --tid {} -T {}", number, name)));
            ASSERT_TRUE(tgtadm(fmt::format("--op bind --mode target --tid {} -I ALL", number)));
        }
        ASSERT_TRUE(tgtadm("--op new --mode account --user host --password ahostssecret"));
        ASSERT_TRUE(tgtadm("--op new --mode account --user disk --password adiskssecret"));
        ASSERT_TRUE(tgtadm("--op bind --mode account --tid 2 --user host"));
        ASSERT_TRUE(tgtadm("--op bind --mode account --tid 3 --user host"));
        ASSERT_TRUE(tgtadm("--op bind --mode account --tid 3 --user disk --outgoing"));
    }
    void TearDown() override {
        if (!tgtd) return;
        ::kill(tgtd->process, SIGKILL);
        ::waitpid(tgtd->process, nullptr, 0);
        std::filesystem::remove(fmt::format("/var/run/tgtd/socket.{}", control()));
        std::filesystem::remove(fmt::format("/var/run/tgtd/socket.{}.lock", control()));
    }
    // The number of its way to tgtadm, which is below 32768.
    int control() const { return port % 32000; }
    bool tgtadm(const std::string& arguments) const {
        const std::string line =
            fmt::format("tgtadm -C {} --lld iscsi {} >/dev/null 2>&1", control(), arguments);
        return std::system(line.c_str()) == 0;
    }

    // Connects, and logs in to the end: what came of it.
    Result<LoginOutcome> log_in(std::string_view name, std::optional<ChapCredentials> chap,
                                bool chap_required = false) {
        socket = FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const timeval patience{.tv_sec = 10, .tv_usec = 0};
        ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        const sockaddr_in address = loopback(port);
        if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
            return Error{"no connection"};
        LoginOffer offer;
        offer.initiator_name = "iqn.2026-11.org.example:initiator";
        offer.target_name = name;
        offer.isid = 0x80123456789a;
        offer.chap = std::move(chap);
        offer.chap_required = chap_required;
        login = std::make_unique<LoginExchange>(offer, 1);
        for (;;) {
            const LoginExchange::Request request = login->request();
            send(request.header, request.data);
            if (!receive()) return Error{"no answer"};
            const auto state = login->on_response(Bhs(header.data()), data);
            if (!state) return state.error();
            if (*state == LoginExchange::State::complete) return login->outcome();
        }
    }
    void send(const BhsWriter& bhs, const std::string& text) {
        std::vector<uint8_t> bytes(bhs.bytes().begin(), bhs.bytes().end());
        bytes.insert(bytes.end(), text.begin(), text.end());
        bytes.resize((bytes.size() + 3) / 4 * 4);
        ASSERT_TRUE(write_all(socket.get(), bytes));
    }
    bool receive() {
        if (::recv(socket.get(), header.data(), header.size(), MSG_WAITALL) != ssize_t{bhs_length})
            return false;
        data.resize(Bhs(header.data()).padded_data_length());
        if (!data.empty() && ::recv(socket.get(), data.data(), data.size(), MSG_WAITALL) !=
                                 static_cast<ssize_t>(data.size())) {
            return false;
        }
        data.resize(Bhs(header.data()).data_segment_length());
        return true;
    }

    static ChapCredentials one_way(const char* secret = "ahostssecret") {
        return {.initiator = {"host", Secret(secret)}, .target = std::nullopt};
    }
    static ChapCredentials mutual(const char* secret = "adiskssecret") {
        ChapCredentials credentials = one_way();
        credentials.target = ChapAccount{"disk", Secret(secret)};
        return credentials;
    }
    static std::string error_of(const Result<LoginOutcome>& outcome) {
        return outcome ? "no error" : outcome.error().message;
    }

    uint16_t port = 0;
    std::unique_ptr<HelperProcess> tgtd;
    FileDescriptor socket;
    std::unique_ptr<LoginExchange> login;
    std::array<uint8_t, bhs_length> header{};
    std::string data;
};

TEST_F(Tgtd, TellsItsTargetsAndLetsGo) {
    const auto outcome = log_in("", std::nullopt);
    ASSERT_TRUE(outcome) << outcome.error().message;
    SendTargets discovery(login->exp_cmd_sn(), login->exp_stat_sn());
    for (auto state = SendTargets::State::goes_on; state != SendTargets::State::complete;) {
        const SendTargets::Request request = discovery.request();
        send(request.header, request.data);
        ASSERT_TRUE(receive());
        const auto next = discovery.on_response(Bhs(header.data()), data);
        ASSERT_TRUE(next) << next.error().message;
        state = *next;
    }
    std::vector<std::string> names;
    for (const DiscoveredTarget& target : discovery.targets()) {
        names.push_back(target.name);
        ASSERT_EQ(target.portals.size(), 1u) << target.name;
        EXPECT_EQ(target.portals[0].host, "127.0.0.1");
        EXPECT_EQ(target.portals[0].port, port);
        EXPECT_EQ(target.portals[0].group, 1);
    }
    EXPECT_THAT(names, testing::UnorderedElementsAre(open_target, guarded_target, mutual_target));
}

TEST_F(Tgtd, LetsInWhoeverProvesItself) {
    const auto outcome = log_in(guarded_target, one_way());
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->chap_algorithm, ChapAlgorithm::md5) << "the only one that it has by its right number";
    EXPECT_FALSE(outcome->target_proved_itself);
    EXPECT_TRUE(log_in(guarded_target, one_way(), true));
}

TEST_F(Tgtd, RefusesWhoeverDoesNot) {
    EXPECT_THAT(error_of(log_in(guarded_target, one_way("another secret"))),
                HasSubstr("authentication failed"));
    EXPECT_NE(error_of(log_in(guarded_target, std::nullopt)), "no error");
    ChapCredentials guest = one_way();
    guest.initiator.name = "guest";
    EXPECT_THAT(error_of(log_in(guarded_target, guest)), HasSubstr("authentication failed"));
}

TEST_F(Tgtd, ProvesItselfWhereThatIsWanted) {
    const auto outcome = log_in(mutual_target, mutual());
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_TRUE(outcome->target_proved_itself);
    EXPECT_THAT(error_of(log_in(mutual_target, mutual("another secret"))),
                HasSubstr("could not prove itself"));
    EXPECT_NE(error_of(log_in(guarded_target, mutual())), "no error") << "it has no secret for that";
}

TEST_F(Tgtd, WithoutSecretsIsLoggedInToWithoutChapUnlessThatIsRequired) {
    const auto outcome = log_in(open_target, one_way());
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_FALSE(outcome->chap_algorithm);
    EXPECT_NE(error_of(log_in(open_target, one_way(), true)), "no error");
    EXPECT_NE(error_of(log_in(open_target, mutual())), "no error");
}

}  // namespace
}  // namespace sanscope
