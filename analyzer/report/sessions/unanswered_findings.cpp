// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/sessions/unanswered_findings.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/iscsi/bhs.h"
#include "analyzer/iscsi/pdu_codes.h"
#include "analyzer/report/capture/capture_gaps.h"
#include "analyzer/report/commands/command_words.h"
#include "analyzer/report/sessions/connection_closing.h"
#include "analyzer/report/sessions/session_ending.h"
#include "analyzer/report/sessions/task_management_words.h"

namespace sanscope {
namespace {

using Kind = Finding::Kind;
using Severity = Finding::Severity;
using Side = Finding::Side;

// SBC-3 §5, SPC-4 §6: what may take minutes where it is as it should be; initiators wait as long for it (of Linux's sd
// driver, 60 s to flush a cache, 120 s for WRITE SAME). FORMAT UNIT, START STOP UNIT, SEND DIAGNOSTIC, SYNCHRONIZE CACHE(10)
// and (16), UNMAP, WRITE SAME(10) and (16), SANITIZE, EXTENDED COPY.
constexpr std::array<uint16_t, 10> slow_by_nature = {0x04, 0x1b, 0x1d, 0x35, 0x91,
                                                     0x42, 0x41, 0x93, 0x48, 0x83};

std::string_view words_of(const Closing& closing) {
    if (closing.by_target) {
        return closing.reset ? "the target reset the connection (RST)"
                             : "the target closed the connection (FIN)";
    }
    return closing.reset ? "the initiator reset the connection (RST)"
                         : "the initiator closed the connection (FIN)";
}

// When the capture of that connection ends, which may be with a file of several. Where its clock was set back, or one packet bears a time of its own, the latest time is nobody's: then
// by the last packet of its connections.
int64_t capture_end_ns(const FindingsInput& input, const ConnectionRow& connection) {
    if (input.issues.times_in_order()) return seen_until_ns(input.totals, connection.end_ns);
    const ConnectionRow* last = nullptr;
    for (const ConnectionRow& row : input.store.connections()) {
        if (last == nullptr || row.last_packet > last->last_packet) last = &row;
    }
    return last == nullptr ? input.totals.last_ns : std::min(last->end_ns, input.totals.last_ns);
}

// What the capture lacks, and what initiators said of the end.
struct Gaps {
    std::set<uint32_t> connections;  // of which packets are missing
    // Since when data of the target are missing, the last of them; of the summary alone, any time.
    std::map<uint32_t, int64_t> answers_until_ns;
    bool headers = false;
    std::set<uint32_t> logged_out;
};

Gaps find_gaps(const FindingsInput& input, const CommandFacts& commands) {
    Gaps gaps;
    const ResultStore& store = input.store;
    for (const SenderSummary& sender : store.senders()) {
        if (sender.losses(LossKind::not_captured) == 0 || !commands.unanswered.contains(sender.connection()))
            continue;
        gaps.connections.insert(sender.connection());
        const bool of_target = !store.connection(sender.connection()).is_initiator(sender.side());
        if (of_target && store.losses().empty())
            gaps.answers_until_ns[sender.connection()] = std::numeric_limits<int64_t>::max();
    }
    if (!gaps.connections.empty()) {
        for (const LossRow& loss : store.losses()) {
            if (loss.kind != LossKind::not_captured || !gaps.connections.contains(loss.connection)) continue;
            if (store.connection(loss.connection).is_initiator(loss.sender)) continue;
            const auto [found, is_new] = gaps.answers_until_ns.try_emplace(loss.connection, loss.time_ns);
            found->second = std::max(found->second, loss.time_ns);
        }
    }
    // An initiator that logs out has no more commands under way.
    for (const SessionEvent& event : store.session_events().first_ones()) {
        if (!is_of_logout(event) || is_refused_logout(store, event)) continue;
        if (const uint32_t connection = logged_out_by(store, event); connection != 0)
            gaps.logged_out.insert(connection);
    }
    gaps.headers = input.totals.cut_packets != 0 && input.issues[Issue::resynchronisations].count > 0;
    return gaps;
}

// Their Device Identification pages (VPD page 83h) say so.
bool are_other_units(const ResultStore& store, const SessionEvent& event, uint32_t session) {
    const std::string& one = store.unit_names().of(event.session, event.lun);
    const std::string& other = store.unit_names().of(session, event.lun);
    return !one.empty() && !other.empty() && one != other;
}

// Another session's reset of the logical unit or the target that `like` waited at: the target may end commands of other initiators
// without a status then (the TAS bit of the Control mode page, SPC-4).
const SessionEvent* reset_by_another(const FindingsInput& input, const ConnectionRow& row,
                                     const CommandsLike& like, int64_t end_ns) {
    using task_management::clear_task_set;
    using task_management::logical_unit_reset;
    using task_management::target_cold_reset;
    const ResultStore& store = input.store;
    if (row.session == 0 || store.session(row.session).target_name.empty()) return nullptr;
    const auto resets = [&](const SessionEvent& event) {
        if (Opcode{event.opcode} != Opcode::task_management_request || event.session == row.session)
            return false;
        if (event.session == 0 || event.session > store.sessions().size()) return false;
        if (event.code < clear_task_set || event.code > target_cold_reset) return false;
        if (store.session(event.session).target_name != store.session(row.session).target_name) return false;
        if (event.code <= logical_unit_reset && (event.lun != like.lun() || event.lun == unknown<uint64_t>))
            return false;
        // Of two initiators one LUN may be two logical units.
        if (event.code <= logical_unit_reset && are_other_units(store, event, row.session)) return false;
        return event.time_ns >= like.row.request_ns && event.time_ns <= end_ns;
    };
    const auto& events = store.session_events().first_ones();
    const auto found = std::ranges::find_if(events, resets);
    return found == events.end() ? nullptr : &*found;
}

// The ABORT TASK of the command, which the target does not have: it has answered it, or lost it (RFC 7143 §11.6.1). nullptr where there
// was none.
const SessionEvent* abort_of_unknown(const ResultStore& store, uint32_t session, const CommandRow& row) {
    const auto& events = store.session_events().first_ones();
    const auto aborts = [&](const SessionEvent& event) {
        return Opcode{event.opcode} == Opcode::task_management_request && event.session == session &&
               event.code == task_management::abort_task && event.referenced_itt == row.itt &&
               event.packet > row.request_packet;
    };
    for (auto abort = std::ranges::find_if(events, aborts); abort != events.end();
         abort = std::find_if(abort + 1, events.end(), aborts)) {
        const auto is_of_tag = [&](const SessionEvent& event, Opcode opcode) {
            return Opcode{event.opcode} == opcode && event.session == session && event.itt == abort->itt;
        };
        // Where the capture's clocks are apart, the answer may stand before it: of a tag that was used once, it is this one's.
        const bool once = std::ranges::count_if(events, [&](const SessionEvent& event) {
                              return is_of_tag(event, Opcode::task_management_request);
                          }) == 1;
        const auto answer = std::find_if(
            once ? events.begin() : abort, events.end(),
            [&](const SessionEvent& event) { return is_of_tag(event, Opcode::task_management_response); });
        if (answer != events.end() && answer->code == task_management::task_does_not_exist) return &*abort;
    }
    return nullptr;
}

bool is_same_initiator(const ResultStore& store, uint32_t one, uint32_t other) {
    const std::string& name = store.session(one).initiator_name;
    return !name.empty() && name == store.session(other).initiator_name;
}

// Whose session a reset was sent over.
std::string_view words_of_reset_by(const ResultStore& store, uint32_t by, uint32_t session) {
    const std::string& name = store.session(by).initiator_name;
    const std::string& own = store.session(session).initiator_name;
    if (name.empty() || own.empty()) {
        return "What it waited at was reset over another session: a target may end the commands of the other "
               "sessions without a status then. Look at why that session's initiator did.";
    }
    if (is_same_initiator(store, by, session)) {
        return "The initiator itself reset what it waited at, over another of its sessions: a target may end "
               "the commands of the other sessions without a status then. Look at what it had waited for "
               "there.";
    }
    return "Another initiator reset what it waited at: a target may end the commands of others without a "
           "status then. Look at why that initiator did, and not at this one's path.";
}

// The commands of one connection that have no answer.
class OfConnection {
  public:
    OfConnection(uint32_t number, const FindingsInput& input, const CommandFacts& commands, const Gaps& gaps)
        : number_(number),
          row_(input.store.connection(number)),
          commands_(commands),
          gaps_(gaps),
          like_(commands.left_unanswered(number)),
          all_late_(commands.all_too_late(number)),
          closing_(first_closing(row_)) {
        capture_end_ns_ = capture_end_ns(input, row_);
        of_file_ = seen_until_ns(input.totals, row_.end_ns) < input.totals.last_ns;
        answer_in_gap_ = like_.row.request_ns != no_time &&
                         seen_until_ns(input.totals, like_.row.request_ns) < row_.end_ns;
        const auto late = commands.answered_too_late.find(number);
        if (late != commands.answered_too_late.end()) late_ = &late->second;
        given_up_ns_ = row_.out.fin_ns == no_time     ? row_.out.reset_ns
                       : row_.out.reset_ns == no_time ? row_.out.fin_ns
                                                      : std::min(row_.out.fin_ns, row_.out.reset_ns);
        // A connection that did not end goes on waiting until the capture ends.
        int64_t end_ns = ended() ? row_.end_ns : capture_end_ns_;
        if (ended() && elapsed_ns(like_.row.request_ns, closing_->time_ns) > 0) end_ns = closing_->time_ns;
        if (closing_) cause_ = cause_of_end(input.store, number, *closing_);
        if (closing_ && !cause_) lost_before_ = lost_before(input.store, number, *closing_);
        // With that login the initiator gave it up, whenever the target closes it.
        reinstated_ = !all_late_ && cause_ && cause_->is_reinstatement() && cause_->is_sure;
        if (!all_late_ && !reinstated_)
            abort_of_unknown_ = abort_of_unknown(input.store, row_.session, like_.row);
        waited_ns_ =
            elapsed_ns(like_.row.request_ns, all_late_                      ? given_up_ns_
                                             : reinstated_                  ? cause_->event.time_ns
                                             : abort_of_unknown_ != nullptr ? abort_of_unknown_->time_ns
                                                                            : end_ns);
        patience_ns_ = 2 * commands.longest_ns;
        reset_ = all_late_ ? nullptr : reset_by_another(input, row_, like_, end_ns);
        if (cause_) cause_sign_ = cause_->sign(input.store, number, closing_->time_ns);
        logged_out_ = gaps.logged_out.contains(number) || is_closed_by_logout(input.store, number);
        if (reset_ != nullptr) {
            reset_words_ = words_of_reset_by(input.store, reset_->session, row_.session);
            reset_by_own_ = is_same_initiator(input.store, reset_->session, row_.session);
        }
        if (number <= commands.last_answer_ns.size()) last_answer_ns_ = commands.last_answer_ns[number - 1];
        breaks_off_ = breaks_off(input.store);
    }

