// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "analyzer/base/serial32.h"
#include "analyzer/iscsi/pdu_framer.h"
#include "analyzer/session/inferred/inferred_commands.h"
#include "analyzer/store/result_store.h"
#include "analyzer/vocabulary/issues.h"

namespace sanscope {

// How this initiator's PDUs are made up.
struct RequestShape {
    uint32_t header_length = bhs_length;  // with header digest, if any
    uint32_t data_digest_length = 0;
};

// The requests of one connection whose headers the capture cut off, behind the last one seen whole. CmdSN of the next
// one seen says how many there were; where initiators count their tags up evenly, as many do, the tags before and
// behind say those between.
class HiddenRequests {
  public:
    HiddenRequests(uint32_t connection, ResultStore& store, Issues& issues)
        : connection_(connection), store_(&store), issues_(&issues) {}

    // The connection belongs to that session; both outlive this.
    void join(InferredCommands& commands, uint32_t session) {
        commands_ = &commands;
        session_ = session;
    }

    // A stretch of the initiator's stream without headers has come to its end.
    void add_stretch(const UnseenStretch& stretch, const RequestShape& shape);
    // A request of which no more than opcode and lengths were captured.
    void add_partial(const Pdu& pdu, const RequestShape& shape);
    // A request that CmdSN counts, and that is no SCSI command.
    void on_other_request() { ++gap_.others; }
    void on_data_out() { sends_data_ = true; }

    // Whether on_received() may find anything.
    bool awaits_receipt() const { return gap_.begun && !gap_.hopeless && gap_.mixed == 0 && !sends_data_; }
    // A target that expects `exp_cmd_sn` next proves that what it has received of the gap were commands, before the
    // next request shows it: their answers may be the very next. `open`: the stretch that goes on, nullptr if there is
    // none.
    void on_received(Serial32 exp_cmd_sn, const UnseenStretch* open, const RequestShape& shape);
    // Whether a request that was not seen may have had that tag, where this initiator surely counts its tags.
    bool may_have_tag(uint32_t itt) const {
        constexpr int64_t most_steps = 65536;
        if (!tag_stride_.is_sure()) return true;
        const int64_t apart = Serial32(gap_.itt_before).distance_to(Serial32(itt));
        const int64_t stride = Serial32().distance_to(Serial32(tag_stride_.stride));
        return apart % stride == 0 && std::abs(apart / stride) < most_steps;
    }
    // A request was seen whole.
    void close(const Pdu& next, const RequestShape& shape);

  private:
    static constexpr size_t max_in_gap = 4096;

    struct Gap {
        bool begun = false;     // the two `before` hold
        bool hopeless = false;  // something in it cannot be counted
        uint32_t itt_before = 0;
        Serial32 cmd_sn_before;
        PacketNumber packet_before = 0;
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
        // Of commands whose tags lie `apart`, so many `steps` from each other. True if the tags between are known then.
        bool note(uint32_t apart, uint32_t steps);
        // Before the tag behind is seen.
        bool predicts() const { return in_a_row >= (even ? believed : surely) && stride == shown; }
        bool is_sure() const { return in_a_row >= surely && stride == shown; }
        static constexpr uint32_t believed = 4;
        static constexpr uint32_t surely = 64;
    };
    // How long the requests seen last were, with their immediate data, and how many in a row.
    struct RequestLength {
        static constexpr uint32_t believed = 3;
        uint32_t bytes = 0;
        uint32_t in_a_row = 0;
        bool whole = false;  // all that they write came with them
        bool predicts_writes() const { return whole && in_a_row >= believed; }
    };

    bool count_requests(const UnseenStretch& stretch, const RequestShape& shape);
    void note_mixed_stretch(const UnseenStretch& stretch);
    uint32_t infer_gap(const Bhs& next);
    void count_hidden(const Pdu& next, uint32_t found);
    void begin_gap(const Pdu& request);
    void note_length(const Pdu& request, const RequestShape& shape);
    void note_skipped(Serial32 cmd_sn);
    bool shares_session() const { return store_->session(session_).connections > 1; }
    // Other connections of the session take numbers between those of this one, or may.
    bool shares_numbers() const { return skips_ || shares_session(); }

    uint32_t connection_;
    ResultStore* store_;
    Issues* issues_;
    InferredCommands* commands_ = nullptr;
    uint32_t session_ = 0;
    RequestLength length_;
    bool skips_ = false;       // numbers between two requests were no request's of this connection
    bool sends_data_ = false;  // this initiator: what lies behind its cut headers may be that
    Gap gap_;
    TagStride tag_stride_;
};

}  // namespace sanscope
