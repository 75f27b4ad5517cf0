// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/sessions/login_findings.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/base/time_spans.h"
#include "analyzer/base/utf8.h"
#include "analyzer/iscsi/bhs.h"
#include "analyzer/iscsi/pdu_codes.h"
#include "analyzer/report/capture/capture_gaps.h"
#include "analyzer/report/sessions/connection_closing.h"
#include "analyzer/report/sessions/login_phases.h"

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

bool reached_full_feature(const SessionRow& session) {
    return !session.header_digest.empty();
}

// It had begun, and did not get to the Full Feature Phase. Where text of it was cut off, its keys do not tell.
bool ended_in_the_middle(uint32_t connection, const SessionRow& session, const FindingsInput& input,
                         const CommandFacts& commands) {
    const bool worked =
        connection <= commands.of_connection.size() && commands.of_connection[connection - 1] > 0;
    return !worked && !reached_full_feature(session) && session.tsih == unknown<uint16_t> &&
           input.totals.cut_packets == 0;
}

// Nothing of what the target sent behind the last Login Request was acknowledged, but perhaps its FIN: no answer was lost by the
// capture.
bool nothing_came_back(const ConnectionRow& row, const LoginPhase& login) {
    if (row.in.syns == 0 || (login.responses == 0 && row.bytes_in > 0)) return false;
    // Its FIN alone is one; what lies before it was sent, though it is in no packet.
    if (row.in.unacknowledged > 1) return false;
    const bool acknowledged_later =
        row.in.acknowledged_ns != no_time && row.in.acknowledged_ns > login.last_request_ns;
    return !acknowledged_later || (row.in.fin_ns != no_time && row.in.acknowledged_ns >= row.in.fin_ns);
}

// The target has the initiator's CHAP response to check, or has just done so: one that goes on to the next stage, or proves itself
// in turn, has accepted it (RFC 7143 §12.1.3).
bool chap_is_open(const LoginPhase& login, const SessionRow& session) {
    return session.chap_answered && !session.chap_mutual_answered && login.in_security;
}

// Where the login stood: at its first request, or behind what.
std::string place_in_login(const LoginPhase& login, const SessionRow& session) {
    if (login.responses == 0) return {};
    return chap_is_open(login, session)
               ? fmt::format(", behind the initiator's CHAP response (Login Request {})", login.requests)
               : fmt::format(", in the middle of it (Login Request {})", login.requests);
}

void add_unanswered(FindingList& list, uint32_t connection, const ConnectionRow& row, const LoginPhase& login,
                    const FindingsInput& input, const CommandFacts& commands) {
    if (login.requests == 0 || !login.last_is_request || !login.times_known || !nothing_came_back(row, login))
        return;
    const bool begun = login.responses > 0;
    const SessionRow session = row.session == 0 ? SessionRow{} : input.store.session(row.session);
    if (begun && !ended_in_the_middle(connection, session, input, commands)) return;
    // What the capture lacks may be the answer.
    if (lacks_packets(input.store, connection)) return;
    const bool arrived = row.out.unacknowledged == 0 && row.out.acknowledged_ns != no_time &&
                         row.out.acknowledged_ns >= login.last_request_ns;
    if (!arrived) return;
    const auto end = end_of(row);
    const bool dropped = end && end->by_target;
    const int64_t end_ns =
        end ? end->time_ns : seen_until_ns(input.totals, std::max(login.last_request_ns, row.end_ns));
    const int64_t waited_ns = elapsed_ns(login.last_request_ns, end_ns);
    if (!dropped && waited_ns < long_unanswered_ns) return;
    Finding finding = about(connection, row, Kind::login_unanswered, Severity::problem);
    finding.side = Finding::Side::target;
    finding.packet = login.last_request_packet;
    finding.begin_ns = login.last_request_ns;
    finding.end_ns = end_ns;
    finding.cost_ns = waited_ns;
    finding.add_sign(fmt::format("its TCP acknowledged the Login Request of packet {}, and sent no data{}",
                                 login.last_request_packet, begun ? " behind it" : ""));
    if (begun) {
        finding.add_sign(
            fmt::format("it had answered {} of the login before", counted(login.responses, "Login Request")));
    }
    const std::string place = place_in_login(login, session);
    if (dropped) {
        finding.title = fmt::format("Target {} closed the connection without an answer to the login{}",
                                    portal_of(row), place);
        finding.explanation =
            !begun
                ? "What accepts connections there does not serve this initiator: an access list by "
                  "address, a limit of connections, a proxy whose target is gone, or a service that is not "
                  "iSCSI. Look at the target's log at that moment."
            : chap_is_open(login, session)
                ? "It had the answer to its CHAP challenge to check: a target that does not accept that may "
                  "hang up without a status. Look at the target's log, and compare the user name and secret."
                : "It broke the login off without a status. Look at the target's log at that moment.";
        finding.add_sign(fmt::format("it sent {} {} after the request", end->reset ? "an RST" : "a FIN",
                                     human_duration(waited_ns)));
    } else {
        finding.title = fmt::format("Target {} did not answer the login for {}{}", portal_of(row),
                                    human_duration(waited_ns), place);
        finding.explanation =
            !begun ? "The host is there and its TCP works, but the iSCSI service does not get on: it hangs, "
                     "waits for a service of its own (RADIUS, DNS, a cluster), or is starting. Look at the "
                     "target's log and processes."
            : chap_is_open(login, session)
                ? "It had the answer to its CHAP challenge to check, and did not get on: it waits for what "
                  "checks that (RADIUS), or hangs. Look at the target's log and processes."
                : "It had begun the login, and did not get on: it hangs, or waits for a service of its own "
                  "(RADIUS, DNS, a cluster). Look at the target's log and processes.";
        finding.add_sign(end ? fmt::format("the initiator {} the connection {} after its request",
                                           end->reset ? "reset" : "closed", human_duration(waited_ns))
                             : fmt::format("nothing came until the capture ended, {} after the request",
                                           human_duration(waited_ns)));
    }
    tell_as_consequence(finding, list, row, input.store);
    list.push_back(std::move(finding));
}