    Finding told() const {
        Finding finding;
        place_at(finding, like_.command, like_.row);
        finding.connection = number_;
        finding.session = row_.session;
        finding.lun = like_.lun();
        finding.end_ns = row_.end_ns;
        if (is_under_way()) {
            tell_under_way(finding);
        } else if (answer_in_gap_ ||
                   ((lacks_some() || gaps_.headers) && (went_on() || gaps_.logged_out.contains(number_)))) {
            tell_unseen(finding);
        } else {
            tell_unanswered(finding);
        }
        return finding;
    }

  private:
    bool ended() const { return closing_.has_value(); }
    std::string_view the_end() const { return of_file_ ? "its file ends" : "the capture ends"; }
    bool lacks_some() const { return gaps_.connections.contains(number_); }
    bool went_on() const { return elapsed_ns(like_.row.request_ns, last_answer_ns_) > patience_ns_; }
    bool others_answered() const { return elapsed_ns(like_.row.request_ns, last_answer_ns_) > 0; }
    bool is_slow_by_nature() const {
        return like_.count == 1 &&
               std::ranges::find(slow_by_nature, like_.row.opcode) != slow_by_nature.end();
    }
    // A connection that was closed under a command answers no more.
    bool is_under_way() const {
        // What any target may take: a capture that ends sooner tells nothing.
        constexpr int64_t least_patience_ns = 1'000'000'000;
        constexpr int64_t longer_patience_ns = 60 * least_patience_ns;
        const int64_t least_ns = is_slow_by_nature() ? longer_patience_ns : least_patience_ns;
        return !ended() && abort_of_unknown_ == nullptr && waited_ns_ <= std::max(patience_ns_, least_ns);
    }
    // Data of the target are missing that came behind the request: the answer may be among them.
    bool answer_may_be_missing() const {
        const auto until = gaps_.answers_until_ns.find(number_);
        return until != gaps_.answers_until_ns.end() && until->second >= like_.row.request_ns;
    }
    // No longer than an answer may take that comes in time.
    bool waited_for_a_moment() const {
        constexpr int64_t moment_ns = 100'000'000;
        constexpr int64_t felt_by_anyone_ns = 1'000'000'000;
        return waited_ns_ <= std::clamp(patience_ns_, moment_ns, felt_by_anyone_ns);
    }

