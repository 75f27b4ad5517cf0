// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/load/pdu_size_findings.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/report/capture_clocks.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

using Kind = Finding::Kind;
using Severity = Finding::Severity;

constexpr uint32_t usual_length = 256 * 1024;  // of MaxRecvDataSegmentLength
constexpr uint64_t least_pdus = 4;             // of a read, to tell how far apart they come

// The reads of a connection that came in several Data-In PDUs.
struct Reads {
    uint64_t count = 0;
    uint64_t round_trips_apart = 0;  // of these, with a round trip from each PDU to the next
    uint64_t pdus = 0;               // of those
    uint64_t pdus_if_usual = 0;
    uint64_t longest_pdu = 0;  // about, bytes
    int64_t total_ns = 0;
    CommandRow first;
    uint64_t first_command = 0;  // row
};

// Without the request, and without the SCSI Response where the status came apart; 0 where that is not known.
uint64_t data_in_pdus(const CommandRow& row) {
    const uint32_t others = row.response_packet == row.last_data_packet ? 1 : 2;
    return row.r2ts == 0 && row.pdus > others ? row.pdus - others : 0;
}

bool is_known(const CommandRow& row) {
    return is_read_opcode(row.opcode) && row.status == 0 && !row.inferred && row.connection != 0 &&
           row.bytes != unknown<uint64_t> && row.residual == unknown<int64_t> && row.request_ns != no_time &&
           row.response_ns != no_time && row.first_data_ns != no_time && row.last_data_ns != no_time;
}

// A PDU each round trip, within a fifth; where a link or a processor is slow, no round trip is kept.
bool is_round_trips(int64_t took_ns, uint64_t trips, int64_t rtt_ns) {
    const auto expected_ns = static_cast<double>(trips) * static_cast<double>(rtt_ns);
    const auto took = static_cast<double>(took_ns);
    return took >= 0.9 * expected_ns && took <= 1.2 * expected_ns;
}

void add(Reads& reads, uint64_t number, const CommandRow& row, uint64_t pdus, int64_t rtt_ns) {
    ++reads.count;
    reads.total_ns += elapsed_ns(row.request_ns, row.response_ns);
    if (!is_round_trips(elapsed_ns(row.first_data_ns, row.last_data_ns), pdus - 1, rtt_ns)) return;
    if (reads.round_trips_apart++ == 0) {
        reads.first = row;
        reads.first_command = number;
    }
    reads.pdus += pdus;
    reads.pdus_if_usual += std::min((row.bytes + usual_length - 1) / usual_length, pdus);
    reads.longest_pdu = std::max(reads.longest_pdu, (row.bytes + pdus - 1) / pdus);
}

// By the initiator's MaxRecvDataSegmentLength or by MaxBurstLength; unknown where the login was not captured.
std::pair<uint32_t, std::string_view> limit_of(const SessionRow& session) {
    const uint32_t of_pdu = session.max_recv_data_segment_length_initiator;
    const uint32_t of_burst = session.max_burst_length;
    if (of_pdu == unknown<uint32_t> || of_pdu <= of_burst)
        return {of_pdu, "MaxRecvDataSegmentLength of the initiator"};
    return {of_burst, "MaxBurstLength"};
}

class OfConnection {
  public:
    OfConnection(const Reads& reads, const SenderFacts& sender, const SessionRow& session)
        : reads_(reads), sender_(sender), limit_(limit_of(session)) {}

    // What a round trip for each PDU costs, as a share of the reads' time.
    double share() const {
        const auto saved = static_cast<int64_t>(reads_.pdus - reads_.pdus_if_usual);
        return share_of(saved * sender_.rtt_min_ns(), reads_.total_ns);
    }
    bool is_worth_it() const {
        constexpr uint64_t least_reads = 20;
        constexpr double worth_it = 0.2;
        return reads_.round_trips_apart >= least_reads && reads_.round_trips_apart * 10 >= reads_.count * 8 &&
               share() >= worth_it && one_pdu_in_flight();
    }
    bool is_of_login() const {
        return limit_.first != unknown<uint32_t> && reads_.longest_pdu * 4 > uint64_t{limit_.first} * 3 &&
               limit_.first < usual_length;
    }
    bool is_of_target() const {
        return limit_.first != unknown<uint32_t> && reads_.longest_pdu * 2 <= limit_.first;
    }

