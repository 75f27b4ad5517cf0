// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/core.h>
#include <span>
#include <string>
#include <sys/socket.h>
#include <utility>
#include <variant>

#include "captures/iscsi_peer/initiator/initiator_connection.h"

#include "analyzer/base/file_descriptor.h"
#include "analyzer/base/result.h"

namespace sanscope {

// An InitiatorConnection on a connected socket that does not block. Data that nobody wants are discarded in the kernel
// where that is faster than to copy them.
class InitiatorSocket {
  public:
    InitiatorSocket(FileDescriptor socket, LoginOffer offer, SessionNumbers& numbers,
                    const InitiatorConnection::Options& options)
        : socket_(std::move(socket)), connection_(std::move(offer), numbers, options) {}

    int descriptor() const { return socket_.get(); }
    InitiatorConnection& connection() { return connection_; }
    const InitiatorConnection& connection() const { return connection_; }

    // Takes what has come, through `scratch`, but does not go on for ever: true where there may be more. An Error ends
    // the connection.
    template <class Owner>
    Result<bool> receive(std::span<uint8_t> scratch, Owner& owner);

    // Sends as much as the socket takes: false where it is full, and is to be waited for.
    template <class Owner>
    Result<bool> send(Owner& owner);

  private:
    // Below this a copy costs less than to take a header and its data in calls of their own.
    static constexpr uint32_t least_discarded = 32u << 10;
    static constexpr int most_calls = 16;
    static constexpr size_t header_with_digest = bhs_length + digest_length;

    FileDescriptor socket_;
    InitiatorConnection connection_;
    bool much_unwanted_ = false;  // so it was in the last PDU

    // The target of the Linux kernel gives no other answer to who offers no CHAP where it wants that.
    std::string closed() const {
        const bool in_login = connection_.phase() == InitiatorConnection::Phase::login;
        return std::string("the target closed the connection") +
               (in_login ? " during the login and did not say why; some do so where they want CHAP" : "");
    }
};

template <class Owner>
Result<bool> InitiatorSocket::receive(std::span<uint8_t> scratch, Owner& owner) {
    for (int calls = 0; calls < most_calls; ++calls) {
        const uint32_t unwanted = connection_.unwanted();
        const bool discards = unwanted >= least_discarded || (much_unwanted_ && unwanted > 0);
        // Where the last PDU had much to discard, of the next one only the header is taken at first.
        const size_t most = discards ? unwanted : much_unwanted_ ? header_with_digest : scratch.size();
        const size_t room = std::min(most, scratch.size());
        const ssize_t count = ::recv(socket_.get(), scratch.data(), room, discards ? MSG_TRUNC : 0);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno != EAGAIN)
            return Error{fmt::format("the connection broke: {}", std::strerror(errno))};
        if (count == 0) return Error{closed()};
        if (count > 0) {
            const auto taken = discards ? connection_.passed_over(static_cast<uint32_t>(count), owner)
                                        : connection_.take(scratch.first(static_cast<size_t>(count)), owner);
            if (!taken) return taken.error();
            if (!discards) much_unwanted_ = connection_.unwanted() >= least_discarded;
        }
        // A short count: what had come by then is taken.
        if (count < 0 || (static_cast<size_t>(count) < room && (discards || !much_unwanted_))) return false;
    }
    return true;
}

template <class Owner>
Result<bool> InitiatorSocket::send(Owner& owner) {
    while (true) {
        const std::span<const uint8_t> bytes = connection_.to_send();
        if (bytes.empty()) return true;
        const ssize_t count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count < 0) {
            if (errno == EAGAIN) return false;
            if (errno == EINTR) continue;
            return Error{fmt::format("the connection broke: {}", std::strerror(errno))};
        }
        connection_.sent(static_cast<size_t>(count), owner);
    }
}

}  // namespace sanscope
