// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/timeline/timeline.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "analyzer/base/partition_index.h"
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

// A track is begun with the first payload; the segments before it, a handshake mostly, are fetched then.
ConnectionTrack* Timeline::begin_track(uint32_t connection, size_t behind_row) {
    if (made_ >= max_tracks) return nullptr;
    if (tracks_.size() < connection) {
        tracks_.resize(connection);
        making_.resize(connection);
    }
    auto& track = tracks_[connection - 1];
    track = std::make_unique<ConnectionTrack>(words_, memory_);
    making_[connection - 1] = std::make_unique<Making>();
    ++made_;
    constexpr size_t farthest_back = 100'000;
    const PacketNumber first_packet = store_->connection(connection).first_packet;
    size_t row = behind_row < farthest_back ? 0 : behind_row - farthest_back;
    if (first_packet > 0) row = std::max<size_t>(row, first_packet - 1);
    for (; row < behind_row; ++row) {
        const SegmentRow& segment = store_->segments()[row];
        if (segment.connection != connection) continue;
        SenderTrack& sender = track->senders[index_of(segment.sender)];
        sender.segments.push_back(static_cast<uint32_t>(row));
        sender.payload.push(segment.payload_length);
    }
    return track.get();
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

void Timeline::count_payload(Counted direction, int64_t time_ns, const SegmentRow& segment, bool taken_back) {
    if (segment.payload_length == 0) return;
    OverviewBin& bin = overview_.at(time_ns);
    const bool from_initiator = (direction == Counted::initiator_is_a) == (segment.sender == Side::a);
    uint64_t& bytes = direction == Counted::direction_unknown ? bin.bytes_unknown
                      : from_initiator                        ? bin.bytes_out
                                                              : bin.bytes_in;
    if (taken_back) {
        bytes -= segment.payload_length;
    } else {
        bytes += segment.payload_length;
    }
}

// What was counted before it was known who is the initiator is counted again.
void Timeline::settle_direction(uint32_t connection) {
    if (counted_.size() < connection) counted_.resize(connection, Counted::nothing);
    Counted& counted = counted_[connection - 1];
    const Counted direction = direction_of(connection);
    if (counted == direction) return;
    const Counted before = std::exchange(counted, direction);
    const ConnectionTrack* const track = track_for(connection);
    if (before == Counted::nothing || track == nullptr) return;
    for (const SenderTrack& sender : track->senders) {
        for (const uint32_t row : sender.segments) {
            const SegmentRow& segment = store_->segments()[row];
            count_payload(before, time_of(row + 1), segment, true);
            count_payload(direction, time_of(row + 1), segment, false);
        }
    }
}

void Timeline::take_segment(size_t row, const SegmentRow& segment) {
    if (index_->conversation(row + 1) == Conversations::no_packet) return;
    const int64_t time_ns = time_of(row + 1);
    first_ns_ = first_ns_ == no_time ? time_ns : std::min(first_ns_, time_ns);
    last_ns_ = std::max(last_ns_, time_ns);
    OverviewBin& bin = overview_.at(time_ns);
    ++bin.packets;
    bin.wire_bytes += index_->place<&PacketPlace::wire_length>(row + 1);
    if (segment.connection == 0) return;
    settle_direction(segment.connection);
    count_payload(counted_[segment.connection - 1], time_ns, segment, false);
    ConnectionTrack* track = track_for(segment.connection);
    if (track == nullptr && segment.payload_length > 0) track = begin_track(segment.connection, row);
    if (track == nullptr) return;
    const size_t side = index_of(segment.sender);
    SenderTrack& sender = track->senders[side];
    append(sender.segments, static_cast<uint32_t>(row), time_ns,
           making_[segment.connection - 1]->late.senders[side].segments, segment.connection,
           [&](uint32_t at) { return time_of(at + 1); });
    sender.payload.push(segment.payload_length);
}

void Timeline::take_window(size_t row, const WindowRow& window) {
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

void Timeline::take_pdu(size_t row, const PduRow& pdu) {
    ConnectionTrack* track = track_for(pdu.connection);
    const int64_t time_ns = time_of_pdu(pdu);
    if (track == nullptr || time_ns == no_time) return;
    append(track->pdus, static_cast<uint32_t>(row), time_ns, making_[pdu.connection - 1]->late.pdus,
           pdu.connection, [&](uint32_t at) { return time_of_pdu(at); });
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
        if (next_pending_ >= pending_.size()) next_pending_ = 0;
        const Pending pending = pending_[next_pending_];
        ConnectionTrack& track = *track_for(pending.connection);
        const size_t row = track.commands[pending.position];
        const CommandRow& command = store_->commands()[row];
        const int64_t end_ns = end_of(command);
        if (end_ns == no_time) {
            ++next_pending_;
            continue;
        }
        pending_[next_pending_] = pending_.back();
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

bool Timeline::update(size_t most_rows) {
    if (finished_) return true;
    const ResultStore& store = *store_;
    const auto take = [&](size_t& taken, size_t rows, auto take_row) {
        const size_t end = step(taken, rows, most_rows);
        while (taken < end) take_row(taken++);
        return taken == rows;
    };
    const auto take_runs = [&]<auto... members>(size_t & taken, const auto& rows, auto take_row) {
        const size_t end = step(taken, rows.size(), most_rows);
        rows.template for_each_run<members...>(taken, end - taken, [&](auto run, size_t first) {
            for (size_t i = 0; i < run.size(); ++i) take_row(first + i, run[i]);
        });
        taken = end;
        return taken == rows.size();
    };
    const bool all_segments =
        take_runs
            .template operator()<&SegmentRow::connection, &SegmentRow::payload_length, &SegmentRow::sender>(
                taken_.segments, store.segments(),
                [&](size_t row, const SegmentRow& segment) { take_segment(row, segment); });
    // What hangs on a packet has a track only once that was taken in.
    if (!all_segments) {
        sort_late();
        return false;
    }
    bool all = take_runs.template operator()<&WindowRow::connection, &WindowRow::sender, &WindowRow::cwnd,
                                             &WindowRow::in_flight, &WindowRow::advertised_window>(
        taken_.windows, store.windows(),
        [&](size_t row, const WindowRow& window) { take_window(row, window); });
    all &=
        take(taken_.ca_transitions, store.ca_transitions().size(), [&](size_t row) { take_transition(row); });
    all &= take(taken_.losses, store.losses().size(), [&](size_t row) { take_loss(row); });
    all &= take(taken_.kernel_windows, store.kernel_windows().size(),
                [&](size_t row) { take_kernel_window(row); });
    all &= take(taken_.kernel_ca_transitions, store.kernel_ca_transitions().size(),
                [&](size_t row) { take_kernel_transition(row); });
    all &= take_runs.template operator()<&PduRow::connection, &PduRow::time_ns, &PduRow::first_packet>(
        taken_.pdus, store.pdus(), [&](size_t row, const PduRow& pdu) { take_pdu(row, pdu); });
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
    for (uint32_t connection = 1; connection <= counted_.size(); ++connection) {
        if (counted_[connection - 1] != Counted::nothing) settle_direction(connection);
    }
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
    finished_ = true;
}

void Timeline::finish() {
    take_rest();
    finish(prepare_final(false));
}

}  // namespace sanscope