    std::string sign() const {
        return fmt::format(
            "of {} of {} and more Data-In PDUs, {} had a round trip ({}) from each to the next",
            counted(reads_.count, "read"), least_pdus, human_count(reads_.round_trips_apart),
            human_duration(sender_.rtt_min_ns()));
    }

    Finding told() const {
        Finding finding =
            sender_.finding(Kind::negotiation, is_of_login() ? Severity::notice : Severity::information);
        finding.confidence = Finding::Confidence::possible;
        if (is_of_login()) finding.side = Finding::Side::initiator;
        if (is_of_target()) finding.side = Finding::Side::target;
        finding.command = reads_.first_command;
        finding.packet = reads_.first.request_packet;
        finding.begin_ns = reads_.first.request_ns;
        finding.cost_ns =
            static_cast<int64_t>(std::min(share(), 1.0) * static_cast<double>(sender_.judged_ns()));
        finding.title = fmt::format("Reads come in Data-In PDUs of about {}, a round trip apart",
                                    human_binary_bytes(reads_.longest_pdu));
        if (is_of_login()) {
            finding.title += fmt::format(": {} is {}", limit_.second, human_binary_bytes(limit_.first));
        }
        finding.explanation = fmt::format(
            "It looks as if the target sends the next PDU when the one before was acknowledged. Then PDUs of "
            "{} save about {} of the reads' time. A small send buffer of the target looks the same. {}",
            human_binary_bytes(usual_length), human_percent(std::min(share(), 1.0)), advice());
        finding.add_sign(sign());
        finding.add_sign(fmt::format("no more than about one PDU was in flight ({}), and no window was full",
                                     human_binary_bytes(sender_.in_flight_p90)));
        if (limit_.first != unknown<uint32_t>)
            finding.add_sign(fmt::format("{} is {}", limit_.second, limit_.first));
        return finding;
    }

  private:
    // Its own program, or what it asks of TCP, has it wait: a window that is full, or a queue, would do so as well.
    bool one_pdu_in_flight() const {
        constexpr double most = 0.5;
        return sender_.has_windows && sender_.in_flight_p90 > 0 &&
               2 * uint64_t{sender_.in_flight_p90} <= 3 * reads_.longest_pdu &&
               sender_.limited_share(SendLimit::application) >= most && !sender_.queues_on_path();
    }
    std::string advice() const {
        if (is_of_login())
            return "Let the initiator offer larger ones (64 KiB to 256 KiB are usual), and see what changes.";
        if (is_of_target()) {
            return fmt::format("The login allows {}: look at what the target is set to send at once.",
                               human_binary_bytes(limit_.first));
        }
        return "What the login allows, the packets do not tell.";
    }

    const Reads& reads_;
    const SenderFacts& sender_;
    std::pair<uint32_t, std::string_view> limit_;
};

// Of a window, a loss or a queue the list has told already: then the round trips are theirs.
bool is_held_back_otherwise(const FindingList& list, uint32_t connection) {
    constexpr Kind others[] = {Kind::retransmission_timeout,
                               Kind::lost_segments,
                               Kind::path_stall,
                               Kind::zero_window_stall,
                               Kind::receiver_window,
                               Kind::path_queue,
                               Kind::delayed_ack,
                               Kind::congestion_window,
                               Kind::pacing};
    return std::ranges::any_of(list, [&](const Finding& finding) {
        return finding.connection == connection && finding.severity != Severity::information &&
               std::ranges::find(others, finding.kind) != std::end(others);
    });
}

