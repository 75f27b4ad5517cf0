// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/commands/status_findings.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/iscsi/pdu_codes.h"
#include "analyzer/report/commands/command_words.h"
#include "analyzer/report/commands/ending_words.h"
#include "analyzer/scsi/sense.h"
#include "analyzer/scsi/sense_keys.h"
#include "analyzer/scsi/status.h"

namespace sanscope {
namespace {

using Kind = Finding::Kind;
using Severity = Finding::Severity;
using Meaning = std::pair<Severity, std::string_view>;

// Additional sense codes and their qualifiers (SPC-4 annex F).
constexpr uint16_t lba_out_of_range = 0x2100;
constexpr uint16_t unit_not_supported = 0x2500;
constexpr uint16_t space_allocation_failed = 0x2707;
constexpr uint16_t soft_threshold_reached = 0x3807;
constexpr uint8_t write_protected = 0x27;
constexpr uint8_t reset_occurred = 0x29;
constexpr uint8_t failure_predicted = 0x5d;
constexpr uint16_t failure_predicted_falsely = 0x5dff;
// Of a medium that was read or written with the device's help: write error, recovered data without and with correction,
// recovered identification and defect list.
constexpr std::array<uint16_t, 4> of_media = {0x0c, 0x17, 0x18, 0x1e};

// 0xffff where it is not known.
uint16_t code_of(const CommandEnding& kind) {
    if (kind.asc == unknown<uint16_t> || kind.ascq == unknown<uint16_t>) return unknown<uint16_t>;
    return static_cast<uint16_t>(kind.asc << 8 | (kind.ascq & 0xff));
}

bool predicts_failure(const CommandEnding& kind) {
    return kind.asc == failure_predicted && code_of(kind) != failure_predicted_falsely;
}

// SPC-4 §5.13: so is refused what does not have the key that the target knows of this initiator, whoever holds a reservation.
bool is_of_keys_alone(const CommandsLike& like) {
    return like.reservations > 0 && like.reservations == like.seen && like.seen == like.count;
}

Meaning of_reservation(const CommandsLike& like) {
    if (is_of_keys_alone(like)) {
        return {Severity::information,
                "A PERSISTENT RESERVE OUT is refused so where its key is not the one that this initiator has "
                "registered, or another holds the reservation: hosts of a cluster find out so who does."};
    }
    if (like.transfers > 0) {
        return {
            Severity::problem,
            "The logical unit is reserved, and not for this I_T nexus: for another initiator, or for "
            "another path of this one. Look at the cluster's or hypervisor's locks, for hosts that should "
            "not see it, and whether this host has registered its key on each of its paths."};
    }
    if (like.seen < like.count) {
        return {
            Severity::information,
            "The logical unit is reserved, and not for this I_T nexus (another initiator, or another path "
            "of this one); hosts of a cluster find that out so. Not all of these commands are listed: reads "
            "or writes may be among them."};
    }
    return {Severity::information,
            "The logical unit is reserved, and not for this I_T nexus (another initiator, or another path of "
            "this one); hosts of a cluster find that out so. No read or write was refused."};
}

Meaning of_illegal_request(const CommandEnding& kind, const CommandsLike& like) {
    if (like.transfers == 0 && code_of(kind) == lba_out_of_range) {
        return {Severity::notice,
                "The command names blocks that the logical unit does not have: does the initiator know its "
                "right size?"};
    }
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

Meaning of_recovered_error(const CommandEnding& kind, const CommandsLike& like) {
    if (predicts_failure(kind)) {
        return {Severity::notice,
                "The command succeeded, and the device expects to fail: look at its disks."};
    }
    const bool by_medium = kind.asc == unknown<uint16_t>
                               ? like.transfers > 0
                               : std::ranges::find(of_media, kind.asc) != of_media.end();
    if (by_medium) {
        return {Severity::notice,
                "The command succeeded with the device's own help: a sign of failing media."};
    }
    return {Severity::information,
            "The command succeeded; its sense data tell something besides, as some commands ask for."};
}

// SAM-5 §5.14: a unit attention condition is established by an event for each I_T nexus, and cleared once it was reported.
Meaning of_unit_attention(const CommandEnding& kind, const CommandsLike& like) {
    if (code_of(kind) == soft_threshold_reached) {
        return {Severity::notice,
                "The pool that the logical unit's blocks come from (thin provisioning) runs short: add space "
                "before writes fail."};
    }
    if (predicts_failure(kind))
        return {Severity::notice, "The device expects to fail: look at the target's disks."};
    // Behind a login several conditions may be pending, and a session may have been reinstated meanwhile.
    constexpr uint64_t usual = 3;
    if (like.most_of_one_nexus() <= usual) {
        return {Severity::information,
                "The target tells a new initiator once what changed: usual behind a login, a reset or a "
                "change of size."};
    }
    if (kind.asc == reset_occurred) {
        return {Severity::notice,
                "A reset is told once to each initiator: so many for one session and logical unit are of "
                "resets that come again and again, or of a target that tells the same one anew. Look for "
                "hosts that reset it (their timeouts, a cluster's fencing) and in the target's log for "
                "restarts."};
    }
    return {Severity::notice,
            "A unit attention is told once for each event: so many for one session and logical unit are of "
            "something that happens again and again, or of a target that tells the same anew, and each costs "
            "a command that must be sent again. Look in the target's log for what changes."};
}

Meaning of_data_protect(const CommandEnding& kind) {
    if (code_of(kind) == space_allocation_failed) {
        return {Severity::problem,
                "The target has no space left for new blocks of the logical unit (thin provisioning): add "
                "space to the pool it is from."};
    }
    if (kind.asc == write_protected)
        return {Severity::problem, "The logical unit is protected against writing."};
    return {Severity::problem,
            "The logical unit is protected against such commands; its sense data say how, where they say "
            "more."};
}

// SPC-4 §4.5.7: the error is of a command that was answered before; the one that brings it was not carried out.
Meaning of_deferred(const CommandEnding& kind) {
    switch (kind.sense_key) {
        case sense_key::medium_error:
        case sense_key::hardware_error:
        case sense_key::data_protect:
        case sense_key::aborted_command:
        case sense_key::volume_overflow:
            return {
                Severity::problem,
                "The sense data are deferred: an earlier command failed after it had been answered, as a "
                "write may that was answered out of a cache. Which one they do not say; the command that "
                "brought them was not carried out. Look at the target's disks and log, and check what was "
                "written."};
        default:
            return {Severity::notice,
                    "The sense data are deferred: they tell of an earlier command, which had been answered. "
                    "Which one they do not say; the command that brought them was not carried out."};
    }
}

// RFC 7143 §11.4.3.
Meaning of_no_status(const CommandEnding& kind) {
    if (kind.iscsi_response == scsi_response::target_failure) {
        return {
            Severity::problem,
            "The target failed inside, and answered without a SCSI status: whether the command was carried "
            "out is not known. Look at the target's log."};
    }
    return {Severity::notice,
            "The target answered without a SCSI status, with a code that RFC 7143 leaves to vendors or does "
            "not define: how the command ended its maker knows. Look at the target's log."};
}

// NO SENSE: nothing is wrong, or nothing more is said. What moves the position of a tape ends so at a filemark, near the end of the
// medium, or with a block of another length than was asked for (SSC-4 §4.2).
Meaning of_no_sense(const CommandEnding& kind) {
    if ((kind.sense_bits & sense_bit::filemark) != 0) {
        return {Severity::information,
                "A filemark was met: the usual end of a file on tape. It is no error, and what lies before "
                "it was "
                "transferred."};
    }
    if ((kind.sense_bits & sense_bit::end_of_medium) != 0) {
        return {Severity::information,
                "The tape is near its end, or at its beginning or end: the usual way to tell so. It is no "
                "error: what "
                "was asked for was done as far as the residual tells."};
    }
    if ((kind.sense_bits & sense_bit::incorrect_length) != 0) {
        return {Severity::information,
                "The block had another length than was asked for (ILI): how who reads a tape learns a "
                "block's size. It "
                "is no error by itself; the residual tells by how much."};
    }
    return {Severity::information,
            "The sense key NO SENSE names no error: the additional sense code, where there is one, tells "
            "what the "
            "target wanted to say."};
}

// What it means, and how much so.
Meaning meaning(const CommandEnding& kind, const CommandsLike& like) {
    if (kind.lacks_status()) return of_no_status(kind);
    if (kind.sense_deferred) return of_deferred(kind);
    switch (kind.status) {
        case scsi_status::check_condition:
            break;
        case scsi_status::condition_met:
        case scsi_status::intermediate:
        case scsi_status::intermediate_condition_met:
            return {Severity::information, "The command succeeded: a status of commands like PRE-FETCH."};
        case scsi_status::reservation_conflict:
            return of_reservation(like);
        case scsi_status::task_aborted:
            // SAM-5 §5.3.1: by a command or task management function of another I_T nexus.
            return {
                Severity::notice,
                "It was aborted, or the logical unit reset, over another I_T nexus: by another initiator, "
                "or over another path of this one."};
        case scsi_status::aca_active:
            // SAM-5 §5.9.
            return {
                Severity::notice,
                "It was turned away for an earlier command of the logical unit, which failed and had asked "
                "by "
                "its NACA bit that no other be carried out until the initiator clears that (CLEAR ACA). Look "
                "at why that one failed."};
        default:
            return {Severity::notice, "The target refused the command."};
    }
    switch (kind.sense_key) {
        case sense_key::no_sense:
            return of_no_sense(kind);
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
            return of_unit_attention(kind, like);
        case sense_key::data_protect:
            return of_data_protect(kind);
        case sense_key::aborted_command:
            return {Severity::problem,
                    "The target gave the command up; the initiator must send it again. Look at the target's "
                    "log and for resets."};
        case sense_key::blank_check:
            if (is_write(like.row))
                return {Severity::notice, "The target could not do the command; its sense data say why."};
            return {Severity::information,
                    "Blank medium, or the end of what was written, was met: how a tape or write-once medium "
                    "tells "
                    "that no more data follow."};
        case unknown<uint16_t>:
            return {Severity::notice,
                    "The target could not do the command, or had something to tell; the sense data that say "
                    "what are "
                    "not in the capture."};
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

void tell_full(Finding& finding, const CommandEnding& kind, const CommandsLike& like) {
    const bool busy = kind.status == scsi_status::busy;
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
    finding.add_sign(fmt::format(
        "the first of them found {} of its session under way{}", counted(depth - 1, "other command"),
        like.most_depth <= depth
            ? ""
            : fmt::format(", others up to {}", human_count(uint64_t{like.most_depth} - 1))));
    constexpr uint32_t few = 2;
    // Of those that are not listed it is not known.
    if (std::max(depth, like.most_depth) <= few && like.seen == like.count) {
        finding.explanation +=
            busy
                ? " This session had asked for little: if it is full, others fill it."
                : " This session had asked for little: others fill the target, or it takes very few at once.";
    }
}

void tell_status(Finding& finding, const CommandEnding& kind, const CommandsLike& like, bool of_transfers) {
    const auto& [severity, explanation] = meaning(kind, like);
    const CommandRow& row = of_transfers ? like.transfer : like.row;
    finding.kind = Kind::command_status;
    finding.severity = severity;
    finding.title =
        fmt::format("{}{}: {}", counted(like.count, "command"), on_luns(like), ending_words(kind));
    const bool not_first = of_transfers && like.transfer_command != like.command;
    finding.explanation = fmt::format("{}: {}. {}",
                                      not_first        ? "First read or write"
                                      : like.count > 1 ? "First"
                                                       : "Command",
                                      words_for(row), explanation);
    finding.add_sign(fmt::format("{} with that {}, the first {}to {}{}", counted(like.count, "response"),
                                 kind.lacks_status() ? "code" : "status",
                                 not_first ? "of a read or write " : "", words_for(row),
                                 row.lba == unknown<uint64_t> ? "" : fmt::format(" at LBA {}", row.lba)));
    if (kind.sense_key != unknown<uint16_t>) {
        finding.add_sign(fmt::format("sense data: {}", ending_words(kind)));
    } else if (kind.lacks_status()) {
        finding.add_sign("with that code the Status field says nothing (RFC 7143 §11.4.2)");
    } else if (kind.status == scsi_status::reservation_conflict && !is_of_keys_alone(like)) {
        finding.add_sign("so a target answers where the reservation is of another I_T nexus");
    }
}

}  // namespace

void add_status_findings(FindingList& list, const CommandFacts& commands) {
    for (const auto& [kind, like] : commands.statuses) {
        Finding finding;
        const bool full = kind.status == scsi_status::busy || kind.status == scsi_status::task_set_full;
        // What is grave of reads and writes alone leads to one of these.
        const bool of_transfers = like.transfers > 0 && !kind.sense_deferred &&
                                  (kind.status == scsi_status::reservation_conflict ||
                                   kind.sense_key == sense_key::illegal_request);
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
