// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/selected_range/range_figures.h"

#include <algorithm>

#include "gui/document/traffic_in_range.h"

#include "analyzer/base/partition_index.h"
#include "analyzer/base/saturated_sum.h"
#include "analyzer/scsi/opcodes.h"
#include "analyzer/vocabulary/command_ending.h"

namespace sanscope {
namespace {

class Counting {
  public:
    Counting(const CaptureData::Reading& reading, const RangeQuestion& question, const StopFlag& stop)
        : reading_(reading), store_(reading.store()), timeline_(reading.timeline()), stop_(stop) {
        figures_.question = question;
        figures_.parts_known = store_.finished();
    }

    RangeFigures count() {
        uint32_t number = 0;
        for (const ConnectionRow& row : store_.connections()) {
            ++number;
            const ConnectionTrack* const track = timeline_.track(number);
            if (track == nullptr || !is_in_scope(number, row)) continue;
            for (const Side side : {Side::a, Side::b}) {
                count_segments(track->sender(side), row.is_initiator(side));
                count_losses(track->sender(side));
            }
            count_commands(*track);
            if (stop_) return {};
        }
        const int64_t span_ns = range().span_ns();
        figures_.under_way = span_ns > 0 ? under_way_ns_ / static_cast<double>(span_ns) : 0;
        figures_.complete = true;
        return std::move(figures_);
    }

  private:
    TimeRange range() const { return figures_.question.range; }
    const FilterResult* filter() const { return figures_.question.filter.get(); }

    bool is_in_scope(uint32_t number, const ConnectionRow& row) const {
        using Kind = ConnectionChooser::Scope::Kind;
        const ConnectionChooser::Scope& scope = figures_.question.scope;
        if (scope.kind == Kind::session) return row.session.value() == scope.number;
        return scope.kind != Kind::connection || number == scope.number;
    }

    // Of rows in order of time, those in the range.
    template <class TimeAt>
    std::pair<size_t, size_t> places(size_t size, TimeAt time_at) const {
        const auto first_from = [&](int64_t from_ns) {
            return partition_index(size_t{0}, size, [&](size_t i) { return time_at(i) < from_ns; });
        };
        return {first_from(range().begin_ns), first_from(range().end_ns)};
    }

    void count_segments(const SenderTrack& sender, bool to_target) {
        RangeFigures::Direction& direction = to_target ? figures_.to_target : figures_.to_initiator;
        const SenderTraffic traffic = traffic_in(reading_, sender, range());
        if (filter() == nullptr) {
            direction.segments += traffic.segments();
            direction.payload += traffic.payload;
            return;
        }
        for (size_t i = traffic.first; i < traffic.last; ++i) {
            if (i % 4096 == 0 && stop_) return;
            if (!filter()->rows.packets.test(sender.segments[i])) continue;
            ++direction.segments;
            direction.payload += store_.segments().get<&SegmentRow::payload_length>(sender.segments[i]);
        }
    }

    void count_losses(const SenderTrack& sender) {
        const auto [first, last] =
            places(sender.losses.size(), [&](size_t i) { return timeline_.time_of_loss(sender.losses[i]); });
        for (size_t i = first; i < last; ++i) {
            const size_t row = sender.losses[i];
            if (filter() != nullptr && !filter()->rows.losses.test(row)) continue;
            ++figures_.losses[static_cast<size_t>(store_.losses()[row].kind)];
        }
    }

    void count_commands(const ConnectionTrack& track) {
        const auto start_at = [&](size_t i) {
            return Timeline::start_of(store_.commands()[track.commands[i]]);
        };
        // One that is under way when the range begins is no older than the longest.
        int64_t earliest_ns = 0;
        if (__builtin_sub_overflow(range().begin_ns, track.longest_ns, &earliest_ns)) earliest_ns = no_time;
        if (track.commands.empty() || start_at(track.commands.size() - 1) < earliest_ns) return;
        size_t i = partition_index(size_t{0}, track.commands.size(),
                                   [&](size_t at) { return start_at(at) < earliest_ns; });
        for (; i < track.commands.size() && start_at(i) < range().end_ns; ++i) {
            if (i % 1024 == 0 && stop_) return;
            const size_t row = track.commands[i];
            if (filter() != nullptr && !filter()->rows.commands.test(row)) continue;
            count_command(row, start_at(i));
        }
    }

    void count_command(size_t row, int64_t start_ns) {
        const CommandRow& command = store_.commands()[row];
        if (command.request_ns != no_time && range().contains(command.request_ns)) {
            ++figures_.requested;
            if (command.outcome == Outcome::unanswered) ++figures_.not_answered;
        }
        if (command.response_ns == no_time) return;
        const int64_t begin_ns = std::max(start_ns, range().begin_ns);
        const int64_t end_ns = std::min(command.response_ns, range().end_ns);
        if (end_ns > begin_ns) under_way_ns_ += static_cast<double>(end_ns - begin_ns);
        if (range().contains(command.response_ns)) count_answered(row, command);
    }

    void count_answered(size_t row, const CommandRow& command) {
        RangeFigures::Commands& commands = is_read_opcode(command.opcode)    ? figures_.reads
                                           : is_write_opcode(command.opcode) ? figures_.writes
                                                                             : figures_.others;
        ++commands.count;
        if (command.bytes != unknown<uint64_t>) commands.bytes += command.bytes;
        if (ended_otherwise_than_good(command)) ++figures_.not_good;
        const int64_t turnaround_ns = command.turnaround_ns();
        if (turnaround_ns == no_time) return;
        commands.turnaround.add(turnaround_ns);
        CommandBudget budget;
        if (!figures_.parts_known || !reading_.budgets()->find(row + 1, budget)) return;
        ++figures_.with_parts;
        for (size_t part = 0; part < budget_parts; ++part)
            figures_.parts[part] = saturated_sum(figures_.parts[part], budget.parts()[part]);
    }

    const CaptureData::Reading& reading_;
    const ResultStore& store_;
    const Timeline& timeline_;
    const StopFlag& stop_;
    RangeFigures figures_;
    double under_way_ns_ = 0;
};

}  // namespace

uint64_t RangeFigures::sent_again() const {
    uint64_t sum = 0;
    for (size_t kind = 0; kind < loss_kinds; ++kind) {
        if (is_sent_again(static_cast<LossKind>(kind))) sum += losses[kind];
    }
    return sum;
}

LogHistogram RangeFigures::turnaround() const {
    LogHistogram all = reads.turnaround;
    all.add(writes.turnaround);
    all.add(others.turnaround);
    return all;
}

RangeFigures range_figures(const CaptureData::Reading& reading, const RangeQuestion& question,
                           const StopFlag& stop) {
    return question.range.empty() ? RangeFigures() : Counting(reading, question, stop).count();
}

}  // namespace sanscope