// An initiator breaks off behind the answer to its CHAP response, which the target did not refuse: what that may be.
std::string_view broken_off_in_chap(const SessionRow& session) {
    if (session.chap_mutual_answered) {
        return "The target did not refuse the CHAP response, and answered the initiator's own challenge "
               "(mutual CHAP). "
               "An initiator breaks off where that answer does not verify: compare the user name and secret "
               "of the "
               "target at both. The packets do not tell whether it was that: look at the initiator's log.";
    }
    if (session.chap_mutual) {
        return "The target did not refuse the CHAP response, and did not answer the initiator's own "
               "challenge: the "
               "initiator asks it to authenticate itself as well (mutual CHAP), and breaks off where it does "
               "not. Look "
               "whether the target has a user name and secret of its own for this initiator.";
    }
    return "The target did not refuse the CHAP response, and the initiator had not asked it to authenticate "
           "itself "
           "(no mutual CHAP): look at the initiator's log for what it did not like.";
}

void add_mutual_sign(Finding& finding, const SessionRow& session) {
    finding.add_sign(
        session.chap_mutual_answered ? "the target's own CHAP response (CHAP_R) came: mutual CHAP"
        : session.chap_mutual
            ? "the initiator's challenge to the target (CHAP_C) has no CHAP_R of the target in answer"
            : "no challenge to the target (CHAP_C) by the initiator: no mutual CHAP");
}

// The initiator closes the connection in the middle of a login that the target goes on with.
void add_broken_off(FindingList& list, uint32_t connection, const ConnectionRow& row, const LoginPhase& login,
                    const FindingsInput& input, const CommandFacts& commands) {
    const bool goes_on = login.responses > 0 && !login.last_is_request && login.times_known &&
                         login.last_code != unknown<uint16_t> &&
                         login.last_code >> 8 == login_status_class::success;
    if (!goes_on || row.session == 0 || lacks_packets(input.store, connection)) return;
    const SessionRow& session = input.store.session(row.session);
    const auto end = end_of(row);
    if (!ended_in_the_middle(connection, session, input, commands) || session.initiator_name.empty() ||
        !end || end->by_target || end->time_ns < login.last_response_ns)
        return;
    // Behind the last exchange of CHAP, what it did not like may be the target's part of it.
    const bool behind_chap = session.chap_answered && login.in_security;
    Finding finding =
        about(connection, row, Kind::login_unanswered, behind_chap ? Severity::problem : Severity::notice);
    finding.side = Finding::Side::initiator;
    finding.packet = login.last_response_packet;
    finding.begin_ns = login.first_request_ns;
    finding.end_ns = end->time_ns;
    const int64_t waited_ns = elapsed_ns(login.last_response_ns, end->time_ns);
    finding.title = fmt::format("The initiator broke off its login at {}, behind {}", portal_of(row),
                                behind_chap ? "the answer to its CHAP response" : "an answer of the target");
    finding.explanation =
        behind_chap ? broken_off_in_chap(session)
                    : "The target had not refused it: look at the initiator's log for what it did not "
                      "like, or whether it just looked whether the target is there.";
    if (behind_chap) add_mutual_sign(finding, session);
    finding.add_sign(fmt::format("Login Response of packet {} with status 0, and no Login Request behind it",
                                 login.last_response_packet));
    finding.add_sign(fmt::format("the initiator {} the connection {} after it, before the Full Feature Phase",
                                 end->reset ? "reset" : "closed", human_duration(waited_ns)));
    list.push_back(std::move(finding));
}

