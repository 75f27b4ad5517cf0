// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/sessions/ping_findings.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "analyzer/base/time_spans.h"
#include "analyzer/report/capture/capture_gaps.h"
#include "analyzer/report/sessions/connection_closing.h"
#include "analyzer/report/sessions/session_ending.h"

namespace sanscope {
namespace {

using Confidence = Finding::Confidence;

// What the side that was asked did meanwhile.
enum class Silence : uint8_t {
    unknown,
    busy,            // it sent other PDUs
    acknowledged,    // its TCP took the ping, and no PDU came
    unheard,         // it sent data that never arrived, behind which its answer would stand
    window_shut,     // it was not allowed to send: the side that asked took no data
    one_way,         // its packets came, and acknowledged nothing of what was sent
    unacknowledged,  // nothing that was sent was acknowledged in that time
    all_silent       // not one packet
};

// No initiator or target gives up sooner: 1 s is the least that Linux takes for node.conn[0].timeo.noop_out_timeout.
constexpr int64_t least_patience_ns = 900'000'000;
// Where nobody gave up, none that waits so long is answered soon.
constexpr int64_t long_wait_ns = 5'000'000'000;

class OfPing {
  public:
    OfPing(const ResultStore& store, const UnansweredPing& ping, std::span<const SenderFacts> senders,
           int64_t capture_end_ns)
        : store_(store),
          ping_(ping),
          senders_(senders),
          row_(store.connection(ping.connection)),
          by_initiator_(ping.sender == Role::initiator),
          closing_(first_closing(row_)),
          capture_end_ns_(capture_end_ns) {}

    std::optional<Finding> find() const {
        // Who logs out, or was told that the connection ends, need not answer; what the capture lacks may be the answer.
        if (is_closed_by_logout(store_, ping_.connection)) return {};
        if (hides_logouts(store_) && events_known_until_ns(store_, end_ns()) < end_ns()) return {};
        if (is_end_announced(store_, ping_.connection, end_ns())) return {};
        if (lacks_packets(store_, ping_.connection)) return {};
        // An answer that its sender still waited for is one.
        if (is_late() && !came_after_closing() && !is_refused()) return {};
        if ((by_initiator_ ? row_.packets_in : row_.packets_out) == 0) return {};
        if (waited_ns() < std::max(least_patience_ns, 4 * round_trip_ns(ping_.longest_answer_ns))) return {};
        if (!closing_ && waited_ns() < long_wait_ns) return {};
        return told(silence());
    }

  private:
    int64_t end_ns() const { return closing_ ? closing_->time_ns : capture_end_ns_; }
    int64_t waited_ns() const { return elapsed_ns(ping_.time_ns, end_ns()); }
    bool is_late() const { return ping_.answer_ns != no_time; }
    bool came_after_closing() const { return closed_by_asker() && closing_->time_ns < ping_.answer_ns; }
    // A host sends RST for data to a connection that its program has closed, whose FIN may not have come through either.
    bool is_refused() const {
        constexpr int64_t at_once_ns = 5'000'000;
        const int64_t rtt_ns = row_.rtt_min_ns == no_time ? 0 : round_trip_ns(row_.rtt_min_ns);
        return is_late() && closed_by_asker() && closing_->reset && closing_->time_ns >= ping_.answer_ns &&
               elapsed_ns(ping_.answer_ns, closing_->time_ns) <= at_once_ns + 2 * rtt_ns;
    }
    const SentDataRow& sent() const { return by_initiator_ ? row_.out : row_.in; }
    const SentDataRow& answers() const { return by_initiator_ ? row_.in : row_.out; }
    std::string_view ping_name() const { return by_initiator_ ? "NOP-Out" : "NOP-In"; }
    std::string asked_name() const {
        const Endpoint& end = by_initiator_ ? row_.target : row_.initiator;
        return fmt::format("{} {}", by_initiator_ ? "target" : "initiator",
                           format_endpoint(end.address, end.port));
    }
    bool closed_by_asker() const { return closing_ && closing_->by_target != by_initiator_; }
    bool captured_at_asked() const {
        return row_.vantage == (by_initiator_ ? Vantage::target : Vantage::initiator);
    }

    Silence silence() const {
        // PDUs that had been on their way, or ended long before, show nothing of the time in question.
        const bool in_time = !closing_ || ping_.last_pdu_ns <= closing_->time_ns;
        if (ping_.pdus_since > 0 && in_time &&
            elapsed_ns(ping_.time_ns, ping_.last_pdu_ns) >= waited_ns() / 2)
            return Silence::busy;
        if (stood_still_ns() >= waited_ns() / 2) return Silence::unacknowledged;
        if (shut_ns() >= waited_ns() / 2) return Silence::window_shut;
        // Data that come when it is closed nobody acknowledges any more, and what is under way when the capture ends may yet be.
        const bool refused = by_initiator_ ? row_.out.reset : row_.in.reset;
        if (answers().unacknowledged > 0 && !is_late())
            return refused || !closing_ ? Silence::unknown : Silence::unheard;
        const bool none_new = elapsed_ns(ping_.time_ns, sent().acknowledged_ns) == 0;
        if (!none_new)
            return sent().unacknowledged == 0 || is_late() ? Silence::acknowledged : Silence::unknown;
        if (sent().unacknowledged == 0) return Silence::unknown;
        return sent().answers_since == 0 ? Silence::all_silent : Silence::one_way;
    }

