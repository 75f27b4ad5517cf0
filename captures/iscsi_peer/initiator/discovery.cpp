// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/initiator/discovery.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fmt/core.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <utility>

#include "captures/iscsi_peer/pdu_receiver.h"

namespace sanscope {
namespace {

constexpr uint32_t first_cmd_sn = 1;

// Keeps one PDU whole.
struct WholePdu {
    bool on_header(Bhs bhs) {
        std::memcpy(header.data(), bhs.bytes(), bhs_length);
        data.clear();
        return true;
    }
    void on_data(std::span<const uint8_t> piece, uint32_t /*at*/) {
        data.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    }
    void on_end(Bhs /*header*/, bool /*intact*/) { complete = true; }

    std::array<uint8_t, bhs_length> header{};
    std::string data;
    bool complete = false;
};

// One request after the other over a socket, each answered by one PDU. Digests are not asked for.
class Conversation {
  public:
    Conversation(FileDescriptor socket, std::chrono::milliseconds patience)
        : socket_(std::move(socket)), patience_(static_cast<int>(patience.count())) {}

    Result<std::monostate> send(const LoginExchange::Request& request) {
        BhsWriter header = request.header;
        header.data_segment_length(static_cast<uint32_t>(request.data.size()));
        std::string bytes(reinterpret_cast<const char*>(header.bytes().data()), bhs_length);
        bytes += request.data;
        bytes.resize((bytes.size() + 3) & ~size_t{3});
        for (size_t sent = 0; sent < bytes.size();) {
            const ssize_t count = ::send(socket_.get(), &bytes[sent], bytes.size() - sent, MSG_NOSIGNAL);
            if (count >= 0) {
                sent += static_cast<size_t>(count);
            } else if (errno == EAGAIN) {
                if (auto ready = wait(POLLOUT); !ready) return ready;
            } else if (errno != EINTR) {
                return Error{fmt::format("the connection broke: {}", std::strerror(errno))};
            }
        }
        return std::monostate{};
    }

    // The next PDU from the target; a NOP-In of its own is passed over.
    Result<std::monostate> receive() {
        do {
            if (auto received = receive_one(); !received) return received;
        } while (header().opcode() == Opcode::nop_in);
        return std::monostate{};
    }
    Bhs header() const { return Bhs(pdu_.header.data()); }
    const std::string& data() const { return pdu_.data; }

  private:
    Result<std::monostate> receive_one() {
        pdu_.complete = false;
        while (!pdu_.complete) {
            // No more than belongs to the PDU.
            std::array<uint8_t, 8192> room;
            const size_t wanted = std::min<size_t>(receiver_.missing(), room.size());
            const ssize_t count = ::recv(socket_.get(), room.data(), wanted, 0);
            if (count == 0) return Error{"the target closed the connection"};
            if (count < 0) {
                if (errno == EAGAIN) {
                    if (auto ready = wait(POLLIN); !ready) return ready;
                } else if (errno != EINTR) {
                    return Error{fmt::format("the connection broke: {}", std::strerror(errno))};
                }
                continue;
            }
            auto taken = receiver_.take(std::span(room).first(static_cast<size_t>(count)), pdu_);
            if (!taken) return taken;
        }
        return std::monostate{};
    }

    Result<std::monostate> wait(short events) {
        pollfd waiting{.fd = socket_.get(), .events = events, .revents = 0};
        const int ready = ::poll(&waiting, 1, patience_);
        if (ready > 0) return std::monostate{};
        if (ready < 0) return Error{errno == EINTR ? "interrupted" : std::strerror(errno)};
        return Error{fmt::format("the target did not answer within {:.3g} s", patience_ / 1000.0)};
    }

    FileDescriptor socket_;
    int patience_;
    PduReceiver receiver_{PduReceiver::Options{.most_data = 65536}};
    WholePdu pdu_;
};

}  // namespace

Result<std::vector<DiscoveredTarget>> discover(const std::vector<SocketAddress>& addresses,
                                               const TcpSettings& tcp, const LoginOffer& offer,
                                               std::chrono::milliseconds patience) {
    auto socket = connect_to(addresses, tcp, patience);
    if (!socket) return socket.error();
    Conversation conversation(std::move(*socket), patience);
    LoginExchange login(offer, first_cmd_sn);
    while (true) {
        auto request = login.request();
        if (auto sent = conversation.send(request); !sent) return sent.error();
        if (auto received = conversation.receive(); !received) return received.error();
        auto state = login.on_response(conversation.header(), conversation.data());
        if (!state) return state.error();
        if (*state == LoginExchange::State::redirected)
            return Error{fmt::format("the target sends discoveries to {}", login.target_address())};
        if (*state == LoginExchange::State::complete) break;
    }
    SendTargets exchange(first_cmd_sn, login.exp_stat_sn());
    while (true) {
        if (auto sent = conversation.send(exchange.request()); !sent) return sent.error();
        auto received = conversation.receive();
        // Not every target says goodbye.
        if (!received && exchange.answered()) break;
        if (!received) return received.error();
        auto state = exchange.on_response(conversation.header(), conversation.data());
        if (!state) return state.error();
        if (*state == SendTargets::State::complete) break;
    }
    return exchange.targets();
}

}  // namespace sanscope
