// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/sessions/session_findings.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/base/time_spans.h"
#include "analyzer/iscsi/bhs.h"
#include "analyzer/iscsi/pdu_codes.h"
#include "analyzer/report/capture/capture_gaps.h"
#include "analyzer/report/sessions/connection_closing.h"
#include "analyzer/report/sessions/reject_words.h"
#include "analyzer/report/sessions/task_management_words.h"

namespace sanscope {
namespace {

using Kind = Finding::Kind;
using Severity = Finding::Severity;

// The first of a kind, and how many there were. Of a capture with very many events the first ones alone are listed.
struct EventsLike {
    uint64_t count = 0;
    uint64_t listed = 0;
    SessionEvent first;  // of those listed
    // Of Rejects: whether they all reject PDUs of one opcode, and how many ended a command.
    bool one_kind = true;
    uint64_t commands_ended = 0;

    bool all_listed() const { return listed >= count; }
};

EventsLike events_like(const ResultStore& store, Opcode opcode) {
    EventsLike like;
    like.count = store.session_events().count(static_cast<uint8_t>(opcode));
    for (const SessionEvent& event : store.session_events().first_ones()) {
        if (Opcode{event.opcode} == opcode && like.listed++ == 0) like.first = event;
    }
    return like;
}

// Rejects of SCSI Commands that ended with that.
bool is_end_of_command(const ResultStore& store, const SessionEvent& reject) {
    if (reject.command == 0 || reject.command > store.commands().size()) return false;
    const CommandRow& row = store.command(reject.command);
    return row.outcome == Outcome::rejected && row.aborted_packet == reject.packet;
}

// Of those that are listed, one for each code, in the order of their first ones.
std::vector<EventsLike> by_code(const ResultStore& store, Opcode opcode) {
    std::vector<EventsLike> all;
    for (const SessionEvent& event : store.session_events().first_ones()) {
        if (Opcode{event.opcode} != opcode) continue;
        auto like = std::ranges::find(all, event.code, [](const EventsLike& one) { return one.first.code; });
        if (like == all.end()) {
            like = all.emplace(all.end());
            like->first = event;
        }
        ++like->listed;
        like->one_kind = like->one_kind && event.rejected == like->first.rejected;
        if (is_end_of_command(store, event)) ++like->commands_ended;
    }
    return all;
}

constexpr std::string_view not_listed_words =
    "So many other events came before that of these no more than their number is known.";

// Of events of which none is listed.
Finding about_unlisted(Kind kind, std::string title, std::string_view sign) {
    Finding finding;
    finding.kind = kind;
    finding.severity = Severity::notice;
    finding.title = std::move(title);
    finding.explanation = not_listed_words;
    finding.add_sign(sign);
    return finding;
}

Finding about(const SessionEvent& event, Kind kind, Severity severity) {
    Finding finding;
    finding.kind = kind;
    finding.severity = severity;
    finding.connection = event.connection;
    finding.session = event.session;
    finding.command = event.command;
    finding.lun = event.lun;
    finding.packet = event.packet;
    finding.begin_ns = finding.end_ns = event.time_ns;
    return finding;
}

// RFC 7143 §11.9.1.
std::string_view async_words(uint16_t event) {
    constexpr uint16_t vendor_specific = 255;
    switch (event) {
        case 0:
            return "a SCSI asynchronous event";
        case 1:
            return "it asks for a logout";
        case 2:
            return "it drops the connection";
        case 3:
            return "it drops all connections of the session";
        case 4:
            return "it asks to negotiate anew";
        case 5:
            return "it ends all tasks of a logical unit";
        case vendor_specific:
            return "an event of its vendor";
        case unknown<uint16_t>:
            return "an event that was not captured";
        default:
            return "an event not known";
    }
}

// RFC 7143 §11.9.1: only these end a connection or tasks against the initiator's will.
bool ends_something(uint16_t event) {
    return event == async_event::connection_dropped || event == async_event::session_dropped ||
           event == async_event::tasks_terminated;
}

std::string_view async_means(uint16_t event) {
    if (ends_something(event)) {
        return "Commands of the connection or logical unit that were under way end without a status. Look at "
               "the target's log, and whether someone took it down.";
    }
    switch (event) {
        case 0:
            return "The target announces that something changed at a logical unit. Look at its log.";
        case 1:
            return "The target announces maintenance or a takeover that needs a logout. Look at its log.";
        case 4:
            return "The target wants other parameters for the session: was its configuration changed?";
        default:
            return "The target announces an event. Look at its log.";
    }
}

// Those of one code. What it announces it tells in the order that matters: what ends something first.
// `terminated`: commands that ended so.
void add_messages_like(FindingList& list, const EventsLike& like, bool all_listed, uint64_t terminated) {
    const uint16_t code = like.first.code;
    const bool ends = ends_something(code);
    Finding finding = about(like.first, Kind::async_message, ends ? Severity::problem : Severity::notice);
    finding.side = Finding::Side::target;
    finding.title = fmt::format("{}{} from the target: {}", all_listed ? "" : "at least ",
                                counted(like.listed, "asynchronous message"), async_words(code));
    finding.explanation = async_means(code);
    finding.add_sign(counted(like.listed, "Asynchronous Message"));
    finding.add_sign(code == unknown<uint16_t> ? std::string(async_words(code))
                                               : fmt::format("event {}: {}", code, async_words(code)));
    if (code == async_event::tasks_terminated && terminated > 0)
        finding.add_sign(fmt::format("{} without a status behind it", counted(terminated, "command")));
    list.push_back(std::move(finding));
}

void add_messages(FindingList& list, const ResultStore& store) {
    const EventsLike all = events_like(store, Opcode::async_message);
    if (all.count > 0 && all.listed == 0) {
        Finding finding =
            about_unlisted(Kind::async_message,
                           fmt::format("{} from the target", counted(all.count, "asynchronous message")),
                           counted(all.count, "Asynchronous Message"));
        finding.side = Finding::Side::target;
        list.push_back(std::move(finding));
        return;
    }
    for (const EventsLike& like : by_code(store, Opcode::async_message))
        add_messages_like(list, like, all.all_listed(), store.summary().outcomes(Outcome::terminated));
}

// What targets answered to requests that abort or reset something, as far as both are known.
struct TaskManagementAnswers {
    uint64_t requests = 0;
    uint64_t answered = 0;
    uint64_t done = 0;
    uint64_t rejected = 0;                  // with a Reject
    std::map<uint16_t, uint64_t> refusals;  // by response