    // How much of the time is in those spells of a sender: the one that asked, or the other.
    int64_t within_ns(bool of_asker, Spells SenderFacts::*spells) const {
        const auto facts = std::ranges::find_if(senders_, [&](const SenderFacts& sender) {
            return sender.number == ping_.connection && (sender.is_initiator == by_initiator_) == of_asker;
        });
        return facts == senders_.end()
                   ? 0
                   : ((*facts).*spells).spans.overlap_ns(ping_.time_ns, ping_.time_ns + waited_ns());
    }
    // In which its retransmission timer ran out, and nothing of what it had sent was acknowledged.
    int64_t stood_still_ns() const { return within_ns(true, &SenderFacts::timeouts); }
    // In which the window that it offered was shut, and the other side had data for it.
    int64_t shut_ns() const { return within_ns(false, &SenderFacts::stalls); }

    Finding told(Silence silence) const {
        Finding finding;
        finding.kind = Finding::Kind::ping_timeout;
        finding.severity = closing_ ? Finding::Severity::problem : Finding::Severity::notice;
        finding.confidence = silence == Silence::unknown ? Confidence::possible
                             : closed_by_asker() && (ping_.answered > 0 || new_login() != 0)
                                 ? Confidence::firm
                                 : Confidence::likely;
        finding.connection = ping_.connection;
        finding.session = row_.session;
        finding.packet = ping_.packet;
        finding.begin_ns = ping_.time_ns;
        finding.end_ns = end_ns();
        finding.cost_ns = waited_ns();
        finding.sender = by_initiator_ ? Finding::Sender::initiator : Finding::Sender::target;
        finding.title = fmt::format("{} was not answered by {} for {}{}", ping_name(), asked_name(),
                                    human_duration(waited_ns()), ending());
        const std::string_view verb = is_late() ? "had no answer in time" : "has no answer";
        std::string sign = fmt::format("{} in packet {} {}", ping_name(), ping_.packet, verb);
        if (ping_.answered > 0) {
            sign += fmt::format(", where {} before it had one within {}", counted(ping_.answered, "other"),
                                human_duration(ping_.longest_answer_ns));
        }
        finding.add_sign(sign);
        explain(finding, silence);
        if (is_refused()) {
            finding.add_sign(
                fmt::format("its answer, after {}, was refused with RST: nobody waited for it any more",
                            human_duration(elapsed_ns(ping_.time_ns, ping_.answer_ns))));
        } else if (is_late()) {
            finding.add_sign(fmt::format("its answer came {} after the connection had been closed",
                                         human_duration(elapsed_ns(closing_->time_ns, ping_.answer_ns))));
        }
        if (closing_ && closing_->reset) {
            finding.add_sign(fmt::format("packet {} has RST", closing_->packet));
        } else if (closing_) {
            finding.add_sign(closing_->by_target ? "the target sent a FIN" : "the initiator sent a FIN");
        }
        if (const uint32_t anew = new_login(); anew != 0) {
            finding.connections = {ping_.connection, anew};
            finding.add_sign(
                fmt::format("the initiator connects anew {} later",
                            human_duration(elapsed_ns(finding.end_ns, store_.connection(anew).start_ns))));
        }
        return finding;
    }

    uint32_t new_login() const {
        return closing_ ? login_anew(store_, ping_.connection, closing_->time_ns) : 0;
    }

    std::string ending() const {
        if (!closing_) return ", until the capture ends";
        return fmt::format(", then the {} closed the connection ({})",
                           closing_->by_target ? "target" : "initiator", closing_->reset ? "RST" : "FIN");
    }

