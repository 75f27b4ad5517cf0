// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/inferred/hidden_requests.h"

#include <algorithm>
#include <optional>

namespace sanscope {
namespace {

// Where packets are missing there is no moment at which something in the stretch could have come.
bool was_cut_only(const UnseenStretch& stretch) {
    return stretch.begin_is_header && stretch.marks.size() < UnseenStretch::max_marks &&
           std::none_of(stretch.marks.begin(), stretch.marks.end(),
                        [](const UnseenStretch::Mark& mark) { return mark.not_captured; });
}

// On the wire, with immediate data.
uint32_t request_bytes(const Pdu& request, const RequestShape& shape) {
    const uint32_t data = (request.bhs().data_segment_length() + 3) & ~uint32_t{3};
    return shape.header_length + data + (data > 0 ? shape.data_digest_length : 0);
}

}  // namespace

void HiddenRequests::add_stretch(const UnseenStretch& stretch, const RequestShape& shape) {
    if (!count_requests(stretch, shape)) note_mixed_stretch(stretch);
    gap_.in_open_stretch = 0;
}

// Adds what must be requests without data to the gap, where the stretch may be nothing else. False where it is not; how
// many requests are in it is then left over when the others are counted.
bool HiddenRequests::count_requests(const UnseenStretch& stretch, const RequestShape& shape) {
    const uint64_t length = stretch.end - stretch.begin;
    Gap& gap = gap_;
    const bool writes = gap.begun && length_.predicts_writes() && length % length_.bytes == 0;
    const uint32_t header = writes ? length_.bytes : shape.header_length;
    const size_t count = length / header;
    const size_t others = gap.requests.size() - gap.in_open_stretch;
    if (!was_cut_only(stretch) || length % header != 0 || others + count > max_in_gap) return false;
    size_t mark = 0;
    for (; gap.in_open_stretch < count; ++gap.in_open_stretch) {
        const uint64_t end = stretch.begin + (gap.in_open_stretch + 1) * header;
        while (mark + 1 < stretch.marks.size() && stretch.marks[mark].end < end) ++mark;
        gap.requests.push_back(stretch.marks[mark].delivered);
    }
    if (others > 0 && gap.writes != writes) gap.hopeless = true;
    gap.writes = writes;
    return true;
}

// Requests may lie in it, among data. When they came is known where all of it came with one packet.
void HiddenRequests::note_mixed_stretch(const UnseenStretch& stretch) {
    Gap& gap = gap_;
    const bool one_packet = was_cut_only(stretch) && !stretch.marks.empty() &&
                            stretch.marks.front().delivered.packet == stretch.marks.back().delivered.packet;
    gap.requests.resize(gap.requests.size() - gap.in_open_stretch);
    ++gap.mixed;
    gap.mixed_at = gap.requests.size();
    gap.mixed_arrival = one_packet ? stretch.marks.front().delivered : Arrival{};
}

void HiddenRequests::add_partial(const Pdu& pdu, const RequestShape& shape) {
    const bool counts = pdu.bhs().opcode() == Opcode::scsi_command && !pdu.bhs().immediate();
    // What all others are said to be, it has to be as well.
    const bool another = length_.predicts_writes() && request_bytes(pdu, shape) != length_.bytes;
    if (!counts || another || gap_.requests.size() >= max_in_gap) {
        gap_.hopeless = true;
    } else {
        const bool writes = length_.predicts_writes();
        sends_data_ = sends_data_ || pdu.bhs().data_segment_length() > 0;
        if (!gap_.requests.empty() && gap_.writes != writes) gap_.hopeless = true;
        gap_.writes = writes;
        gap_.requests.push_back(pdu.last);
    }
}

void HiddenRequests::on_received(Serial32 exp_cmd_sn, const UnseenStretch* open, const RequestShape& shape) {
    if (!awaits_receipt()) return;
    if (open != nullptr) count_requests(*open, shape);
    Gap& gap = gap_;
    if (gap.requests.empty() || shares_numbers()) return;
    const int32_t received = gap.cmd_sn_before.distance_to(exp_cmd_sn) - 1;
    while (gap.commands.size() < gap.requests.size() &&
           static_cast<int32_t>(gap.commands.size()) < received) {
        const auto place = static_cast<uint32_t>(gap.commands.size());
        std::optional<uint32_t> itt;
        if (tag_stride_.predicts()) itt = gap.itt_before + (place + 1) * tag_stride_.stride;
        gap.commands.push_back(
            commands_->infer_request(itt, gap.cmd_sn_before + (place + 1), gap.requests[place], connection_));
    }
}

void HiddenRequests::close(const Pdu& next, const RequestShape& shape) {
    const Bhs bhs = next.bhs();
    const bool numbered = bhs.opcode() == Opcode::scsi_command && !bhs.immediate();
    if (!numbered) return;
    const uint32_t length_before = length_.bytes;
    note_length(next, shape);
    if (gap_.writes && length_.bytes != length_before) gap_.hopeless = true;
    note_skipped(bhs.cmd_sn());
    if (shares_numbers()) commands_->share_numbers();
    count_hidden(next, infer_gap(bhs));
    begin_gap(next);
}

// Where each byte between two requests is of a PDU whose header was seen, commands of another connection have the numbers
// between.
void HiddenRequests::note_skipped(Serial32 cmd_sn) {
    const bool all_seen = gap_.begun && !gap_.hopeless && gap_.mixed == 0 && gap_.requests.empty();
    if (all_seen && gap_.cmd_sn_before.distance_to(cmd_sn) > 1 + static_cast<int32_t>(gap_.others))
        skips_ = true;
}

// How many of the hidden requests are commands now.
uint32_t HiddenRequests::infer_gap(const Bhs& next) {
    Gap& gap = gap_;
    const int32_t left_over =
        gap.cmd_sn_before.distance_to(next.cmd_sn()) - 1 - static_cast<int32_t>(gap.requests.size());
    const bool in_one_mixed = gap.mixed == 1 && gap.mixed_arrival.packet != 0;
    if (gap.begun && in_one_mixed && !shares_numbers() && left_over > 0 &&
        left_over < static_cast<int32_t>(max_in_gap)) {
        gap.requests.insert(gap.requests.begin() + static_cast<std::ptrdiff_t>(gap.mixed_at),
                            static_cast<size_t>(left_over), gap.mixed_arrival);
    }
    const auto missing = static_cast<uint32_t>(gap.requests.size());
    const auto found = static_cast<uint32_t>(gap.commands.size());
    if (!gap.begun || gap.hopeless || gap.cmd_sn_before + (missing + 1) != next.cmd_sn()) return found;
    const bool tags_known = tag_stride_.note(next.itt() - gap.itt_before, missing + 1);
    for (uint32_t i = 1; i <= missing; ++i) {
        std::optional<uint32_t> itt;
        if (tags_known) itt = gap.itt_before + i * tag_stride_.stride;
        if (i > found) {
            commands_->infer_request(itt, gap.cmd_sn_before + i, gap.requests[i - 1], connection_,
                                     gap.writes);
        } else if (itt) {
            commands_->set_tag(gap.commands[i - 1], *itt);
        }
    }
    return missing;
}

void HiddenRequests::begin_gap(const Pdu& request) {
    const Bhs last = request.bhs();
    gap_.packet_before = request.last.packet;
    gap_.begun = true;
    gap_.others = 0;
    gap_.hopeless = false;
    gap_.writes = false;
    gap_.itt_before = last.itt();
    gap_.cmd_sn_before = last.cmd_sn();
    gap_.requests.clear();
    gap_.in_open_stretch = 0;
    gap_.mixed = 0;
    gap_.commands.clear();
}

// So far ahead at once no initiator is: a damaged header.
void HiddenRequests::count_hidden(const Pdu& next, uint32_t found) {
    constexpr int32_t most = 4096;
    const Gap& gap = gap_;
    const int32_t passed = gap.cmd_sn_before.distance_to(next.bhs().cmd_sn()) - 1;
    const int32_t hidden = passed - static_cast<int32_t>(found + gap.others);
    if (!gap.begun || passed > most || hidden <= 0) return;
    // In a session of several connections the numbers may be another's.
    const bool counted = !shares_session();
    const bool may_hide = gap.hopeless || gap.mixed > 0 || gap.requests.size() > found;
    if (!counted && !may_hide) return;
    if (!counted) return store_->add_unlisted({session_, unknown<uint32_t>, gap.packet_before + 1});
    store_->add_unlisted({session_, static_cast<uint32_t>(hidden), next.first.packet});
    issues_->add(Issue::requests_not_seen, next.first.packet, static_cast<uint64_t>(hidden));
}

void HiddenRequests::note_length(const Pdu& request, const RequestShape& shape) {
    const Bhs bhs = request.bhs();
    const uint32_t bytes = request_bytes(request, shape);
    sends_data_ = sends_data_ || bytes > shape.header_length;
    if (bytes != length_.bytes) length_ = {bytes, 0, true};
    ++length_.in_a_row;
    const bool whole = bhs.write() && !bhs.read() && bhs.data_segment_length() > 0 &&
                       bhs.data_segment_length() == bhs.expected_data_transfer_length();
    length_.whole = length_.whole && whole;
}

bool HiddenRequests::TagStride::note(uint32_t apart, uint32_t steps) {
    const uint32_t now = apart / steps;
    if (now == 0 || now * steps != apart) {
        even = false;
        in_a_row = 0;
        return false;
    }
    if (now != stride) {
        even = even && in_a_row == 0;
        in_a_row = 0;
    }
    stride = now;
    ++in_a_row;
    if (steps == 1) shown = now;
    return now == shown && (even || in_a_row >= believed);
}

}  // namespace sanscope
