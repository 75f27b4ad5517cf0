// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/turnaround/command_index.h"

#include <algorithm>
#include <cmath>

#include "analyzer/scsi/opcodes.h"
#include "analyzer/vocabulary/command_ending.h"

namespace sanscope {
namespace {

// Behind so many rows, nothing more is to be expected of a command's.
constexpr size_t patience = 256;

// What was appended to a sorted list takes its place in it.
template <class Item, class Less>
void merge_tail(std::vector<Item>& items, size_t sorted, Less less) {
    const auto middle = items.begin() + static_cast<ptrdiff_t>(sorted);
    if (!std::is_sorted(middle, items.end(), less)) std::stable_sort(middle, items.end(), less);
    if (sorted > 0 && middle != items.end() && less(*middle, *std::prev(middle))) {
        std::inplace_merge(std::upper_bound(items.begin(), middle, *middle, less), middle, items.end(), less);
    }
}

}  // namespace

CommandClass class_of(uint16_t opcode) {
    return is_read_opcode(opcode)  ? CommandClass::read
           : writes_blocks(opcode) ? CommandClass::write
                                   : CommandClass::other;
}

void CommandIndex::take(const ResultStore& store, const Timeline& timeline, size_t row) {
    const CommandRow& command = store.commands()[row];
    const int64_t start_ns = Timeline::start_of(command);
    if (!scope_.holds(command) || start_ns == no_time) return;
    CommandPoint point;
    point.start_ns = start_ns;
    point.turnaround_ns = command.turnaround_ns();
    if (point.turnaround_ns != no_time) {
        point.log_turnaround =
            static_cast<float>(std::log10(static_cast<double>(std::max<int64_t>(point.turnaround_ns, 1))));
    }
    if (point.turnaround_ns != no_time) {
        const bool first = least_log_ > greatest_log_;
        least_log_ = first ? point.log_turnaround : std::min(least_log_, point.log_turnaround);
        greatest_log_ = first ? point.log_turnaround : std::max(greatest_log_, point.log_turnaround);
    }
    point.row = static_cast<uint32_t>(row);
    point.kind = class_of(command.opcode);
    point.failed = ended_without_answer(command.outcome) || ended_otherwise_than_good(command);
    const bool given_up = command.outcome == Outcome::unanswered || ended_without_answer(command.outcome);
    point.unanswered =
        timeline.finished() && given_up && command.request_ns != no_time && command.response_ns == no_time;
    points_.push_back(point);
    starts_.push_back(start_ns);
    // One that nobody answered is given up with its connection at the latest.
    int64_t end_ns = timeline.end_of(command);
    if (end_ns == no_time && command.connection != 0) {
        end_ns = store.connections()[command.connection - 1].end_ns;
    }
    if (end_ns != no_time) ends_.push_back(std::max(end_ns, start_ns));
}

void CommandIndex::follow(const ResultStore& store, const Timeline& timeline) {
    if (final_) return;
    const bool finished = timeline.finished();
    if (finished) {
        *this = CommandIndex(scope_);
        final_ = true;
    }
    const size_t sorted = points_.size();
    const size_t sorted_ends = ends_.size();
    const auto& commands = store.commands();
    for (; taken_ < commands.size(); ++taken_) {
        const bool ended = timeline.end_of(commands[taken_]) != no_time;
        if (!finished && !ended && commands.size() - taken_ - 1 <= patience) break;
        take(store, timeline, taken_);
    }
    merge_tail(points_, sorted,
               [](const CommandPoint& a, const CommandPoint& b) { return a.start_ns < b.start_ns; });
    merge_tail(starts_, sorted, std::less<>());
    merge_tail(ends_, sorted_ends, std::less<>());
}

size_t CommandIndex::first_at(int64_t time_ns) const {
    return static_cast<size_t>(std::lower_bound(starts_.begin(), starts_.end(), time_ns) - starts_.begin());
}

int64_t CommandIndex::depth_at(int64_t time_ns) const {
    const auto begun = std::upper_bound(starts_.begin(), starts_.end(), time_ns) - starts_.begin();
    const auto ended = std::upper_bound(ends_.begin(), ends_.end(), time_ns) - ends_.begin();
    return begun - ended;
}

}  // namespace sanscope
