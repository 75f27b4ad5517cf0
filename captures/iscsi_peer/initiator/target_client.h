// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "captures/iscsi_peer/initiator/initiator_socket.h"
#include "captures/iscsi_peer/initiator/scsi_commands.h"
#include "captures/iscsi_peer/initiator/tcp_socket.h"

#include "analyzer/base/result.h"

namespace sanscope {

// A session in which one command after the other is sent and waited for: to ask a target what it has before load is put
// on it.
class TargetClient {
  public:
    struct Options {
        std::chrono::milliseconds patience{10'000};  // with each answer
        const std::atomic<bool>* stop = nullptr;     // gives up when it is set
    };

    // Logs in; goes where the target sends it, a few times. `addresses` as resolve() gives them.
    static Result<TargetClient> log_in(const std::vector<SocketAddress>& addresses, const TcpSettings& tcp,
                                       const LoginOffer& offer, const Options& options);

    const LoginOutcome& outcome() const { return socket_->connection().outcome(); }

    // The data of a command that ended GOOD; anything else is an Error in words. A unit attention is taken note of, and
    // the command sent again. `most`: bytes of data that are asked for.
    Result<std::vector<uint8_t>> read(const Cdb& cdb, uint64_t lun_field, uint32_t most);
    Result<std::monostate> write(const Cdb& cdb, uint64_t lun_field, std::span<const uint8_t> data);

    // Politely; the other end may be gone.
    void log_out();

  private:
    struct Answer {
        TaskEnd end;
        std::vector<uint8_t> sense;
        std::vector<uint8_t> data;
    };
    struct Owner {
        void on_data(uint32_t slot, std::span<const uint8_t> piece, uint32_t at);
        void fill(uint32_t slot, std::span<uint8_t> piece, uint32_t at);
        void on_done(uint32_t slot, const TaskEnd& end);
        void on_management(uint32_t slot, uint8_t response);
        void on_async(uint8_t event);
        std::vector<uint8_t> data{};
        std::span<const uint8_t> to_write{};
        std::optional<Answer> answer{};
    };

    explicit TargetClient(const Options& options);
    // Moves bytes until `done` says so.
    template <class Done>
    Result<std::monostate> exchange(Done done);
    Result<Answer> run(const ScsiTask& task, std::span<const uint8_t> to_write);
    Result<Answer> run_until_good(const ScsiTask& task, std::span<const uint8_t> to_write);

    Options options_;
    std::unique_ptr<SessionNumbers> numbers_ = std::make_unique<SessionNumbers>();
    std::unique_ptr<InitiatorSocket> socket_;
    std::vector<uint8_t> scratch_;
    Owner owner_;
};

// "CHECK CONDITION, ILLEGAL REQUEST: LOGICAL BLOCK ADDRESS OUT OF RANGE"
std::string task_end_text(const TaskEnd& end, std::span<const uint8_t> sense);

}  // namespace sanscope
