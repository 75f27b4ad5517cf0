// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/session_findings.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/iscsi/bhs.h"
#include "analyzer/report/time_spans.h"

namespace sanscope {
namespace {

using Kind = Finding::Kind;
using Severity = Finding::Severity;

struct PdusLike {
    uint64_t count = 0;
    PduRow first;

    void add(const PduRow& row) {
        if (count++ == 0) first = row;
    }
};

struct PduFacts {
    PdusLike rejects;
    PdusLike async_messages;
    PdusLike task_management;
    PdusLike bad_digests;
    std::vector<bool> logged_out;  // by connection - 1
};

PduFacts find_pdu_facts(const ResultStore& store, const Stop& stop) {
    PduFacts facts;
    facts.logged_out.resize(store.connections().size());
    size_t row_number = 0;
    for (const PduRow& row : store.pdus()) {
        if (stop.asked_at(row_number++)) return facts;
        if (row.header_digest == Digest::bad || row.data_digest == Digest::bad) facts.bad_digests.add(row);
        switch (Opcode{row.opcode}) {
            case Opcode::reject:
                facts.rejects.add(row);
                break;
            case Opcode::async_message:
                facts.async_messages.add(row);
                break;
            case Opcode::task_management_request:
                facts.task_management.add(row);
                break;
            case Opcode::logout_request:
                if (row.connection != 0 && row.connection <= facts.logged_out.size()) {
                    facts.logged_out[row.connection - 1] = true;
                }
                break;
            default:
                break;
        }
    }
    return facts;
}

Finding about(const PduRow& row, const ResultStore& store, Kind kind, Severity severity) {
    Finding finding;
    finding.kind = kind;
    finding.severity = severity;
    finding.connection = row.connection;
    if (row.connection != 0 && row.connection <= store.connections().size()) {
        finding.session = store.connections()[row.connection - 1].session;
    }
    finding.command = row.command;
    finding.packet = row.first_packet;
    finding.begin_ns = finding.end_ns = row.time_ns;
    return finding;
}

void add_digests(FindingList& list, const FindingsInput& input, const PduFacts& pdus) {
    const Issues::Count& headers = input.issues[Issue::header_digests_bad];
    const Issues::Count& data = input.issues[Issue::data_digests_bad];
    if (headers.count + data.count == 0) return;
    Finding finding = about(pdus.bad_digests.first, input.store, Kind::bad_digest, Severity::problem);
    if (finding.packet == 0) {
        finding.packet = headers.count > 0 ? headers.first_packet : data.first_packet;
        if (data.count > 0) finding.packet = std::min(finding.packet, data.first_packet);
    }
    finding.title = fmt::format("{} with a wrong digest: {} of headers, {} of data",
                                counted(headers.count + data.count, "PDU"), human_count(headers.count),
                                human_count(data.count));
    finding.explanation =
        "Bytes changed on their way although the TCP checksum held: a failing network card, memory or "
        "switch. Without digests this would be silent corruption.";
    list.push_back(std::move(finding));
}

void add_pdus(FindingList& list, const FindingsInput& input, const PduFacts& pdus) {
    const auto add = [&](const PdusLike& like, Kind kind, Severity severity, std::string title,
                         std::string_view explanation) {
        if (like.count == 0) return;
        Finding finding = about(like.first, input.store, kind, severity);
        finding.title = std::move(title);
        finding.explanation = explanation;
        list.push_back(std::move(finding));
    };
    add(pdus.rejects, Kind::rejected_pdu, Severity::problem,
        counted(pdus.rejects.count, "PDU") + " rejected by the target",
        "Initiator and target disagree about the protocol, or a PDU arrived damaged. The Reject PDU names "
        "the reason.");
    add(pdus.async_messages, Kind::async_message, Severity::problem,
        counted(pdus.async_messages.count, "asynchronous message") + " from the target",
        "The target announces an event of its own: that it drops the connection or session, asks for logout, "
        "or a logical unit changed.");
    add(pdus.task_management, Kind::task_management, Severity::notice,
        counted(pdus.task_management.count, "task management request"),
        "The initiator aborted commands or reset something: usually a timeout of its own. See what it waited "
        "for before.");
}

// Of one session: when it was there, and whether it ended in order.
struct Presence {
    uint32_t session = 0;
    int64_t begin_ns = no_time;
    int64_t end_ns = no_time;
    PacketNumber first_packet = 0;
    uint32_t connection = 0;
    bool logged_out = false;
};

void add_reconnects(FindingList& list, const ResultStore& store, const PduFacts& pdus) {
    if (store.sessions().size() < 2) return;
    std::vector<Presence> presences(store.sessions().size());
    uint32_t number = 0;
    for (const ConnectionRow& connection : store.connections()) {
        ++number;
        if (connection.session == 0) continue;
        Presence& presence = presences[connection.session - 1];
        const bool first = presence.connection == 0;
        presence.session = connection.session;
        if (number <= pdus.logged_out.size() && pdus.logged_out[number - 1]) presence.logged_out = true;
        presence.end_ns = std::max(presence.end_ns, connection.end_ns);
        if (!first && presence.begin_ns <= connection.start_ns) continue;
        presence.begin_ns = connection.start_ns;
        presence.first_packet = connection.first_packet;
        presence.connection = number;
    }
    std::map<std::pair<std::string_view, std::string_view>, std::vector<Presence>> by_names;
    for (const Presence& presence : presences) {
        if (presence.session == 0) continue;
        const SessionRow& row = store.sessions()[presence.session - 1];
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
            if (before != nullptr && !before->logged_out && presence.begin_ns >= before->end_ns) {
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
        finding.severity = Severity::notice;
        finding.cost_ns = lost_ns;
        finding.session = worst->session;
        finding.connection = worst->connection;
        finding.packet = worst->first_packet;
        finding.begin_ns = worst_before->end_ns;
        finding.end_ns = worst->begin_ns;
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

void add_session_findings(FindingList& list, const FindingsInput& input, const Stop& stop) {
    const PduFacts pdus = find_pdu_facts(input.store, stop);
    add_digests(list, input, pdus);
    add_pdus(list, input, pdus);
    // Without PDUs a logout is not known of, and every session after another would seem a reconnect.
    if (!input.store.pdus().empty()) add_reconnects(list, input.store, pdus);
}

}  // namespace sanscope
