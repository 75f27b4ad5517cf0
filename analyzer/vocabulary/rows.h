// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "analyzer/base/moments.h"
#include "analyzer/vocabulary/ip_address.h"
#include "analyzer/vocabulary/numbers.h"
#include "analyzer/vocabulary/side.h"

namespace sanscope {

// One struct a table row, columns named as in the table. Unknown values: packet numbers and row numbers 0, times
// `no_time`, every other integer the greatest value of its type (`unknown<T>`), strings empty. Row numbers (connection,
// session, command, pdu) are 1-based.

using PacketNumber = uint64_t;
constexpr int64_t no_time = std::numeric_limits<int64_t>::min();
template <class T>
constexpr T unknown = std::numeric_limits<T>::max();

struct Endpoint {
    IpAddress address;
    uint16_t port = 0;
    bool operator==(const Endpoint&) const = default;
};

enum class Vantage : uint8_t { unknown, initiator, target, middle };

// The options of one side's SYN, where it was captured with all of them (RFC 9293 §3.7.1, RFC 7323, RFC 2018).
struct SynOptionsRow {
    bool known = false;
    bool window_scaling = false;
    bool sack_permitted = false;
    bool timestamps = false;
    uint16_t mss = 0;  // 0: none announced
};

// What one side of a connection sent, and how far the other side acknowledged it: what shows that some of it, or all,
// never arrived.
struct SentDataRow {
    uint32_t syns = 0;                  // segments with SYN, repeated ones too
    uint32_t largest_payload = 0;       // of one segment seen
    uint32_t largest_acknowledged = 0;  // of those whose data were acknowledged, about
    uint32_t unacknowledged = 0;        // bytes up to the farthest one seen, at the end
    int64_t acknowledged_ns = no_time;  // when the last acknowledgement of something new came
    // Segments of the other side after that, which acknowledge nothing new, so much later than what is unacknowledged was
    // sent that they were sent behind it.
    uint32_t answers_since = 0;
    uint32_t pure_acks = 0;  // segments with ACK and without data, SYN, FIN or RST
    uint32_t stretch_acks =
        0;  // segments with data that acknowledge eight of the other side's full segments at once (RFC 2525)
    bool reset = false;  // it sent an RST
    PacketNumber reset_packet = 0;
    int64_t reset_ns = no_time;
    bool fin = false;  // it sent a FIN
    int64_t fin_ns = no_time;
    SynOptionsRow syn = {};
    uint64_t new_segments = 0;   // with data behind all that were seen before
    uint64_t late_segments = 0;  // of these, captured behind the segment that acknowledges them …
    int64_t late_ns = 0;         // … by so much, at least, one in ten of them or more
    PacketNumber first_late_packet = 0;

