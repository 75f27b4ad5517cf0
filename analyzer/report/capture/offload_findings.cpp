// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/capture/offload_findings.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace sanscope {
namespace {

// One direction of a connection in which segments are longer than the receiver takes them (RFC 9293 §3.7.1).
struct Joined {
    uint64_t directions = 0;
    uint64_t sent_here = 0;  // by the host that captured
    uint64_t received_here = 0;
    uint32_t connection = 0;  // with the longest
    bool by_initiator = false;
    uint32_t longest = 0;
    uint32_t mss = 0;
};

void add_direction(Joined& joined, const ConnectionRow& row, uint32_t number, bool by_initiator) {
    const SentDataRow& sender = by_initiator ? row.out : row.in;
    const SynOptionsRow& receiver = by_initiator ? row.in.syn : row.out.syn;
    if (!receiver.known || receiver.mss == 0 || sender.largest_payload <= receiver.mss) return;
    ++joined.directions;
    const Vantage of_sender = by_initiator ? Vantage::initiator : Vantage::target;
    const Vantage of_receiver = by_initiator ? Vantage::target : Vantage::initiator;
    joined.sent_here += row.vantage == of_sender ? 1 : 0;
    joined.received_here += row.vantage == of_receiver ? 1 : 0;
    if (sender.largest_payload <= joined.longest) return;
    joined.connection = number;
    joined.by_initiator = by_initiator;
    joined.longest = sender.largest_payload;
    joined.mss = receiver.mss;
}

std::string_view how(const Joined& joined) {
    if (joined.sent_here == joined.directions)
        return "The capturing host sends such, and its card splits them (TSO, GSO)";
    if (joined.received_here == joined.directions) return "The capturing host joins what arrives (GRO, LRO)";
    return "The capturing host joins what arrives (GRO, LRO), or sends such, and its card splits them (TSO, "
           "GSO)";
}

}  // namespace

void add_offload_findings(FindingList& list, const FindingsInput& input) {
    Joined joined;
    uint32_t number = 0;
    for (const ConnectionRow& row : input.store.connections()) {
        ++number;
        if (!row.iscsi) continue;
        add_direction(joined, row, number, true);
        add_direction(joined, row, number, false);
    }
    if (joined.directions == 0) return;
    Finding finding;
    finding.kind = Finding::Kind::offload;
    finding.side = Finding::Side::capture;
    finding.connection = joined.connection;
    finding.session = input.store.connection(joined.connection).session;
    finding.sender = joined.by_initiator ? Finding::Sender::initiator : Finding::Sender::target;
    finding.title = fmt::format(
        "Segments of up to {} are in the capture, and the MSS is {}: spacing on the wire is not known",
        counted_exactly(joined.longest, "byte"), joined.mss);
    finding.explanation = fmt::format(
        "{}. One packet here stands for several frames: counts of packets and gaps between them are not "
        "those of the wire; "
        "times of commands are as good as ever. Where spacing matters, switch it off on the capturing host "
        "while "
        "recording, which costs it processor time: ethtool -K <if> gro off lro off gso off tso off.",
        how(joined));
    finding.add_sign(fmt::format("a segment of {} to a receiver whose SYN announced an MSS of {}",
                                 counted_exactly(joined.longest, "byte"), joined.mss));
    list.push_back(std::move(finding));
}

}  // namespace sanscope
