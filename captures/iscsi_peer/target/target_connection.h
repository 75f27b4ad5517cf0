// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "captures/iscsi_peer/pdu_receiver.h"
#include "captures/iscsi_peer/target/output_batch.h"
#include "captures/iscsi_peer/target/ring_queue.h"
#include "captures/iscsi_peer/target/target_login.h"
#include "captures/iscsi_peer/target/target_session.h"

#include "analyzer/iscsi/bhs.h"
#include "analyzer/iscsi/bhs_writer.h"

namespace sanscope {

// The target's side of one connection, without its socket: login, then requests and their answers (RFC 7143), at error
// recovery level 0. Its owner gives it what comes, in pieces of any size, and sends what it fills a batch with. A read
// or write of the medium takes no memory, but for reads with a data digest; a Data-In is made only once there is room to
// send it.
class TargetConnection {
  public:
    // `portal`: the address it came to, "127.0.0.1:3260", which discovery reports. The table must outlive it.
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
    bool wants_input() const {
        return ending_ == Ending::goes_on && others_.size() < most_others &&
               held() < table_.settings.most_held_for_one;
    }
    // What it holds of requests that are not all there, and of answers that are not in a batch. Bytes.
    size_t held() const {
        return others_bytes_ + others_.bytes() + replies_.bytes() + collected_.capacity() + text_.size() +
               delayed_.size() * sizeof(Delayed);
    }
    // Of these, what came of a PDU or a text that is not all there.
    size_t partial() const { return collected_.size() + text_.size(); }
    // Since when its initiator has taken nothing of what is held for it; none where nothing is. Set by its owner.
    std::optional<std::chrono::steady_clock::time_point> stuck_since() const { return stuck_since_; }
    void set_stuck_since(std::optional<std::chrono::steady_clock::time_point> since) { stuck_since_ = since; }
    // It is to be closed at once, for others.
    void give_way() { end(Ending::now); }
    // How much is worth taking at once: data as much as comes, but of what could be many requests not too many.
    uint32_t worth_taking() const {
        constexpr uint32_t of_requests = 64 * 1024;
        return receiver_.missing() + of_requests;
    }
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
        uint64_t order = 0;  // of those due at once, as they came
        uint16_t slot = 0;
        uint32_t generation = 0;

        bool operator>(const Delayed& other) const {
            return due != other.due ? due > other.due : order > other.order;
        }
    };

    // Of a PDU that comes.
    bool on_header(Bhs header);
    void on_data(std::span<const uint8_t> piece, uint32_t at);
    void on_end(Bhs header, bool intact);
    void on_whole_pdu(Bhs header, bool intact);

    // Login.
    void on_login(Bhs header);
    LoginStatus enter_session(Bhs header);

    // SCSI commands and their data.
    bool begin_command(Bhs header);
    void reject_command(Bhs header, uint8_t reason);
    void plan_command(TargetTask& task, Bhs header);
    static void only_answer(TargetTask& task, uint8_t status);
    void apply_faults(TargetTask& task);
    void end_command(Bhs header, bool intact);
    bool begin_data_out(Bhs header);
    void end_data_out(Bhs header, bool intact);
    TargetTask* task_of_data_out(Bhs header);
    void go_on(uint16_t slot);
    bool is_delayed(const TargetTask& task) const;
    std::chrono::steady_clock::time_point served_at(const TargetTask& task);
    void carry_out_collected(uint16_t slot);
    void answer(uint16_t slot);
    void push_answer(uint16_t slot, uint32_t generation);
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
    RingQueue<Reply, 128> replies_;
    RingQueue<Other, 16> others_;
    std::vector<Delayed> delayed_;  // a heap, the next due in front
    uint64_t delayed_so_far_ = 0;
    size_t others_bytes_ = 0;
    std::optional<std::chrono::steady_clock::time_point> stuck_since_;
    std::vector<uint32_t> fault_counts_;
};

}  // namespace sanscope
