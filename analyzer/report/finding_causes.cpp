// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/finding_causes.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "analyzer/base/time_spans.h"

namespace sanscope {
namespace {

using Kind = Finding::Kind;

struct Rule {
    Kind cause;
    std::initializer_list<Kind> consequences;
};

// Nearest to the wire first: a consequence names the first cause it has.
const Rule rules[] = {
    {Kind::mtu_black_hole,
     {Kind::retransmission_timeout, Kind::lost_segments, Kind::path_stall, Kind::needless_retransmission,
      Kind::congestion_window, Kind::unanswered_commands, Kind::aborted_commands, Kind::task_management,
      Kind::session_reconnect, Kind::connection_reset, Kind::slow_commands, Kind::slow_command,
      Kind::not_captured, Kind::capture_issue, Kind::ping_timeout, Kind::error_recovery}},
    {Kind::duplicate_initiator,
     {Kind::connection_reset, Kind::unanswered_commands, Kind::aborted_commands, Kind::task_management,
      Kind::async_message, Kind::session_reconnect, Kind::slow_commands, Kind::slow_command}},
    {Kind::login_unanswered, {Kind::session_reconnect, Kind::connection_reset}},
    {Kind::duplicate_address,
     {Kind::retransmission_timeout, Kind::lost_segments, Kind::path_stall, Kind::needless_retransmission,
      Kind::connection_refused, Kind::connection_reset, Kind::unanswered_commands, Kind::aborted_commands,
      Kind::task_management, Kind::session_reconnect, Kind::slow_commands, Kind::slow_command}},
    {Kind::incast,
     {Kind::lost_segments, Kind::retransmission_timeout, Kind::path_stall, Kind::congestion_window,
      Kind::path_queue, Kind::needless_retransmission, Kind::path_skew, Kind::shallow_queue, Kind::saturated,
      Kind::slow_commands, Kind::slow_command}},
    {Kind::not_captured, {Kind::unseen_answers, Kind::capture_issue}},
    {Kind::ping_timeout,
     {Kind::retransmission_timeout, Kind::lost_segments, Kind::unanswered_commands, Kind::aborted_commands,
      Kind::task_management, Kind::session_reconnect, Kind::connection_reset, Kind::slow_commands,
      Kind::slow_command}},
    {Kind::error_recovery,
     {Kind::unanswered_commands, Kind::aborted_commands, Kind::task_management, Kind::session_reconnect,
      Kind::connection_reset, Kind::slow_commands, Kind::slow_command}},
    {Kind::login_refused, {Kind::session_reconnect, Kind::connection_reset}},
    {Kind::connection_reset, {Kind::unanswered_commands, Kind::session_reconnect}},
    {Kind::unanswered_commands,
     {Kind::aborted_commands, Kind::task_management, Kind::session_reconnect, Kind::connection_reset,
      Kind::slow_commands, Kind::slow_command}},
    {Kind::aborted_commands, {Kind::task_management}},
    {Kind::path_stall,
     {Kind::target_wait, Kind::shallow_queue, Kind::saturated, Kind::path_queue,
      Kind::needless_retransmission, Kind::retransmission_timeout, Kind::congestion_window,
      Kind::slow_commands, Kind::slow_command}},
    {Kind::zero_window_stall,
     {Kind::path_queue, Kind::receiver_window, Kind::path_stall, Kind::retransmission_timeout,
      Kind::congestion_window, Kind::slow_commands, Kind::slow_command}},
    {Kind::lost_segments,
     {Kind::path_skew, Kind::retransmission_timeout, Kind::shallow_queue, Kind::saturated, Kind::send_buffer,
      Kind::needless_retransmission, Kind::congestion_window, Kind::path_queue, Kind::slow_commands,
      Kind::slow_command}},
    {Kind::retransmission_timeout,
     {Kind::path_skew, Kind::shallow_queue, Kind::congestion_window, Kind::slow_commands,
      Kind::slow_command}},
    {Kind::reordering,
     {Kind::path_skew, Kind::needless_retransmission, Kind::congestion_window, Kind::slow_commands,
      Kind::slow_command}},
    {Kind::delayed_ack, {Kind::target_wait, Kind::shallow_queue, Kind::slow_commands, Kind::slow_command}},
    {Kind::path_queue,
     {Kind::congestion_window, Kind::saturated, Kind::target_wait, Kind::slow_commands, Kind::slow_command}},
    {Kind::negotiation,
     {Kind::receiver_window, Kind::congestion_window, Kind::shallow_queue, Kind::slow_commands,
      Kind::slow_command}},
    {Kind::receiver_window, {Kind::congestion_window, Kind::slow_commands, Kind::slow_command}},
    {Kind::r2t_waits, {Kind::send_buffer, Kind::shallow_queue, Kind::congestion_window}},
    {Kind::congestion_window, {Kind::slow_commands, Kind::slow_command}},
    {Kind::stalling_command, {Kind::target_wait, Kind::path_skew, Kind::slow_commands, Kind::slow_command}},
    {Kind::head_of_line, {Kind::slow_commands, Kind::slow_command}},
    {Kind::split_requests, {Kind::shallow_queue}},
    {Kind::initiator_wait,
     {Kind::r2t_waits, Kind::shallow_queue, Kind::slow_commands, Kind::slow_command,
      Kind::congestion_window}},
    {Kind::target_wait, {Kind::path_skew, Kind::slow_commands, Kind::slow_command, Kind::saturated}},
};

bool is_told(const Finding& finding) {
    return finding.severity != Finding::Severity::information;
}

bool is_slowness(const Finding& finding) {
    return finding.kind == Kind::slow_commands || finding.kind == Kind::slow_command;
}

// Of one TCP connection, which those of the same session have no part in.
bool is_of_tcp(Kind kind) {
    return (kind >= Kind::mtu_black_hole && kind <= Kind::pacing) || kind == Kind::path_queue;
}

// Of what one logical unit does.
bool is_of_unit(Kind kind) {
    return kind == Kind::target_wait || kind == Kind::initiator_wait || kind == Kind::stalling_command;
}

bool concerns_same(const Finding& cause, const Finding& consequence) {
    // What is wrong with the capture as a whole is about every connection.
    if (consequence.connection == 0 && consequence.session == 0) return true;
    const bool among =
        std::ranges::find(cause.connections, consequence.connection) != cause.connections.end();
    if (consequence.connection != 0 && among) return true;
    const bool luns_known = cause.lun != unknown<uint64_t> && consequence.lun != unknown<uint64_t>;
    if (is_of_unit(cause.kind) && luns_known && cause.lun != consequence.lun) return false;
    if (cause.connection != 0 && cause.connection == consequence.connection) return true;
    const bool connections_known = cause.connection != 0 && consequence.connection != 0;
    if (is_of_tcp(cause.kind) && is_of_tcp(consequence.kind) && connections_known) return false;
    return cause.session != 0 && cause.session == consequence.session;
}

// The worst of the one was over before the other began, or began behind it, and all of the one is shorter than that: it is none of
// what held the other up.
bool was_another_time(const Finding& cause, const Finding& consequence) {
    const int64_t lasted_ns = elapsed_ns(consequence.begin_ns, consequence.end_ns);
    const bool known = lasted_ns > 0 && elapsed_ns(cause.begin_ns, cause.end_ns) > 0;
    const bool apart = cause.end_ns <= consequence.begin_ns || cause.begin_ns >= consequence.end_ns;
    return known && apart && cause.cost_ns < lasted_ns;
}

bool follows(const Finding& cause, const Finding& consequence) {
    if (!concerns_same(cause, consequence)) return false;
    // What is sure does not follow from what may be.
    const bool may_be_none = cause.kind == Kind::duplicate_address || cause.kind == Kind::negotiation;
    if (may_be_none && cause.confidence == Finding::Confidence::possible) return false;
    // A unit that waits all the time does not wait for what stood in its way now and then.
    if (cause.kind == Kind::stalling_command && consequence.kind == Kind::target_wait &&
        cause.cost_ns < consequence.cost_ns / 2)
        return false;
    const bool is_of_two_hosts =
        cause.kind == Kind::duplicate_address || cause.kind == Kind::duplicate_initiator;
    if (is_of_two_hosts && cause.severity != Finding::Severity::problem) return false;
    // The losses of one side do not make the other wait for its timer.
    if (cause.kind == Kind::lost_segments && consequence.kind == Kind::retransmission_timeout &&
        cause.sender != consequence.sender)
        return false;
    // What was lost shows that it was the path; a host that does not answer loses nothing.
    if (cause.kind == Kind::ping_timeout && consequence.kind == Kind::lost_segments &&
        cause.side != Finding::Side::path)
        return false;
    // Which path a command takes, the initiator chose before it waited.
    if (consequence.kind == Kind::path_skew && consequence.side == Finding::Side::initiator) return false;
    // A command that waited for the target did not wait for TCP, nor the other way round.
    const bool by_target = cause.kind == Kind::target_wait || cause.kind == Kind::unanswered_commands ||
                           cause.kind == Kind::stalling_command || cause.kind == Kind::error_recovery ||
                           cause.kind == Kind::ping_timeout;
    // While nothing at all came through, nobody saw what the target did; nor when it had an answer ready that stood behind the
    // bytes of others in its socket.
    const bool hides_target = (cause.kind == Kind::path_stall || cause.kind == Kind::retransmission_timeout ||
                               cause.kind == Kind::mtu_black_hole || cause.kind == Kind::head_of_line) &&
                              !was_another_time(cause, consequence);
    const bool waited_for_target = consequence.side == Finding::Side::target;
    return !is_slowness(consequence) || waited_for_target == by_target || hides_target;
}

}  // namespace

void put_causes_first(FindingList& list) {
    for (const Rule& rule : rules) {
        for (Finding& cause : list) {
            if (cause.kind != rule.cause || !is_told(cause)) continue;
            for (Finding& finding : list) {
                const bool listed =
                    std::ranges::find(rule.consequences, finding.kind) != rule.consequences.end();
                if (!listed || !is_told(finding) || !follows(cause, finding)) continue;
                if (finding.kind == Kind::retransmission_timeout && cause.kind == Kind::lost_segments) {
                    cause.severity = std::min(cause.severity, finding.severity);
                    cause.cost_ns = std::max(cause.cost_ns, finding.cost_ns);
                    cause.add_sign(finding.title);
                }
                finding.severity = Finding::Severity::information;
                finding.explanation += " It follows from: " + cause.title + ".";
            }
        }
    }
}

}  // namespace sanscope
