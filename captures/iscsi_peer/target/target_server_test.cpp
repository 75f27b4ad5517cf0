// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/target/target_server.h"

#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <vector>

#include "analyzer/base/file_descriptor.h"
#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::StartsWith;

TargetSettings settings() {
    TargetSettings settings;
    settings.name = "iqn.t";
    settings.size = 1 << 20;
    return settings;
}

// An initiator that blocks.
class Peer {
  public:
    explicit Peer(const std::string& address) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        constexpr timeval patience{10, 0};
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        to.sin_port = htons(static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
        EXPECT_EQ(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    }
    void send(const Bytes& bytes) {
        EXPECT_EQ(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(bytes.size()));
    }
    // False where it is not all taken within a while, or the connection is closed.
    bool send_some(const Bytes& bytes) {
        constexpr timeval patience{0, 200'000};
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        return ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
               static_cast<ssize_t>(bytes.size());
    }
    // By the other side, within a while. What came before is read.
    bool is_closed() {
        constexpr timeval patience{1, 0};
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        Bytes room(size_t{1} << 20);
        ssize_t got = 0;
        while ((got = ::recv(socket_.get(), room.data(), room.size(), 0)) > 0) {
        }
        return got == 0 || errno != EAGAIN;
    }
    // As many bytes as come, up to so many.
    Bytes receive(size_t length) {
        Bytes bytes(length);
        const ssize_t got = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_WAITALL);
        bytes.resize(got < 0 ? 0 : static_cast<size_t>(got));
        return bytes;
    }
    // The data of one PDU; its header is kept.
    Bytes pdu() {
        header = receive(bhs_length);
        if (header.size() < bhs_length) return {};
        return receive(Bhs(header.data()).padded_data_length());
    }
    unsigned log_in(uint64_t isid, unsigned tsih = 0, uint32_t cid = 0) {
        send(login_request(text_keys({"InitiatorName=iqn.i", "TargetName=iqn.t", "MaxConnections=4"}), isid,
                           tsih)
                 .ttt(cid << 16)
                 .bytes());
        pdu();
        return header.size() == bhs_length && Bhs(header.data()).status_class() == 0
                   ? Bhs(header.data()).tsih()
                   : 0;
    }

    Bytes header;

  private:
    FileDescriptor socket_;
};

TEST(TargetServer, ServesSessionsInSeveralThreads) {
    auto server = TargetServer::start(settings(), "127.0.0.1", 0, 2);
    ASSERT_TRUE(server);
    EXPECT_THAT((*server)->address(), StartsWith("127.0.0.1:"));
    constexpr uint64_t sessions = 4;
    constexpr uint32_t commands = 50;
    std::vector<std::thread> initiators;
    for (uint64_t isid = 1; isid <= sessions; ++isid) {
        initiators.emplace_back([&, isid] {
            Peer peer((*server)->address());
            EXPECT_NE(peer.log_in(isid), 0u);
            for (uint32_t i = 0; i < commands; ++i) {
                peer.send(scsi_command(i, 1 + i, Moves::in, 1024, read_10(0, 2)).bytes());
                EXPECT_EQ(peer.pdu(), Bytes(1024));
                EXPECT_EQ(Bhs(peer.header.data()).itt(), i);
            }
        });
    }
    for (std::thread& initiator : initiators) initiator.join();
    const TargetAccount account = (*server)->stop();
    EXPECT_EQ(account.sessions, sessions);
    EXPECT_EQ(account.commands, sessions * commands);
    EXPECT_EQ(account.bytes_read, sessions * commands * 1024);
}

TEST(TargetServer, AnUnmapHoldsUpItsUnitForTheSessionsOfAllThreads) {
    using namespace std::chrono_literals;
    TargetSettings slow = settings();
    slow.exclusive_latency = 200ms;
    auto server = TargetServer::start(slow, "127.0.0.1", 0, 2);
    ASSERT_TRUE(server);
    Peer first((*server)->address());
    Peer second((*server)->address());
    // A thread of the server takes the time once for all that it then finds to do: maybe before the UNMAP came.
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_NE(first.log_in(1), 0u);
    ASSERT_NE(second.log_in(2), 0u);
    const Bytes no_ranges = {0, 6, 0, 0, 0, 0, 0, 0};
    first.send(
        scsi_command(1, 1, Moves::out, 8, {0x42, 0, 0, 0, 0, 0, 0, 0, 8}).data(no_ranges).bytes() +
        PduBuilder(Opcode::nop_out).immediate().flags(0x80).itt(2).ttt(reserved_tag).cmd_sn(2).bytes());
    first.pdu();
    ASSERT_EQ(first.header.size(), bhs_length);
    EXPECT_EQ(Bhs(first.header.data()).opcode(), Opcode::nop_in) << "the UNMAP has come, and takes its time";
    second.send(scsi_command(1, 1, Moves::in, 512, read_10(0, 1)).bytes());
    EXPECT_EQ(second.pdu(), Bytes(512));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 200ms);
    first.pdu();
    ASSERT_EQ(first.header.size(), bhs_length);
    EXPECT_EQ(Bhs(first.header.data()).opcode(), Opcode::scsi_response);
    EXPECT_EQ(Bhs(first.header.data()).status(), 0);
}