    // By how much the clock that stamped these data was ahead of the one that stamped the other direction, at least; 0: nothing
    // shows that. A few late ones may have been sent again, and not been captured the first time.
    int64_t clock_ahead_ns() const {
        constexpr uint64_t few = 8;
        return late_segments >= few && late_segments * 8 >= new_segments ? late_ns : 0;
    }
    // A receiver acknowledges each second full segment, or what was read of them (RFC 9293 §3.8.6.3), long before it has data to
    // send. One that only ever does so with data was captured in part, as with a capture filter for segments with data.
    bool lacks_pure_acks() const {
        constexpr uint32_t several = 16;
        return stretch_acks >= several && uint64_t{pure_acks} * several <= stretch_acks;
    }
};

// Why what the senders' TCP of a connection did, and was limited by, cannot be told.
enum class Unjudged : uint8_t {
    no,                  // it can
    one_direction,       // packets of one side alone were captured
    pure_acks_missing,   // segments without data were not captured
    clocks_apart,        // by too much for the round trip
    coarse_times,        // likewise
    stamped_in_batches,  // likewise
    place_found_late,    // ConnectionRow::place_found_late
    out_of_order         // ConnectionRow::out_of_order
};

struct ConnectionRow {
    Endpoint initiator;
    Endpoint target;
    PacketNumber first_packet = 0;
    PacketNumber last_packet = 0;
    int64_t start_ns = no_time;
    int64_t end_ns = no_time;
    uint64_t packets_out = 0;  // initiator to target
    uint64_t packets_in = 0;
    uint64_t bytes_out = 0;  // TCP payload on the wire, retransmissions included
    uint64_t bytes_in = 0;
    uint32_t mss = unknown<uint32_t>;  // the smaller of the two announced with the SYNs
    int64_t rtt_min_ns = no_time;
    // The least from the tap to each end and back.
    int64_t rtt_to_initiator_ns = no_time;
    int64_t rtt_to_target_ns = no_time;
    Vantage vantage = Vantage::unknown;
    const char* congestion_control_initiator = "";
    const char* congestion_control_target = "";
    std::array<std::string, 2> kernel_congestion_control = {};  // of side a, b, as its kernel reported
    uint64_t retransmissions_out = 0;
    uint64_t retransmissions_in = 0;
    uint64_t spurious_retransmissions_out = 0;  // of these, what the receiver had
    uint64_t spurious_retransmissions_in = 0;
    // Of its commands that were answered, by direction of their data, nanoseconds.
    Moments read_turnaround = {};
    Moments write_turnaround = {};
    // Commands that ended, or may have, nobody knows when: each counts for what it may have been.
    uint32_t untimed_reads = 0;
    uint32_t untimed_writes = 0;
    SessionNumber session = 0;
    uint32_t cid = unknown<uint32_t>;  // 16 bits, of its first Login Request (RFC 7143 §11.12.6)
    bool iscsi = false;
    bool place_found_late =
        false;  // when the senders' TCP had been followed as if the capture were taken at both ends
    // Pieces of it stand in the capture behind packets that were sent later (SendingOrder).
    bool out_of_order = false;
    bool in_two_places =
        false;  // its packets and their copies are too far apart to be of one; `vantage` is unknown
    Side initiator_side = Side::a;  // that stands as initiator
    // Of side a, b: the sequence number of the byte that PduRow::bhs_offset counts from, where that side's stream was read.
    uint32_t stream_start_seq[2] = {0, 0};
    bool stream_start_known[2] = {false, false};
    SentDataRow out = {};  // by the side that stands as initiator
    SentDataRow in = {};
    int64_t clock_step_ns =
        0;  // its packets' times are multiples of so much, and many alike; 0: of a microsecond or less
    // Its packets of both directions were stamped in batches so far from each other (StampBatches); 0: nothing shows that they were.
    int64_t batches_apart_ns = 0;

    Role role_of(Side side) const { return side == initiator_side ? Role::initiator : Role::target; }
    bool is_initiator(Side side) const { return role_of(side) == Role::initiator; }
    Side side_of(Role role) const {
        return role == Role::initiator ? initiator_side : other_side(initiator_side);
    }
    const Endpoint& endpoint(Role role) const { return role == Role::initiator ? initiator : target; }
    const Endpoint& endpoint(Side side) const { return endpoint(role_of(side)); }

