// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/tables/packet_analysis.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/net/decoded_packet.h"
#include "analyzer/scsi/status.h"
#include "analyzer/vocabulary/command_ending.h"

namespace sanscope {
namespace {

constexpr std::array<std::string_view, loss_kinds> loss_terms = {"fast retransmission",
                                                                 "retransmission (RTO)",
                                                                 "retransmission (TLP)",
                                                                 "spurious retransmission",
                                                                 "out of order",
                                                                 "captured twice",
                                                                 "keep-alive",
                                                                 "zero window probe",
                                                                 "previous segment not captured"};

// The last segments of a packet's connection before it.
struct EarlierSegments {
    std::optional<SegmentRow> own;  // of the same sender
    PacketNumber answered = 0;      // the other side's; 0: none was found
};

EarlierSegments find_earlier(PacketNumber packet, const ResultStore& store) {
    constexpr PacketNumber most_looked_at = 1000;
    const SegmentRow& segment = store.segment(packet);
    const PacketNumber first = std::max({PacketNumber{1}, store.connection(segment.connection).first_packet,
                                         packet > most_looked_at ? packet - most_looked_at : 1});
    EarlierSegments earlier;
    for (PacketNumber at = packet; at-- > first && (!earlier.own || earlier.answered == 0);) {
        const SegmentRow& row = store.segment(at);
        if (row.connection != segment.connection) continue;
        if (row.sender != segment.sender) {
            if (earlier.answered == 0) earlier.answered = at;
        } else if (!earlier.own) {
            earlier.own = row;
        }
    }
    return earlier;
}

bool has_loss(PacketNumber packet, LossKind kind, const ResultStore& store, const PduIndex* pdus) {
    bool found = false;
    if (pdus != nullptr && packet != 0)
        pdus->losses_of(packet, [&](size_t loss) { found = found || store.losses()[loss].kind == kind; });
    return found;
}

uint32_t end_of(const SegmentRow& segment) {
    return segment.seq + segment.payload_length + ((segment.flags & tcp_fin) != 0 ? 1 : 0);
}

// Of an ACK without data that acknowledges nothing new; empty for any other segment.
std::string_view repeated_ack(PacketNumber packet, const ResultStore& store, const PduIndex* pdus) {
    const SegmentRow& segment = store.segment(packet);
    constexpr int flags_that_matter = tcp_ack | tcp_syn | tcp_fin | tcp_rst;
    if (segment.payload_length != 0 || (segment.flags & flags_that_matter) != tcp_ack || segment.window == 0)
        return {};
    const EarlierSegments earlier = find_earlier(packet, store);
    // The window of a SYN is not scaled, and cannot be compared.
    if (!earlier.own || (earlier.own->flags & (tcp_ack | tcp_syn | tcp_rst)) != tcp_ack) return {};
    const bool behind_all_sent = static_cast<int32_t>(segment.seq - end_of(*earlier.own)) >= 0;
    if (segment.ack != earlier.own->ack || !behind_all_sent) return {};
    if (segment.window != earlier.own->window) return "window update";
    if (has_loss(earlier.answered, LossKind::keep_alive, store, pdus)) return "keep-alive ACK";
    if (has_loss(earlier.answered, LossKind::zero_window_probe, store, pdus)) return "zero window probe ACK";
    return "duplicate ACK";
}

void add_losses(PacketNumber packet, const ResultStore& store, const PduIndex& pdus, ShortText& text) {
    uint32_t told = 0;  // by kind: once, however many stretches of the stream the packet repeats
    pdus.losses_of(packet, [&](size_t loss) {
        const auto kind = static_cast<size_t>(store.losses()[loss].kind);
        if ((told >> kind & 1) != 0) return;
        told |= uint32_t{1} << kind;
        text.next().add(loss_terms[kind]);
    });
}

void add_statuses(PacketNumber packet, const ResultStore& store, const PduIndex& pdus, ShortText& text) {
    // By status, and by iSCSI response: once, however many commands the packet ends.
    std::bitset<256> told;
    std::bitset<256> told_responses;
    pdus.completed_by(packet, [&](uint32_t pdu) {
        const CommandNumber number = store.pdus().get<&PduRow::command>(pdu);
        if (number == 0 || number > store.commands().size()) return;
        const CommandRow& command = store.command(number);
        if (command.response_packet != packet || !ended_otherwise_than_good(command)) return;
        if (ending_of(command).lacks_status()) {
            const auto response = static_cast<uint8_t>(command.iscsi_response);
            if (told_responses[response]) return;
            told_responses[response] = true;
            text.next().add(iscsi_response_words(response));
            return;
        }
        const auto status = static_cast<uint8_t>(command.status);
        if (told[status]) return;
        told[status] = true;
        std::string words(scsi_status_name(status));
        std::ranges::replace(words, '_', ' ');  // as SAM writes it
        text.next().add(words);
    });
}

}  // namespace

// What there can be many of comes last: the text is cut at its end.
void add_analysis(PacketNumber packet, const ResultStore& store, const PduIndex* pdus, ShortText& text) {
    const SegmentRow& segment = store.segment(packet);
    if (pdus != nullptr) add_losses(packet, store, *pdus, text);
    if ((segment.flags & tcp_rst) != 0) text.next().add("RST");
    if (segment.window == 0 && (segment.flags & (tcp_syn | tcp_fin | tcp_rst)) == 0)
        text.next().add("zero window");
    if (const std::string_view term = repeated_ack(packet, store, pdus); !term.empty()) text.next().add(term);
    if (pdus != nullptr) add_statuses(packet, store, *pdus, text);
}

}  // namespace sanscope