TEST(TargetServer, AConnectionFindsTheSessionThatItJoins) {
    auto server = TargetServer::start(settings(), "127.0.0.1", 0, 2);
    ASSERT_TRUE(server);
    for (uint64_t isid = 1; isid <= 8; ++isid) {
        Peer first((*server)->address());
        const unsigned tsih = first.log_in(isid);
        ASSERT_NE(tsih, 0u);
        Peer second((*server)->address());
        EXPECT_EQ(second.log_in(isid, tsih, 1), tsih);
        // In order over both.
        second.send(scsi_command(2, 2, Moves::in, 512, read_10(0, 1)).bytes());
        first.send(scsi_command(1, 1, Moves::in, 512, read_10(0, 1)).bytes());
        EXPECT_EQ(first.pdu(), Bytes(512));
        EXPECT_EQ(second.pdu(), Bytes(512));
    }
}

TEST(TargetServer, ClosesWhenItStops) {
    auto server = TargetServer::start(settings(), "127.0.0.1", 0, 1);
    ASSERT_TRUE(server);
    Peer silent((*server)->address());
    Peer busy((*server)->address());
    ASSERT_NE(busy.log_in(1), 0u);
    (*server)->stop();
    EXPECT_TRUE(busy.receive(1).empty());
    server->reset();
    EXPECT_TRUE(silent.receive(1).empty());
}

TEST(TargetServer, SaysWhyItCannotListen) {
    EXPECT_THAT(TargetServer::start(settings(), "nowhere", 0, 1).error().message, HasSubstr("'nowhere'"));
    EXPECT_THAT(TargetServer::start(settings(), "192.0.2.1", 0, 1).error().message,
                HasSubstr("cannot listen"));
}

Bytes ping(uint32_t itt, size_t length) {
    return PduBuilder(Opcode::nop_out)
        .immediate()
        .flags(0x80)
        .itt(itt)
        .ttt(reserved_tag)
        .data(pattern(length))
        .bytes();
}

// Whether it is answered within the patience of a Peer.
bool answers(Peer& peer, uint32_t itt) {
    peer.send(ping(itt, 8));
    return peer.pdu() == pattern(8);
}

// Sends until nothing more is taken; what is sent back stays where it is.
void ping_and_never_read(Peer& peer, size_t length, size_t most) {
    const Bytes one = ping(1, length);
    for (size_t sent = 0; sent < most && peer.send_some(one); sent += one.size()) {
    }
}

TEST(TargetServer, WhoNeverReadsMakesRoomForOthers) {
    TargetSettings small = settings();
    small.most_held_for_one = 64 * 1024;
    small.most_held = 1024 * 1024;
    auto server = TargetServer::start(small, "127.0.0.1", 0, 1);
    ASSERT_TRUE(server);
    Peer honest((*server)->address());
    ASSERT_NE(honest.log_in(1), 0u);
    ASSERT_TRUE(answers(honest, 1));
    constexpr size_t much = 40;
    std::vector<std::unique_ptr<Peer>> others;
    size_t closed = 0;
    for (uint64_t i = 0; i < much; ++i) {
        others.push_back(std::make_unique<Peer>((*server)->address()));
        ASSERT_NE(others.back()->log_in(2 + i), 0u);
        ping_and_never_read(*others.back(), 8192, size_t{16} << 20);
    }
    for (const auto& other : others) closed += other->is_closed() ? size_t{1} : size_t{0};
    EXPECT_GE(closed, much / 2) << "forty of them hold far more than there may be";
    EXPECT_LT(closed, much) << "who came last may stay";
    EXPECT_TRUE(answers(honest, 2)) << "who reads its answers is served";
}

