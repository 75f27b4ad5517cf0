// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/ladder/ladder_groups.h"

#include <algorithm>

#include "gui/plot/theme.h"
#include "gui/views/ladder/ladder_words.h"

#include "analyzer/scsi/opcodes.h"
#include "analyzer/vocabulary/command_ending.h"

namespace sanscope {
namespace {

bool overlaps(TimeRange range, int64_t begin_ns, int64_t end_ns) {
    return begin_ns < range.end_ns && end_ns >= range.begin_ns;
}

}  // namespace

int64_t time_of_pdu(const CaptureData::Reading& reading, uint32_t row) {
    const PduRow& pdu = reading.store().pdus()[row];
    if (pdu.time_ns != no_time) return pdu.time_ns;
    return pdu.first_packet == 0 ? no_time : reading.timeline().time_of(pdu.first_packet);
}

size_t count_pdus(const CaptureData::Reading& reading, const ConnectionTrack& track, TimeRange range) {
    const auto time_at = [&](uint32_t row) { return time_of_pdu(reading, row); };
    return first_not_before(track.pdus, range.end_ns, time_at) -
           first_not_before(track.pdus, range.begin_ns, time_at);
}

size_t count_commands(const CaptureData::Reading& reading, const ConnectionTrack& track, TimeRange range) {
    const auto time_at = [&](uint32_t row) { return Timeline::start_of(reading.store().commands()[row]); };
    return first_not_before(track.commands, range.end_ns, time_at) -
           first_not_before(track.commands, range.begin_ns, time_at);
}

void add_pdus(const CaptureData::Reading& reading, const LadderRequest& request,
              const TransitFinder& transits, LadderPicture& picture) {
    // PDUs that complete so many behind the range may have begun in it.
    constexpr size_t most_behind = 1024;
    const ConnectionTrack& track = *reading.timeline().track(request.connection);
    const TimeRange range = request.prepared.range;
    const ResultStore& store = reading.store();
    const PacketNumber packets = reading.index().packets();
    const auto time_at = [&](uint32_t row) { return time_of_pdu(reading, row); };
    size_t at = first_not_before(track.pdus, range.begin_ns - transits.reach_ns(), time_at);
    size_t behind = 0;
    for (; at < track.pdus.size() && picture.pdus.size() < most_ladder_groups; ++at) {
        const uint32_t index = track.pdus[at];
        const PduRow& row = store.pdus()[index];
        if (time_at(index) >= range.end_ns + transits.reach_ns() && ++behind > most_behind) break;
        const PacketNumber first = row.first_packet != 0 ? row.first_packet : row.last_packet;
        const PacketNumber last = row.last_packet != 0 ? row.last_packet : first;
        if (first == 0 || std::max(first, last) > packets) continue;
        LadderPdu pdu;
        pdu.sender = row.sender;
        pdu.first = transits.transit(first, pdu.sender, reading.timeline().time_of(first));
        pdu.last = transits.transit(last, pdu.sender, reading.timeline().time_of(last));
        // What completes it may have been sent before it, to fill a hole: then it is a line.
        pdu.last = {std::max(pdu.first.left_ns, pdu.last.left_ns),
                    std::max(pdu.first.arrival_ns, pdu.last.arrival_ns)};
        if (!overlaps(range, pdu.first.left_ns, pdu.last.arrival_ns)) continue;
        pdu.number = uint64_t{index} + 1;
        pdu.command = row.command;
        pdu.data_length = row.data_length;
        pdu.opcode = row.opcode;
        pdu.completed = row.last_packet != 0;
        pdu.damaged = row.damaged;
        pdu.passes = request.filter == nullptr || request.filter->rows.pdus.test(index);
        const bool has_command = row.command != 0 && row.command <= store.commands().size();
        pdu.label = pdu_words(row, has_command ? &store.commands()[row.command - 1] : nullptr);
        picture.pdus.push_back(std::move(pdu));
    }
}

void add_commands(const CaptureData::Reading& reading, const LadderRequest& request,
                  const TransitFinder& transits, LadderPicture& picture) {
    const ConnectionTrack& track = *reading.timeline().track(request.connection);
    const TimeRange range = request.prepared.range;
    const ResultStore& store = reading.store();
    const PacketNumber packets = reading.index().packets();
    picture.lanes = track.slots_used;
    const auto add = [&](size_t position) {
        const uint32_t index = track.commands[position];
        const CommandRow& row = store.commands()[index];
        LadderCommand command;
        const auto transit_of = [&](PacketNumber packet, Role sender, bool& has) {
            has = packet != 0 && packet <= packets;
            return has ? transits.transit(packet, sender, reading.timeline().time_of(packet))
                       : PacketTransit{};
        };
        command.data_sender = writes_blocks(row.opcode) ? Role::initiator : Role::target;
        command.request = transit_of(row.request_packet, Role::initiator, command.has_request);
        command.response = transit_of(row.response_packet, Role::target, command.has_response);
        bool has_last = false;
        command.first_data = transit_of(row.first_data_packet, command.data_sender, command.has_data);
        command.last_data = transit_of(row.last_data_packet, command.data_sender, has_last);
        command.has_data = command.has_data && has_last;
        command.last_data.left_ns = std::max(command.first_data.left_ns, command.last_data.left_ns);
        command.last_data.arrival_ns = std::max(command.first_data.arrival_ns, command.last_data.arrival_ns);
        const int64_t end_ns = reading.timeline().end_of(row);
        command.ended = end_ns != no_time;
        command.begin_ns =
            command.has_request ? command.request.left_ns : within_reach(Timeline::start_of(row));
        command.end_ns = command.has_response ? command.response.arrival_ns
                         : command.ended      ? within_reach(end_ns)
                                              : range.end_ns;
        if (!overlaps(range, command.begin_ns, command.end_ns)) return;
        command.number = uint64_t{index} + 1;
        command.failed = ended_without_answer(row.outcome) || ended_otherwise_than_good(row);
        command.passes = request.filter == nullptr || request.filter->rows.commands.test(index);
        command.opcode = row.opcode;
        command.lane = track.slots[position];
        command.label = command_words(row);
        picture.commands.push_back(std::move(command));
    };
    const auto start = [&](uint32_t row) { return Timeline::start_of(store.commands()[row]); };
    const size_t first =
        first_not_before(track.commands, range.begin_ns - transits.reach_ns() - track.longest_ns, start);
    for (const uint32_t position : track.unended) {
        if (position >= first || picture.commands.size() >= most_ladder_groups / 4) break;
        add(position);
    }
    for (size_t at = first; at < track.commands.size() && picture.commands.size() < most_ladder_groups;
         ++at) {
        if (start(track.commands[at]) >= range.end_ns + transits.reach_ns()) break;
        add(at);
    }
}

}  // namespace sanscope