    // Packets of one side alone are in the capture.
    bool is_half_captured() const { return (packets_out == 0) != (packets_in == 0); }
    // How far the clocks that stamped the two directions are apart, at least; 0: nothing shows that they are.
    int64_t clocks_apart_ns() const { return std::max(out.clock_ahead_ns(), in.clock_ahead_ns()); }
    // By how much a time from a packet of one direction to one of the other may be too short or too long, for the clocks; 0: by
    // nothing that shows.
    int64_t time_error_ns() const {
        constexpr int64_t most_ns = int64_t{1} << 58;  // for the products below
        return std::min(std::max({clocks_apart_ns(), clock_step_ns, batches_apart_ns}), most_ns);
    }
    // A shorter one may be more than a tenth too short or too long.
    int64_t least_comparable_ns() const { return 10 * time_error_ns(); }
    // It may be more than a quarter of itself too short or too long for the clocks.
    bool round_trip_in_doubt() const {
        return time_error_ns() > 0 && (rtt_min_ns == no_time || rtt_min_ns < 4 * time_error_ns());
    }
    // When data were acknowledged is not known.
    bool lacks_pure_acks() const { return out.lacks_pure_acks() || in.lacks_pure_acks(); }
    Unjudged unjudged() const {
        if (is_half_captured()) return Unjudged::one_direction;
        if (lacks_pure_acks()) return Unjudged::pure_acks_missing;
        if (out_of_order) return Unjudged::out_of_order;
        if (round_trip_in_doubt()) {
            if (clocks_apart_ns() > 0) return Unjudged::clocks_apart;
            return batches_apart_ns > clock_step_ns ? Unjudged::stamped_in_batches : Unjudged::coarse_times;
        }
        return place_found_late ? Unjudged::place_found_late : Unjudged::no;
    }
    // Whether what the senders' TCP did, and was limited by, can be told.
    bool tcp_is_judged() const { return unjudged() == Unjudged::no; }
};

// What a packet brings of TCP. Where it completes no segment, `connection` is 0 and nothing else holds.
struct SegmentRow {
    ConnectionNumber connection = 0;
    uint32_t seq = 0;  // as in the header, as the next one
    uint32_t ack = 0;
    uint32_t payload_length = 0;  // on the wire
    uint16_t window = 0;          // as in the header, unscaled
    uint8_t flags = 0;            // TcpFlag, the first eight
    Side sender = Side::b;
};
static_assert(sizeof(SegmentRow) == 20);

enum class Ternary : uint8_t { no, yes, unknown };

// The congestion windows of one end of all of a session's connections together, over time: bytes.
struct SessionWindowsRow {
    uint64_t cwnd_mean = unknown<uint64_t>;  // of their sum, over the time in which all are known
    uint64_t cwnd_sd = unknown<uint64_t>;    // standard deviation
    uint32_t cwnd_sd_percent = unknown<uint32_t>;
    uint32_t cwnd_known_percent = unknown<uint32_t>;  // that time's share of all
    uint64_t cwnd_difference_sd = unknown<uint64_t>;  // of the difference between two connections
    uint32_t jain_cwnd_permille = unknown<uint32_t>;  // of the connections' mean windows
    uint32_t jain_throughput_permille = unknown<uint32_t>;
    uint32_t mss = unknown<uint32_t>;  // the least of the connections'
};

struct SessionRow {
    uint64_t isid = unknown<uint64_t>;  // 48 bits
    uint16_t tsih = unknown<uint16_t>;
    std::string initiator_name;
    std::string target_name;
    uint32_t connections = 0;
    std::string header_digest;  // "None", "CRC32C"
    std::string data_digest;
    uint32_t max_recv_data_segment_length_initiator = unknown<uint32_t>;
    uint32_t max_recv_data_segment_length_target = unknown<uint32_t>;
    uint32_t max_burst_length = unknown<uint32_t>;
    uint32_t first_burst_length = unknown<uint32_t>;
    Ternary initial_r2t = Ternary::unknown;
    Ternary immediate_data = Ternary::unknown;
    uint32_t max_outstanding_r2t = unknown<uint32_t>;
    uint32_t error_recovery_level = unknown<uint32_t>;
    uint32_t max_connections = unknown<uint32_t>;
    uint32_t command_window = unknown<uint32_t>;  // the widest the target opened: MaxCmdSN - ExpCmdSN + 1
    uint64_t command_window_shuts = 0;   // times the last command that MaxCmdSN allows had been sent …
    int64_t command_window_shut_ns = 0;  // … until it allowed more
    std::string auth_offered;            // AuthMethod as the initiator offered it
    std::string auth_method;             // … and what the target chose
    bool chap_challenged = false;        // the target sent a challenge (CHAP_C) …
    bool chap_answered = false;          // … which the initiator answered (CHAP_R)
    bool chap_mutual = false;            // the initiator sent a challenge, too: mutual CHAP …
    bool chap_mutual_answered = false;   // … which the target answered
    std::string redirected_to;           // TargetAddress, which a login's redirection brings
    SessionWindowsRow windows_out = {};  // the initiators' ends, once all is analysed
    SessionWindowsRow windows_in = {};
};

// unknown: the capture lacks headers among which its answer may have been. rejected: its SCSI Command PDU was, by a Reject, and no
// answer came behind that (RFC 7143 §11.17). terminated: the target told that it ends the tasks of its logical unit (Async Message
// event 5, §11.9.1), likewise. aborted: by task management.
enum class Outcome : uint8_t { unanswered, completed, aborted, response_only, unknown, rejected, terminated };
constexpr size_t outcomes = 7;

// Not answered, and the capture shows what ended it.
constexpr bool ended_without_answer(Outcome outcome) {
    return outcome == Outcome::aborted || outcome == Outcome::rejected || outcome == Outcome::terminated;
}

// Of sense data, where fixed format has them in byte 2 (SPC-4 §4.5.3).
namespace sense_bit {
constexpr uint8_t filemark = 0x80;
constexpr uint8_t end_of_medium = 0x40;
constexpr uint8_t incorrect_length = 0x20;
}  // namespace sense_bit

struct CommandRow {
    uint64_t lun = unknown<uint64_t>;
    uint64_t lba = unknown<uint64_t>;
    uint64_t bytes = unknown<uint64_t>;  // ExpectedDataTransferLength
    uint64_t blocks = unknown<uint64_t>;
    PacketNumber request_packet = 0;
    PacketNumber first_data_packet = 0;
    PacketNumber last_data_packet = 0;
    PacketNumber response_packet = 0;
    int64_t request_ns = no_time;
    int64_t first_data_ns = no_time;
    int64_t last_data_ns = no_time;
    int64_t response_ns = no_time;
    PacketNumber first_byte_packet = 0;  // holds the first byte of the first data PDU's data
    int64_t first_byte_ns = no_time;
    // Completes the answer that shows that it was aborted, the Reject, or the message that ended it.
    PacketNumber aborted_packet = 0;
    int64_t residual = unknown<int64_t>;  // bytes not transferred; negative: bytes too many (overflow)
    const char* name = "";                // static storage
    ConnectionNumber connection = 0;
    SessionNumber session = 0;
    uint32_t itt = unknown<uint32_t>;
    uint32_t cmd_sn = 0;
    uint32_t r2ts = 0;
    uint32_t pdus = 0;
    uint32_t queue_depth = unknown<uint32_t>;  // see queue_depth.h
    uint16_t opcode = unknown<uint16_t>;
    uint16_t status = unknown<uint16_t>;  // SAM status code
    uint16_t sense_key = unknown<uint16_t>;
    uint16_t asc = unknown<uint16_t>;
    uint16_t ascq = unknown<uint16_t>;
    uint16_t iscsi_response = unknown<uint16_t>;  // of its SCSI Response PDU (RFC 7143 §11.4.3)
    uint8_t sense_bits = 0;                       // sense_bit, those that are set
    bool sense_deferred = false;  // the sense data are of an earlier command's error (SPC-4 §4.5.7)
    bool cmd_sn_known = false;
    bool inferred = false;  // its request's or its status's header was not captured, but implied
    Outcome outcome = Outcome::unanswered;