    bool none_was_there() const {
        return rejected == 0 && refusals.size() == 1 &&
               refusals.contains(task_management::task_does_not_exist);
    }
    bool all_refused() const { return requests > 0 && answered == requests && done == 0; }
};

TaskManagementAnswers answers_to_task_management(const ResultStore& store) {
    TaskManagementAnswers answers;
    std::set<std::pair<uint32_t, uint32_t>> open;  // session, ITT
    for (const SessionEvent& event : store.session_events().first_ones()) {
        const std::pair key(event.session, event.itt);
        if (Opcode{event.opcode} == Opcode::task_management_request) {
            if (leaves_commands_alone(event.code)) continue;
            ++answers.requests;
            open.insert(key);
        } else if (Opcode{event.opcode} == Opcode::task_management_response && open.erase(key) > 0 &&
                   event.code != unknown<uint16_t>) {
            ++answers.answered;
            if (event.code == task_management::function_complete) {
                ++answers.done;
            } else {
                ++answers.refusals[event.code];
            }
        } else if (Opcode{event.opcode} == Opcode::reject &&
                   event.rejected == static_cast<uint16_t>(Opcode::task_management_request) &&
                   open.erase(key) > 0) {
            ++answers.answered;
            ++answers.rejected;
        }
    }
    return answers;
}

std::string answers_in_words(const TaskManagementAnswers& answers) {
    std::string text;
    const auto add = [&](uint64_t count, std::string_view what) {
        if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", human_count(count), what);
    };
    add(answers.done, response_words(task_management::function_complete));
    for (const auto& [response, count] : answers.refusals) add(count, response_words(response));
    add(answers.rejected, "rejected with a Reject PDU");
    add(answers.requests - answers.answered, "without an answer in the capture");
    return text;
}

void add_task_management(FindingList& list, const ResultStore& store) {
    EventsLike requests = events_like(store, Opcode::task_management_request);
    if (requests.count == 0) return;
    if (requests.listed == 0) {
        const std::string words = counted(requests.count, "task management request");
        list.push_back(about_unlisted(Kind::task_management, words, words));
        list.back().side = Finding::Side::initiator;
        return;
    }
    if (leaves_commands_alone(requests.first.code)) {
        for (const SessionEvent& event : store.session_events().first_ones()) {
            if (Opcode{event.opcode} != Opcode::task_management_request || leaves_commands_alone(event.code))
                continue;
            requests.first = event;
            break;
        }
    }
    const bool harmless = leaves_commands_alone(requests.first.code) && requests.all_listed();
    const TaskManagementAnswers answers = answers_to_task_management(store);
    Finding finding =
        about(requests.first, Kind::task_management, harmless ? Severity::information : Severity::notice);
    finding.side = Finding::Side::initiator;
    finding.title = fmt::format("{}, first {}", counted(requests.count, "task management request"),
                                function_words(requests.first.code));
    finding.explanation =
        harmless
            ? "The initiator asked about commands, moved them to another connection, or let a logical unit "
              "go "
              "on: none was aborted by that."
        : leaves_commands_alone(requests.first.code)
            ? "Those that are known ended no command; what the others did is not known, for so many other "
              "events "
              "came before."
        : answers.all_refused() && requests.all_listed()
            ? fmt::format(
                  "The initiator wanted to abort commands or to reset something, usually upon a "
                  "timeout of its own, and the target {}. See what it waited for before.",
                  answers.none_was_there() ? "did nothing of it: a task that does not exist had been "
                                             "answered before, or never arrived"
                                           : "did nothing of it, as its answers say")
        : answers.done == 0
            ? "The initiator wanted to abort commands or to reset something, usually upon a timeout of its "
              "own; "
              "that the target did so is not in the capture. See what it waited for before."
            : "The initiator aborted commands or reset something: usually a timeout of its own. See what it "
              "waited for before.";
    if (answers.requests > 0) finding.add_sign("answers: " + answers_in_words(answers));
    finding.add_sign(
        fmt::format("{} in packet {}", function_words(requests.first.code), requests.first.packet));
    list.push_back(std::move(finding));
}

std::string_view snack_words(uint16_t type) {
    switch (type) {
        case snack_type::data_or_r2t:
            return "Data-In or R2T PDUs again";
        case snack_type::status:
            return "a status again";
        case snack_type::r_data:
            return "a read's data again";
        default:
            return "something again";
    }
}

// An initiator that lacks something of what TCP delivered asks for that anew (RFC 7143 §11.16). A DataACK says that nothing is lacking.
void add_snacks(FindingList& list, const ResultStore& store) {
    uint64_t count = 0;
    const SessionEvent* first = nullptr;
    for (const SessionEvent& event : store.session_events().first_ones()) {
        if (Opcode{event.opcode} != Opcode::snack_request || event.code == snack_type::data_ack) continue;
        if (count++ == 0) first = &event;
    }
    if (first == nullptr) return;
    Finding finding = about(*first, Kind::error_recovery, Severity::notice);
    finding.title = fmt::format("The initiator asked {} for what it lacks of the target's PDUs (SNACK)",
                                count == 1 ? "once" : counted(count, "time"));
    finding.add_sign(
        fmt::format("SNACK Request in packet {}, for {}", first->packet, snack_words(first->code)));
    finding.explanation =
        "TCP had delivered what came: PDUs with a wrong digest were dropped, or the target left some out or "
        "was slow to send them. What came again is counted once. Look for wrong digests, and at both logs.";
    list.push_back(std::move(finding));
}

// Whose matter it is, and what it means, by the reason.
std::pair<Finding::Side, std::string_view> reject_means(uint16_t reason) {
    switch (reason) {
        case reject_reason::data_digest_error:
            return {Finding::Side::both,
                    "A PDU arrived damaged, or its digest was wrong from the beginning."};
        case reject_reason::immediate_command_reject:
        case reject_reason::long_operation_reject:
            return {Finding::Side::target,
                    "The target had no room for it at that moment: it has too much under way."};
        case reject_reason::waiting_for_logout:
            return {Finding::Side::both, "The target waits for the Logout that it had asked for."};
        default:
            return {Finding::Side::both,
                    "Initiator and target disagree about the protocol, or a PDU arrived damaged."};
    }
}

// "SCSI Command PDU" where all of them are that, else "PDU".
std::string rejected_words(const EventsLike& like) {
    const uint16_t opcode = like.first.rejected;
    const char* const name =
        like.one_kind && opcode <= 0x3f ? opcode_name(static_cast<uint8_t>(opcode)) : nullptr;
    return name == nullptr ? "PDU" : std::string(name) + " PDU";
}

void add_pdus(FindingList& list, const ResultStore& store) {
    const EventsLike rejects = events_like(store, Opcode::reject);
    if (rejects.count > 0 && rejects.listed == 0) {
        Finding finding = about_unlisted(
            Kind::rejected_pdu, fmt::format("{} rejected by the target", counted(rejects.count, "PDU")),
            counted(rejects.count, "Reject PDU"));
        finding.side = Finding::Side::both;
        list.push_back(std::move(finding));
    }
    for (const EventsLike& like : by_code(store, Opcode::reject)) {
        const uint16_t reason = like.first.code;
        Finding finding = about(like.first, Kind::rejected_pdu, Severity::problem);
        const auto& [side, explanation] = reject_means(reason);
        finding.side = side;
        finding.title =
            fmt::format("{}{} rejected by the target: {}", rejects.all_listed() ? "" : "at least ",
                        counted(like.listed, rejected_words(like)), reject_words(reason));
        finding.explanation = explanation;
        if (like.commands_ended > 0) {
            finding.explanation += fmt::format(
                " {} ended with that: the target answered with the Reject, and no SCSI status came behind it "
                "in the capture.",
                counted(like.commands_ended, "command"));
        }
        finding.add_sign(counted(like.listed, "Reject PDU"));
        finding.add_sign(reason == unknown<uint16_t>
                             ? std::string(reject_words(reason))
                             : fmt::format("reason {}: {}", reason, reject_words(reason)));
        list.push_back(std::move(finding));
    }
    add_messages(list, store);
    add_task_management(list, store);
    add_snacks(list, store);
}

// Of one session: when it was there, and whether it ended in order.
struct Presence {
    uint32_t session = 0;
    int64_t begin_ns = no_time;
    int64_t end_ns = no_time;
    PacketNumber first_packet = 0;
    PacketNumber last_packet = 0;
    uint32_t connection = 0;
    bool logged_out = false;
    bool closed = false;    // by a FIN or RST in the capture
    bool torn = false;      // by an RST, or with commands that had no answer
    bool has_gaps = false;  // packets of it are missing from the capture
};

// A session that came behind another of the same names.
struct Reconnect {
    const Presence* before = nullptr;
    const Presence* after = nullptr;