    int64_t end_ns() const { return ended() ? closing_->time_ns : capture_end_ns_; }
    // For most of the time that it waited nothing more of what the target had sent was acknowledged, though it sent that again, or
    // the initiator sent something behind it.
    bool target_is_unheard() const {
        const bool is_old = row_.retransmissions_in > 0 || row_.in.answers_since > 0;
        return is_old && late_ == nullptr && row_.in.unacknowledged > 0 &&
               row_.in.acknowledged_ns != no_time &&
               2 * elapsed_ns(row_.in.acknowledged_ns, end_ns()) >= waited_ns_;
    }

    enum class BreaksOff : uint8_t { no, unacknowledged, data_owed };
    // Nothing of the connection is captured any more though one of its hosts has to send: again what was not acknowledged, within a
    // retransmission timeout (RFC 6298 §2.4), or the data that R2T PDUs ask for.
    BreaksOff breaks_off(const ResultStore& store) const {
        constexpr int64_t least_silence_ns = 1'000'000'000;
        const int64_t round_trip_ns = row_.rtt_min_ns == no_time ? 0 : row_.rtt_min_ns;
        if (ended() || elapsed_ns(row_.end_ns, capture_end_ns_) <= least_silence_ns + 2 * round_trip_ns)
            return BreaksOff::no;
        // Behind one timeout, the next is later each time.
        const auto has_timed_out = [&](const SenderSummary& sender) {
            return sender.connection() == number_ && sender.losses(LossKind::rto) > 0;
        };
        const bool has_to_send = row_.out.unacknowledged > 0 || row_.in.unacknowledged > 0;
        if (has_to_send && std::ranges::none_of(store.senders(), has_timed_out))
            return BreaksOff::unacknowledged;
        const bool owes = like_.command > 0 && like_.command <= store.command_marks().size() &&
                          like_.row.r2ts > 0 && store.command_marks()[like_.command - 1].grants > 0;
        return owes ? BreaksOff::data_owed : BreaksOff::no;
    }

