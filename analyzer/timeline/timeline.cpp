// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/timeline/timeline.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/base/partition_index.h"
#include "analyzer/base/reachable_time.h"
#include "analyzer/vocabulary/iscsi_port.h"

namespace sanscope {
namespace {

bool is_retransmission(LossKind kind) {
    switch (kind) {
        case LossKind::fast_retransmit:
        case LossKind::rto:
        case LossKind::tlp:
        case LossKind::spurious:
            return true;
        default:
            return false;
    }
}

// SplitMix64's finaliser.
uint64_t mixed(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

uint64_t command_digest(size_t row, int64_t start_ns, int64_t end_ns, int64_t turnaround_ns) {
    uint64_t digest = mixed(row + 1);
    for (const int64_t time_ns : {start_ns, end_ns, turnaround_ns})
        digest = mixed(digest ^ static_cast<uint64_t>(time_ns));
    return digest;
}

// How many rows of a table this update takes in.
size_t step(size_t taken, size_t rows, size_t most) {
    return std::min(rows, taken + std::min(most, rows - taken));
}

// Rows [from, …) in order of time; what stands before is so, and earlier. That is all of them from then on.
template <class TimeAt>
void put_in_order(SenderTrack::Rows& rows, size_t& from, TimeAt time_at) {
    if (from == SIZE_MAX) return;
    std::vector<uint32_t> unordered;
    unordered.reserve(rows.size() - from);
    for (size_t i = from; i < rows.size(); ++i) unordered.push_back(rows[i]);
    std::ranges::stable_sort(unordered, {}, time_at);
    rows.truncate(from);
    for (const uint32_t row : unordered) rows.push_back(row);
    from = SIZE_MAX;
}

// What summarises values in the order of their rows, once that has changed behind `from`.
template <class Summary, class ValueAt, class Sort>
void make_anew(Summary& summary, size_t& from, ValueAt value_at, Sort sort) {
    if (from == SIZE_MAX) return;
    const size_t begin = from;
    const size_t end = summary.size();
    summary.truncate(begin, value_at);
    sort(from);
    for (size_t i = begin; i < end; ++i) summary.push(value_at(i));
}

}  // namespace

void OverviewBin::add(const OverviewBin& other) {
    bytes_out += other.bytes_out;
    bytes_in += other.bytes_in;
    bytes_unknown += other.bytes_unknown;
    wire_bytes += other.wire_bytes;
    packets += other.packets;
    losses += other.losses;
    commands += other.commands;
    slowest_ns = std::max(slowest_ns, other.slowest_ns);
}

int64_t Timeline::start_of(const CommandRow& command) {
    if (command.request_ns != no_time) return command.request_ns;
    if (command.first_data_ns != no_time) return command.first_data_ns;
    return command.response_ns;
}

int64_t Timeline::end_of(const CommandRow& command) const {
    if (command.response_ns != no_time) return command.response_ns;
    if (command.ended_nobody_knows_when()) {
        return std::max(
            {start_of(command), command.first_byte_ns, command.first_data_ns, command.last_data_ns});
    }
    return command.aborted_packet != 0 && command.aborted_packet <= index_->packets()
               ? time_of(command.aborted_packet)
               : no_time;
}

// A track is begun with the first payload; the segments before it, a handshake mostly, are fetched then, but for those
// that are copied.
void Timeline::begin_track(uint32_t connection, size_t behind_row, size_t first_copied) {
    if (made_ >= max_tracks) return;
    if (tracks_.size() < connection) {
        tracks_.resize(connection);
        making_.resize(connection);
    }
    auto& track = tracks_[connection - 1];
    track = std::make_unique<ConnectionTrack>(words_, memory_);
    making_[connection - 1] = std::make_unique<Making>();
    Making& making = *making_[connection - 1];
    counted_[connection - 1] = direction_of(connection);
    ++made_;
    constexpr size_t farthest_back = 100'000;
    const PacketNumber first_packet = store_->connection(connection).first_packet;
    size_t row = behind_row < farthest_back ? 0 : behind_row - farthest_back;
    if (first_packet > 0) row = std::max<size_t>(row, first_packet - 1);
    for (; row < std::min(behind_row, first_copied); ++row) {
        if (store_->segments().get<&SegmentRow::connection>(row) != connection) continue;
        const SegmentRow segment = store_->segments()[row];
        const size_t side = index_of(segment.sender);
        track->senders[side].segments.push_back(static_cast<uint32_t>(row));
        track->senders[side].payload.push(segment.payload_length);
        making.last_segment_ns[side] = time_of(row + 1);
    }
}

size_t ConnectionTrack::first_moved_pdu(uint32_t times) const {
    if (pdus_moved_ - times > remembered_moves) return 0;
    size_t first = pdus.size();
    for (uint32_t i = times; i != pdus_moved_; ++i)
        first = std::min(first, first_moved_[i % remembered_moves]);
    return first;
}

void ConnectionTrack::note_moved_pdus(size_t first) {
    first_moved_[pdus_moved_ % remembered_moves] = first;
    ++pdus_moved_;
}

// A row that came late stands behind its place until sort_late(): it is mostly only a few rows away.
template <class TimeAt>
void Timeline::append(SenderTrack::Rows& rows, uint32_t row, int64_t time_ns, size_t& late_from,
                      uint32_t connection, TimeAt time_at) {
    if (!rows.empty() && time_at(rows.back()) > time_ns) {
        const size_t in_order = std::min(late_from, rows.size());
        late_from =
            partition_index(size_t{0}, in_order, [&](size_t i) { return time_at(rows[i]) <= time_ns; });
        unsorted_.push_back(connection);
    }
    rows.push_back(row);
}

ConnectionTrack* Timeline::track_for(uint32_t connection) {
    return connection == 0 || connection > tracks_.size() ? nullptr : tracks_[connection - 1].get();
}

// By its PDUs, by who sent the SYN, or by the port that is iSCSI's alone; other ports tell nothing.
Timeline::Counted Timeline::direction_of(uint32_t connection) const {
    const ConnectionRow& row = store_->connection(connection);
    const bool known = row.iscsi || row.out.syns > 0 || row.in.syns > 0 ||
                       is_iscsi_port(row.initiator.port) != is_iscsi_port(row.target.port);
    if (!known) return Counted::direction_unknown;
    return row.initiator_side == Side::a ? Counted::initiator_is_a : Counted::initiator_is_b;
}

uint64_t& Timeline::payload_of(OverviewBin& bin, Counted direction, Side sender) {
    if (direction == Counted::direction_unknown) return bin.bytes_unknown;
    return (direction == Counted::initiator_is_a) == (sender == Side::a) ? bin.bytes_out : bin.bytes_in;
}

// What was counted before it was known who is the initiator is counted again.
void Timeline::settle_direction(uint32_t connection) {
    Counted& counted = counted_[connection - 1];
    const Counted direction = direction_of(connection);
    if (counted == direction) return;
    const Counted before = std::exchange(counted, direction);
    const ConnectionTrack* const track = track_for(connection);
    if (track == nullptr) return;
    for (const Side side : {Side::a, Side::b}) {
        for (const uint32_t row : track->sender(side).segments) {
            const uint32_t length = store_->segments().get<&SegmentRow::payload_length>(row);
            OverviewBin& bin = overview_.at(time_of(row + 1));
            payload_of(bin, before, side) -= length;
            payload_of(bin, direction, side) += length;
        }
    }
}

void Timeline::copy_segments(size_t end) {
    const size_t begin = taken_.segments;
    intake_->segments.resize(end - begin);
    store_->segments()
        .for_each_run<&SegmentRow::connection, &SegmentRow::payload_length, &SegmentRow::sender>(
            begin, end - begin, [&](std::span<const SegmentRow> run, size_t first) {
                for (size_t i = 0; i < run.size(); ++i) {
                    CopiedSegment& copied = intake_->segments[first - begin + i];
                    copied.connection = run[i].connection;
                    copied.payload_length = run[i].payload_length;
                    copied.sender = run[i].sender;
                    copied.is_packet = run[i].connection != 0 ||
                                       index_->conversation(first + i + 1) != Conversations::no_packet;
                }
            });
    index_->for_each_of<&PacketPlace::time_ns>(begin + 1, end - begin, [&](size_t i, int64_t time_ns) {
        intake_->segments[i].time_ns = within_reach(time_ns);
    });
    index_->for_each_of<&PacketPlace::wire_length>(begin + 1, end - begin, [&](size_t i, uint32_t length) {
        intake_->segments[i].wire_length = length;
    });
    for (size_t connection = counted_.size() + 1; connection <= store_->connections().size(); ++connection)
        counted_.push_back(direction_of(static_cast<uint32_t>(connection)));
    for (size_t i = 0; i < intake_->segments.size(); ++i) {
        const CopiedSegment& segment = intake_->segments[i];
        if (segment.payload_length > 0 && segment.connection != 0 && track_for(segment.connection) == nullptr)
            begin_track(segment.connection, begin + i, begin);
    }
}

void Timeline::copy_windows(size_t end) {
    const size_t begin = taken_.windows;
    intake_->windows.resize(end - begin);
    store_->windows()
        .for_each_run<&WindowRow::connection, &WindowRow::sender, &WindowRow::cwnd, &WindowRow::in_flight,
                      &WindowRow::advertised_window>(
            begin, end - begin, [&](std::span<const WindowRow> run, size_t first) {
                for (size_t i = 0; i < run.size(); ++i) {
                    intake_->windows[first - begin + i] = {run[i].connection, run[i].cwnd, run[i].in_flight,
                                                           run[i].advertised_window, run[i].sender};
                }
            });
}

void Timeline::copy_pdus(size_t end) {
    const size_t begin = taken_.pdus;
    intake_->pdus.resize(end - begin);
    store_->pdus().for_each_run<&PduRow::connection, &PduRow::time_ns, &PduRow::first_packet>(
        begin, end - begin, [&](std::span<const PduRow> run, size_t first) {
            for (size_t i = 0; i < run.size(); ++i)
                intake_->pdus[first - begin + i] = {time_of_pdu(run[i]), run[i].connection};
        });
}

void Timeline::take_segment(size_t row, const CopiedSegment& segment) {
    if (!segment.is_packet) return;
    const int64_t time_ns = segment.time_ns;
    first_ns_ = first_ns_ == no_time ? time_ns : std::min(first_ns_, time_ns);
    last_ns_ = std::max(last_ns_, time_ns);
    OverviewBin& bin = overview_.at(time_ns);
    ++bin.packets;
    bin.wire_bytes += segment.wire_length;
    if (segment.connection == 0) return;
    payload_of(bin, counted_[segment.connection - 1], segment.sender) += segment.payload_length;
    ConnectionTrack* track = track_for(segment.connection);
    if (track == nullptr) {
        if (segment.payload_length > 0) intake_->undirected.push_back(segment.connection);
        return;
    }
    Making& making = *making_[segment.connection - 1];
    if (!std::exchange(making.direction_may_have_changed, true))
        intake_->undirected.push_back(segment.connection);
    const size_t side = index_of(segment.sender);
    if (time_ns < making.last_segment_ns[side]) {
        intake_->late_segments.push_back({static_cast<uint32_t>(row), segment});
        return;
    }
    making.last_segment_ns[side] = time_ns;
    SenderTrack& sender = track->senders[side];
    sender.segments.push_back(static_cast<uint32_t>(row));
    sender.payload.push(segment.payload_length);
}

void Timeline::take_window(size_t row, const CopiedWindow& window) {
    ConnectionTrack* track = track_for(window.connection);
    if (track == nullptr) return;
    SenderTrack& sender = track->senders[index_of(window.sender)];
    sender.windows.push_back(static_cast<uint32_t>(row));
    sender.cwnd.push(window.cwnd);
    sender.in_flight.push(window.in_flight);
    sender.advertised_window.push(window.advertised_window);
}

void Timeline::take_transition(size_t row) {
    const CaTransitionRow& transition = store_->ca_transitions()[row];
    ConnectionTrack* track = track_for(transition.connection);
    if (track != nullptr) {
        track->senders[index_of(transition.sender)].ca_transitions.push_back(static_cast<uint32_t>(row));
    }
}

void Timeline::take_loss(size_t row) {
    const LossRow& loss = store_->losses()[row];
    if (loss.time_ns != no_time && is_retransmission(loss.kind)) ++overview_.at(time_of_loss(row)).losses;
    ConnectionTrack* track = track_for(loss.connection);
    if (track == nullptr || loss.time_ns == no_time) return;
    const size_t side = index_of(loss.sender);
    append(track->senders[side].losses, static_cast<uint32_t>(row), time_of_loss(row),
           making_[loss.connection - 1]->late.senders[side].losses, loss.connection,
           [&](uint32_t at) { return time_of_loss(at); });
}

void Timeline::take_kernel_window(size_t row) {
    const KernelWindowRow& window = store_->kernel_windows()[row];
    ConnectionTrack* track = track_for(window.connection);
    if (track == nullptr) return;
    const size_t side = index_of(window.sender);
    SenderTrack& sender = track->senders[side];
    append(sender.kernel_windows, static_cast<uint32_t>(row), window.time_ns,
           making_[window.connection - 1]->late.senders[side].kernel_windows, window.connection,
           [&](uint32_t at) { return store_->kernel_windows()[at].time_ns; });
    sender.kernel_cwnd.push(window.cwnd);
}

void Timeline::take_kernel_transition(size_t row) {
    const KernelCaTransitionRow& transition = store_->kernel_ca_transitions()[row];
    ConnectionTrack* track = track_for(transition.connection);
    if (track == nullptr) return;
    const size_t side = index_of(transition.sender);
    append(track->senders[side].kernel_ca_transitions, static_cast<uint32_t>(row), transition.time_ns,
           making_[transition.connection - 1]->late.senders[side].kernel_ca_transitions,
           transition.connection, [&](uint32_t at) { return store_->kernel_ca_transitions()[at].time_ns; });
}

int64_t Timeline::time_of_pdu(const PduRow& pdu) const {
    if (pdu.time_ns != no_time) return pdu.time_ns;
    return pdu.first_packet == 0 ? no_time : time_of(pdu.first_packet);
}

int64_t Timeline::time_of_pdu(uint32_t row) const {
    const int64_t time_ns = store_->pdus().get<&PduRow::time_ns>(row);
    return time_ns == no_time ? time_of_pdu(store_->pdus()[row]) : time_ns;
}

void Timeline::take_pdu(size_t row, const CopiedPdu& pdu) {
    ConnectionTrack* track = track_for(pdu.connection);
    if (track == nullptr || pdu.time_ns == no_time) return;
    int64_t& last_ns = making_[pdu.connection - 1]->last_pdu_ns;
    if (pdu.time_ns < last_ns) {
        intake_->late_pdus.push_back({static_cast<uint32_t>(row), pdu});
        return;
    }
    last_ns = pdu.time_ns;
    track->pdus.push_back(static_cast<uint32_t>(row));
}

// … and what was counted of connections of which more is known now.
void Timeline::take_late() {
    for (const auto& [row, segment] : intake_->late_segments) {
        const size_t side = index_of(segment.sender);
        SenderTrack& sender = track_for(segment.connection)->senders[side];
        append(sender.segments, row, segment.time_ns,
               making_[segment.connection - 1]->late.senders[side].segments, segment.connection,
               [&](uint32_t at) { return time_of(at + 1); });
        sender.payload.push(segment.payload_length);
    }
    intake_->late_segments.clear();
    for (const auto& [row, pdu] : intake_->late_pdus) {
        append(track_for(pdu.connection)->pdus, row, pdu.time_ns, making_[pdu.connection - 1]->late.pdus,
               pdu.connection, [&](uint32_t at) { return time_of_pdu(at); });
    }
    intake_->late_pdus.clear();
    sort_late();
    for (const uint32_t connection : intake_->undirected) {
        settle_direction(connection);
        if (track_for(connection) != nullptr) making_[connection - 1]->direction_may_have_changed = false;
    }
    intake_->undirected.clear();
}

// Whether nothing more is to be expected of a command's row soon.
bool Timeline::settled(const CommandRow& command, size_t rows_behind) const {
    constexpr size_t patience = 256;
    return rows_behind > patience || end_of(command) != no_time;
}

// Of what the lists here are made of: rows fill up long after they were begun.
uint64_t Timeline::digest_of(size_t row) const {
    const CommandRow& command = store_->commands()[row];
    return command_digest(row, start_of(command), end_of(command), command.turnaround_ns());
}

void Timeline::count_end(const CommandRow& command, CommandTrack& track,
                         TimeBins<OverviewBin>& overview) const {
    const int64_t end_ns = end_of(command);
    track.longest_ns = std::max(track.longest_ns, end_ns - start_of(command));
    track.last_end_ns = std::max(track.last_end_ns, end_ns);
    OverviewBin& bin = overview.at(end_ns);
    ++bin.commands;
    bin.slowest_ns = std::max(bin.slowest_ns, command.turnaround_ns());
}

CommandSlots::Place Timeline::add_command(size_t row, CommandTrack& track, CommandSlots& slots,
                                          TimeBins<OverviewBin>& overview) const {
    const CommandRow& command = store_->commands()[row];
    const int64_t end_ns = end_of(command);
    if (end_ns == no_time) {
        track.unended.push_back(static_cast<uint32_t>(track.commands.size()));
    } else {
        count_end(command, track, overview);
    }
    const CommandSlots::Place place = slots.take(start_of(command), end_ns);
    track.commands.push_back(static_cast<uint32_t>(row));
    track.slots.push_back(place.slot);
    track.slots_used = slots.used();
    track.turnaround.push(command.turnaround_ns());
    return place;
}

void Timeline::take_command(size_t row) {
    const CommandRow& command = store_->commands()[row];
    ConnectionTrack* track = track_for(command.connection);
    const int64_t start_ns = start_of(command);
    if (track == nullptr || start_ns == no_time) return;
    if (!track->commands.empty() && start_of(store_->commands()[track->commands.back()]) > start_ns)
        commands_in_order_ = false;
    commands_digest_ += digest_of(row);
    const auto position = static_cast<uint32_t>(track->commands.size());
    const CommandSlots::Place place =
        add_command(row, *track, making_[command.connection - 1]->slots, overview_);
    if (end_of(command) == no_time) pending_.push_back({command.connection, position, place});
}

void Timeline::take_commands(size_t end, bool patiently) {
    const size_t commands = store_->commands().size();
    while (taken_.commands < end &&
           (!patiently || settled(store_->commands()[taken_.commands], commands - taken_.commands - 1))) {
        take_command(taken_.commands++);
    }
}

// Of commands that had not ended when they were taken: some of them each time, where they are very many.
void Timeline::take_ends() {
    constexpr size_t at_once = 16384;
    std::vector<std::pair<uint32_t, uint32_t>> ended;  // connections and positions
    for (size_t looks = std::min(at_once, pending_.size()); looks > 0; --looks) {
        if (intake_->next_pending >= pending_.size()) intake_->next_pending = 0;
        const Pending pending = pending_[intake_->next_pending];
        ConnectionTrack& track = *track_for(pending.connection);
        const size_t row = track.commands[pending.position];
        const CommandRow& command = store_->commands()[row];
        const int64_t end_ns = end_of(command);
        if (end_ns == no_time) {
            ++intake_->next_pending;
            continue;
        }
        pending_[intake_->next_pending] = pending_.back();
        pending_.pop_back();
        making_[pending.connection - 1]->slots.release(pending.place, end_ns);
        count_end(command, track, overview_);
        const int64_t turnaround_ns = command.turnaround_ns();
        if (turnaround_ns == no_time) continue;
        track.turnaround.raise(pending.position, turnaround_ns);
        ended.emplace_back(pending.connection, pending.position);
        commands_digest_ += digest_of(row) - command_digest(row, start_of(command), no_time, no_time);
    }
    no_longer_unended(ended);
}

void Timeline::no_longer_unended(std::vector<std::pair<uint32_t, uint32_t>>& ended) {
    std::ranges::sort(ended);
    for (auto begin = ended.begin(); begin != ended.end();) {
        const uint32_t connection = begin->first;
        const auto end =
            std::find_if(begin, ended.end(), [&](const auto& other) { return other.first != connection; });
        auto next = begin;
        std::erase_if(track_for(connection)->unended, [&](uint32_t position) {
            if (next == end || next->second != position) return false;
            ++next;
            return true;
        });
        begin = end;
    }
}

bool Timeline::copy_rows(size_t most_rows) {
    if (finished_) return true;
    take_late();
    const ResultStore& store = *store_;
    const size_t segments = store.segments().size();
    copy_segments(step(taken_.segments, segments, most_rows));
    // What hangs on a packet has a track only once that was taken in.
    if (taken_.segments + intake_->segments.size() < segments) return false;
    copy_windows(step(taken_.windows, store.windows().size(), most_rows));
    copy_pdus(step(taken_.pdus, store.pdus().size(), most_rows));
    return taken_.windows + intake_->windows.size() == store.windows().size() &&
           taken_.pdus + intake_->pdus.size() == store.pdus().size();
}

void Timeline::take_copied() {
    const auto take = [](size_t& taken, auto& copied, auto take_row) {
        for (const auto& row : copied) take_row(taken++, row);
        copied.clear();
    };
    take(taken_.segments, intake_->segments,
         [&](size_t row, const CopiedSegment& segment) { take_segment(row, segment); });
    take(taken_.windows, intake_->windows,
         [&](size_t row, const CopiedWindow& window) { take_window(row, window); });
    take(taken_.pdus, intake_->pdus, [&](size_t row, const CopiedPdu& pdu) { take_pdu(row, pdu); });
}

bool Timeline::update(size_t most_rows) {
    if (finished_) return true;
    constexpr size_t rows_at_once = 32768;
    bool all = false;
    for (size_t left = most_rows; !all && left > 0; left -= std::min(left, rows_at_once)) {
        all = copy_rows(std::min(left, rows_at_once));
        take_copied();
    }
    take_late();
    const ResultStore& store = *store_;
    if (taken_.segments < store.segments().size()) return false;
    const auto take = [&](size_t& taken, size_t rows, auto take_row) {
        const size_t end = step(taken, rows, most_rows);
        while (taken < end) take_row(taken++);
        return taken == rows;
    };
    all &=
        take(taken_.ca_transitions, store.ca_transitions().size(), [&](size_t row) { take_transition(row); });
    all &= take(taken_.losses, store.losses().size(), [&](size_t row) { take_loss(row); });
    all &= take(taken_.kernel_windows, store.kernel_windows().size(),
                [&](size_t row) { take_kernel_window(row); });
    all &= take(taken_.kernel_ca_transitions, store.kernel_ca_transitions().size(),
                [&](size_t row) { take_kernel_transition(row); });
    // Those that ended by now free their slots for those that begin.
    take_ends();
    take_commands(step(taken_.commands, store.commands().size(), most_rows), true);
    sort_late();
    return all;
}

void Timeline::sort_late() {
    std::ranges::sort(unsorted_);
    unsorted_.erase(std::unique(unsorted_.begin(), unsorted_.end()), unsorted_.end());
    for (const uint32_t connection : unsorted_) {
        ConnectionTrack& track = *track_for(connection);
        Late& late = making_[connection - 1]->late;
        if (late.pdus != SIZE_MAX) {
            track.note_moved_pdus(late.pdus);
            put_in_order(track.pdus, late.pdus, [&](uint32_t row) { return time_of_pdu(row); });
        }
        for (size_t side = 0; side < 2; ++side) sort_late(track.senders[side], late.senders[side]);
    }
    unsorted_.clear();
}

void Timeline::sort_late(SenderTrack& sender, Late::OfSender& late) {
    put_in_order(sender.losses, late.losses, [&](uint32_t row) { return time_of_loss(row); });
    put_in_order(sender.kernel_ca_transitions, late.kernel_ca_transitions,
                 [&](uint32_t row) { return store_->kernel_ca_transitions()[row].time_ns; });
    const auto payload_at = [&](size_t i) {
        return store_->segments().get<&SegmentRow::payload_length>(sender.segments[i]);
    };
    make_anew(sender.payload, late.segments, payload_at, [&](size_t& from) {
        put_in_order(sender.segments, from, [&](uint32_t row) { return time_of(row + 1); });
    });
    const auto cwnd_at = [&](size_t i) { return store_->kernel_windows()[sender.kernel_windows[i]].cwnd; };
    make_anew(sender.kernel_cwnd, late.kernel_windows, cwnd_at, [&](size_t& from) {
        put_in_order(sender.kernel_windows, from,
                     [&](uint32_t row) { return store_->kernel_windows()[row].time_ns; });
    });
}

void Timeline::take_rest() {
    while (!update()) {
    }
    take_commands(store_->commands().size(), false);
    for (uint32_t connection = 1; connection <= counted_.size(); ++connection) settle_direction(connection);
}

bool Timeline::commands_are_right(const std::atomic<bool>& stop) const {
    if (!commands_in_order_) return false;
    uint64_t digest = 0;
    for (size_t row = 0; row < store_->commands().size() && !stop; ++row) {
        const CommandRow& command = store_->commands()[row];
        if (track(command.connection) != nullptr && start_of(command) != no_time) digest += digest_of(row);
    }
    return digest == commands_digest_;
}

void Timeline::make_commands_anew(Final& final, const std::atomic<bool>& stop) const {
    std::pmr::vector<uint32_t> order(memory_);
    order.reserve(store_->commands().size());
    const auto start = [&](uint32_t row) { return start_of(store_->commands()[row]); };
    bool in_order = true;
    for (uint32_t row = 0; row < store_->commands().size(); ++row) {
        if (start(row) == no_time) continue;
        in_order = in_order && (order.empty() || start(order.back()) <= start(row));
        order.push_back(row);
    }
    if (!in_order) std::ranges::stable_sort(order, {}, start);
    final.commands.resize(tracks_.size());
    std::vector<CommandSlots> slots(tracks_.size());
    for (const uint32_t row : order) {
        if (stop) return;
        const uint32_t connection = store_->commands()[row].connection;
        if (track(connection) == nullptr) continue;
        auto& commands = final.commands[connection - 1];
        if (commands == nullptr) commands = std::make_unique<CommandTrack>(memory_);
        add_command(row, *commands, slots[connection - 1], final.overview);
    }
}

// Losses may have turned out to be of another kind, commands to have begun or ended otherwise.
std::unique_ptr<Timeline::Final> Timeline::prepare_final(const std::atomic<bool>& stop) const {
    auto final = std::make_unique<Final>();
    const bool right = commands_are_right(stop);
    const auto bins = overview_.bins();
    for (size_t i = 0; i < bins.size(); ++i) {
        OverviewBin bin = bins[i];
        bin.losses = 0;
        if (!right) {
            bin.commands = 0;
            bin.slowest_ns = no_time;
        }
        final->overview.at(overview_.begin_ns() + static_cast<int64_t>(i) * overview_.width_ns()).add(bin);
    }
    for (size_t row = 0; row < store_->losses().size(); ++row) {
        const LossRow& loss = store_->losses()[row];
        if (loss.time_ns != no_time && is_retransmission(loss.kind))
            ++final->overview.at(time_of_loss(row)).losses;
    }
    if (!right) make_commands_anew(*final, stop);
    return stop ? nullptr : std::move(final);
}

void Timeline::finish(std::unique_ptr<Final> prepared) {
    overview_ = std::move(prepared->overview);
    for (size_t i = 0; i < prepared->commands.size(); ++i) {
        if (tracks_[i] == nullptr) continue;
        CommandTrack& commands = *tracks_[i];
        commands = prepared->commands[i] ? std::move(*prepared->commands[i]) : CommandTrack(memory_);
        ++tracks_[i]->commands_made_anew;
    }
    making_.clear();
    pending_.clear();
    *intake_ = {};
    finished_ = true;
}

void Timeline::finish() {
    take_rest();
    finish(prepare_final(false));
}

}  // namespace sanscope
