// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/initiator/target_client.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/core.h>
#include <poll.h>
#include <utility>

#include "captures/iscsi_peer/initiator/portal_address.h"

#include "analyzer/scsi/sense.h"
#include "analyzer/scsi/sense_keys.h"
#include "analyzer/scsi/status.h"

namespace sanscope {
namespace {

constexpr size_t scratch_length = size_t{64} * 1024;
constexpr int most_redirections = 4;
constexpr int most_unit_attentions = 8;
constexpr int step_ms = 100;

}  // namespace

std::string task_end_text(const TaskEnd& end, std::span<const uint8_t> sense) {
    switch (end.how) {
        case TaskEnd::How::target_failure:
            return fmt::format("the command did not complete at the target (response 0x{:02x})",
                               end.response);
        case TaskEnd::How::rejected:
            return fmt::format("the target rejected the command (reason 0x{:02x})", end.response);
        case TaskEnd::How::data_digest_wrong:
            return "the data digest is wrong";
        case TaskEnd::How::data_missing:
            return fmt::format("the target sent {} bytes and said that all is well", end.moved);
        case TaskEnd::How::answered:
            break;
    }
    std::string text(scsi_status_name(end.status));
    std::ranges::replace(text, '_', ' ');
    const auto parsed = parse_sense(sense);
    if (!parsed || parsed->sense_key == unknown<uint16_t>) return text;
    text += fmt::format(", {}", sense_key_name(parsed->sense_key));
    const std::string_view more =
        parsed->asc == unknown<uint16_t> ? "" : additional_sense_text(parsed->asc, parsed->ascq);
    if (!more.empty()) text += fmt::format(": {}", more);
    return text;
}

void TargetClient::Owner::on_data(uint32_t /*slot*/, std::span<const uint8_t> piece, uint32_t at) {
    data.resize(std::max<size_t>(data.size(), at + piece.size()));
    std::ranges::copy(piece, data.begin() + at);
}

void TargetClient::Owner::fill(uint32_t /*slot*/, std::span<uint8_t> piece, uint32_t at) {
    std::ranges::copy(to_write.subspan(at, piece.size()), piece.begin());
}

void TargetClient::Owner::on_done(uint32_t /*slot*/, const TaskEnd& end) {
    answer = Answer{.end = end, .sense = {end.sense.begin(), end.sense.end()}, .data = std::move(data)};
    answer->end.sense = {};
    data.clear();
}

void TargetClient::Owner::on_management(uint32_t /*slot*/, uint8_t /*response*/) {}
void TargetClient::Owner::on_async(uint8_t /*event*/) {}

TargetClient::TargetClient(const Options& options) : options_(options), scratch_(scratch_length) {}

template <class Done>
Result<std::monostate> TargetClient::exchange(Done done) {
    auto until = std::chrono::steady_clock::now() + options_.patience;
    while (true) {
        auto sent = socket_->send(owner_);
        if (!sent) return sent.error();
        if (done()) return std::monostate{};
        if (options_.stop != nullptr && *options_.stop) return Error{"interrupted"};
        pollfd waiting{.fd = socket_->descriptor(),
                       .events = static_cast<short>(*sent ? POLLIN : POLLIN | POLLOUT),
                       .revents = 0};
        const int ready = ::poll(&waiting, 1, step_ms);
        if (ready < 0 && errno != EINTR) return Error{std::strerror(errno)};
        if (ready > 0) {
            auto received = socket_->receive(scratch_, owner_);
            if (!received) return received.error();
            until = std::chrono::steady_clock::now() + options_.patience;
        } else if (std::chrono::steady_clock::now() > until) {
            return Error{fmt::format("the target did not answer within {} s",
                                     std::chrono::duration<double>(options_.patience).count())};
        }
    }
}

Result<TargetClient> TargetClient::log_in(const std::vector<SocketAddress>& addresses, const TcpSettings& tcp,
                                          const LoginOffer& offer, const Options& options) {
    std::vector<SocketAddress> whereto = addresses;
    for (int redirections = 0; redirections < most_redirections; ++redirections) {
        TargetClient client(options);
        auto socket = connect_to(whereto, tcp, options.patience);
        if (!socket) return socket.error();
        client.socket_ = std::make_unique<InitiatorSocket>(std::move(*socket), offer, *client.numbers_,
                                                           InitiatorConnection::Options{});
        const auto in_login = [&] {
            return client.socket_->connection().phase() == InitiatorConnection::Phase::login;
        };
        if (auto ended = client.exchange([&] { return !in_login(); }); !ended) return ended.error();
        if (client.socket_->connection().phase() != InitiatorConnection::Phase::redirected) return client;
        auto next = resolve_portal(client.socket_->connection().target_address());
        if (!next) return next.error();
        whereto = std::move(*next);
    }
    return Error{fmt::format("the target sent this initiator elsewhere {} times", most_redirections)};
}

Result<TargetClient::Answer> TargetClient::run(const ScsiTask& task, std::span<const uint8_t> to_write) {
    InitiatorConnection& connection = socket_->connection();
    owner_.answer.reset();
    owner_.to_write = to_write;
    if (auto ready = exchange([&] { return connection.can_issue(); }); !ready) return ready.error();
    connection.issue(task, owner_);
    if (auto ended = exchange([&] { return owner_.answer.has_value(); }); !ended) return ended.error();
    return std::move(*owner_.answer);
}

Result<TargetClient::Answer> TargetClient::run_until_good(const ScsiTask& task,
                                                          std::span<const uint8_t> to_write) {
    for (int attentions = 0;; ++attentions) {
        auto answer = run(task, to_write);
        if (!answer) return answer;
        if (answer->end.how == TaskEnd::How::answered && answer->end.status == scsi_status::good)
            return answer;
        const auto sense = parse_sense(answer->sense);
        const bool attention = sense && sense->sense_key == sense_key::unit_attention;
        if (!attention || attentions == most_unit_attentions)
            return Error{task_end_text(answer->end, answer->sense)};
    }
}

Result<std::vector<uint8_t>> TargetClient::read(const Cdb& cdb, uint64_t lun_field, uint32_t most) {
    ScsiTask task{.cdb = cdb, .lun_field = lun_field, .bytes = most, .wants_data = true};
    if (most > 0) task.direction = ScsiTask::Direction::read;
    auto answer = run_until_good(task, {});
    if (!answer) return answer.error();
    return std::move(answer->data);
}

Result<std::monostate> TargetClient::write(const Cdb& cdb, uint64_t lun_field,
                                           std::span<const uint8_t> data) {
    const ScsiTask task{.cdb = cdb,
                        .lun_field = lun_field,
                        .bytes = static_cast<uint32_t>(data.size()),
                        .direction = ScsiTask::Direction::write};
    if (auto answer = run_until_good(task, data); !answer) return answer.error();
    return std::monostate{};
}

void TargetClient::log_out() {
    InitiatorConnection& connection = socket_->connection();
    connection.log_out();
    (void)exchange([&] { return connection.phase() != InitiatorConnection::Phase::logging_out; });
}

}  // namespace sanscope
