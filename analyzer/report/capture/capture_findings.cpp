// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/capture/capture_findings.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/base/time_spans.h"
#include "analyzer/base/utf8.h"
#include "analyzer/report/capture/capture_gaps.h"
#include "analyzer/report/capture/issue_words.h"
#include "analyzer/report/capture/passed_over_words.h"
#include "analyzer/report/sessions/unknown_sessions.h"
#include "analyzer/vocabulary/iscsi_port.h"

namespace sanscope {
namespace {

using Kind = Finding::Kind;
using Severity = Finding::Severity;

Finding make(Kind kind, Severity severity, std::string title, std::string explanation) {
    Finding finding;
    finding.kind = kind;
    finding.severity = severity;
    finding.side = severity == Severity::information ? Finding::Side::none : Finding::Side::capture;
    finding.title = std::move(title);
    finding.explanation = std::move(explanation);
    return finding;
}

// Where one side's packets are missing altogether, nothing is known of what they say.
void add_half_captured(FindingList& list, const ResultStore& store) {
    uint64_t count = 0;
    uint32_t worst = 0;
    uint32_t number = 0;
    std::vector<uint64_t> sent_again(store.connections().size());
    for (const SenderSummary& sender : store.senders()) {
        for (const LossKind kind :
             {LossKind::fast_retransmit, LossKind::rto, LossKind::tlp, LossKind::spurious})
            sent_again[sender.connection() - 1] += sender.losses(kind);
    }
    for (const ConnectionRow& row : store.connections()) {
        ++number;
        // More than SYNs that nobody answered.
        const uint64_t seen = row.packets_out + row.packets_in;
        const bool half = row.packets_out == 0 || row.packets_in == 0;
        if (!half || row.bytes_out + row.bytes_in == 0 || seen < 4) continue;
        // A flight of data is acknowledged within half a second and a round trip (RFC 1122 §4.2.3.2), longer than which a
        // capture may not have lasted.
        constexpr int64_t acknowledged_ns = 1'000'000'000;
        // Of many segments each second one is, at once (RFC 5681 §4.2).
        constexpr int64_t many_acknowledged_ns = 200'000'000;
        constexpr uint64_t many = 200;
        const int64_t lasted_ns = elapsed_ns(row.start_ns, row.end_ns);
        // Acknowledgements that move on are of something that the other side sent.
        const SentDataRow& missing = row.packets_out == 0 ? row.out : row.in;
        const bool is_acknowledged =
            missing.acknowledged_ns != no_time && missing.acknowledged_ns > row.start_ns;
        if (!is_acknowledged && lasted_ns < (seen >= many ? many_acknowledged_ns : acknowledged_ns)) continue;
        // Where most of it was sent again, nobody was there to answer.
        if (2 * sent_again[number - 1] >= seen) continue;
        ++count;
        const auto packets = [&](uint32_t at) {
            return store.connection(at).packets_out + store.connection(at).packets_in;
        };
        if (worst == 0 || seen > packets(worst)) worst = number;
    }
    if (count == 0) return;
    const ConnectionRow& row = store.connection(worst);
    Finding finding =
        make(Kind::not_captured, Severity::notice,
             fmt::format("Only one direction of {} was captured: packets from the {} alone",
                         counted(count, "connection"), row.packets_out == 0 ? "target" : "initiator"),
             "What the other side sent and acknowledged is not known, so nothing is said of TCP or of "
             "commands. Capture both directions: a mirror port may copy only one.");
    finding.side = Finding::Side::capture;
    finding.connection = worst;
    finding.packet = row.first_packet;
    finding.add_sign(
        fmt::format("{} one way, none the other", counted(row.packets_out + row.packets_in, "packet")));
    finding.add_sign("a connection needs packets of both sides to move data");
    list.push_back(std::move(finding));
}

// Segments without data are missing: of TCP nothing is known that rests on when data were acknowledged.
void add_without_pure_acks(FindingList& list, const ResultStore& store) {
    uint64_t count = 0;
    uint32_t worst = 0;
    uint32_t number = 0;
    const auto stretch_acks = [](const ConnectionRow& row) {
        return row.out.stretch_acks + row.in.stretch_acks;
    };
    for (const ConnectionRow& row : store.connections()) {
        ++number;
        if (!row.lacks_pure_acks()) continue;
        ++count;
        if (worst == 0 || stretch_acks(row) > stretch_acks(store.connection(worst))) worst = number;
    }
    if (count == 0) return;
    const ConnectionRow& row = store.connection(worst);
    Finding finding = make(
        Kind::not_captured, Severity::notice,
        fmt::format("Acknowledgements without data of {} were not captured", counted(count, "connection")),
        "When data were acknowledged is not known, so nothing is said of round trips, congestion windows, "
        "states and limits, and times of commands may lack their parts. Capture without a filter for packets "
        "with data: the port alone is enough.");
    finding.side = Finding::Side::capture;
    finding.connection = worst;
    finding.packet = row.first_packet;
    finding.add_sign(fmt::format("{} with data acknowledge as much as eight full segments, or more, at once",
                                 counted(stretch_acks(row), "segment")));
    finding.add_sign(
        "a receiver acknowledges each second segment, mostly without data of its own; no such "
        "acknowledgement is there");
    list.push_back(std::move(finding));
}

void add_nothing_to_see(FindingList& list, const FindingsInput& input) {
    if (input.totals.packets == 0) {
        list.push_back(make(Kind::no_packets, Severity::notice, "No packets in this capture",
                            "The file is empty, or damaged from the start."));
    } else if (input.store.sessions().empty()) {
        // Where no portal let anyone in, there can be none.
        const bool refused = std::ranges::any_of(
            list, [](const Finding& finding) { return finding.kind == Kind::connection_refused; });
        const bool at_portal = std::ranges::any_of(input.store.connections(), [](const ConnectionRow& row) {
            return is_iscsi_port(row.target.port) && row.bytes_out + row.bytes_in > 0;
        });
        list.push_back(make(
            Kind::no_iscsi, refused ? Severity::information : Severity::notice,
            at_portal ? "No iSCSI is recognised in this capture, though data move at its port"
                      : "No iSCSI in this capture",
            fmt::format("{} in {}; none of it looks like iSCSI. {}", counted(input.totals.packets, "packet"),
                        counted(input.store.connections().size(), "TCP connection"),
                        at_portal ? "Too few packets, packets cut before the iSCSI header, or encryption "
                                    "hide it: capture longer, or more of each packet."
                                  : "Was the right interface captured, and the right port?")));
    }
}

void add_of_file(FindingList& list, const FindingsInput& input) {
    for (const Damage& damage : input.damage) {
        list.push_back(make(Kind::capture_damaged, Severity::notice,
                            fmt::format("{}: {}", cleaned_line(damage.file), damage_text(damage)),
                            "Everything before that place was read; nothing is known of what follows."));
    }
    uint64_t dropped = 0;
    for (const CaptureInterface& interface : input.interfaces) dropped += interface.dropped;
    if (dropped > 0) {
        // Where so many are missing, what is said of the rest is in doubt.
        constexpr double many = 0.01;
        const double share = static_cast<double>(dropped) /
                             (static_cast<double>(dropped) + static_cast<double>(input.totals.packets));
        list.push_back(
            make(Kind::capture_drops, share >= many ? Severity::problem : Severity::notice,
                 fmt::format("The capturing host dropped {}, {} of what came", counted(dropped, "packet"),
                             human_percent(share)),
                 "So says the file. They were on the wire but are not in the capture: figures that need "
                 "every packet are less certain. Capture less of each packet, or with a larger buffer."));
        list.back().add_sign(fmt::format("the file counts {} dropped", counted(dropped, "packet")));
        uint64_t missing = 0;
        for (const SenderSummary& sender : input.store.senders())
            missing += sender.losses(LossKind::not_captured);
        if (missing > 0) {
            list.back().add_sign(fmt::format("{} missing that {} acknowledged", counted(missing, "segment"),
                                             missing == 1 ? "was" : "were"));
        }
    }
    if (input.totals.data_not_kept) {
        list.push_back(make(
            Kind::snap_length, Severity::information,
            fmt::format("Users' data were not kept, as the file says: {} {} behind the headers",
                        counted(input.totals.cut_packets, "packet"),
                        input.totals.cut_packets == 1 ? "ends" : "end"),
            "Headers, login texts, sense data and parameter data are there. Whether data digests over users' "
            "data were right cannot be told. Packets that were cut when they were recorded are not told "
            "apart from these."));
        list.back().packet = input.issues[Issue::resynchronisations].first_packet;
        return;
    }
    // The packets' own lengths: what a file says of its snap length is often not what was done.
    if (input.totals.cut_packets != 0) {
        const Issues::Count& again = input.issues[Issue::resynchronisations];
        // Ethernet, IPv4 and the longest header of TCP.
        constexpr uint32_t whole_headers = 14 + 20 + 60;
        std::string explanation =
            input.totals.cut_at >= whole_headers
                ? "What TCP did is seen in full; iSCSI headers beyond the cut are inferred from those around "
                  "them, and marked as inferred."
                : "The longest TCP headers are cut too: of SACK and timestamps in them nothing is known, and "
                  "what TCP did is less certain. iSCSI headers beyond the cut are inferred from those around "
                  "them, and marked as inferred.";
        if (again.count > 0) {
            explanation += fmt::format(" That failed {}; the commands around it may be lacking.",
                                       again.count == 1 ? "once" : human_count(again.count) + " times");
        }
        Finding finding =
            make(Kind::snap_length, Severity::information,
                 fmt::format("{} {} cut at {} (snap length)", counted(input.totals.cut_packets, "packet"),
                             input.totals.cut_packets == 1 ? "was" : "were",
                             counted_exactly(input.totals.cut_at, "byte")),
                 std::move(explanation));
        finding.packet = again.first_packet;
        list.push_back(std::move(finding));
    }
}

void add_of_losses(FindingList& list, const FindingsInput& input, const Stop& stop) {
    uint64_t duplicates = 0;
    uint64_t missing = 0;
    for (const SenderSummary& sender : input.store.senders()) {
        duplicates += sender.losses(LossKind::duplicate);
        missing += sender.losses(LossKind::not_captured);
    }
    uint64_t places = missing;  // several segments in a row lack at one
    std::map<std::pair<ConnectionNumber, Side>, uint32_t> missing_up_to;
    LossRow first_duplicate;
    LossRow first_missing;
    size_t row_number = 0;
    for (const LossRow& row : input.store.losses()) {
        if (stop.asked_at(row_number++)) return;
        if (row.kind == LossKind::duplicate && first_duplicate.packet == 0) first_duplicate = row;
        if (row.kind != LossKind::not_captured) continue;
        if (first_missing.packet == 0) first_missing = row;
        const uint32_t end = row.seq + row.length;
        const auto [last_end, is_new] = missing_up_to.try_emplace({row.connection, row.sender}, end);
        if (is_new) continue;
        if (last_end->second == row.seq && row.length > 0) --places;
        last_end->second = end;
    }
    const auto place = [](Finding& finding, const LossRow& row) {
        finding.connection = row.connection;
        finding.packet = row.packet;
        finding.begin_ns = finding.end_ns = row.time_ns;
    };
    if (missing > 0) {
        const Issues::Count& bytes = input.issues[Issue::bytes_not_captured];
        std::string title =
            fmt::format("The capture lacks {} acknowledged, at {}",
                        counted(missing, "segment") + (missing == 1 ? " that was" : " that were"),
                        counted(places, "place"));
        if (bytes.count > 0)
            title += fmt::format(": {} of iSCSI", human_bytes(static_cast<double>(bytes.count)));
        // The largest holes are no rows of losses.
        constexpr uint64_t largest_segment = 65'535;
        if (bytes.count > missing * largest_segment) {
            title = fmt::format("The capture lacks {} of iSCSI, which were acknowledged",
                                human_bytes(static_cast<double>(bytes.count)));
        }
        Finding finding = make(
            Kind::not_captured, bytes.count > 0 ? Severity::notice : Severity::information, std::move(title),
            "The receiver has them, so the network did not lose them: the capture did, or they took another "
            "way than past it. Commands around them may lack data or answers. Capture with a larger buffer, "
            "at "
            "a mirror port that keeps up, and on every link where the path has several.");
        if (!input.totals.gaps.empty()) {
            finding.explanation += fmt::format(
                " What passed in the {} between the files is among them.",
                human_duration(gaps_between_ns(input.totals, input.totals.first_ns, input.totals.last_ns)));
        }
        // More than was ever under way: where that was so once, nothing tells that it is one connection.
        constexpr uint64_t no_flight = uint64_t{1} << 24;
        if (bytes.count / places >= no_flight && input.totals.gaps.empty()) {
            finding.confidence = Finding::Confidence::possible;
            finding.explanation +=
                " So much at one place may also be none: a later connection between the same ports, whose "
                "SYN "
                "was not captured.";
        }
        place(finding, first_missing);
        if (finding.packet == 0) finding.packet = bytes.first_packet;
        list.push_back(std::move(finding));
    }
    if (duplicates > 0) {
        uint64_t packets = 0;
        for (const ConnectionRow& row : input.store.connections())
            packets += row.packets_out + row.packets_in;
        // A mirror port copies all of a direction; of a few segments nothing tells whether the path delivered them twice.
        constexpr uint64_t one_in = 20;
        const bool is_mirror = duplicates >= packets / one_in;
        Finding finding = make(
            Kind::captured_twice, is_mirror ? Severity::notice : Severity::information,
            fmt::format("{} {}", counted(duplicates, "segment"),
                        is_mirror ? "captured twice" : "in the capture twice"),
            is_mirror
                ? "A mirror port that copies both what arrives and what leaves does that; where captures "
                  "of two places were put together, losses and round trips are of neither. They are not "
                  "counted as retransmissions; counts of packets and bytes include them twice."
                : "The same packet, sent once: captured twice, or duplicated on the path. They are not "
                  "counted as retransmissions; counts of packets and bytes include them twice.");
        place(finding, first_duplicate);
        list.push_back(std::move(finding));
    }
}

// TCP within is not seen: what is told may be of half the capture.
void add_passed_over(FindingList& list, const FindingsInput& input) {
    for (const PassedOver::Row& row : worth_telling(input.totals.passed_over, input.totals.wire_bytes)) {
        constexpr uint64_t share = 100;
        const bool is_much =
            row.packets >= input.totals.packets / share || row.wire_bytes >= input.totals.wire_bytes / share;
        Finding finding =
            make(Kind::passed_over, is_much ? Severity::notice : Severity::information,
                 fmt::format("{} {}", human_count(row.packets), passed_over_words(row)),
                 "What is within them is not decoded: connections there may be are in none of the "
                 "figures. Capture where the traffic is not encapsulated, or on the host itself.");
        finding.packet = row.first_packet;
        finding.add_sign(
            fmt::format("{} of {}, {} of the capture's bytes", human_count(row.packets),
                        counted(input.totals.packets, "packet"),
                        human_percent(static_cast<double>(row.wire_bytes) /
                                      static_cast<double>(std::max<uint64_t>(input.totals.wire_bytes, 1)))));
        list.push_back(std::move(finding));
    }
}

void add_issues(FindingList& list, const FindingsInput& input) {
    const auto has = [&](Kind kind) {
        return std::ranges::any_of(list, [=](const Finding& finding) { return finding.kind == kind; });
    };
    const bool tells_missing = has(Kind::not_captured) ||
                               (has(Kind::snap_length) && !input.totals.data_not_kept) ||
                               has(Kind::capture_damaged);
    for (size_t i = 0; i < issue_infos.size(); ++i) {
        const auto issue = static_cast<Issue>(i);
        const Issues::Count& count = input.issues[issue];
        const bool of_digests = issue == Issue::header_digests_bad || issue == Issue::data_digests_bad;
        const bool of_streams = issue == Issue::bytes_not_captured || issue == Issue::holes_not_captured ||
                                issue == Issue::resynchronisations || issue == Issue::pdus_incomplete;
        const bool told_apart =
            of_digests || issue == Issue::times_set_back || issue == Issue::captured_after_acknowledgement;
        if (count.count == 0 || told_apart || (of_streams && tells_missing)) continue;
        // Nobody acknowledged what lies in a hole: it may have been lost for good when the connection ended.
        const bool of_lost = of_streams || (issue == Issue::requests_not_seen && !tells_missing &&
                                            input.issues[Issue::holes_not_captured].count > 0);
        // Where users' data were not kept, packets are cut, but no header.
        const bool cuts_headers = input.totals.cut_packets != 0 && !input.totals.data_not_kept;
        const bool of_cut_headers =
            cuts_headers && (issue == Issue::requests_not_seen || issue == Issue::answers_not_paired ||
                             issue == Issue::answers_unexplained);
        const bool is_ordinary = issue == Issue::pdus_incomplete || of_cut_headers ||
                                 issue_infos[i].severity == sanscope::Severity::note || of_lost;
        Finding finding =
            make(Kind::capture_issue, is_ordinary ? Severity::information : Severity::notice,
                 fmt::format("{} {}", human_count(count.count), issue_words(issue, count.count)),
                 of_streams ? "Commands around these places may lack data, or are not told of."
                            : "They are left out of everything that is told here.");
        finding.packet = count.first_packet;
        if (issue == Issue::requests_not_seen && !sessions_that_may_be_one(input.store).empty()) {
            finding.confidence = Finding::Confidence::possible;
            finding.explanation =
                "Or none is missing: the capture lacks logins, and connections of one session (MC/S) share "
                "CmdSN. Capture from before the login.";
        }
        list.push_back(std::move(finding));
    }
}

// Of `all` iSCSI connections.
void add_two_places(FindingList& list, const ResultStore& store, uint64_t all) {
    uint64_t count = 0;
    uint32_t first = 0;
    for (uint32_t number = 1; number <= store.connections().size(); ++number) {
        const ConnectionRow& row = store.connection(number);
        if (!row.iscsi || !row.in_two_places) continue;
        if (count++ == 0) first = number;
    }
    if (count == 0) return;
    Finding finding = make(
        Kind::vantage, Severity::information,
        fmt::format("{}aptured in two places, which do not agree on when packets passed",
                    count == all ? "C" : fmt::format("{} of {} c", count, counted(all, "connection"))),
        "Their times are now of the one, now of the other: what was the path's, and what the hosts', is not "
        "told from them. Analyse one of the two captures alone, or both as two points of one path "
        "(--points).");
    finding.confidence = Finding::Confidence::possible;
    finding.connection = first;
    list.push_back(std::move(finding));
}

// Where it was taken decides what its times mean.
void add_vantage(FindingList& list, const FindingsInput& input) {
    std::array<uint64_t, 4> counts{};
    for (const ConnectionRow& connection : input.store.connections()) {
        if (connection.iscsi) ++counts[static_cast<size_t>(connection.vantage)];
    }
    const uint64_t all = counts[0] + counts[1] + counts[2] + counts[3];
    constexpr std::array<std::string_view, 4> places = {"", "at the initiator", "at the target",
                                                        "between the two"};
    constexpr std::array<std::string_view, 4> meanings = {
        "",
        "Times of commands are what the initiator saw, path included. What the target's TCP did when is "
        "inferred from what arrived.",
        "Times of commands are the target's own: the initiator waited a round trip longer. What the "
        "initiator's TCP did when is inferred from what arrived.",
        "Times of commands hold that part of the path which lies behind the tap. What either TCP did when is "
        "inferred from what passed.",
    };
    for (size_t i = 1; i < counts.size(); ++i) {
        if (counts[i] == 0) continue;
        const std::string which =
            counts[i] == all ? "Captured" : fmt::format("{} of {} connections captured", counts[i], all);
        list.push_back(make(Kind::vantage, Severity::information, fmt::format("{} {}", which, places[i]),
                            std::string(meanings[i])));
    }
    add_two_places(list, input.store, all);
}

}  // namespace

void add_capture_findings(FindingList& list, const FindingsInput& input, const Stop& stop) {
    add_nothing_to_see(list, input);
    add_half_captured(list, input.store);
    add_without_pure_acks(list, input.store);
    add_of_file(list, input);
    add_of_losses(list, input, stop);
    add_passed_over(list, input);
    add_issues(list, input);
    add_vantage(list, input);
}

}  // namespace sanscope
