// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/timeline/timeline.h"

#include <algorithm>
#include <limits>

namespace sanscope {
namespace {

constexpr int64_t never_ns = std::numeric_limits<int64_t>::max();

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

// How many rows of a table this update takes in.
size_t step(size_t taken, size_t rows, size_t most) {
    return std::min(rows, taken + std::min(most, rows - taken));
}

}  // namespace

void OverviewBin::add(const OverviewBin& other) {
    bytes_out += other.bytes_out;
    bytes_in += other.bytes_in;
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
    return command.aborted_packet != 0 && command.aborted_packet <= index_->packets()
               ? time_of(command.aborted_packet)
               : no_time;
}

uint16_t Timeline::Slots::take(int64_t start_ns, int64_t end_ns) {
    while (!busy.empty() && busy.top().until_ns <= start_ns) {
        free.push(busy.top().slot);
        busy.pop();
    }
    uint16_t slot = 0;
    if (!free.empty()) {
        slot = free.top();
        free.pop();
    } else {
        if (used == std::numeric_limits<uint16_t>::max()) return used;
        slot = used++;
    }
    busy.push({end_ns == no_time ? never_ns : end_ns, slot});
    return slot;
}

// A track is begun with the first payload; the segments before it, a handshake mostly, are fetched then.
ConnectionTrack* Timeline::begin_track(uint32_t connection, size_t behind_row) {
    if (made_ >= max_tracks) return nullptr;
    if (tracks_.size() < connection) {
        tracks_.resize(connection);
        slots_.resize(connection);
    }
    auto& track = tracks_[connection - 1];
    track = std::make_unique<ConnectionTrack>(memory_);
    slots_[connection - 1] = std::make_unique<Slots>();
    ++made_;
    constexpr size_t farthest_back = 100'000;
    const PacketNumber first_packet = store_->connections()[connection - 1].first_packet;
    size_t row = behind_row < farthest_back ? 0 : behind_row - farthest_back;
    if (first_packet > 0) row = std::max<size_t>(row, first_packet - 1);
    for (; row < behind_row; ++row) {
        const SegmentRow& segment = store_->segments()[row];
        if (segment.connection != connection) continue;
        SenderTrack& sender = track->senders[segment.from_a ? 0 : 1];
        sender.segments.push_back(static_cast<uint32_t>(row));
        sender.payload.push(segment.payload_length);
    }
    return track.get();
}

ConnectionTrack* Timeline::track_for(uint32_t connection) {
    return connection == 0 || connection > tracks_.size() ? nullptr : tracks_[connection - 1].get();
}

bool Timeline::is_out(uint32_t connection, bool from_a) const {
    return store_->connections()[connection - 1].initiator_is_a == from_a;
}

void Timeline::take_segment(size_t row) {
    if (index_->conversation(row + 1) == Conversations::no_packet) return;
    const int64_t time_ns = time_of(row + 1);
    first_ns_ = first_ns_ == no_time ? time_ns : std::min(first_ns_, time_ns);
    last_ns_ = std::max(last_ns_, time_ns);
    OverviewBin& bin = overview_.at(time_ns);
    ++bin.packets;
    bin.wire_bytes += index_->place(row + 1).wire_length;
    const SegmentRow& segment = store_->segments()[row];
    if (segment.connection == 0) return;
    (is_out(segment.connection, segment.from_a) ? bin.bytes_out : bin.bytes_in) += segment.payload_length;
    ConnectionTrack* track = track_for(segment.connection);
    if (track == nullptr && segment.payload_length > 0) track = begin_track(segment.connection, row);
    if (track == nullptr) return;
    SenderTrack& sender = track->senders[segment.from_a ? 0 : 1];
    if (!sender.segments.empty() && time_of(sender.segments.back() + 1) > time_ns) {
        unsorted_.push_back(segment.connection);
    }
    sender.segments.push_back(static_cast<uint32_t>(row));
    sender.payload.push(segment.payload_length);
}

void Timeline::take_window(size_t row) {
    const WindowRow& window = store_->windows()[row];
    ConnectionTrack* track = track_for(window.connection);
    if (track == nullptr) return;
    SenderTrack& sender = track->senders[window.from_a ? 0 : 1];
    sender.windows.push_back(static_cast<uint32_t>(row));
    sender.cwnd.push(window.cwnd);
    sender.in_flight.push(window.in_flight);
    sender.advertised_window.push(window.advertised_window);
}

void Timeline::take_transition(size_t row) {
    const CaTransitionRow& transition = store_->ca_transitions()[row];
    ConnectionTrack* track = track_for(transition.connection);
    if (track != nullptr) {
        track->senders[transition.from_a ? 0 : 1].ca_transitions.push_back(static_cast<uint32_t>(row));
    }
}

void Timeline::take_loss(size_t row) {
    const LossRow& loss = store_->losses()[row];
    if (loss.time_ns != no_time && is_retransmission(loss.kind)) ++overview_.at(loss.time_ns).losses;
    ConnectionTrack* track = track_for(loss.connection);
    if (track == nullptr || loss.time_ns == no_time) return;
    auto& losses = track->senders[loss.from_a ? 0 : 1].losses;
    if (!losses.empty() && store_->losses()[losses.back()].time_ns > loss.time_ns) {
        unsorted_.push_back(loss.connection);
    }
    losses.push_back(static_cast<uint32_t>(row));
}

void Timeline::take_kernel_window(size_t row) {
    const KernelWindowRow& window = store_->kernel_windows()[row];
    ConnectionTrack* track = track_for(window.connection);
    if (track == nullptr) return;
    SenderTrack& sender = track->senders[window.from_a ? 0 : 1];
    auto& windows = sender.kernel_windows;
    if (!windows.empty() && store_->kernel_windows()[windows.back()].time_ns > window.time_ns)
        unsorted_.push_back(window.connection);
    windows.push_back(static_cast<uint32_t>(row));
    sender.kernel_cwnd.push(window.cwnd);
}

void Timeline::take_kernel_transition(size_t row) {
    const KernelCaTransitionRow& transition = store_->kernel_ca_transitions()[row];
    ConnectionTrack* track = track_for(transition.connection);
    if (track == nullptr) return;
    auto& transitions = track->senders[transition.from_a ? 0 : 1].kernel_ca_transitions;
    if (!transitions.empty() &&
        store_->kernel_ca_transitions()[transitions.back()].time_ns > transition.time_ns)
        unsorted_.push_back(transition.connection);
    transitions.push_back(static_cast<uint32_t>(row));
}

int64_t Timeline::time_of_pdu(const PduRow& pdu) const {
    if (pdu.time_ns != no_time) return pdu.time_ns;
    return pdu.first_packet == 0 ? no_time : time_of(pdu.first_packet);
}

void Timeline::take_pdu(size_t row) {
    const PduRow& pdu = store_->pdus()[row];
    ConnectionTrack* track = track_for(pdu.connection);
    const int64_t time_ns = time_of_pdu(pdu);
    if (track == nullptr || time_ns == no_time) return;
    if (!track->pdus.empty() && time_of_pdu(store_->pdus()[track->pdus.back()]) > time_ns) {
        unsorted_.push_back(pdu.connection);
    }
    track->pdus.push_back(static_cast<uint32_t>(row));
}

// Whether nothing more is to be expected of a command's row soon.
bool Timeline::settled(const CommandRow& command, size_t rows_behind) const {
    constexpr size_t patience = 256;
    return rows_behind > patience || end_of(command) != no_time;
}

void Timeline::take_command(size_t row) {
    const CommandRow& command = store_->commands()[row];
    ConnectionTrack* track = track_for(command.connection);
    const int64_t start_ns = start_of(command);
    if (track == nullptr || start_ns == no_time) return;
    const int64_t end_ns = end_of(command);
    const int64_t turnaround_ns = command.turnaround_ns();
    if (end_ns == no_time) {
        track->unended.push_back(static_cast<uint32_t>(track->commands.size()));
    } else {
        track->longest_ns = std::max(track->longest_ns, end_ns - start_ns);
        OverviewBin& bin = overview_.at(end_ns);
        ++bin.commands;
        bin.slowest_ns = std::max(bin.slowest_ns, turnaround_ns);
    }
    Slots& slots = *slots_[command.connection - 1];
    track->commands.push_back(static_cast<uint32_t>(row));
    track->slots.push_back(slots.take(start_ns, end_ns));
    track->slots_used = slots.used;
    track->turnaround.push(turnaround_ns);
}

bool Timeline::update(size_t most_rows) {
    if (finished_) return true;
    const ResultStore& store = *store_;
    const auto take = [&](size_t& taken, size_t rows, auto take_row) {
        const size_t end = step(taken, rows, most_rows);
        while (taken < end) take_row(taken++);
        return taken == rows;
    };
    const bool all_segments =
        take(taken_.segments, store.segments().size(), [&](size_t row) { take_segment(row); });
    // What hangs on a packet has a track only once that was taken in.
    if (!all_segments) return false;
    bool all = take(taken_.windows, store.windows().size(), [&](size_t row) { take_window(row); });
    all &=
        take(taken_.ca_transitions, store.ca_transitions().size(), [&](size_t row) { take_transition(row); });
    all &= take(taken_.losses, store.losses().size(), [&](size_t row) { take_loss(row); });
    all &= take(taken_.kernel_windows, store.kernel_windows().size(),
                [&](size_t row) { take_kernel_window(row); });
    all &= take(taken_.kernel_ca_transitions, store.kernel_ca_transitions().size(),
                [&](size_t row) { take_kernel_transition(row); });
    all &= take(taken_.pdus, store.pdus().size(), [&](size_t row) { take_pdu(row); });
    const size_t commands = store.commands().size();
    const size_t end = step(taken_.commands, commands, most_rows);
    while (taken_.commands < end &&
           settled(store.commands()[taken_.commands], commands - taken_.commands - 1)) {
        take_command(taken_.commands++);
    }
    sort_late();
    return all;
}

// Lists in which a row came late are put in order as a whole: that is rare.
void Timeline::sort_late() {
    std::ranges::sort(unsorted_);
    unsorted_.erase(std::unique(unsorted_.begin(), unsorted_.end()), unsorted_.end());
    for (const uint32_t connection : unsorted_) {
        ConnectionTrack& track = *track_for(connection);
        ++track.sorted_anew;
        std::ranges::stable_sort(track.pdus, {},
                                 [&](uint32_t row) { return time_of_pdu(store_->pdus()[row]); });
        for (SenderTrack& sender : track.senders) {
            std::ranges::stable_sort(sender.losses, {},
                                     [&](uint32_t row) { return store_->losses()[row].time_ns; });
            std::ranges::stable_sort(sender.kernel_windows, {},
                                     [&](uint32_t row) { return store_->kernel_windows()[row].time_ns; });
            std::ranges::stable_sort(sender.kernel_ca_transitions, {}, [&](uint32_t row) {
                return store_->kernel_ca_transitions()[row].time_ns;
            });
            sender.kernel_cwnd = LodPyramid<uint32_t>(unknown<uint32_t>, memory_);
            for (const uint32_t row : sender.kernel_windows)
                sender.kernel_cwnd.push(store_->kernel_windows()[row].cwnd);
            std::ranges::stable_sort(sender.segments, {}, [&](uint32_t row) { return time_of(row + 1); });
            sender.payload = RunningTotals(memory_);
            for (const uint32_t row : sender.segments) {
                sender.payload.push(store_->segments()[row].payload_length);
            }
        }
    }
    unsorted_.clear();
}

// Rows of commands fill up long after they were made, and losses may turn out to be of another kind.
void Timeline::take_commands_again() {
    TimeBins<OverviewBin> again;
    const auto bins = overview_.bins();
    for (size_t i = 0; i < bins.size(); ++i) {
        OverviewBin bin = bins[i];
        bin.losses = bin.commands = 0;
        bin.slowest_ns = no_time;
        again.at(overview_.begin_ns() + static_cast<int64_t>(i) * overview_.width_ns()).add(bin);
    }
    overview_ = std::move(again);
    for (const LossRow& loss : store_->losses()) {
        if (loss.time_ns != no_time && is_retransmission(loss.kind)) ++overview_.at(loss.time_ns).losses;
    }
    for (size_t i = 0; i < tracks_.size(); ++i) {
        if (tracks_[i] == nullptr) continue;
        ConnectionTrack& track = *tracks_[i];
        ++track.sorted_anew;
        track.commands.clear();
        track.slots.clear();
        track.unended.clear();
        track.turnaround = LodPyramid<int64_t>(no_time, memory_);
        track.longest_ns = 0;
        *slots_[i] = {};
    }
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
    for (const uint32_t row : order) take_command(row);
}

void Timeline::finish() {
    while (!update()) {
    }
    take_commands_again();
    slots_.clear();
    finished_ = true;
}

}  // namespace sanscope
