// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/status_findings.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/report/command_words.h"
#include "analyzer/scsi/sense.h"
#include "analyzer/scsi/sense_keys.h"
#include "analyzer/scsi/status.h"

namespace sanscope {
namespace {

using Kind = Finding::Kind;
using Severity = Finding::Severity;
using Meaning = std::pair<Severity, std::string_view>;
using StatusKind = std::array<uint16_t, 4>;  // status, sense key, ASC, ASCQ

// Additional sense codes and their qualifiers (SPC-4 annex F).
constexpr uint16_t lba_out_of_range = 0x2100;
constexpr uint16_t unit_not_supported = 0x2500;
constexpr uint16_t space_allocation_failed = 0x2707;
constexpr uint16_t soft_threshold_reached = 0x3807;
constexpr uint8_t write_protected = 0x27;
constexpr uint8_t failure_predicted = 0x5d;
constexpr uint16_t failure_predicted_falsely = 0x5dff;
// Of a medium that was read or written with the device's help: write error, recovered data without and with correction,
// recovered identification and defect list.
constexpr std::array<uint16_t, 4> of_media = {0x0c, 0x17, 0x18, 0x1e};

// 0xffff where it is not known.
uint16_t code_of(const StatusKind& kind) {
    const auto& [status, sense_key, asc, ascq] = kind;
    if (asc == unknown<uint16_t> || ascq == unknown<uint16_t>) return unknown<uint16_t>;
    return static_cast<uint16_t>(asc << 8 | (ascq & 0xff));
}

// "CHECK CONDITION: UNIT ATTENTION, POWER ON OCCURRED (29/01)"
std::string status_words(const StatusKind& kind) {
    const auto& [status, sense_key, asc, ascq] = kind;
    std::string text(scsi_status_name(static_cast<uint8_t>(status)));
    std::ranges::replace(text, '_', ' ');
    if (sense_key != unknown<uint16_t>) text += fmt::format(", {}", sense_key_name(sense_key));
    if (asc == unknown<uint16_t> || ascq == unknown<uint16_t>) return text;
    const std::string_view words = additional_sense_text(asc, ascq);
    return text + fmt::format(": {}{}({:02x}/{:02x})", words, words.empty() ? "" : " ", asc, ascq);
}

bool predicts_failure(const StatusKind& kind) {
    return kind[2] == failure_predicted && code_of(kind) != failure_predicted_falsely;
}

Meaning of_reservation(const CommandsLike& like) {
    if (like.transfers > 0) {
        return {Severity::problem,
                "Another initiator has reserved the logical unit. Look at the cluster's or "
                "hypervisor's locks, and for hosts that should not see it."};
    }
    if (like.seen < like.count) {
        return {Severity::information,
                "Another initiator has reserved the logical unit; hosts of a cluster find that out so. Not "
                "all of these commands are listed: reads or writes may be among them."};
    }
    return {Severity::information,
            "Another initiator has reserved the logical unit; hosts of a cluster find that out so. "
            "No read or write was refused."};
}

Meaning of_illegal_request(const StatusKind& kind, const CommandsLike& like) {
    if (like.transfers == 0) {
        return {Severity::information,
                "The target does not know what it was asked for; initiators ask for many things to find "
                "out what a target can do."};
    }
    if (code_of(kind) == lba_out_of_range) {
        return {Severity::problem,
                "A read or write that the target cannot do: does the initiator know the right size "
                "of the logical unit?"};
    }
    if (code_of(kind) == unit_not_supported) {
        return {Severity::problem,
                "Reads or writes of a LUN that the target does not have, or no longer: was the logical unit "
                "taken away from this initiator, or given another number?"};
    }
    return {Severity::problem, "A read or write that the target refuses to do: its sense data say why."};
}

Meaning of_recovered_error(const StatusKind& kind, const CommandsLike& like) {
    if (predicts_failure(kind))
        return {Severity::notice,
                "The command succeeded, and the device expects to fail: look at its disks."};
    const bool by_medium = kind[2] == unknown<uint16_t>
                               ? like.transfers > 0
                               : std::ranges::find(of_media, kind[2]) != of_media.end();
    if (by_medium) {
        return {Severity::notice,
                "The command succeeded with the device's own help: a sign of failing media."};
    }
    return {Severity::information,
            "The command succeeded; its sense data tell something besides, as some commands ask for."};
}

Meaning of_unit_attention(const StatusKind& kind) {
    if (code_of(kind) == soft_threshold_reached) {
        return {Severity::notice,
                "The pool that the logical unit's blocks come from (thin provisioning) runs short: add space "
                "before writes fail."};
    }
    if (predicts_failure(kind))
        return {Severity::notice, "The device expects to fail: look at the target's disks."};
    return {Severity::information,
            "The target tells a new initiator once what changed: usual behind a login, a reset or a "
            "change of size."};
}

Meaning of_data_protect(const StatusKind& kind) {
    if (code_of(kind) == space_allocation_failed) {
        return {Severity::problem,
                "The target has no space left for new blocks of the logical unit (thin provisioning): add "
                "space to the pool it is from."};
    }
    if (kind[2] == write_protected)
        return {Severity::problem, "The logical unit is protected against writing."};
    return {Severity::problem,
            "The logical unit is protected against such commands; its sense data say how, where they say "
            "more."};
}

// What it means, and how much so.
Meaning meaning(const StatusKind& kind, const CommandsLike& like) {
    switch (kind[0]) {
        case scsi_status::check_condition:
            break;
        case scsi_status::condition_met:
        case scsi_status::intermediate:
        case scsi_status::intermediate_condition_met:
            return {Severity::information, "The command succeeded: a status of commands like PRE-FETCH."};
        case scsi_status::reservation_conflict:
            return of_reservation(like);
        case scsi_status::task_aborted:
            return {Severity::notice, "Another initiator aborted it, or reset the logical unit."};
        default:
            return {Severity::notice, "The target refused the command."};
    }
    switch (kind[1]) {
        case sense_key::recovered_error:
            return of_recovered_error(kind, like);
        case sense_key::not_ready:
            return {Severity::notice, "The logical unit could not be used at that moment."};
        case sense_key::medium_error:
            return {Severity::problem,
                    "The storage medium could not be read or written: look at the target's disks."};
        case sense_key::hardware_error:
            return {Severity::problem, "The target's hardware failed: look at its own log."};
        case sense_key::illegal_request:
            return of_illegal_request(kind, like);
        case sense_key::miscompare:
            return {Severity::information,
                    "What was to be compared differs, as COMPARE AND WRITE and VERIFY are there to find out: "
                    "of hosts that lock with it, another was sooner."};
        case sense_key::unit_attention:
            return of_unit_attention(kind);
        case sense_key::data_protect:
            return of_data_protect(kind);
        case sense_key::aborted_command:
            return {Severity::problem,
                    "The target gave the command up; the initiator must send it again. Look at the target's "
                    "log and for resets."};
        default:
            return {Severity::notice, "The target could not do the command; its sense data say why."};
    }
}

std::string on_luns(const CommandsLike& like) {
    if (like.several_luns) return " on several LUNs";
    const std::string lun = lun_words(like.lun());
    // What is not listed may be on another one.
    return lun.empty() || like.seen < like.count ? "" : " on " + lun;
}

void tell_full(Finding& finding, const StatusKind& kind, const CommandsLike& like) {
    const bool busy = kind[0] == scsi_status::busy;
    const std::string_view name = busy ? "BUSY" : "TASK SET FULL";
    finding.kind = Kind::target_queue_full;
    finding.severity = Severity::problem;
    finding.title =
        fmt::format("The target turned {}{} away as {}", counted(like.count, "command"), on_luns(like), name);
    // SAM-5 §5.3.1: BUSY says no more than that the unit cannot accept the command now.
    finding.explanation =
        busy
            ? "It cannot take the command now; each one turned away must be sent again. Where it has as many "
              "under way as it can take, lower the queue depth of the initiators, or spread them over more "
              "targets or logical units; else look at its log: it may have been starting or busy with itself."
            : "It has as many commands under way as it can take; each one turned away must be sent again. "
              "Lower the queue depth of the initiators, or spread them over more targets or logical units.";
    finding.add_sign(fmt::format("status {} in {}", name, counted(like.count, "response")));
    const uint32_t depth = like.row.queue_depth;
    if (depth == unknown<uint32_t> || depth == 0) return finding.add_sign("first: " + words_for(like.row));
    // The queue depth counts the command itself.
    finding.add_sign(fmt::format("the first of them found {} of its session under way",
                                 counted(depth - 1, "other command")));
    constexpr uint32_t few = 2;
    if (depth <= few)
        finding.explanation += " This session had asked for little: what fills the target comes from others.";
}

void tell_status(Finding& finding, const StatusKind& kind, const CommandsLike& like, bool of_transfers) {
    const auto& [severity, explanation] = meaning(kind, like);
    const CommandRow& row = of_transfers ? like.transfer : like.row;
    finding.kind = Kind::command_status;
    finding.severity = severity;
    finding.title =
        fmt::format("{}{}: {}", counted(like.count, "command"), on_luns(like), status_words(kind));
    const bool not_first = of_transfers && like.transfer_command != like.command;
    finding.explanation = fmt::format("{}: {}. {}",
                                      not_first        ? "First read or write"
                                      : like.count > 1 ? "First"
                                                       : "Command",
                                      words_for(row), explanation);
    finding.add_sign(fmt::format("{} with that status, the first {}to {}{}", counted(like.count, "response"),
                                 not_first ? "of a read or write " : "", words_for(row),
                                 row.lba == unknown<uint64_t> ? "" : fmt::format(" at LBA {}", row.lba)));
    if (kind[1] != unknown<uint16_t>) {
        finding.add_sign(fmt::format("sense data: {}", status_words(kind)));
    } else if (kind[0] == scsi_status::reservation_conflict) {
        finding.add_sign("the status names another initiator's reservation");
    }
}

}  // namespace

void add_status_findings(FindingList& list, const CommandFacts& commands) {
    for (const auto& [kind, like] : commands.statuses) {
        Finding finding;
        const bool full = kind[0] == scsi_status::busy || kind[0] == scsi_status::task_set_full;
        // What is grave of reads and writes alone leads to one of these.
        const bool of_transfers = like.transfers > 0 && (kind[0] == scsi_status::reservation_conflict ||
                                                         kind[1] == sense_key::illegal_request);
        if (of_transfers && !full) {
            place_at(finding, like.transfer_command, like.transfer);
        } else {
            place_at(finding, like.command, like.row);
        }
        finding.side = Finding::Side::target;
        finding.lun = like.lun();
        if (full) {
            tell_full(finding, kind, like);
        } else {
            tell_status(finding, kind, like, of_transfers);
        }
        list.push_back(std::move(finding));
    }
}

}  // namespace sanscope