    void tell_under_way(Finding& finding) const {
        finding.kind = Kind::under_way_at_end;
        finding.title = fmt::format("{} still under way when {}", counted(like_.count, "command"), the_end());
        finding.explanation = "Their answers may have come later: no sign of trouble.";
    }

    void tell_unseen(Finding& finding) const {
        finding.kind = Kind::unseen_answers;
        // That packets were cut is how it was captured, and no fault.
        finding.severity = lacks_some() && !answer_in_gap_ ? Severity::notice : Severity::information;
        finding.side = Side::capture;
        finding.title =
            fmt::format("The answers of {} are not in the capture", counted(like_.count, "command"));
        finding.explanation =
            answer_in_gap_ ? "Time that no file has lies behind the first request, and the connection went "
                             "on behind it: "
                             "the answers were most likely there."
            : lacks_some()
                ? "Packets of the connection are missing from the capture, and it went on as if nothing "
                  "was amiss: the answers were most likely in them."
                : "Packets were cut, not all iSCSI headers beyond the cut could be inferred, and the "
                  "connection went on as if nothing was amiss: the answers were most likely there.";
    }

    void tell_unanswered(Finding& finding) const {
        finding.kind = Kind::unanswered_commands;
        finding.severity = Severity::problem;
        finding.cost_ns = waited_ns_;
        finding.title = fmt::format("{} {}", counted(like_.count, "command"),
                                    all_late_  ? "not answered until the initiator gave up"
                                    : !ended() ? fmt::format("not answered before {}", the_end())
                                               : "never answered");
        if (const std::string lun = lun_words(like_.lun()); !lun.empty()) finding.title += ", " + lun;
        finding.explanation =
            fmt::format("{}{} waited {} for its answer, until {}. ", like_.count > 1 ? "The first one, " : "",
                        words_for(like_.row) + (like_.count > 1 ? "," : ""), human_duration(waited_ns_),
                        reinstated_                    ? std::string("the initiator logged in anew")
                        : abort_of_unknown_ != nullptr ? std::string("the initiator aborted it")
                        : ended()                      ? std::string(words_of(*closing_))
                                                       : std::string(the_end()));
        finding.add_sign(commands_.longest_ns > 0
                             ? fmt::format("{} without an answer, where answers took {} at the most",
                                           human_duration(waited_ns_), human_duration(commands_.longest_ns))
                             : fmt::format("{} without an answer", human_duration(waited_ns_)));
        if (ended() && closing_->reset) finding.add_sign(words_of(*closing_));
        if (cause_) finding.add_sign(cause_sign_);
        tell_whose_it_is(finding);
        if (all_late_) {
            if (finding.side == Side::none) finding.side = Side::target;
            finding.add_sign(fmt::format("the answer came {} after the initiator had closed the connection",
                                         human_duration(elapsed_ns(given_up_ns_, late_->row.response_ns))));
        } else if (late_ != nullptr) {
            finding.add_sign(fmt::format("{} more answered after the initiator had closed the connection",
                                         human_count(late_->count)));
        }
        const int64_t silence_ns = elapsed_ns(row_.end_ns, capture_end_ns_);
        if (silence_ns > patience_ns_) {
            finding.add_sign(
                fmt::format("the capture goes on for {} without another packet of the connection",
                            human_duration(silence_ns)));
        } else if (went_on()) {
            finding.add_sign("later commands of the connection were answered");
        }
    }

