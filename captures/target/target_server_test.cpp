// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/target/target_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
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

}  // namespace
}  // namespace sanscope
