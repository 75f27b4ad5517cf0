// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/command_findings.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "analyzer/scsi/sense.h"
#include "analyzer/scsi/status.h"

namespace sanscope {
namespace {

using Kind = Finding::Kind;
using Severity = Finding::Severity;

constexpr uint16_t busy = 0x08;
constexpr uint16_t reservation_conflict = 0x18;
constexpr uint16_t task_set_full = 0x28;

// Why a command was slow, as far as the capture tells.
enum class Cause : uint8_t { timeout, loss, closed_window, sender_held_back, target, transfer };
constexpr size_t causes = 6;

void place_at(Finding& finding, uint64_t number, const CommandRow& row) {
    finding.command = number;
    finding.connection = row.connection;
    finding.session = row.session;
    finding.packet = row.request_packet;
    finding.begin_ns = row.request_ns;
    finding.end_ns = row.response_ns;
}

// "READ(16) of 64 KiB"
std::string words_for(const CommandRow& row) {
    std::string text = row.name;
    if (text.empty()) {
        text = row.opcode == unknown<uint16_t> ? "one not seen whole"
                                               : fmt::format("operation code 0x{:02x}", row.opcode);
    }
    if (row.bytes != unknown<uint64_t> && row.bytes > 0) text += " of " + human_binary_bytes(row.bytes);
    return text;
}

// What stood in the way on a connection, both its sides taken together.
struct Hindrances {
    TimeSpans timeouts;
    TimeSpans repairs;
    TimeSpans stalls;
    const SenderFacts* initiator = nullptr;
    const SenderFacts* target = nullptr;
};

std::map<uint32_t, Hindrances> hindrances_of(std::span<const SenderFacts> senders) {
    std::map<uint32_t, Hindrances> by_connection;
    for (const SenderFacts& sender : senders) {
        Hindrances& hindrances = by_connection[sender.number];
        (sender.is_initiator ? hindrances.initiator : hindrances.target) = &sender;
        hindrances.timeouts.add(sender.timeouts.spans);
        hindrances.repairs.add(sender.repairs);
        hindrances.stalls.add(sender.stalls.spans);
    }
    for (auto& [number, hindrances] : by_connection) {
        hindrances.timeouts.finish();
        hindrances.repairs.finish();
        hindrances.stalls.finish();
    }
    return by_connection;
}

// The parts of a command's time: before the data, while they came, and until the status.
struct Parts {
    int64_t before_ns;
    int64_t transfer_ns;
    int64_t after_ns;
};

Parts parts_of(const CommandRow& row) {
    if (row.first_data_ns == no_time || row.last_data_ns == no_time) {
        return {elapsed_ns(row.request_ns, row.response_ns), 0, 0};
    }
    return {elapsed_ns(row.request_ns, row.first_data_ns), elapsed_ns(row.first_data_ns, row.last_data_ns),
            elapsed_ns(row.last_data_ns, row.response_ns)};
}

Cause cause_of(const SlowCommand& slow, const std::map<uint32_t, Hindrances>& by_connection) {
    const CommandRow& row = *slow.row;
    const int64_t half_ns = slow.excess_ns() / 2;
    const auto found = by_connection.find(row.connection);
    const Hindrances* hindrances = found == by_connection.end() ? nullptr : &found->second;
    if (hindrances != nullptr) {
        const auto within = [&](const TimeSpans& spans) {
            return spans.overlap_ns(row.request_ns, row.response_ns);
        };
        if (within(hindrances->timeouts) >= half_ns) return Cause::timeout;
        if (within(hindrances->repairs) >= half_ns) return Cause::loss;
        if (within(hindrances->stalls) >= half_ns) return Cause::closed_window;
    }
    // Where the time went: before a read's data and behind all data the target has the word.
    const Parts parts = parts_of(row);
    const bool write = is_write(row);
    const int64_t took_ns = parts.before_ns + parts.transfer_ns + parts.after_ns;
    const int64_t target_ns = (write ? 0 : parts.before_ns) + parts.after_ns;
    const SenderFacts* sender =
        hindrances == nullptr ? nullptr : (write ? hindrances->initiator : hindrances->target);
    if (sender != nullptr && sender->held_back.overlap_ns(row.request_ns, row.response_ns) >= took_ns / 2) {
        return Cause::sender_held_back;
    }
    if (write && row.r2ts > 0 && parts.before_ns >= took_ns / 2) return Cause::target;
    if (target_ns >= took_ns / 2) return Cause::target;
    return Cause::transfer;
}

// "because …", of one command.
std::string reason(Cause cause, const SlowCommand& slow) {
    const Parts parts = parts_of(*slow.row);
    switch (cause) {
        case Cause::timeout:
            return "its connection stood still until a retransmission timeout";
        case Cause::loss:
            return "segments of its connection were lost and had to be sent again";
        case Cause::closed_window:
            return "a receive window of its connection was shut";
        case Cause::sender_held_back:
            return "the sender of its data was held back by its TCP windows";
        case Cause::target:
            if (slow.row->first_data_ns == no_time) return "the target took that long to answer";
            if (parts.before_ns >= parts.after_ns) {
                return fmt::format("the target took {} until the first {}", human_duration(parts.before_ns),
                                   is_write(*slow.row) ? "R2T was answered" : "data");
            }
            return fmt::format("the status came {} behind the last data", human_duration(parts.after_ns));
        case Cause::transfer:
            break;
    }
    return fmt::format("its data took {} from first to last", human_duration(parts.transfer_ns));
}

constexpr std::array<std::string_view, causes> cause_words = {
    "held up by a retransmission timeout",
    "waiting for lost segments to be sent again",
    "waiting for a shut receive window",
    "waiting for TCP windows of the sender",
    "waiting for the target",
    "slow while their data moved",
};

void add_slow(FindingList& list, const CommandFacts& commands, std::span<const SenderFacts> senders,
              const Stop& stop) {
    if (commands.slow.empty()) return;
    struct OfCause {
        uint64_t count = 0;
        const SlowCommand* worst = nullptr;
    };
    std::array<OfCause, causes> by_cause{};
    const std::map<uint32_t, Hindrances> hindrances = hindrances_of(senders);
    const SlowCommand* worst = &commands.slow.front();
    Cause worst_cause = cause_of(*worst, hindrances);
    for (size_t i = 0; i < commands.slow.size(); ++i) {
        if (stop.asked_at(i)) return;
        const SlowCommand& slow = commands.slow[i];
        const Cause cause = cause_of(slow, hindrances);
        OfCause& alike = by_cause[static_cast<size_t>(cause)];
        ++alike.count;
        if (alike.worst == nullptr || slow.excess_ns() > alike.worst->excess_ns()) alike.worst = &slow;
        if (slow.excess_ns() <= worst->excess_ns()) continue;
        worst = &slow;
        worst_cause = cause;
    }

    const uint64_t count = commands.slow.size();
    constexpr int64_t seen_by_anyone_ns = 100'000'000;
    // Where less than one in a thousand is slow, and none by much, it is what storage does.
    constexpr double serious_share = 1e-3;
    const bool serious = worst->excess_ns() >= seen_by_anyone_ns &&
                         static_cast<double>(count) >= serious_share * static_cast<double>(commands.compared);
    Finding finding;
    finding.kind = Kind::slow_commands;
    finding.severity = serious ? Severity::problem : Severity::notice;
    finding.cost_ns = commands.slow_time_ns;
    place_at(finding, worst->number, *worst->row);
    finding.title =
        fmt::format("{} of {} commands took over {} times the median of their kind, {} at the longest",
                    human_count(count), human_count(commands.compared), CommandFacts::slow_factor,
                    human_duration(worst->row->turnaround_ns()));
    std::vector<std::pair<uint64_t, size_t>> order;
    for (size_t i = 0; i < causes; ++i) {
        if (by_cause[i].count > 0) order.emplace_back(by_cause[i].count, i);
    }
    std::ranges::sort(order, std::greater());
    const std::string slowest = words_for(*worst->row);
    const std::string usual = human_duration(worst->usual_ns);
    const std::string because = reason(worst_cause, *worst);
    if (count == 1) {
        finding.explanation = fmt::format("{} usually takes {}: {}.", slowest, usual, because);
    } else if (order.size() == 1) {
        finding.explanation = fmt::format("All were {}. The slowest is {}, which usually takes {}.",
                                          cause_words[order.front().second], slowest, usual);
    } else {
        std::string why;
        for (const auto& [of_cause, cause] : order) {
            why += fmt::format("{}{} {}", why.empty() ? "" : ", ", human_count(of_cause), cause_words[cause]);
        }
        finding.explanation =
            fmt::format("{}. The slowest, {}, usually takes {}: {}.", why, slowest, usual, because);
    }
    list.push_back(std::move(finding));

    // The slowest of each other cause that made several of them.
    for (const auto& [of_cause, cause] : order) {
        const Cause why_slow{static_cast<uint8_t>(cause)};
        if (why_slow == worst_cause) continue;
        const SlowCommand& slow = *by_cause[cause].worst;
        Finding one;
        one.kind = Kind::slow_command;
        one.severity = Severity::notice;
        one.cost_ns = slow.excess_ns();
        place_at(one, slow.number, *slow.row);
        one.title = fmt::format("{} took {}, usually {}: {}", words_for(*slow.row),
                                human_duration(slow.row->turnaround_ns()), human_duration(slow.usual_ns),
                                reason(why_slow, slow));
        one.explanation = of_cause == 1 ? fmt::format("It is the only slow one {}.", cause_words[cause])
                                        : fmt::format("It is the slowest of {} {}.", human_count(of_cause),
                                                      cause_words[cause]);
        list.push_back(std::move(one));
    }
}

// "CHECK CONDITION: UNIT ATTENTION, POWER ON OCCURRED (29/01)"
std::string status_words(const std::array<uint16_t, 4>& kind) {
    const auto& [status, sense_key, asc, ascq] = kind;
    std::string text(scsi_status_name(static_cast<uint8_t>(status)));
    std::ranges::replace(text, '_', ' ');
    if (sense_key != unknown<uint16_t>) text += fmt::format(", {}", sense_key_name(sense_key));
    if (asc == unknown<uint16_t> || ascq == unknown<uint16_t>) return text;
    const std::string_view words = additional_sense_text(asc, ascq);
    return text + fmt::format(": {}{}({:02x}/{:02x})", words, words.empty() ? "" : " ", asc, ascq);
}

// What it means, and how much so, of a status with sense data.
std::pair<Severity, std::string_view> meaning(const std::array<uint16_t, 4>& kind, const CommandRow& first) {
    const auto& [status, sense_key, asc, ascq] = kind;
    if (status == reservation_conflict) {
        return {Severity::problem,
                "Another initiator has reserved the logical unit. Look at the cluster's or hypervisor's "
                "locks, and for hosts that should not see it."};
    }
    if (status != scsi_status_check_condition) return {Severity::notice, "The target refused the command."};
    switch (sense_key) {
        case 0x1:
            return {Severity::notice,
                    "The command succeeded with the device's own help: a sign of failing media."};
        case 0x2:
            return {Severity::notice, "The logical unit could not be used at that moment."};
        case 0x3:
            return {Severity::problem,
                    "The storage medium could not be read or written: look at the target's disks."};
        case 0x4:
            return {Severity::problem, "The target's hardware failed: look at its own log."};
        case 0x5:
            if (is_read(first) || is_write(first)) {
                return {Severity::problem,
                        "A read or write that the target cannot do: does the initiator know the right size "
                        "of the logical unit?"};
            }
            return {Severity::information,
                    "The target does not know what it was asked for; initiators ask for many things to find "
                    "out what a target can do."};
        case 0x6:
            return {Severity::information,
                    "The target tells a new initiator once what changed: usual behind a login, a reset or a "
                    "change of size."};
        case 0x7:
            return {Severity::problem, "The logical unit is protected against writing."};
        case 0xb:
            return {Severity::problem,
                    "The target gave the command up; the initiator must send it again. Look at the target's "
                    "log and for resets."};
        default:
            return {Severity::notice, "The target could not do the command; its sense data say why."};
    }
}

void add_statuses(FindingList& list, const CommandFacts& commands) {
    for (const auto& [kind, like] : commands.statuses) {
        Finding finding;
        place_at(finding, like.command, like.row);
        const uint16_t status = kind[0];
        if (status == busy || status == task_set_full) {
            finding.kind = Kind::target_queue_full;
            finding.severity = Severity::problem;
            finding.title = fmt::format("The target turned {} away as {}", counted(like.count, "command"),
                                        status == busy ? "BUSY" : "TASK SET FULL");
            finding.explanation =
                "It has as many commands under way as it can take; each one turned away must be sent again. "
                "Lower the queue depth of the initiators, or spread them over more targets or logical units.";
        } else {
            const auto& [severity, explanation] = meaning(kind, like.row);
            finding.kind = Kind::command_status;
            finding.severity = severity;
            finding.title = fmt::format("{}: {}", counted(like.count, "command"), status_words(kind));
            finding.explanation = fmt::format("{}: {}. {}", like.count > 1 ? "First" : "Command",
                                              words_for(like.row), explanation);
        }
        list.push_back(std::move(finding));
    }
}

void add_unanswered(FindingList& list, const FindingsInput& input, const CommandFacts& commands) {
    std::set<uint32_t> with_packets_missing;
    for (const SenderSummary& sender : input.store.senders()) {
        if (sender.losses(LossKind::not_captured) > 0 && commands.unanswered.contains(sender.connection())) {
            with_packets_missing.insert(sender.connection());
        }
    }
    const bool headers_are_missing = input.cut_at() != 0 && input.issues[Issue::resynchronisations].count > 0;
    for (const auto& [number, like] : commands.unanswered) {
        if (number == 0 || number > input.store.connections().size()) continue;
        const ConnectionRow& connection = input.store.connections()[number - 1];
        const int64_t waited_ns = elapsed_ns(like.row.request_ns, connection.end_ns);
        // As long as answers take at the most, and as long again.
        const int64_t patience_ns = 2 * commands.longest_ns;
        const bool at_end = commands.longest_ns > 0 && like.row.request_ns != no_time &&
                            elapsed_ns(like.row.request_ns, input.totals.last_ns) <= patience_ns;
        const int64_t last_answer_ns =
            number <= commands.last_answer_ns.size() ? commands.last_answer_ns[number - 1] : no_time;
        const bool went_on = elapsed_ns(like.row.request_ns, last_answer_ns) > patience_ns;

        Finding finding;
        place_at(finding, like.command, like.row);
        finding.connection = number;
        finding.session = connection.session;
        finding.end_ns = connection.end_ns;
        if (at_end) {
            finding.kind = Kind::under_way_at_end;
            finding.title =
                fmt::format("{} still under way when the capture ends", counted(like.count, "command"));
            finding.explanation = "Their answers may have come later: no sign of trouble.";
        } else if ((with_packets_missing.contains(number) || headers_are_missing) && went_on) {
            finding.kind = Kind::unseen_answers;
            finding.severity = Severity::notice;
            finding.title =
                fmt::format("The answers of {} are not in the capture", counted(like.count, "command"));
            finding.explanation =
                with_packets_missing.contains(number)
                    ? "Packets of the connection are missing from the capture, and it went on as if nothing "
                      "was amiss: the answers were most likely in them."
                    : "Packets were cut, not all iSCSI headers beyond the cut could be inferred, and the "
                      "connection went on as if nothing was amiss: the answers were most likely there.";
        } else {
            finding.kind = Kind::unanswered_commands;
            finding.severity = Severity::problem;
            finding.cost_ns = waited_ns;
            finding.title = fmt::format("{} never answered", counted(like.count, "command"));
            finding.explanation =
                fmt::format("{}{} waited {} for its answer, until the last packet of its connection. ",
                            like.count > 1 ? "The first one, " : "",
                            words_for(like.row) + (like.count > 1 ? "," : ""), human_duration(waited_ns));
            const int64_t silence_ns = elapsed_ns(connection.end_ns, input.totals.last_ns);
            finding.explanation +=
                silence_ns > patience_ns
                    ? fmt::format(
                          "The capture goes on for {} without it: the connection was cut, or one side died.",
                          human_duration(silence_ns))
                    : "Look at the target's log for it, and whether it hung.";
        }
        list.push_back(std::move(finding));
    }
    for (const auto& [number, like] : commands.aborted) {
        Finding finding;
        finding.kind = Kind::aborted_commands;
        finding.severity = Severity::problem;
        place_at(finding, like.command, like.row);
        finding.end_ns = no_time;
        finding.title = fmt::format("{} aborted", counted(like.count, "command"));
        finding.explanation = fmt::format(
            "The initiator gave up waiting, or the logical unit was reset. First: {}. See how long it had "
            "waited, and for what.",
            words_for(like.row));
        list.push_back(std::move(finding));
    }
}

}  // namespace

void add_command_findings(FindingList& list, const FindingsInput& input, const CommandFacts& commands,
                          std::span<const SenderFacts> senders, const Stop& stop) {
    add_slow(list, commands, senders, stop);
    add_statuses(list, commands);
    add_unanswered(list, input, commands);
}

}  // namespace sanscope
