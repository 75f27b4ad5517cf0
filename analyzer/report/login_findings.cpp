// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/login_findings.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/base/utf8.h"
#include "analyzer/iscsi/bhs.h"
#include "analyzer/iscsi/pdu_codes.h"
#include "analyzer/report/login_phases.h"
#include "analyzer/report/time_spans.h"

namespace sanscope {
namespace {

using Kind = Finding::Kind;
using Severity = Finding::Severity;

// Nobody sees a login that takes less; with as many seconds initiators give up (15 s with open-iscsi).
constexpr int64_t slow_login_ns = 1'000'000'000;
constexpr int64_t very_slow_login_ns = 5'000'000'000;
constexpr int64_t long_unanswered_ns = 3'000'000'000;

Finding about(uint32_t connection, const ConnectionRow& row, Kind kind, Severity severity) {
    Finding finding;
    finding.kind = kind;
    finding.severity = severity;
    finding.connection = connection;
    finding.session = row.session;
    finding.begin_ns = row.start_ns;
    return finding;
}

std::string portal_of(const ConnectionRow& row) {
    return format_endpoint(row.target.address, row.target.port);
}

// A target that had just left commands without an answer is no better at logins: one story, told once.
void tell_as_consequence(Finding& finding, const FindingList& list, const ConnectionRow& row,
                         const ResultStore& store) {
    constexpr int64_t just_ns = 30'000'000'000;
    const auto cause = std::ranges::find_if(list, [&](const Finding& one) {
        return one.kind == Kind::unanswered_commands && one.severity != Severity::information &&
               one.connection != 0 && store.connection(one.connection).target == row.target &&
               one.begin_ns <= finding.end_ns && elapsed_ns(one.begin_ns, finding.begin_ns) < just_ns;
    });
    if (cause == list.end()) return;
    finding.severity = Severity::information;
    finding.explanation += " It follows from: " + cause->title + ".";
}

// Nothing of what the target sent behind its SYN was acknowledged, but perhaps its FIN: no answer was lost by the capture.
bool nothing_came_back(const ConnectionRow& row, const LoginPhase& login) {
    if (row.bytes_in > 0 || row.in.syns == 0) return false;
    const bool acknowledged_later =
        row.in.acknowledged_ns != no_time && row.in.acknowledged_ns > login.first_request_ns;
    return !acknowledged_later || (row.in.fin_ns != no_time && row.in.acknowledged_ns >= row.in.fin_ns);
}

void add_unanswered(FindingList& list, uint32_t connection, const ConnectionRow& row, const LoginPhase& login,
                    const FindingsInput& input) {
    if (login.requests == 0 || login.responses > 0 || !login.times_known || !nothing_came_back(row, login))
        return;
    const bool arrived = row.out.unacknowledged == 0 && row.out.acknowledged_ns != no_time &&
                         row.out.acknowledged_ns >= login.first_request_ns;
    if (!arrived) return;
    const auto end = end_of(row);
    const bool dropped = end && end->by_target;
    const int64_t end_ns = end ? end->time_ns : input.totals.last_ns;
    const int64_t waited_ns = elapsed_ns(login.first_request_ns, end_ns);
    if (!dropped && waited_ns < long_unanswered_ns) return;
    Finding finding = about(connection, row, Kind::login_unanswered, Severity::problem);
    finding.side = Finding::Side::target;
    finding.packet = login.first_request_packet;
    finding.begin_ns = login.first_request_ns;
    finding.end_ns = end_ns;
    finding.cost_ns = waited_ns;
    finding.add_sign(fmt::format("its TCP acknowledged the Login Request of packet {}, and sent no data",
                                 login.first_request_packet));
    if (dropped) {
        finding.title =
            fmt::format("Target {} closed the connection without an answer to the login", portal_of(row));
        finding.explanation =
            "What accepts connections there does not serve this initiator: an access list by address, a "
            "limit of "
            "connections, a proxy whose target is gone, or a service that is not iSCSI. Look at the target's "
            "log at "
            "that moment.";
        finding.add_sign(fmt::format("it sent {} {} after the request", end->reset ? "an RST" : "a FIN",
                                     human_duration(waited_ns)));
    } else {
        finding.title = fmt::format("Target {} did not answer the login for {}", portal_of(row),
                                    human_duration(waited_ns));
        finding.explanation =
            "The host is there and its TCP works, but the iSCSI service does not get on: it hangs, waits for "
            "a "
            "service of its own (RADIUS, DNS, a cluster), or is starting. Look at the target's log and "
            "processes.";
        finding.add_sign(end ? fmt::format("the initiator {} the connection {} after its request",
                                           end->reset ? "reset" : "closed", human_duration(waited_ns))
                             : fmt::format("nothing came until the capture ended, {} after the request",
                                           human_duration(waited_ns)));
    }
    tell_as_consequence(finding, list, row, input.store);
    list.push_back(std::move(finding));
}

// Where the time of a login went.
struct LoginTimes {
    int64_t connect_ns = 0;    // until the first Login Request, whoever took it
    int64_t initiator_ns = 0;  // … and what of that and later was the initiator's
    int64_t target_ns = 0;
    uint64_t retransmissions = 0;
    int64_t all_ns = 0;
};

uint64_t retransmissions_within(const ResultStore& store, uint32_t connection, int64_t begin_ns,
                                int64_t end_ns) {
    uint64_t count = 0;
    for (const LossRow& row : store.losses()) {
        const bool within = row.time_ns >= begin_ns && row.time_ns <= end_ns;
        if (row.connection == connection && is_sent_again(row.kind) && within) ++count;
    }
    return count;
}

void tell_slow_side(Finding& finding, const ConnectionRow& row, const LoginPhase& login,
                    const LoginTimes& times) {
    constexpr double most = 0.6;
    const uint32_t syns = std::max(row.out.syns, row.in.syns);
    if (syns > 1 || times.retransmissions > 0) {
        finding.side = Finding::Side::path;
        finding.explanation =
            "Packets of the login were lost, or the target's host did not take the connection: look at the "
            "path, and "
            "whether that host drops connections while it is busy (its listen queue).";
        finding.add_sign(syns > 1 ? fmt::format("the SYN or its answer was sent {} times", syns)
                                  : fmt::format("{} of the login retransmitted",
                                                counted(times.retransmissions, "segment")));
    } else if (share_of(times.target_ns, times.all_ns) >= most) {
        finding.side = Finding::Side::target;
        finding.explanation =
            "The target took that long to answer: a name lookup of the initiator's address, an "
            "authentication server "
            "(RADIUS), a busy controller. Look at its log.";
        finding.add_sign(fmt::format("{} passed between {} and the Login Response to each",
                                     human_duration(times.target_ns),
                                     counted(login.requests, "Login Request")));
        finding.add_sign("nothing of it was retransmitted");
    } else if (share_of(times.initiator_ns, times.all_ns) >= most) {
        finding.side = Finding::Side::initiator;
        finding.explanation =
            "The initiator took that long between what the target answered and its next step: look at its "
            "load, its "
            "log, and what starts the session.";
        finding.add_sign(
            fmt::format("{} passed before the initiator's next step, {} of them before its first request",
                        human_duration(times.initiator_ns), human_duration(times.connect_ns)));
        finding.add_sign("nothing of it was retransmitted");
    } else {
        finding.side = Finding::Side::both;
        finding.explanation = "Both sides took their time. Look at the logs of both at that moment.";
        finding.add_sign(fmt::format("the target took {} of it, the initiator {}",
                                     human_duration(times.target_ns), human_duration(times.initiator_ns)));
    }
}

void add_slow(FindingList& list, uint32_t connection, const ConnectionRow& row, const LoginPhase& login,
              const ResultStore& store) {
    if (login.requests == 0 || login.responses == 0 || !login.times_known) return;
    if (login.last_response_ns < login.last_request_ns) return;
    const bool whole = row.out.syns > 0 && row.start_ns <= login.first_request_ns;
    LoginTimes times;
    times.connect_ns = whole ? elapsed_ns(row.start_ns, login.first_request_ns) : 0;
    times.target_ns = login.target_ns;
    times.initiator_ns = login.initiator_ns + times.connect_ns;
    times.all_ns = times.target_ns + times.initiator_ns;
    if (times.all_ns < slow_login_ns) return;
    times.retransmissions =
        retransmissions_within(store, connection, login.first_request_ns, login.last_response_ns);
    Finding finding = about(connection, row, Kind::slow_login,
                            times.all_ns >= very_slow_login_ns ? Severity::problem : Severity::notice);
    finding.packet = login.first_request_packet;
    finding.begin_ns = whole ? row.start_ns : login.first_request_ns;
    finding.end_ns = login.last_response_ns;
    finding.cost_ns = times.all_ns;
    finding.title = fmt::format("The login at {} took {}", portal_of(row), human_duration(times.all_ns));
    finding.add_sign(fmt::format("{} from {} to the last Login Response", human_duration(times.all_ns),
                                 whole ? "the SYN" : "the first Login Request"));
    tell_slow_side(finding, row, login, times);
    tell_as_consequence(finding, list, row, store);
    list.push_back(std::move(finding));
}

bool reached_full_feature(const SessionRow& session) {
    return !session.header_digest.empty();
}

// Whether a session of these names reached the Full Feature Phase after a packet.
const ConnectionRow* later_success(const ResultStore& store, const SessionRow& like, PacketNumber after) {
    for (const ConnectionRow& row : store.connections()) {
        if (row.session == 0 || row.first_packet < after) continue;
        const SessionRow& session = store.session(row.session);
        if (session.initiator_name == like.initiator_name && session.target_name == like.target_name &&
            reached_full_feature(session))
            return &row;
    }
    return nullptr;
}

// RFC 7143 §11.13.5: class 1.
struct Redirected {
    uint64_t count = 0;
    SessionEvent first;
    SessionEvent last;
    bool to_itself = false;
};

// "192.0.2.2:3260,1" names the portal "192.0.2.2:3260", whose port may be left out (RFC 7143 §13.8).
bool names_portal(const std::string& target_address, const ConnectionRow& row) {
    const std::string portal = target_address.substr(0, target_address.find(','));
    const std::string own = portal_of(row);
    return portal == own || (own.ends_with(":3260") && portal + ":3260" == own);
}

void add_redirected(FindingList& list, const ResultStore& store) {
    std::map<std::string, Redirected> by_target;
    for (const SessionEvent& event : store.session_events().first_ones()) {
        const bool redirects = Opcode{event.opcode} == Opcode::login_response &&
                               event.code != unknown<uint16_t> &&
                               event.code >> 8 == login_status_class::redirection;
        if (!redirects || event.session == 0 || event.session > store.sessions().size()) continue;
        const SessionRow& session = store.session(event.session);
        Redirected& redirected = by_target[session.target_name];
        if (redirected.count++ == 0) redirected.first = event;
        redirected.last = event;
        if (event.connection == 0) continue;
        redirected.to_itself |= names_portal(session.redirected_to, store.connection(event.connection));
    }
    for (const auto& [name, redirected] : by_target) {
        const SessionEvent& first = redirected.first;
        const SessionRow& session = store.session(first.session);
        constexpr uint64_t least_circle = 3;
        const bool arrived = later_success(store, session, first.packet) != nullptr;
        const bool circles = !arrived && redirected.count >= least_circle;
        Finding finding;
        finding.kind = Kind::login_redirected;
        finding.severity = circles ? Severity::problem : Severity::information;
        finding.side = Finding::Side::target;
        finding.connection = first.connection;
        finding.session = first.session;
        finding.packet = first.packet;
        finding.begin_ns = first.time_ns;
        finding.end_ns = redirected.last.time_ns;
        finding.title =
            fmt::format("The target sent {} elsewhere: to {} (moved {})",
                        redirected.count == 1 ? "the login" : human_count(redirected.count) + " logins",
                        session.redirected_to.empty() ? "an address that was not captured"
                                                      : cleaned_line(session.redirected_to),
                        first.code == 0x0102 ? "permanently" : "temporarily");
        finding.add_sign(fmt::format("{} with status class 1", counted(redirected.count, "Login Response")));
        if (circles) {
            finding.explanation =
                "No login came through: the portals send the initiator on and on. Look at the target's "
                "redirection, "
                "load balancing or portal groups.";
            finding.add_sign("no session of these names reached the Full Feature Phase");
            if (redirected.to_itself) finding.add_sign("one was sent to the portal it had asked");
        } else {
            finding.explanation = arrived ? "It logged in there, as redirection is meant to work."
                                          : "Whether it logged in there is not in the capture: see whether "
                                            "that address can be reached.";
        }
        list.push_back(std::move(finding));
    }
}

// What a refused login shows of authentication (RFC 7143 §12.1).
void add_authentication(Finding& finding, const SessionRow& session) {
    if (session.chap_challenged && session.chap_answered) {
        finding.add_sign(
            "the initiator answered the target's CHAP challenge, and was refused for its answer");
        finding.explanation += " The user name or the secret differs: both sides did speak CHAP.";
    } else if (session.auth_method == "Reject") {
        finding.add_sign(fmt::format("the target rejected the AuthMethod offered: {}",
                                     cleaned_line(session.auth_offered)));
    } else if (!session.auth_offered.empty() && session.auth_offered.find("CHAP") == std::string::npos) {
        finding.add_sign(fmt::format("the initiator offered AuthMethod={}, and no CHAP",
                                     cleaned_line(session.auth_offered)));
        finding.explanation +=
            " Or the target asks for CHAP, which this initiator does not offer: switch it on there "
            "(node.session.auth.authmethod with open-iscsi).";
    }
}

// More of those that connection_findings.cpp tells of.
void add_to_refused(Finding& finding, const ResultStore& store) {
    const std::vector<SessionEvent>& events = store.session_events().first_ones();
    const auto first = std::ranges::find_if(events, [&](const SessionEvent& event) {
        return event.packet == finding.packet && event.connection == finding.connection &&
               Opcode{event.opcode} == Opcode::login_response;
    });
    if (first == events.end()) return;
    uint64_t count = 0;
    int64_t last_ns = no_time;
    for (const SessionEvent& event : events) {
        if (event.opcode != first->opcode || event.code != first->code) continue;
        ++count;
        last_ns = std::max(last_ns, event.time_ns);
    }
    constexpr uint64_t least_retries = 3;
    if (count >= least_retries) {
        finding.add_sign(fmt::format("{} had that answer within {}: the initiator tries again and again",
                                     counted(count, "login"),
                                     human_duration(elapsed_ns(first->time_ns, last_ns))));
    }
    if (finding.session == 0 || finding.session > store.sessions().size()) return;
    const SessionRow& session = store.session(finding.session);
    constexpr uint16_t authentication_failure = 0x0201;
    if (first->code == authentication_failure) add_authentication(finding, session);
    if (session.initiator_name.empty() || session.target_name.empty()) return;
    const ConnectionRow* const success = later_success(store, session, first->packet);
    if (success != nullptr) {
        finding.explanation += fmt::format(" A login of the same names succeeded {} later.",
                                           human_duration(elapsed_ns(first->time_ns, success->start_ns)));
    }
}

}  // namespace

void add_login_findings(FindingList& list, const FindingsInput& input) {
    for (Finding& finding : list) {
        if (finding.kind == Kind::login_refused) add_to_refused(finding, input.store);
    }
    for (const auto& [connection, login] : login_phases(input.store.session_events())) {
        if (connection == 0 || connection > input.store.connections().size()) continue;
        const ConnectionRow& row = input.store.connection(connection);
        add_unanswered(list, connection, row, login, input);
        add_slow(list, connection, row, login, input.store);
    }
    add_redirected(list, input.store);
}

}  // namespace sanscope