// Where the time of a login went.
struct LoginTimes {
    int64_t connect_ns = 0;    // until the first Login Request, whoever took it
    int64_t initiator_ns = 0;  // … and what of that and later was the initiator's
    int64_t target_ns = 0;
    int64_t path_ns = 0;  // … and of all that, what passed until something was sent again
    uint64_t retransmissions = 0;
    int64_t all_ns = 0;
};

// What was sent again within a login, and how long it took until then.
struct SentAgain {
    uint64_t segments = 0;
    TimeSpans waits;
};
using Logins = std::map<uint32_t, LoginPhase>;  // by connection

bool may_be_slow(const LoginPhase& login) {
    return login.requests > 0 && login.responses > 0 && login.times_known &&
           login.last_response_ns >= login.last_request_ns;
}

std::map<uint32_t, SentAgain> sent_again_within(const Logins& logins, const ResultStore& store) {
    std::map<uint32_t, SentAgain> by_connection;
    for (const LossRow& row : store.losses()) {
        if (!is_sent_again(row.kind)) continue;
        const auto login = logins.find(row.connection);
        if (login == logins.end() || !may_be_slow(login->second)) continue;
        const int64_t begin_ns = login->second.first_request_ns;
        if (row.time_ns < begin_ns || row.time_ns > login->second.last_response_ns) continue;
        SentAgain& again = by_connection[row.connection];
        ++again.segments;
        if (row.delay_ns > 0) {
            again.waits.add(row.time_ns - std::min(row.delay_ns, elapsed_ns(begin_ns, row.time_ns)),
                            row.time_ns);
        }
    }
    for (auto& [connection, again] : by_connection) again.waits.finish();
    return by_connection;
}

void tell_slow_side(Finding& finding, const ConnectionRow& row, const LoginPhase& login,
                    const LoginTimes& times) {
    constexpr double most = 0.6;
    const uint32_t syns = std::max(row.out.syns, row.in.syns);
    const bool sent_again = syns > 1 || times.retransmissions > 0;
    const auto add_repeats = [&] {
        if (!sent_again) return finding.add_sign("nothing of it was retransmitted");
        finding.add_sign(
            times.retransmissions == 0
                ? fmt::format("the SYN or its answer was sent {} times", syns)
                : fmt::format("{} of the login retransmitted", counted(times.retransmissions, "segment")));
    };
    if (sent_again && share_of(times.path_ns, times.all_ns) >= most) {
        finding.side = Finding::Side::path;
        finding.explanation =
            "Packets of the login were lost, or the target's host did not take the connection: look at the "
            "path, and whether that host drops connections while it is busy (its listen queue).";
        add_repeats();
    } else if (share_of(times.target_ns - times.path_ns, times.all_ns) >= most) {
        finding.side = Finding::Side::target;
        finding.explanation =
            "The target took that long to answer: a name lookup of the initiator's address, an "
            "authentication server (RADIUS), a session of the same name that it has to end first, a busy "
            "controller. Look at its log.";
        finding.add_sign(fmt::format("{} passed between {} and the Login Response to each",
                                     human_duration(times.target_ns),
                                     counted(login.requests, "Login Request")));
        add_repeats();
    } else if (share_of(times.initiator_ns - times.path_ns, times.all_ns) >= most) {
        finding.side = Finding::Side::initiator;
        finding.explanation =
            "The initiator took that long between what the target answered and its next step: look at its "
            "load, its log, and what starts the session.";
        finding.add_sign(
            fmt::format("{} passed before the initiator's next step, {} of them before its first request",
                        human_duration(times.initiator_ns), human_duration(times.connect_ns)));
        add_repeats();
    } else {
        finding.side = Finding::Side::both;
        finding.confidence = sent_again ? Finding::Confidence::possible : Finding::Confidence::likely;
        finding.explanation = sent_again
                                  ? "No one of the path and the two sides took most of it. Look at losses, "
                                    "and at the logs of both at that moment."
                                  : "Both sides took their time. Look at the logs of both at that moment.";
        finding.add_sign(fmt::format("the target took {} of it, the initiator {}",
                                     human_duration(times.target_ns), human_duration(times.initiator_ns)));
        add_repeats();
    }
}

