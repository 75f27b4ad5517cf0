// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

#include "captures/scrub/classified_stream.h"
#include "captures/scrub/task_tags.h"

#include "analyzer/base/serial32.h"
#include "analyzer/iscsi/login_negotiation.h"
#include "analyzer/iscsi/pdu_framer.h"
#include "analyzer/tcp/stream_reassembler.h"

namespace sanscope {

// One iSCSI connection: the pieces of its two streams in, what their bytes are out. Frames them as the analysis does
// (PduFramer, LoginNegotiation), so that both find the same headers.
//
// Where a header boundary is lost, a header is believed again only if it looks like one and its sequence numbers fit those of
// the connection; before any of these are known, the next header must stand where its lengths say (RFC 7143 §11.2). Those behind
// it must look like headers too, until one of them has numbers that fit.
class ConnectionFollower final : private HeaderWitness {
  public:
    ConnectionFollower() : framers_{PduFramer(false, *this), PduFramer(true, *this)} {}
    ConnectionFollower(const ConnectionFollower&) = delete;
    ConnectionFollower& operator=(const ConnectionFollower&) = delete;

    // The next piece of the stream that the initiator, or the target, sends. `awaited` as of ClassifiedStream.
    void consume(bool from_target, const StreamPiece& piece, PacketNumber awaited);
    // That stream does not begin with a header, as far as is known.
    void begin_unsynchronised(bool from_target) {
        framer(from_target).begin_unsynchronised();
        doubt(from_target);
    }
    // It is not known to begin with the connection's first byte: headers in it are held to what they must look like.
    void doubt(bool from_target) {
        doubted_[from_target ? 1 : 0] = true;
        one_believed_[from_target ? 1 : 0] = false;
    }
    // Both streams have ended: all of them is known for what it is, or unknown.
    void finish();

    ClassifiedStream& stream(bool from_target) { return streams_[from_target ? 1 : 0]; }
    const ClassifiedStream& stream(bool from_target) const { return streams_[from_target ? 1 : 0]; }

  private:
    struct Numbers {
        bool known = false;
        Serial32 latest;
        void note(Serial32 number) {
            latest = number;
            known = true;
        }
        bool fits(Serial32 number) const;
    };

    bool is_plausible_header(const uint8_t* bytes, size_t captured, uint64_t offset) const override;
    bool is_plausible_request(const Bhs& bhs, size_t captured) const;
    bool is_plausible_response(const Bhs& bhs, size_t captured) const;
    void on_pdu(bool from_target);
    void note(const Pdu& pdu, bool from_target);
    CommandData command_of(const Bhs& bhs) const;
    void classify_header(bool from_target, const Bhs& bhs, uint64_t header, uint64_t data);
    void classify_data(bool from_target, const Bhs& bhs, uint64_t data, uint64_t up_to);
    bool is_believed(bool from_target, const Bhs& bhs, uint64_t header) const;
    void classify_before(bool from_target, uint64_t header);
    void classify_under_way(bool from_target);
    PduFramer& framer(bool from_target) { return framers_[from_target ? 1 : 0]; }

    PduFramer framers_[2];
    std::array<ClassifiedStream, 2> streams_;
    LoginNegotiation login_;
    TaskTags tags_;
    // Of the PDU under way in each direction, or the one before.
    std::array<bool, 2> had_data_{};
    std::array<uint64_t, 2> read_to_{};  // stream offset
    std::array<bool, 2> doubted_{};
    std::array<bool, 2> one_believed_{};  // a header since the doubt arose
    std::array<uint64_t, 2> cut_at_{
        UINT64_MAX, UINT64_MAX};  // where the last bytes begin that no packet holds, or that were cut off
    bool commands_seen_ = false;
    Numbers cmd_sn_;
    Numbers stat_sn_;
};

}  // namespace sanscope