    void explain(Finding& finding, Silence silence) const {
        const Finding::Side asked = by_initiator_ ? Finding::Side::target : Finding::Side::initiator;
        const std::string name = asked_name();
        switch (silence) {
            case Silence::busy:
                finding.side = asked;
                finding.add_sign(fmt::format("{} of {} came meanwhile, the last one {} after it",
                                             counted(ping_.pdus_since, "PDU"), name,
                                             human_duration(elapsed_ns(ping_.time_ns, ping_.last_pdu_ns))));
                finding.explanation = fmt::format(
                    "The connection worked: {} was busy with commands and did not come to answer the ping. "
                    "Look at its load; a longer ping timeout (noop_out_timeout of Linux) keeps the session.",
                    name);
                break;
            case Silence::acknowledged:
                finding.side = asked;
                finding.add_sign(fmt::format("the TCP of {} acknowledged it, and no PDU came", name));
                finding.explanation = fmt::format(
                    "The path works and the host of {} is up, but its iSCSI side is silent: a process that "
                    "hangs, or waits for its storage. Look at its log and its disks, not at the network.",
                    name);
                break;
            case Silence::unheard:
                finding.side = Finding::Side::path;
                finding.add_sign(fmt::format("{} that {} sent {} never acknowledged",
                                             counted(answers().unacknowledged, "byte"), name,
                                             answers().unacknowledged == 1 ? "was" : "were"));
                finding.explanation = fmt::format(
                    "What {} sends does not arrive, and its answer to the ping would stand behind that: look "
                    "at "
                    "the path from it.",
                    name);
                break;
            case Silence::window_shut:
                finding.side = by_initiator_ ? Finding::Side::initiator : Finding::Side::target;
                finding.add_sign(
                    fmt::format("the receive window that the {} offered was shut for {} of that time",
                                by_initiator_ ? "initiator" : "target", human_duration(shut_ns())));
                finding.explanation = fmt::format(
                    "{} was not allowed to send: the TCP of the side that asked took no data, so that no "
                    "answer "
                    "could reach it. Look at why the {} does not read what it is sent.",
                    name, by_initiator_ ? "initiator" : "target");
                break;
            case Silence::unacknowledged:
                finding.add_sign(
                    fmt::format("the sender's retransmission timer ran out: none of its data was "
                                "acknowledged for {}",
                                human_duration(stood_still_ns())));
                nothing_came_back(finding, asked);
                break;
            case Silence::all_silent:
                all_silent(finding, asked);
                break;
            case Silence::one_way:
                finding.side = Finding::Side::path;
                finding.add_sign(fmt::format("{} of {} came meanwhile and acknowledged nothing new",
                                             counted(sent().answers_since, "segment"), name));
                finding.explanation =
                    "What the sender of the ping sends does not arrive, while the other way works: look at "
                    "the path in that direction.";
                break;
            case Silence::unknown:
                finding.explanation = fmt::format(
                    "Whether it was the path or {} is not to be seen: look at both, or capture at both ends.",
                    name);
                break;
        }
    }

    void all_silent(Finding& finding, Finding::Side asked) const {
        const std::string name = asked_name();
        finding.add_sign(fmt::format("not one packet of {} came in that time", name));
        if (const uint64_t again = sent_again(); again > 0) {
            finding.add_sign(
                fmt::format("{} retransmitted, and not acknowledged", counted(again, "segment")));
        }
        nothing_came_back(finding, asked);
    }

    void nothing_came_back(Finding& finding, Finding::Side asked) const {
        const std::string name = asked_name();
        // Where it was captured is inferred, and the end of a cable may lie between.
        finding.confidence = std::min(finding.confidence, Confidence::likely);
        if (captured_at_asked()) {
            finding.side = asked;
            finding.explanation = fmt::format(
                "What was sent arrived where this was captured, at {}, and even its TCP did not answer: the "
                "host stands still or is down, or its network card does not send.",
                name);
            return;
        }
        finding.side = Finding::Side::path;
        finding.explanation = fmt::format(
            "The path was lost, or the whole host of {} {}; seen from here the two look alike. Look "
            "whether others still reach that host, then at links and switches between.",
            name, is_late() ? "stood still for that long" : "is down");
    }

    uint64_t sent_again() const {
        uint64_t count = 0;
        for (const SenderSummary& sender : store_.senders()) {
            if (sender.connection() != ping_.connection) continue;
            if (row_.is_initiator(sender.side()) != by_initiator_) continue;
            count += sender.losses(LossKind::rto) + sender.losses(LossKind::tlp);
        }
        return count;
    }

    const ResultStore& store_;
    const UnansweredPing& ping_;
    std::span<const SenderFacts> senders_;
    const ConnectionRow& row_;
    bool by_initiator_;
    std::optional<Closing> closing_;
    int64_t capture_end_ns_;
};

}  // namespace

void add_ping_findings(FindingList& list, const FindingsInput& input, std::span<const SenderFacts> senders) {
    // Where the clock was set back, nobody knows what came after what.
    if (!input.issues.times_in_order()) return;
    for (const UnansweredPing& ping : input.store.unanswered_pings().first_ones()) {
        if (ping.connection == 0 || ping.connection > input.store.connections().size()) continue;
        if (auto finding =
                OfPing(input.store, ping, senders, seen_until_ns(input.totals, ping.time_ns)).find())
            list.push_back(std::move(*finding));
    }
}

}  // namespace sanscope