    int64_t turnaround_ns() const {
        return request_ns == no_time || response_ns == no_time ? no_time : response_ns - request_ns;
    }
    // It was answered, or may have been.
    bool ended_nobody_knows_when() const {
        return turnaround_ns() == no_time && (outcome == Outcome::completed || outcome == Outcome::unknown);
    }
};

enum class Digest : uint8_t { none, ok, bad };  // none: not negotiated, or the capture cut the bytes off

struct PduRow {
    PacketNumber first_packet = 0;  // holds the first captured byte of the header
    PacketNumber last_packet = 0;   // completes it; 0 where that never happened
    int64_t time_ns = no_time;      // of last_packet
    uint64_t bhs_offset = 0;  // of the header in its sender's stream, from the first byte seen (SYN excluded)
    CommandNumber command = 0;  // the SCSI command it belongs to
    ConnectionNumber connection = 0;
    uint32_t itt = 0;
    uint32_t data_length = 0;  // DataSegmentLength
    uint8_t opcode = 0;
    Role sender = Role::initiator;
    bool final = false;
    bool itt_known = true;
    bool inferred = false;  // its header was not captured, but implied by what was
    bool damaged = false;   // bytes of it are in no captured packet, it never completed, or a digest is bad
    Digest header_digest = Digest::none;
    Digest data_digest = Digest::none;
};

// What Linux's TCP calls the states of its congestion control (include/uapi/linux/tcp.h).
enum class CaState : uint8_t { open, disorder, cwr, recovery, loss };
constexpr size_t ca_states = 5;

// What keeps a sender from sending more.
enum class SendLimit : uint8_t { application, receiver, congestion, pacing, recovery, unknown };
constexpr size_t send_limits = 5;  // those that are known

// Why bytes were sent again, seen again, or never seen.
enum class LossKind : uint8_t {
    fast_retransmit,
    rto,
    tlp,       // a tail loss probe (RFC 8985 §7)
    spurious,  // sent again though the first had arrived: shown by D-SACK (RFC 3708) or timestamps (RFC 3522)
    out_of_order,
    duplicate,   // one packet captured twice
    keep_alive,  // RFC 1122 §4.2.3.6
    zero_window_probe,
    not_captured,  // acknowledged, though no packet captured brought them
};
constexpr size_t loss_kinds = 9;

constexpr bool is_sent_again(LossKind kind) {
    return kind == LossKind::fast_retransmit || kind == LossKind::rto || kind == LossKind::tlp ||
           kind == LossKind::spurious;
}

// Where a segment was overtaken: the receiver's SACKs tell that it arrived after later ones, or they tell that it did not,
// and then only the capture has it late.
enum class Reordering : uint8_t { unknown, path, tap };

// A sender's figures after a packet.
struct WindowRow {
    PacketNumber packet = 0;
    int64_t time_ns = no_time;  // at the sender
    int64_t srtt_ns = no_time;
    ConnectionNumber connection = 0;
    uint32_t snd_una = 0;  // sequence numbers as in the headers
    uint32_t snd_nxt = 0;
    uint32_t in_flight = 0;             // bytes sent and neither acknowledged nor SACKed nor held for lost
    uint32_t cwnd = unknown<uint32_t>;  // bytes
    uint32_t cwnd_low = unknown<uint32_t>;
    uint32_t cwnd_high = unknown<uint32_t>;
    uint32_t ssthresh = unknown<uint32_t>;  // bytes; unknown also where the sender has none yet
    uint32_t advertised_window = unknown<uint32_t>;
    CaState ca_state = CaState::open;
    SendLimit limit = SendLimit::unknown;
    Side sender = Side::b;
    bool ca_state_known = true;
};

struct CaTransitionRow {
    PacketNumber packet = 0;
    int64_t time_ns = no_time;  // at the sender
    const char* cause = "";     // static storage
    ConnectionNumber connection = 0;
    CaState from = CaState::open;
    CaState to = CaState::open;
    Side sender = Side::b;
};

// What a sender's kernel reported of its windows when an ACK had come in and was not yet processed, or when it was asked.
struct KernelWindowRow {
    PacketNumber packet = 0;  // that brought the ACK
    int64_t time_ns = no_time;
    int64_t srtt_ns = no_time;
    ConnectionNumber connection = 0;
    uint32_t snd_una = 0;  // as in the headers; neither is known of a kernel that was only asked
    uint32_t snd_nxt = 0;
    uint32_t cwnd = unknown<uint32_t>;      // bytes
    uint32_t ssthresh = unknown<uint32_t>;  // bytes; unknown also while it is infinite
    uint32_t advertised_window = unknown<uint32_t>;
    CaState ca_state = CaState::open;
    bool sequences_known = false;
    bool ca_state_known = false;
    Side sender = Side::b;
};

// The kernel set the congestion state to another one.
struct KernelCaTransitionRow {
    PacketNumber packet = 0;  // that brought what made it do so
    int64_t time_ns = no_time;
    ConnectionNumber connection = 0;
    CaState from = CaState::open;
    CaState to = CaState::open;
    bool from_known = false;
    Side sender = Side::b;
};

struct LossRow {
    PacketNumber packet = 0;           // the packet that repeats, or shows that bytes are missing
    PacketNumber original_packet = 0;  // that first carried the bytes
    int64_t time_ns = no_time;         // at the sender
    int64_t delay_ns = no_time;        // since the original
    ConnectionNumber connection = 0;
    uint32_t seq = 0;
    uint32_t length = 0;
    LossKind kind = LossKind::fast_retransmit;
    Reordering reordering = Reordering::unknown;  // of what is out_of_order
    Side sender = Side::b;
};

}  // namespace sanscope
