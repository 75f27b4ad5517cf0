// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/iscsi/login_negotiation.h"
#include "analyzer/iscsi/pdu_framer.h"
#include "analyzer/session/inferred/acknowledged_statuses.h"
#include "analyzer/session/inferred/unseen_answers.h"
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
          unseen_(connection, store, issues, acknowledged_) {}
    IscsiConnection(const IscsiConnection&) = delete;
    IscsiConnection& operator=(const IscsiConnection&) = delete;

    // The next piece of the stream that the initiator, or the target, sends.
    void consume(bool from_target, const StreamPiece& piece);
    // That stream does not begin with a header, as far as is known.
    void begin_unsynchronised(bool from_target) { framer(from_target).begin_unsynchronised(); }
    // Both streams have ended.
    void finish();

  private:
    bool is_plausible_header(const uint8_t* bytes, size_t captured) const override;
    bool is_plausible_request(const Bhs& bhs, size_t captured) const;
    bool is_plausible_response(const Bhs& bhs, size_t captured) const;
    // No command has been seen, nor the end of a login.
    bool logging_in() const { return !login_.full_feature() && !requested_; }
    void on_pdu(bool from_target);
    void on_login_or_text(const Pdu& pdu);
    void on_stretch(bool from_target);
    AnswerShape answer_shape() const;
    bool count_requests(const UnseenStretch& stretch);
    void note_mixed_stretch(const UnseenStretch& stretch);
    void on_request_in_gap(const Pdu& pdu);
    void note_received(Serial32 exp_cmd_sn);
    void close_request_gap(const Pdu& next);
    void count_hidden_requests(const Pdu& next, uint32_t found);
    void track(const Pdu& pdu, bool from_target);
    bool moment_is_known(const Pdu& pdu);
    void note_numbers(const Pdu& pdu, bool from_target);
    void record(const Pdu& pdu, bool from_target, uint64_t command);
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
    // Requests since the last one seen whole whose tags the capture cut off, until the next one tells their numbers.
    struct RequestGap {
        bool begun = false;     // `before` holds
        bool hopeless = false;  // something in it cannot be counted
        uint32_t itt_before = 0;
        Serial32 cmd_sn_before;
        uint32_t others = 0;  // requests seen since that are no SCSI commands, and count by CmdSN like them
        std::vector<Arrival> requests;
        bool writes = false;         // these are writes with immediate data, all as long as the one before
        size_t in_open_stretch = 0;  // of the requests: from the stretch that has not come to its end
        uint32_t mixed = 0;          // stretches in which requests may lie among data …
        size_t mixed_at = 0;         // … the latest of them behind so many requests
        Arrival mixed_arrival;       // … and when all of it came; packet 0: with several packets
        std::vector<uint64_t> commands;  // of the first requests: those the target says it has received
    };
    // How evenly this initiator counts up its tags, from one command to the next.
    struct TagStride {
        uint32_t stride = 0;
        uint32_t in_a_row = 0;
        bool even = true;    // never another so far
        uint32_t shown = 0;  // by two commands that were both seen, one right behind the other
        // Of commands whose tags lie `apart`, so many `steps` from each other. True if the tags between can be told.
        bool note(uint32_t apart, uint32_t steps);
        // Before the tag behind is seen.
        bool predicts() const { return in_a_row >= (even ? believed : surely) && stride == shown; }
        static constexpr uint32_t believed = 4;
        static constexpr uint32_t surely = 64;
    };
    static constexpr size_t max_requests_in_gap = 4096;
    // How long the requests seen last were, with their immediate data, and how many in a row.
    struct RequestLength {
        static constexpr uint32_t believed = 3;
        uint32_t bytes = 0;
        uint32_t in_a_row = 0;
        bool whole = false;  // all that they write came with them
        bool predicts_writes() const { return whole && in_a_row >= believed; }
    };
    RequestLength request_length_;
    bool sends_data_ = false;  // this initiator: what lies behind its cut headers may be that
    void note_length(const Pdu& request);
    uint32_t request_bytes(const Pdu& request) const;

    AcknowledgedStatuses acknowledged_;
    UnseenAnswers unseen_;
    RequestGap request_gap_;
    TagStride tag_stride_;
    bool leading_ = false;    // this connection's login began the session
    bool requested_ = false;  // a SCSI command was seen; the two below are its
    Serial32 requested_cmd_sn_;
    bool requested_exp_stat_sn_known_ = false;
    PacketNumber requested_packet_ = 0;
    Serial32 requested_exp_stat_sn_;
    bool stat_sn_known_ = false;
    Serial32 stat_sn_;  // of the latest answer with status
};

}  // namespace sanscope