// `again`: nullptr where nothing was sent again.
void add_slow(FindingList& list, uint32_t connection, const ConnectionRow& row, const LoginPhase& login,
              const SentAgain* again, const ResultStore& store) {
    if (!may_be_slow(login)) return;
    const bool whole = row.out.syns > 0 && row.start_ns <= login.first_request_ns;
    LoginTimes times;
    times.connect_ns = whole ? elapsed_ns(row.start_ns, login.first_request_ns) : 0;
    times.target_ns = login.target_ns;
    times.initiator_ns = login.initiator_ns + times.connect_ns;
    times.all_ns = times.target_ns + times.initiator_ns;
    // Between a request and its response lies what the clocks of the two directions are apart.
    if (times.all_ns < std::max(slow_login_ns, row.least_comparable_ns())) return;
    // Where a SYN was lost, all that passed until the first Login Request is reckoned to it.
    if (std::max(row.out.syns, row.in.syns) > 1) times.path_ns = times.connect_ns;
    if (again != nullptr) {
        times.retransmissions = again->segments;
        times.path_ns += again->waits.total_ns();
    }
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

bool has_names_of(const SessionRow& session, const SessionRow& like) {
    return session.initiator_name == like.initiator_name && session.target_name == like.target_name;
}

// Whether a session of these names reached the Full Feature Phase after a packet, on a connection that `is_wanted`.
template <class Wanted>
const ConnectionRow* later_success(const ResultStore& store, const SessionRow& like, PacketNumber after,
                                   Wanted is_wanted) {
    for (const ConnectionRow& row : store.connections()) {
        if (row.session == 0 || row.first_packet < after) continue;
        const SessionRow& session = store.session(row.session);
        if (has_names_of(session, like) && reached_full_feature(session) && is_wanted(row)) return &row;
    }
    return nullptr;
}

const ConnectionRow* later_success(const ResultStore& store, const SessionRow& like, PacketNumber after) {
    return later_success(store, like, after, [](const ConnectionRow&) { return true; });
}

// Logins of one initiator to one target that were sent elsewhere (RFC 7143 §11.13.5: class 1).
struct Redirected {
    uint64_t count = 0;
    SessionEvent first;
    SessionEvent last;
    bool to_itself = false;
    std::set<uint32_t> connections;   // that were sent elsewhere …
    std::set<std::string> addresses;  // … and where to, as TargetAddress has it …
    std::set<std::string> portals;    // … and as portal_named() does
};

// "192.0.2.2:3260,1" names the portal "192.0.2.2:3260", whose port may be left out (RFC 7143 §13.8).
std::string portal_named(const std::string& target_address) {
    return target_address.substr(0, target_address.find(','));
}

// Whether the connection's portal is one of those named.
bool is_named(const std::set<std::string>& portals, const ConnectionRow& row) {
    constexpr std::string_view usual_port = ":3260";
    std::string own = portal_of(row);
    if (portals.contains(own)) return true;
    if (!own.ends_with(usual_port)) return false;
    own.resize(own.size() - usual_port.size());
    return portals.contains(own);
}

// To a portal that sent this initiator on as well. Of others, which the capture need not have, nobody knows what they did.
bool goes_in_circles(const Redirected& redirected, const ResultStore& store) {
    constexpr uint64_t least_circle = 3;
    return redirected.count >= least_circle &&
           std::ranges::any_of(redirected.connections, [&](uint32_t connection) {
               return is_named(redirected.portals, store.connection(connection));
           });
}

// What came of it.
void tell_arrival(Finding& finding, const Redirected& redirected, const ResultStore& store) {
    const SessionRow& session = store.session(redirected.first.session);
    const PacketNumber after = redirected.first.packet;
    const auto is_there = [&](const ConnectionRow& row) { return is_named(redirected.portals, row); };
    if (later_success(store, session, after, is_there) != nullptr) {
        finding.explanation = "It logged in there, as redirection is meant to work.";
    } else if (const ConnectionRow* const elsewhere = later_success(store, session, after)) {
        finding.explanation = fmt::format(
            "Later it logged in at {}; whether that is the address it was sent to is not seen here.",
            portal_of(*elsewhere));
    } else {
        finding.explanation =
            "Whether it logged in there is not in the capture: see whether that address can be reached.";
    }
}

using Names = std::pair<std::string, std::string>;  // of initiator, target

std::map<Names, Redirected> redirections(const ResultStore& store) {
    std::map<Names, Redirected> by_names;
    for (const SessionEvent& event : store.session_events().first_ones()) {
        const bool redirects = Opcode{event.opcode} == Opcode::login_response &&
                               event.code != unknown<uint16_t> &&
                               event.code >> 8 == login_status_class::redirection;
        if (!redirects || event.session == 0 || event.session > store.sessions().size()) continue;
        const SessionRow& session = store.session(event.session);
        Redirected& redirected = by_names[{session.initiator_name, session.target_name}];
        if (redirected.count++ == 0) redirected.first = event;
        redirected.last = event;
        const std::string portal = portal_named(session.redirected_to);
        if (!session.redirected_to.empty()) redirected.addresses.insert(session.redirected_to);
        if (!portal.empty()) redirected.portals.insert(portal);
        if (event.connection == 0 || event.connection > store.connections().size()) continue;
        redirected.connections.insert(event.connection);
        redirected.to_itself |= is_named({portal}, store.connection(event.connection));
    }
    return by_names;
}

void add_redirected(FindingList& list, const ResultStore& store) {
    for (const auto& [names, redirected] : redirections(store)) {
        const SessionEvent& first = redirected.first;
        const SessionRow& session = store.session(first.session);
        const bool circles =
            goes_in_circles(redirected, store) && later_success(store, session, first.packet) == nullptr;
        Finding finding;
        finding.kind = Kind::login_redirected;
        finding.severity = circles ? Severity::problem : Severity::information;
        finding.side = Finding::Side::target;
        finding.connection = first.connection;
        finding.session = first.session;
        finding.packet = first.packet;
        finding.begin_ns = first.time_ns;
        finding.end_ns = redirected.last.time_ns;
        const size_t others = redirected.addresses.size() - std::min<size_t>(redirected.addresses.size(), 1);
        finding.title =
            fmt::format("The target sent {} elsewhere: to {}{} (moved {})",
                        redirected.count == 1 ? "the login" : human_count(redirected.count) + " logins",
                        session.redirected_to.empty() ? "an address that was not captured"
                                                      : cleaned_line(session.redirected_to),
                        others == 0 ? "" : fmt::format(" and {} more", human_count(others)),
                        first.code == 0x0102 ? "permanently" : "temporarily");
        finding.add_sign(fmt::format("{} with status class 1", counted(redirected.count, "Login Response")));
        if (circles) {
            // Where names are not known, logins of several initiators are counted together.
            const bool named = !names.first.empty() && !names.second.empty();
            finding.confidence = named ? Finding::Confidence::firm : Finding::Confidence::possible;
            finding.explanation =
                "No login came through: the portals send the initiator on and on. Look at the target's "
                "redirection, load balancing or portal groups.";
            finding.add_sign("no session of these names reached the Full Feature Phase");
            finding.add_sign(redirected.to_itself
                                 ? "one was sent to the portal it had asked"
                                 : "one was sent to a portal that had sent this initiator on as well");
        } else {
            tell_arrival(finding, redirected, store);
        }
        list.push_back(std::move(finding));
    }
}

// What a refused login shows of authentication (RFC 7143 §12.1).
void add_authentication(Finding& finding, const SessionRow& session, const ResultStore& store) {
    if (session.chap_challenged && session.chap_answered) {
        finding.add_sign(
            "the initiator answered the target's CHAP challenge, and was refused after its answer");
        finding.explanation +=
            " Both sides did speak CHAP: the user name or the secret differs, or what checks them for the "
            "target (RADIUS) did not.";
        if (session.chap_mutual && !session.chap_mutual_answered) {
            finding.add_sign("the initiator sent a challenge to the target as well (CHAP_C): mutual CHAP");
            finding.explanation +=
                " The initiator asked the target to authenticate itself as well (mutual CHAP): one that has "
                "no secret of "
                "its own for that may refuse it so, too.";
        }
        return;
    }
    // The text of the login is there, with neither challenge nor response in it.
    const bool no_chap = !session.chap_challenged && !session.chap_answered &&
                         !session.initiator_name.empty() && !lacks_packets(store, finding.connection);
    if (no_chap) {
        finding.side = Finding::Side::both;
        finding.explanation =
            "The target refused the login before any CHAP took place: no secret was compared. Look at its "
            "log, and at what its access list and authentication settings have for "
            "this initiator's name.";
        if (!session.target_name.empty())
            finding.explanation += fmt::format(" Asked for: {}.", cleaned_line(session.target_name));
        finding.explanation += fmt::format(" Initiator: {}.", cleaned_line(session.initiator_name));
        finding.add_sign("no CHAP took place before it");
    }
    if (session.auth_method == "Reject") {
        finding.add_sign(fmt::format("the target rejected the AuthMethod offered: {}",
                                     cleaned_line(session.auth_offered)));
    } else if (!session.auth_offered.empty() && session.auth_offered.find("CHAP") == std::string::npos) {
        finding.add_sign(fmt::format("the initiator offered AuthMethod={}, and no CHAP",
                                     cleaned_line(session.auth_offered)));
        finding.explanation +=
            " Or the target asks for CHAP, which this initiator does not offer: switch it on there "
            "(node.session.auth.authmethod with open-iscsi).";
    } else if (no_chap && session.auth_offered.empty()) {
        finding.add_sign("the initiator offered no AuthMethod");
        finding.explanation +=
            " Or the target asks for CHAP, which this initiator does not offer: switch it on there "
            "(node.session.auth.authmethod with open-iscsi).";
    } else if (no_chap) {
        finding.add_sign(
            fmt::format("the initiator offered AuthMethod={}", cleaned_line(session.auth_offered)));
    }
}

// Of one initiator to one target: several hosts that are refused once each do not try again.
void add_retries(Finding& finding, const SessionEvent& first, const ResultStore& store) {
    const SessionRow& session = store.session(first.session);
    uint64_t count = 0;
    int64_t last_ns = no_time;
    for (const SessionEvent& event : store.session_events().first_ones()) {
        if (event.opcode != first.opcode || event.code != first.code || event.session == 0) continue;
        if (!has_names_of(store.session(event.session), session)) continue;
        ++count;
        last_ns = std::max(last_ns, event.time_ns);
    }
    constexpr uint64_t least_retries = 3;
    if (count < least_retries) return;
    finding.add_sign(fmt::format("{} had that answer within {}: the initiator tries again and again",
                                 counted(count, "login"),
                                 human_duration(elapsed_ns(first.time_ns, last_ns))));
}

// More of those that connection_findings.cpp tells of.
void add_to_refused(Finding& finding, const ResultStore& store) {
    const std::vector<SessionEvent>& events = store.session_events().first_ones();
    const auto first = std::ranges::find_if(events, [&](const SessionEvent& event) {
        return event.packet == finding.packet && event.connection == finding.connection &&
               Opcode{event.opcode} == Opcode::login_response;
    });
    if (first == events.end()) return;
    if (finding.session == 0 || finding.session > store.sessions().size()) return;
    const SessionRow& session = store.session(finding.session);
    constexpr uint16_t authentication_failure = 0x0201;
    if (first->code == authentication_failure) add_authentication(finding, session, store);
    if (session.initiator_name.empty() || session.target_name.empty()) return;
    add_retries(finding, *first, store);
    const ConnectionRow* const success = later_success(store, session, first->packet);
    if (success != nullptr) {
        finding.explanation += fmt::format(" A login of the same names succeeded {} later.",
                                           human_duration(elapsed_ns(first->time_ns, success->start_ns)));
    }
}

}  // namespace

void add_login_findings(FindingList& list, const FindingsInput& input, const CommandFacts& commands) {
    for (Finding& finding : list) {
        if (finding.kind == Kind::login_refused) add_to_refused(finding, input.store);
    }
    add_redirected(list, input.store);
    // Where the clock was set back, nobody knows what took how long.
    if (!input.issues.times_in_order()) return;
    const Logins logins = login_phases(input.store.session_events());
    const std::map<uint32_t, SentAgain> sent_again = sent_again_within(logins, input.store);
    for (const auto& [connection, login] : logins) {
        if (connection == 0 || connection > input.store.connections().size()) continue;
        const ConnectionRow& row = input.store.connection(connection);
        add_unanswered(list, connection, row, login, input, commands);
        add_broken_off(list, connection, row, login, input, commands);
        const auto again = sent_again.find(connection);
        add_slow(list, connection, row, login, again == sent_again.end() ? nullptr : &again->second,
                 input.store);
    }
}

}  // namespace sanscope