    void tell_whose_it_is(Finding& finding) const {
        if (!all_late_ && answer_may_be_missing()) {
            finding.severity = Severity::notice;
            finding.confidence = Finding::Confidence::possible;
            finding.cost_ns = 0;
            finding.explanation +=
                "Packets of the target are missing from the capture behind the request: the answer may have "
                "been among them.";
            return;
        }
        if (!all_late_ && breaks_off_ != BreaksOff::no) {
            finding.severity = Severity::notice;
            finding.confidence = Finding::Confidence::possible;
            finding.cost_ns = 0;
            finding.add_sign(breaks_off_ == BreaksOff::data_owed
                                 ? "the target had asked for data that the initiator did not send"
                                 : "what was not acknowledged is not sent again, as TCP has to");
            finding.explanation +=
                "Nothing of the connection was captured any more, though one of its hosts had to send: its "
                "packets were lost to the capture (a filter, a mirror port, another path), or one of the "
                "hosts "
                "or the path was gone. Whether it was answered is not known.";
            return;
        }
        if (abort_of_unknown_ != nullptr) {
            finding.side = Side::target;
            finding.confidence = Finding::Confidence::likely;
            finding.add_sign(
                fmt::format("ABORT TASK in packet {}: the target answered that it does not exist",
                            abort_of_unknown_->packet));
            finding.explanation +=
                "The target does not have it: it lost it, or takes it for answered, and no answer is in the "
                "capture. Look at the target's log.";
            return;
        }
        if (reset_ != nullptr) {
            // One that resets for what it waited for is not to blame for that.
            finding.side = reset_by_own_ ? Side::none : Side::initiator;
            finding.confidence = Finding::Confidence::likely;
            if (!cause_ || cause_->event.packet != reset_->packet) {
                finding.add_sign(fmt::format("{} by the initiator of session {} in packet {}, meanwhile",
                                             function_words(reset_->code), reset_->session, reset_->packet));
            }
            finding.explanation += reset_words_;
            return;
        }
        if (logged_out_ && ended() && waited_for_a_moment()) {
            finding.severity = Severity::notice;
            finding.side = Side::initiator;
            finding.explanation +=
                "An answer may take that long: the initiator logged out, which ends the commands that are "
                "under way. Look at why it did not wait for them.";
            finding.add_sign("a Logout of the connection or of its session");
            return;
        }
        if (cause_ && waited_for_a_moment()) {
            finding.side = cause_->is_of_initiator() ? Side::initiator : Side::target;
            finding.confidence =
                cause_->is_sure ? Finding::Confidence::likely : Finding::Confidence::possible;
            finding.explanation += cause_->words();
            if (!closing_->reset) finding.add_sign(words_of(*closing_));
            return;
        }
        if (lost_before_ && waited_for_a_moment()) {
            finding.side = lost_before_->closing.by_target ? Side::target : Side::initiator;
            finding.confidence = Finding::Confidence::likely;
            finding.explanation += lost_before_->words();
            finding.add_sign(lost_before_->sign(closing_->time_ns));
            return;
        }
        if (ended() && !closing_->by_target && waited_for_a_moment()) {
            finding.severity = Severity::notice;
            finding.side = Side::initiator;
            finding.explanation +=
                "An answer may take that long: the initiator closed the connection under its commands. Look "
                "at why: was its program ended, or its host?";
            if (!closing_->reset) finding.add_sign(words_of(*closing_));
            return;
        }
        if (ended() && closing_->by_target && waited_for_a_moment()) {
            finding.side = Side::target;
            finding.explanation +=
                "The target ended the connection under its commands, sooner than an answer may take: look at "
                "its "
                "log.";
            if (!closing_->reset) finding.add_sign(words_of(*closing_));
            return;
        }
        if (target_is_unheard()) {
            finding.side = Side::path;
            finding.confidence = Finding::Confidence::likely;
            finding.add_sign(fmt::format(
                "{} that the target sent {} not acknowledged, nor was anything of it for {}",
                counted(row_.in.unacknowledged, "byte"), row_.in.unacknowledged == 1 ? "was" : "were",
                human_duration(elapsed_ns(row_.in.acknowledged_ns, end_ns()))));
            finding.explanation +=
                "The target answers, and what it sends does not arrive: look at the path from it to the "
                "initiator, or whether that host stood still.";
            if (ended() && !closing_->reset) finding.add_sign(words_of(*closing_));
            return;
        }
        // Its TCP acknowledges what the target's kernel received, whatever became of the program.
        const int64_t acknowledged_ns = elapsed_ns(like_.row.request_ns, row_.out.acknowledged_ns);
        if (acknowledged_ns > 0 && row_.out.unacknowledged == 0) {
            finding.side = Side::target;
            if (others_answered()) {
                finding.add_sign(
                    "the TCP of the target acknowledged all that was sent, and other commands of the "
                    "connection "
                    "were answered meanwhile");
                finding.explanation +=
                    "Look at the target, not at the network: it went on, so what of it serves this command?";
                return;
            }
            finding.add_sign(
                "the TCP of the target acknowledged all that was sent: it was reached, and its iSCSI "
                "side did not answer");
            finding.explanation += "Look at the target, not at the network: did its process hang or die?";
        } else if (ended()) {
            if (!closing_->reset) finding.add_sign(words_of(*closing_));
            finding.explanation += "The connection was cut, or one side died.";
        } else {
            finding.explanation += "Look at the target's log for it, and at the path.";
        }
    }

