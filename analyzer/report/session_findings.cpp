// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/session_findings.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/iscsi/bhs.h"
#include "analyzer/iscsi/pdu_codes.h"
#include "analyzer/report/task_management_words.h"
#include "analyzer/report/time_spans.h"

namespace sanscope {
namespace {

using Kind = Finding::Kind;
using Severity = Finding::Severity;

// The first of a kind, and how many there were.
struct EventsLike {
    uint64_t count = 0;
    SessionEvent first;
};

EventsLike events_like(const ResultStore& store, Opcode opcode) {
    EventsLike like;
    like.count = store.session_events().count(static_cast<uint8_t>(opcode));
    for (const SessionEvent& event : store.session_events().first_ones()) {
        if (Opcode{event.opcode} != opcode) continue;
        like.first = event;
        break;
    }
    return like;
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

// RFC 7143 §11.17.1.
std::string_view reject_words(uint16_t reason) {
    switch (reason) {
        case reject_reason::data_digest_error:
            return "data (payload) digest error";
        case reject_reason::snack_reject:
            return "SNACK reject";
        case reject_reason::protocol_error:
            return "protocol error";
        case reject_reason::command_not_supported:
            return "command not supported";
        case reject_reason::immediate_command_reject:
            return "immediate command reject: too many";
        case reject_reason::task_in_progress:
            return "task in progress";
        case reject_reason::invalid_data_ack:
            return "invalid data ack";
        case reject_reason::invalid_pdu_field:
            return "invalid PDU field";
        case reject_reason::long_operation_reject:
            return "long operation reject: out of resources";
        case reject_reason::waiting_for_logout:
            return "waiting for logout";
        default:
            return "reason not known";
    }
}

// RFC 7143 §11.9.1.
std::string_view async_words(uint16_t event) {
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
        default:
            return "an event of its own";
    }
}

void add_pdus(FindingList& list, const ResultStore& store) {
    const EventsLike rejects = events_like(store, Opcode::reject);
    if (rejects.count > 0) {
        Finding finding = about(rejects.first, Kind::rejected_pdu, Severity::problem);
        finding.side = Finding::Side::both;
        finding.title = fmt::format("{} rejected by the target: {}", counted(rejects.count, "PDU"),
                                    reject_words(rejects.first.code));
        finding.explanation = "Initiator and target disagree about the protocol, or a PDU arrived damaged.";
        finding.add_sign(counted(rejects.count, "Reject PDU"));
        finding.add_sign(fmt::format("reason {}: {}", rejects.first.code, reject_words(rejects.first.code)));
        list.push_back(std::move(finding));
    }
    const EventsLike messages = events_like(store, Opcode::async_message);
    if (messages.count > 0) {
        // RFC 7143 §11.9.1: only these end a connection or tasks against the initiator's will.
        constexpr std::array<uint16_t, 3> ending = {2, 3, 5};
        const bool ends = std::ranges::find(ending, messages.first.code) != ending.end();
        Finding finding =
            about(messages.first, Kind::async_message, ends ? Severity::problem : Severity::notice);
        finding.side = Finding::Side::target;
        finding.title = fmt::format("{} from the target: {}", counted(messages.count, "asynchronous message"),
                                    async_words(messages.first.code));
        finding.explanation =
            ends ? "Commands of the connection or logical unit end without a status. Look at the target's "
                   "log, "
                   "and whether someone took it down."
                 : "The target announces an event: maintenance that needs a logout, a logical unit that "
                   "changed, or one that its vendor has defined. Look at its log.";
        finding.add_sign(counted(messages.count, "Asynchronous Message"));
        finding.add_sign(fmt::format("event {}: {}", messages.first.code, async_words(messages.first.code)));
        list.push_back(std::move(finding));
    }
    const EventsLike requests = events_like(store, Opcode::task_management_request);
    if (requests.count > 0) {
        Finding finding = about(requests.first, Kind::task_management, Severity::notice);
        finding.side = Finding::Side::initiator;
        finding.title = fmt::format("{}, first {}", counted(requests.count, "task management request"),
                                    function_words(requests.first.code));
        finding.explanation =
            "The initiator aborted commands or reset something: usually a timeout of its own. See what it "
            "waited "
            "for before.";
        finding.add_sign(
            fmt::format("{} in packet {}", function_words(requests.first.code), requests.first.packet));
        list.push_back(std::move(finding));
    }
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
};

void add_reconnects(FindingList& list, const ResultStore& store, const CommandFacts& commands) {
    if (store.sessions().size() < 2) return;
    std::vector<bool> logged_out(store.connections().size());
    for (const SessionEvent& event : store.session_events().first_ones()) {
        const bool logout = Opcode{event.opcode} == Opcode::logout_request;
        if (logout && event.connection != 0 && event.connection <= logged_out.size())
            logged_out[event.connection - 1] = true;
    }
    std::vector<Presence> presences(store.sessions().size());
    uint32_t number = 0;
    for (const ConnectionRow& connection : store.connections()) {
        ++number;
        if (connection.session == 0) continue;
        Presence& presence = presences[connection.session - 1];
        const bool first = presence.connection == 0;
        presence.session = connection.session;
        presence.last_packet = std::max(presence.last_packet, connection.last_packet);
        if (number <= logged_out.size() && logged_out[number - 1]) presence.logged_out = true;
        // Once the initiator has closed its side, the session is over for it.
        const bool closed = connection.out.fin_ns != no_time && connection.out.fin_ns < connection.end_ns;
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
        const Presence* worst_before = nullptr;
        const Presence* worst = nullptr;
        for (const Presence& presence : of_names) {
            // Of sessions at the same time none takes the place of another.
            // Nor where only a clock that was set says that one came behind the other.
            if (before != nullptr && !before->logged_out && presence.begin_ns >= before->end_ns &&
                presence.first_packet > before->last_packet) {
                ++count;
                const int64_t gap_ns = elapsed_ns(before->end_ns, presence.begin_ns);
                lost_ns += gap_ns;
                if (worst == nullptr || gap_ns > elapsed_ns(worst_before->end_ns, worst->begin_ns)) {
                    worst_before = before;
                    worst = &presence;
                }
            }
            before = &presence;
        }
        if (worst == nullptr) continue;
        Finding finding;
        finding.kind = Kind::session_reconnect;
        // Many a tool just closes its connection when it has done its work.
        const ConnectionRow& connection = store.connection(worst_before->connection);
        const bool torn = connection.out.reset || connection.in.reset ||
                          commands.unanswered.contains(worst_before->connection);
        finding.severity = torn ? Severity::notice : Severity::information;
        finding.cost_ns = lost_ns;
        finding.session = worst->session;
        finding.connection = worst->connection;
        finding.packet = worst->first_packet;
        finding.begin_ns = worst_before->end_ns;
        finding.end_ns = worst->begin_ns;
        finding.add_sign(fmt::format("no Logout in session {}", worst_before->session));
        finding.add_sign(fmt::format("session {} begins behind it with the same names", worst->session));
        finding.title =
            fmt::format("A session ended without a logout and was set up again {}: {} between the two{}",
                        count == 1 ? "once" : human_count(count) + " times",
                        human_duration(elapsed_ns(worst_before->end_ns, worst->begin_ns)),
                        count == 1 ? "" : " at the longest");
        finding.explanation = fmt::format(
            "Session {} was followed by session {} of the same initiator and target. Where it had not done "
            "its work, see what came before: timeouts, resets, commands that were never answered.",
            worst_before->session, worst->session);
        list.push_back(std::move(finding));
    }
}

}  // namespace

void add_session_findings(FindingList& list, const FindingsInput& input, const CommandFacts& commands) {
    add_pdus(list, input.store);
    add_reconnects(list, input.store, commands);
}

}  // namespace sanscope