// Returns the sessions of which it was told.
std::vector<uint32_t> add_round_trips(FindingList& list, const ResultStore& store,
                                      std::span<const SenderFacts> senders, const Stop& stop) {
    constexpr int64_t long_path_ns = 1'000'000;
    std::map<uint32_t, std::pair<const SenderFacts*, Reads>> by_connection;
    for (const SenderFacts& sender : senders) {
        if (sender.is_initiator || sender.connection->session == 0 || sender.is_not_judged()) continue;
        if (sender.rtt_min_ns() == no_time || sender.rtt_min_ns() < long_path_ns) continue;
        by_connection[sender.number].first = &sender;
    }
    if (by_connection.empty()) return {};
    uint64_t number = 0;
    for (const CommandRow& row : store.commands()) {
        if (stop.asked_at(number++)) return {};
        if (!is_known(row)) continue;
        const uint64_t pdus = data_in_pdus(row);
        if (pdus < least_pdus) continue;
        const auto found = by_connection.find(row.connection);
        if (found == by_connection.end()) continue;
        add(found->second.second, number, row, pdus, found->second.first->rtt_min_ns());
    }
    std::vector<uint32_t> told;
    for (const auto& [connection, of] : by_connection) {
        const SenderFacts& sender = *of.first;
        const OfConnection reads(of.second, sender, store.session(sender.connection->session));
        if (!reads.is_worth_it() || is_held_back_otherwise(list, connection)) continue;
        const auto same = std::ranges::find_if(list, [&](const Finding& finding) {
            return finding.kind == Kind::send_buffer && finding.connection == sender.number;
        });
        told.push_back(sender.connection->session);
        if (same == list.end()) {
            list.push_back(reads.told());
            continue;
        }
        same->add_sign(reads.sign());
        same->confidence = Finding::Confidence::possible;
        same->explanation +=
            " Or the target sends the next Data-In PDU when the one before was acknowledged: see "
            "MaxRecvDataSegmentLength.";
    }
    return told;
}

// Data in many small PDUs cost both hosts time for each; how much, no capture tells.
void add_small_pdus(FindingList& list, const ResultStore& store, std::span<const uint32_t> told) {
    constexpr uint32_t small = 8192;  // what is in force where nothing is said (RFC 7143 §13.12)
    constexpr uint64_t many = 4;      // PDUs a command
    constexpr uint64_t least_bytes = 1'000'000;
    uint32_t number = 0;
    for (const Summary::SessionLoad& load : store.summary().sessions()) {
        if (++number > store.sessions().size()) break;
        const SessionRow& session = store.session(number);
        const bool reads = load.bytes_read >= load.bytes_written;
        const uint32_t limit = reads ? session.max_recv_data_segment_length_initiator
                                     : session.max_recv_data_segment_length_target;
        const uint64_t bytes = std::max(load.bytes_read, load.bytes_written);
        const bool has_cost = std::ranges::find(told, number) != told.end();
        if (has_cost || limit > small || load.commands == 0 || bytes < least_bytes) continue;
        const uint64_t mean = bytes / load.commands;
        if (mean < many * limit) continue;
        Finding finding;
        finding.kind = Kind::negotiation;
        finding.side = reads ? Finding::Side::initiator : Finding::Side::target;
        finding.session = number;
        finding.title =
            fmt::format("Commands of {} on average go in {} PDUs of {} at most", human_binary_bytes(mean),
                        reads ? "Data-In" : "Data-Out", human_binary_bytes(limit));
        finding.explanation = fmt::format(
            "So much is what the {} takes in one PDU (MaxRecvDataSegmentLength). Each PDU costs both hosts "
            "time, and a "
            "digest where there is one: 64 KiB to 256 KiB are usual.",
            reads ? "initiator" : "target");
        finding.add_sign(
            fmt::format("MaxRecvDataSegmentLength of the {} is {}", reads ? "initiator" : "target", limit));
        list.push_back(std::move(finding));
    }
}

}  // namespace

void add_pdu_size_findings(FindingList& list, const FindingsInput& input,
                           std::span<const SenderFacts> senders, const Stop& stop) {
    const bool in_order = capture_clocks(input.issues, input.store) == CaptureClocks::in_order;
    std::vector<uint32_t> told;
    if (in_order) told = add_round_trips(list, input.store, senders, stop);
    add_small_pdus(list, input.store, told);
}

}  // namespace sanscope