    uint32_t number_;
    const ConnectionRow& row_;
    const CommandFacts& commands_;
    const Gaps& gaps_;
    const CommandsLike& like_;
    bool all_late_;  // each was answered when the initiator had given up
    std::optional<Closing> closing_;
    const CommandsLike* late_ = nullptr;
    int64_t capture_end_ns_ = no_time;
    bool of_file_ = false;  // that is the end of a file of several
    bool answer_in_gap_ =
        false;  // a gap between files lies behind the first request, and its connection went on
    std::optional<EndCause> cause_;  // why the connection was closed
    std::string cause_sign_;
    std::optional<LostBefore> lost_before_;
    bool reinstated_ = false;  // the initiator put another in its place
    bool logged_out_ = false;
    const SessionEvent* abort_of_unknown_ = nullptr;  // of the first of them
    const SessionEvent* reset_ = nullptr;             // another session's, while they were under way
    std::string_view reset_words_;
    bool reset_by_own_ = false;  // of the same initiator
    int64_t given_up_ns_ = no_time;
    int64_t waited_ns_ = 0;    // the first of them
    int64_t patience_ns_ = 0;  // as long as answers take at the most, and as long again
    int64_t last_answer_ns_ = no_time;
    BreaksOff breaks_off_ = BreaksOff::no;
};

Finding told_of_aborted(const CommandsLike& like) {
    Finding finding;
    finding.kind = Kind::aborted_commands;
    finding.severity = Severity::problem;
    place_at(finding, like.command, like.row);
    finding.end_ns = no_time;
    finding.lun = like.lun();
    finding.title = fmt::format("{} aborted", counted(like.count, "command"));
    finding.add_sign(fmt::format("{} never had a status", counted(like.count, "command")));
    finding.add_sign("a task management request named or covered it, and was answered");
    finding.explanation = fmt::format(
        "The initiator gave up waiting, or the logical unit was reset. First: {}. See how long it had "
        "waited, and for what.",
        words_for(like.row));
    return finding;
}

}  // namespace

void add_unanswered_findings(FindingList& list, const FindingsInput& input, const CommandFacts& commands) {
    const Gaps gaps = find_gaps(input, commands);
    for (const auto& [number, all] : commands.unanswered) {
        if (number == 0 || number > input.store.connections().size()) continue;
        if (input.store.connection(number).packets_in == 0)
            continue;  // the direction of the answers was not captured
        list.push_back(OfConnection(number, input, commands, gaps).told());
    }
    for (const auto& [number, like] : commands.aborted) list.push_back(told_of_aborted(like));
}

}  // namespace sanscope
