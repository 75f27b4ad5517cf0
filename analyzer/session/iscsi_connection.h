// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/iscsi/login_negotiation.h"
#include "analyzer/iscsi/pdu_framer.h"
#include "analyzer/session/answer_numbers.h"
#include "analyzer/session/inferred/acknowledged_statuses.h"
#include "analyzer/session/inferred/hidden_requests.h"
#include "analyzer/session/inferred/unseen_answers.h"
#include "analyzer/session/ping_tracker.h"
#include "analyzer/session/request_numbers.h"
#include "analyzer/session/sending_pauses.h"
#include "analyzer/session/session_tracker.h"
#include "analyzer/store/result_store.h"
#include "analyzer/vocabulary/issues.h"

namespace sanscope {

// One iSCSI connection: its two streams in, their PDUs into the store and to the session's command tracker.
class IscsiConnection final : private HeaderWitness {
  public:
    IscsiConnection(uint32_t connection, SessionTracker& sessions, ResultStore& store, Issues& issues)
        : connection_(connection),
          sessions_(&sessions),
          store_(&store),
          issues_(&issues),
          framers_{PduFramer(false, *this), PduFramer(true, *this)},
          unseen_(connection, store, issues, acknowledged_, sessions.pairings()),
          hidden_(connection, store, issues) {}
    IscsiConnection(const IscsiConnection&) = delete;
    IscsiConnection& operator=(const IscsiConnection&) = delete;

    // The next piece of the stream that the initiator, or the target, sends.
    void consume(bool from_target, const StreamPiece& piece);
    // That stream does not begin with a header, as far as is known.
    void begin_unsynchronised(bool from_target) { framer(from_target).begin_unsynchronised(); }
    // As of PduFramer, of both streams.
    void data_are_not_kept() {
        framers_[0].data_are_not_kept();
        framers_[1].data_are_not_kept();
    }
    // Of the target's stream, more was acknowledged than captured as of the initiator's next piece, or not.
    void answers_may_be_unseen(bool may);
    // What the target's stream held before that packet was acknowledged and, as far as is known, never captured.
    void answers_were_unseen_until(PacketNumber captured_again);
    // Both streams have ended.
    void finish();

  private:
    bool is_plausible_header(const uint8_t* bytes, size_t captured, uint64_t offset) const override;
    bool wants_data_in(const Bhs& bhs) const override;
    bool is_plausible_request(const Bhs& bhs, size_t captured, uint64_t offset) const;
    RequestNumbers::Answered answered_numbers() const;
    bool is_plausible_response(const Bhs& bhs, size_t captured, uint64_t offset) const;
    AnswerNumbers::Requested requested_numbers() const;
    bool fits_a_command(const Bhs& answer, size_t captured) const;
    bool may_answer_an_unseen_request(const Bhs& answer, size_t captured) const;
    bool is_out_of_order(const Bhs& request) const;
    // No command has been seen, nor the end of a login.
    bool logging_in() const { return !login_.full_feature() && !requested_; }
    void on_pdu(bool from_target);
    void on_login_or_text(const Pdu& pdu);
    void on_stretch(bool from_target);
    AnswerShape answer_shape() const;
    RequestShape request_shape() const;
    void note_received(Serial32 exp_cmd_sn);
    bool is_resent_status(const Pdu& pdu) const;
    bool is_surely_an_answer(const Pdu& pdu) const;
    bool is_surely_a_request(const Pdu& pdu) const;
    void track(const Pdu& pdu, bool from_target);
    bool moment_is_known(const Pdu& pdu);
    void note_numbers(const Pdu& pdu, bool from_target);
    void record(const Pdu& pdu, bool from_target, uint64_t command);
    void note_digests(const Pdu& pdu, Role sender);
    void note_event(const Pdu& pdu, const PduRow& row);
    void describe_found_digests();
    void join(Session* session);
    uint32_t header_length() const;
    PduFramer& framer(bool from_target) { return framers_[from_target ? 1 : 0]; }

    uint32_t connection_;
    SessionTracker* sessions_;
    ResultStore* store_;
    Issues* issues_;
    Session* session_ = nullptr;
    PduFramer framers_[2];
    LoginNegotiation login_;
    AnswerNumbers answer_numbers_;
    RequestNumbers request_numbers_;
    AcknowledgedStatuses acknowledged_;
    UnseenAnswers unseen_;
    HiddenRequests hidden_;
    PingTracker pings_;
    SendingPauses pauses_[2];
    bool may_be_unseen_ = false;
    bool snacked_ = false;  // the initiator has sent a SNACK Request
    bool text_requested_ = false;
    bool requests_unseen_ = false;  // one may have been sent that was not seen
    bool leading_ = false;          // this connection's login began the session
    bool requested_ = false;        // a SCSI command was seen; the two below are its
    Serial32 requested_cmd_sn_;
    bool requested_exp_stat_sn_known_ = false;
    PacketNumber requested_packet_ = 0;
    Serial32 requested_exp_stat_sn_;
    bool stat_sn_known_ = false;
    Serial32 stat_sn_;  // of the latest answer with status
};

}  // namespace sanscope