    int64_t gap_ns() const { return elapsed_ns(before->end_ns, after->begin_ns); }
    bool is_worse_than(const Reconnect& other) const {
        if (before->torn != other.before->torn) return before->torn;
        return gap_ns() > other.gap_ns();
    }
};

Finding told(const Reconnect& worst, uint64_t count, int64_t lost_ns) {
    const auto& [before, after] = worst;
    Finding finding;
    finding.kind = Kind::session_reconnect;
    // Many a tool just closes its connection when it has done its work.
    finding.severity = before->torn ? Severity::notice : Severity::information;
    finding.cost_ns = lost_ns;
    finding.session = after->session;
    finding.connection = after->connection;
    finding.packet = after->first_packet;
    finding.begin_ns = before->end_ns;
    finding.end_ns = after->begin_ns;
    finding.add_sign(before->closed
                         ? fmt::format("no Logout in session {}", before->session)
                         : fmt::format("no Logout in session {}, and neither FIN nor RST", before->session));
    finding.add_sign(fmt::format("session {} begins behind it with the same names", after->session));
    finding.title =
        fmt::format("A session {} was set up again {}: {} between the two{}",
                    before->closed ? "ended without a logout and" : "whose end is not in the capture",
                    count == 1 ? "once" : human_count(count) + " times", human_duration(worst.gap_ns()),
                    count == 1     ? ""
                    : before->torn ? ", of those that were torn at the longest"
                                   : " at the longest");
    finding.explanation = fmt::format(
        "Session {} was followed by session {} of the same initiator and target. Where it had not done "
        "its work, see what came before: timeouts, resets, commands that were never answered.",
        before->session, after->session);
    return finding;
}

// By connection - 1: its login was refused or sent elsewhere, or did not get to its end: no session began with it.
std::vector<bool> failed_logins(const ResultStore& store, const CommandFacts& commands) {
    std::vector<bool> failed(store.connections().size());
    for (const SessionEvent& event : store.session_events().first_ones()) {
        const Opcode opcode{event.opcode};
        if (opcode != Opcode::login_request && opcode != Opcode::login_response) continue;
        if (event.connection == 0 || event.connection > failed.size()) continue;
        const uint32_t session = store.connection(event.connection).session;
        const bool refused = opcode == Opcode::login_response && event.code != unknown<uint16_t> &&
                             event.code >> 8 != login_status_class::success;
        // Digests are settled at the latest with the Full Feature Phase.
        const bool worked = event.connection <= commands.of_connection.size() &&
                            commands.of_connection[event.connection - 1] > 0;
        const bool unfinished = session != 0 && !worked && store.session(session).header_digest.empty() &&
                                store.session(session).tsih == unknown<uint16_t>;
        if (refused || unfinished) failed[event.connection - 1] = true;
    }
    return failed;
}

void add_reconnects(FindingList& list, const FindingsInput& input, const CommandFacts& commands) {
    const ResultStore& store = input.store;
    if (store.sessions().size() < 2) return;
    std::vector<bool> logged_out(store.connections().size());
    for (const SessionEvent& event : store.session_events().first_ones()) {
        if (!is_of_logout(event) || is_refused_logout(store, event)) continue;
        const uint32_t connection = logged_out_by(store, event);
        if (connection != 0 && connection <= logged_out.size()) logged_out[connection - 1] = true;
    }
    const bool logouts_hidden = hides_logouts(store);
    std::set<uint32_t> gaps;
    for (const SenderSummary& sender : store.senders()) {
        if (sender.losses(LossKind::not_captured) > 0) gaps.insert(sender.connection());
    }
    const std::vector<bool> refused = failed_logins(store, commands);
    std::vector<Presence> presences(store.sessions().size());
    uint32_t number = 0;
    for (const ConnectionRow& connection : store.connections()) {
        ++number;
        if (connection.session == 0 || refused[number - 1]) continue;
        Presence& presence = presences[connection.session - 1];
        const bool first = presence.connection == 0;
        presence.session = connection.session;
        presence.last_packet = std::max(presence.last_packet, connection.last_packet);
        if (number <= logged_out.size() && logged_out[number - 1]) presence.logged_out = true;
        // Once the initiator has closed its side, the session is over for it.
        const bool closed = connection.out.fin_ns != no_time && connection.out.fin_ns < connection.end_ns;
        presence.closed = presence.closed || first_closing(connection).has_value();
        presence.torn = presence.torn || connection.out.reset || connection.in.reset ||
                        commands.unanswered.contains(number);
        presence.has_gaps = presence.has_gaps || gaps.contains(number);
        presence.end_ns = std::max(presence.end_ns, closed ? connection.out.fin_ns : connection.end_ns);
        if (!first && presence.begin_ns <= connection.start_ns) continue;
        presence.begin_ns = connection.start_ns;
        presence.first_packet = connection.first_packet;
        presence.connection = number;
    }
    std::map<std::pair<std::string_view, std::string_view>, std::vector<Presence>> by_names;
    for (const Presence& presence : presences) {
        if (presence.session == 0) continue;
        const SessionRow& row = store.session(presence.session);
        if (row.initiator_name.empty() || row.target_name.empty()) continue;
        by_names[{row.initiator_name, row.target_name}].push_back(presence);
    }
    for (auto& [names, of_names] : by_names) {
        std::ranges::stable_sort(of_names, {}, &Presence::begin_ns);
        uint64_t count = 0;
        int64_t lost_ns = 0;
        const Presence* before = nullptr;
        Reconnect worst;
        for (const Presence& presence : of_names) {
            // Of sessions at the same time none takes the place of another.
            // Nor where only a clock that was set says that one came behind the other. What came between them in the time that
            // no file has, nobody knows.
            if (before != nullptr && !before->logged_out && presence.begin_ns >= before->end_ns &&
                presence.first_packet > before->last_packet &&
                gaps_between_ns(input.totals, before->end_ns, presence.begin_ns) == 0) {
                ++count;
                const Reconnect again{before, &presence};
                // Behind a session that had done its work nobody waited.
                if (before->torn) lost_ns += again.gap_ns();
                if (worst.before == nullptr || again.is_worse_than(worst)) worst = again;
            }
            before = &presence;
        }
        if (worst.before == nullptr) continue;
        Finding finding = told(worst, count, lost_ns);
        if (logouts_hidden || worst.before->has_gaps) {
            finding.confidence = Finding::Confidence::possible;
            finding.explanation += " A Logout may be among what the capture lacks.";
        }
        list.push_back(std::move(finding));
    }
}

}  // namespace

void add_session_findings(FindingList& list, const FindingsInput& input, const CommandFacts& commands) {
    add_pdus(list, input.store);
    add_reconnects(list, input, commands);
}

}  // namespace sanscope
