// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "captures/generator/pdu_receiver.h"
#include "captures/target/output_batch.h"
#include "captures/target/ring_queue.h"
#include "captures/target/target_login.h"
#include "captures/target/target_session.h"

#include "analyzer/iscsi/bhs.h"
#include "analyzer/iscsi/bhs_writer.h"

namespace sanscope {

// The target's side of one connection, without its socket: login, then requests and their answers (RFC 7143), at error recovery
// level 0. Its owner gives it what comes, in pieces of any size, and sends what it fills a batch with. A read or write of the
// medium takes no memory; a Data-In is made only once there is room to send it.
class TargetConnection {
  public:
    // `portal`: the address it came to, "127.0.0.1:3260", which discovery tells. The table must outlive it.
    TargetConnection(SessionTable& table, std::string portal);
    TargetConnection(const TargetConnection&) = delete;
    TargetConnection& operator=(const TargetConnection&) = delete;
    ~TargetConnection();

    enum class Ending : uint8_t {
        goes_on,
        after_output,  // to be closed once all is sent
        now,
        reset,  // to be closed with a TCP reset
    };
    Ending ending() const { return ending_; }

    // While there is much to send that the initiator does not take, nothing more is wanted of it.
    bool wants_input() const { return ending_ == Ending::goes_on && others_.size() < most_others; }
    void take(std::span<const uint8_t> bytes);
    // So many of the bytes that come next may be thrown away where they are; then that was done with `bytes` of them.
    uint32_t unwanted() const { return ending_ == Ending::goes_on ? receiver_.unwanted() : 0; }
    void passed_over(uint32_t bytes);

    bool has_output() const { return !replies_.empty(); }
    // Adds what there is room for. The batch must be sent, or given up, before the session ends.
    void fill(OutputBatch& batch);

    // Of commands whose service takes time: when the next is done; and to be called then.
    std::optional<std::chrono::steady_clock::time_point> next_due() const;
    void on_time();

    bool logged_in() const { return session_ != nullptr; }

  private:
    struct Handler;

    // Answers that are not those of SCSI commands, in reserve.
    static constexpr size_t most_others = 256;
    static constexpr size_t most_collected = 65536;

    struct Reply {
        enum class What : uint8_t { answer, r2t, other };
        What what = What::other;
        uint16_t slot = 0;
        uint32_t generation = 0;
        uint32_t serial = 0;  // of an R2T
        uint32_t offset = 0;
        uint32_t length = 0;
    };
    struct Other {
        BhsWriter header{Opcode::nop_in};
        std::vector<uint8_t> data;
        bool is_login = false;
    };
    struct Delayed {
        std::chrono::steady_clock::time_point due;
        uint16_t slot = 0;
        uint32_t generation = 0;
    };

    // Of a PDU that comes.
    bool on_header(Bhs header);
    void on_data(std::span<const uint8_t> piece, uint32_t at);
    void on_end(Bhs header, bool intact);

    // Login.
    void on_login(Bhs header);
    LoginStatus enter_session(Bhs header);

    // SCSI commands and their data.
    bool begin_command(Bhs header);
    void reject_command(Bhs header, uint8_t reason);
    void plan_command(TargetTask& task, Bhs header);
    void apply_faults(TargetTask& task);
    void end_command(Bhs header, bool intact);
    bool begin_data_out(Bhs header);
    void end_data_out(Bhs header, bool intact);
    TargetTask* task_of_data_out(Bhs header);
    void go_on(uint16_t slot);
    void answer(uint16_t slot);
    void ask_for_data(uint16_t slot, TargetTask& task);
    uint32_t sequence_end(const TargetTask& task) const;

    // Other requests.
    void on_request(Bhs header);
    void execute_in_order();
    void execute(Bhs header, std::vector<uint8_t> data);
    void on_nop(Bhs header, std::vector<uint8_t> data);
    void on_text(Bhs header, const std::vector<uint8_t>& data);
    void on_logout(Bhs header);
    void on_task_management(Bhs header);
    uint8_t manage_tasks(Bhs header);
    uint8_t abort_one(Bhs header);

    // What is sent.
    void reply(const BhsWriter& header, std::vector<uint8_t> data = {}, bool is_login = false);
    void reject(Bhs header, uint8_t reason);
    void protocol_error(Bhs header);
    bool fill_answer(const Reply& reply, OutputBatch& batch);
    void add_response(const TargetTask& task, OutputBatch& batch);
    OutputBatch::Digests digests(bool wrong_header = false, bool wrong_data = false) const;
    BhsWriter& number(BhsWriter& header, bool takes_stat_sn);

    void end(Ending ending);
    void wake();

    SessionTable& table_;
    std::string portal_;
    PduReceiver receiver_;
    std::optional<TargetLogin> login_;
    TargetSession* session_ = nullptr;
    LoginOutcome outcome_;
    uint16_t cid_ = 0;
    bool logged_out_ = false;
    Ending ending_ = Ending::goes_on;
    uint32_t stat_sn_ = 1;
    uint32_t login_cmd_sn_ = 0;

    // Of the PDU that comes.
    std::vector<uint8_t> collected_;
    bool collects_ = false;
    uint16_t slot_ = TargetSession::no_task;
    uint32_t generation_ = 0;
    uint32_t data_at_ = 0;  // where its data go, from the command's first byte

    std::string text_;  // of text requests that go on
    RingQueue<Reply> replies_;
    RingQueue<Other> others_;
    RingQueue<Delayed> delayed_;
    std::vector<uint32_t> fault_counts_;
};

}  // namespace sanscope