TEST(TargetServer, WhoSaysNothingIsClosed) {
    TargetSettings impatient = settings();
    impatient.idle_time = std::chrono::milliseconds(1500);
    auto server = TargetServer::start(impatient, "127.0.0.1", 0, 1);
    ASSERT_TRUE(server);
    Peer idle((*server)->address());
    Peer busy((*server)->address());
    ASSERT_NE(idle.log_in(1), 0u);
    ASSERT_NE(busy.log_in(2), 0u);
    for (uint32_t i = 0; i < 8; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        ASSERT_TRUE(answers(busy, i + 1));
    }
    EXPECT_TRUE(idle.is_closed());
}

TEST(TargetServer, SilentConnectionsDoNotBlockNewOnes) {
    auto server = TargetServer::start(settings(), "127.0.0.1", 0, 1);
    ASSERT_TRUE(server);
    std::vector<std::unique_ptr<Peer>> silent;
    std::vector<std::unique_ptr<Peer>> half;
    const Bytes begun = login_request(text_keys({"InitiatorName=iqn.i"}), 7).bytes();
    for (int i = 0; i < 1300; ++i) {
        silent.push_back(std::make_unique<Peer>((*server)->address()));
        half.push_back(std::make_unique<Peer>((*server)->address()));
        half.back()->send(Bytes(begun.begin(), begun.begin() + bhs_length));
    }
    Peer honest((*server)->address());
    const auto before = std::chrono::steady_clock::now();
    EXPECT_NE(honest.log_in(1), 0u);
    EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(5));
    EXPECT_TRUE(silent.front()->is_closed()) << "the oldest made room";
    EXPECT_TRUE(half.front()->is_closed()) << "the oldest made room";
}

TEST(TargetServer, SessionsThatAreStuckMakeRoomForNewOnes) {
    auto server = TargetServer::start(settings(), "127.0.0.1", 0, 1);
    ASSERT_TRUE(server);
    std::vector<std::unique_ptr<Peer>> stuck;
    for (uint64_t i = 0; i < 1024; ++i) {
        stuck.push_back(std::make_unique<Peer>((*server)->address()));
        ASSERT_NE(stuck.back()->log_in(1000 + i), 0u);
    }
    Peer refused((*server)->address());
    EXPECT_EQ(refused.log_in(1), 0u) << "all are served, and none is stuck";
    ping_and_never_read(*stuck.front(), 8192, size_t{16} << 20);
    std::this_thread::sleep_for(std::chrono::milliseconds(2500));
    Peer honest((*server)->address());
    EXPECT_NE(honest.log_in(1), 0u);
    EXPECT_TRUE(answers(honest, 1));
}

TEST(TargetServer, RequestsWhoseTurnDoesNotComeAreNotKeptWithoutEnd) {
    auto server = TargetServer::start(settings(), "127.0.0.1", 0, 1);
    ASSERT_TRUE(server);
    Peer ahead((*server)->address());
    ASSERT_NE(ahead.log_in(1), 0u);
    for (uint32_t i = 0; i < 900; ++i) {
        const Bytes request = PduBuilder(Opcode::nop_out)
                                  .flags(0x80)
                                  .itt(i + 1)
                                  .ttt(reserved_tag)
                                  .cmd_sn(100 + i)  // what comes before never comes
                                  .data(pattern(8192))
                                  .bytes();
        if (!ahead.send_some(request)) break;
    }
    EXPECT_TRUE(ahead.is_closed());
}

TEST(TargetServer, SaysWhichCongestionControlCannotBeUsed) {
    TargetSettings made = settings();
    made.tcp.congestion_control = "nosuchcontrol";
    const auto refused = TargetServer::start(made, "127.0.0.1", 0, 1);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("nosuchcontrol"));
    made.tcp.congestion_control = "reno";
    EXPECT_TRUE(TargetServer::start(made, "127.0.0.1", 0, 1));
}

}  // namespace
}  // namespace sanscope
