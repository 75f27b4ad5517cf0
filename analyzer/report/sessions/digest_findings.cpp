// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/sessions/digest_findings.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "analyzer/iscsi/bhs.h"
#include "analyzer/report/sessions/digest_errors.h"

namespace sanscope {
namespace {

// Those of the first events: all, unless there are very many.
struct Tally {
    SessionEvent first;
    uint64_t from_initiator = 0;
    uint64_t from_target = 0;
    uint64_t of_headers = 0;
    std::map<uint8_t, uint64_t> by_opcode;
    std::set<uint32_t> connections;
    DigestErrors errors;

    uint64_t count() const { return from_initiator + from_target; }
    bool one_sender() const { return from_initiator == 0 || from_target == 0; }
};

constexpr uint8_t no_opcode = 0xff;

// As it was sent, as far as is known: of a damaged header the opcode may be what is damaged.
uint8_t opcode_of(const SessionEvent& event) {
    const DigestError& error = event.header_error;
    const bool is_flipped = event.bad_header_digest && error.is_flip() && error.byte == 0 && !error.in_digest;
    const auto opcode = static_cast<uint8_t>((event.opcode ^ (is_flipped ? error.flipped : 0)) & 0x3f);
    const bool fits = !event.sender || is_from_target(opcode) == (*event.sender == Role::target);
    return fits ? opcode : no_opcode;
}

bool is_of_target(const SessionEvent& event) {
    return event.sender ? *event.sender == Role::target : is_from_target(event.opcode);
}

Tally tally_of(const ResultStore& store) {
    Tally tally;
    for (const SessionEvent& event : store.session_events().first_ones()) {
        if (!event.bad_digest) continue;
        if (tally.count() == 0) tally.first = event;
        ++(is_of_target(event) ? tally.from_target : tally.from_initiator);
        if (event.bad_header_digest) ++tally.of_headers;
        ++tally.by_opcode[opcode_of(event)];
        tally.connections.insert(event.connection);
        tally.errors.add(event);
    }
    return tally;
}

// "12 SCSI Data-In, 1 R2T"
std::string opcodes_in_words(const Tally& tally) {
    std::string words;
    for (const auto& [opcode, count] : tally.by_opcode) {
        const char* const name = opcode_name(opcode);
        words += fmt::format("{}{} {}", words.empty() ? "" : ", ", human_count(count),
                             name == nullptr ? "of an opcode not known" : name);
    }
    return words;
}

// Damage on the way hits what most bytes are of; PDUs of one kind that are rare and all short are made wrong. On a connection
// that is idle but for them, nothing else could have been hit.
bool is_made_wrong(const Tally& tally, const ResultStore& store) {
    constexpr uint64_t least = 3;
    constexpr uint64_t least_bytes_each = 1 << 20;
    if (tally.count() < least || tally.by_opcode.size() != 1) return false;
    const DigestedBytes& all =
        store.session_events().digested(tally.from_target > 0 ? Role::target : Role::initiator);
    if (all.headers + all.data < tally.count() * least_bytes_each) return false;
    switch (Opcode{tally.by_opcode.begin()->first}) {
        case Opcode::scsi_command:
        case Opcode::scsi_response:
        case Opcode::scsi_data_in:
        case Opcode::scsi_data_out:
        case Opcode::r2t:
            return false;
        default:
            return tally.by_opcode.begin()->first != no_opcode;
    }
}

bool captured_at_sender(const Tally& tally, const ResultStore& store) {
    const Vantage at = tally.from_target > 0 ? Vantage::target : Vantage::initiator;
    return tally.one_sender() && std::ranges::all_of(tally.connections, [&](uint32_t number) {
               return number != 0 && number <= store.connections().size() &&
                      store.connection(number).vantage == at;
           });
}

uint64_t connections_with_digests(const ResultStore& store) {
    const auto uses = [&](const ConnectionRow& row) {
        if (row.session == 0) return false;
        const SessionRow& session = store.session(row.session);
        return session.header_digest == "CRC32C" || session.data_digest == "CRC32C";
    };
    return static_cast<uint64_t>(std::ranges::count_if(store.connections(), uses));
}

// Digests by another rule than RFC 7143's: the sender's software, or its card, makes them so.
void explain_senders(Finding& finding, const Tally& tally, bool at_sender) {
    // What a card fills in behind the capture, and what was wiped out on the way, is zero as well.
    const bool zeros = tally.errors.of(DigestError::Cause::never_computed) > 0;
    const uint64_t enough = zeros ? 4 : 2;
    const bool surely = tally.errors.senders() >= enough && !(zeros && at_sender);
    finding.confidence = surely ? Finding::Confidence::firm : Finding::Confidence::likely;
    finding.side = Finding::Side::both;
    std::string_view whose = "both sides";
    if (tally.one_sender()) {
        const bool by_target = tally.from_target > 0;
        finding.side = by_target ? Finding::Side::target : Finding::Side::initiator;
        whose = by_target ? "the target" : "the initiator";
    }
    finding.explanation = fmt::format(
        "{}: the path does not do that. It is the software of {}, or a network card that computes digests "
        "for "
        "it.{}",
        zeros ? "The digests were never computed, so that nobody can tell whether the bytes are right"
              : "The bytes are those that were sent, but their digests are made by another rule than RFC "
                "7143's",
        whose,
        zeros && at_sender ? " Captured at the sender, digests that its card fills in later look the same: "
                             "capture at the receiver to tell."
                           : "");
}

// What the places of flipped bits say, beside whose PDUs they are in.
void explain_flips(Finding& finding, const Tally& tally, const ResultStore& store) {
    const DigestErrors& errors = tally.errors;
    if (errors.flipped_bits() > 0) {
        finding.explanation +=
            " A flipped bit also breaks the checksums of Ethernet and TCP: where the receiver's TCP took "
            "these "
            "bytes, it flipped before those were computed, or in something that computes them anew.";
    }
    if (const std::string alike = tally.one_sender() ? errors.places_in_words() : ""; !alike.empty()) {
        finding.add_sign(alike);
        finding.explanation += errors.is_one_field()
                                   ? " A field that the sender changes after it made the digest looks so, or "
                                     "a bit of its memory that is stuck."
                                   : " A data path of that width does that: memory, a bus, or a card.";
        return;
    }
    const Role sender = tally.from_target > 0 ? Role::target : Role::initiator;
    if (tally.one_sender() && errors.is_in_proportion(store.session_events().digested(sender))) {
        finding.add_sign("flipped bits hit headers and data in proportion to their bytes");
        finding.explanation += " Whatever passed was hit, at any place: a link or a buffer on the way.";
    }
    constexpr uint64_t several = 4;
    if (errors.examined() >= several && errors.unexplained() == errors.examined()) {
        finding.explanation +=
            " No flipped bit explains any of them: more was changed, which is rather software, or a card "
            "that moved bytes to the wrong place, than a link.";
    }
}

// Data that are written to between the making of their digest and their sending, by whoever may write there: a page of a file by
// the program that has it mapped, while it is written back; blocks of a target by another command, while they are read.
void explain_changed_data(Finding& finding, const Tally& tally) {
    const DigestErrors& errors = tally.errors;
    if (tally.of_headers > 0 || errors.examined() == 0 || errors.unexplained() != errors.examined()) return;
    finding.confidence = Finding::Confidence::possible;
    finding.explanation += " Data that are written to while they are sent look so, too:";
    if (tally.from_initiator > 0) {
        finding.explanation +=
            " pages that a program changes while the initiator writes them back (stable pages "
            "are what prevents it on Linux)";
    }
    if (tally.from_target > 0) {
        finding.explanation +=
            fmt::format("{} blocks that another command writes while the target reads them",
                        tally.from_initiator > 0 ? ", or" : "");
    }
    finding.explanation += ". That is no damage, and comes and goes with the load.";
}

void explain(Finding& finding, const Tally& tally, const ResultStore& store) {
    if (tally.errors.are_all_senders())
        return explain_senders(finding, tally, captured_at_sender(tally, store));
    const bool by_target = tally.from_target > 0;
    const Finding::Side sender = by_target ? Finding::Side::target : Finding::Side::initiator;
    const std::string_view name = by_target ? "target" : "initiator";
    finding.side = Finding::Side::path;
    finding.confidence = Finding::Confidence::likely;
    finding.explanation =
        "The bytes are not those that the digest was made of. Without digests this would be "
        "silent corruption. (The TCP checksum of these packets is not verified here.) ";
    if (captured_at_sender(tally, store)) {
        finding.side = sender;
        finding.explanation += fmt::format(
            "They were wrong already where the {0} sends, before the path: its software, memory, or a "
            "network "
            "card that computes digests. A wrong digest that only a card would fill in looks the same.",
            name);
        finding.add_sign(fmt::format("captured at the {}, before the path", name));
    } else if (tally.one_sender() && is_made_wrong(tally, store)) {
        finding.side = sender;
        finding.explanation += fmt::format(
            "Only PDUs of one kind that are few and short are wrong: the software of the {} makes them so, "
            "rather than the path, which would hit those with the most bytes.",
            name);
    } else if (tally.one_sender()) {
        finding.explanation += fmt::format(
            "All are of the {}: its network card or memory, or a switch or cable on the way from it. Compare "
            "the error counters on that way, and capture at the {} to tell the two apart.",
            name, name);
    } else {
        finding.explanation +=
            "Both sides' PDUs are hit: what both pass, a switch, a cable, or the network card "
            "of the host where this was captured.";
    }
    explain_flips(finding, tally, store);
    explain_changed_data(finding, tally);
}

}  // namespace

void add_digest_findings(FindingList& list, const FindingsInput& input) {
    const Issues::Count& headers = input.issues[Issue::header_digests_bad];
    const Issues::Count& data = input.issues[Issue::data_digests_bad];
    const uint64_t digests = headers.count + data.count;
    if (digests == 0) return;
    const Tally tally = tally_of(input.store);
    // One may have both of them wrong.
    const uint64_t all =
        std::clamp(input.store.session_events().bad_digests(), std::max(headers.count, data.count), digests);
    const bool knows_all = tally.count() >= all;
    Finding finding;
    finding.kind = Finding::Kind::bad_digest;
    finding.severity = Finding::Severity::problem;
    finding.side = Finding::Side::path;
    finding.connection = tally.first.connection;
    finding.session = tally.first.session;
    finding.command = tally.first.command;
    finding.lun = tally.first.lun;
    finding.packet = tally.first.packet;
    finding.begin_ns = finding.end_ns = tally.first.time_ns;
    if (finding.packet == 0) {
        finding.packet = headers.count > 0 ? headers.first_packet : data.first_packet;
        if (data.count > 0) finding.packet = std::min(finding.packet, data.first_packet);
    }
    finding.title = fmt::format("{} with a wrong digest: {} of headers, {} of data", counted(all, "PDU"),
                                human_count(headers.count), human_count(data.count));
    finding.add_sign(fmt::format("CRC32C of {} does not match", counted(all, "PDU")));
    if (tally.count() > 0) {
        if (tally.one_sender())
            finding.sender = tally.from_target > 0 ? Finding::Sender::target : Finding::Sender::initiator;
        const std::string first_ones =
            knows_all ? "" : fmt::format("of the first {}, ", human_count(tally.count()));
        finding.add_sign(
            first_ones +
            (tally.one_sender()
                 ? fmt::format("all are of the {}: {}", tally.from_target > 0 ? "target" : "initiator",
                               opcodes_in_words(tally))
                 : fmt::format("{} of the target, {} of the initiator: {}", human_count(tally.from_target),
                               human_count(tally.from_initiator), opcodes_in_words(tally))));
        for (const std::string& sign : tally.errors.signs()) finding.add_sign(sign);
        const uint64_t with_digests = connections_with_digests(input.store);
        if (with_digests > 1 && knows_all && tally.connections.size() <= with_digests) {
            finding.add_sign(
                fmt::format("on {} of {} connections with digests", tally.connections.size(), with_digests));
        }
        explain(finding, tally, input.store);
    }
    list.push_back(std::move(finding));
}

}  // namespace sanscope
