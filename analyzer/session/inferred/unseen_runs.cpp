// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/inferred/unseen_runs.h"

#include <algorithm>
#include <limits>

#include "analyzer/iscsi/bhs_field_ends.h"
#include "analyzer/scsi/status.h"

namespace sanscope {
namespace {

UnseenRuns::ReadEnd arrival_at(const UnseenRuns::Run& run, uint64_t end) {
    const auto mark = std::ranges::lower_bound(run.marks, end, {}, &UnseenStretch::Mark::end);
    if (mark == run.marks.end()) return {};
    return {mark->delivered, !mark->not_captured};
}

enum class DataBefore : uint8_t { none, all, unknown };

// Which of its read's data a SCSI Response came behind. A task that the target did not begin brings none (SAM-5 §5.3.1).
DataBefore data_before(const Pdu& response) {
    switch (response.bhs().status()) {
        case scsi_status::good:
            return DataBefore::all;
        case scsi_status::busy:
        case scsi_status::reservation_conflict:
        case scsi_status::task_set_full:
            return DataBefore::none;
        default:
            return DataBefore::unknown;
    }
}

}  // namespace

UnseenRuns::Run& UnseenRuns::open_run(uint64_t offset) {
    if (!open_) {
        runs_.emplace_back();
        runs_.back().begin = runs_.back().end = offset;
        open_ = true;
    }
    Run& run = runs_.back();
    // Something between was not followed.
    if (run.end != offset) run.run.explicable = false;
    if (run.marks.size() > max_moments) {
        // Longer than anybody would explain.
        run.run.explicable = false;
        run.marks.erase(run.marks.begin() + 1, run.marks.end() - 1);
        run.boundaries.clear();
    }
    return run;
}

void UnseenRuns::add_stretch(const UnseenStretch& stretch, bool in_place) {
    Run& run = open_run(stretch.begin);
    run.run.explicable = run.run.explicable && in_place;
    run.end = stretch.end;
    moments_ += stretch.marks.size();
    run.marks.insert(run.marks.end(), stretch.marks.begin(), stretch.marks.end());
}

void UnseenRuns::add_partial(const Pdu& pdu, const AnswerShape& shape) {
    const Bhs bhs = pdu.bhs();
    Run& run = open_run(pdu.offset);
    const uint32_t data = bhs.data_segment_length();
    run.boundaries.push_back({pdu.offset, {0, bhs.opcode(), data}});
    run.end = pdu.offset + shape.pdu_bytes(data);
    const bool ends_behind = pdu.behind.packet > pdu.last.packet;
    run.marks.push_back(
        {run.end, ends_behind ? pdu.behind : pdu.last, pdu.last.packet, pdu.damaged || pdu.last.packet == 0});
    ++moments_;
}

bool UnseenRuns::close(const Pdu* next) {
    open_ = false;
    Run& run = runs_.back();
    if (!run.marks.empty()) {
        run.first_packet = run.marks.front().after;
        run.last_packet = run.marks.back().delivered.packet;
    }
    if (crowd(4)) {
        run.marks.clear();
        return false;
    }
    if (next != nullptr && run.end != next->offset) run.run.explicable = false;
    if (run.marks.size() >= UnseenStretch::max_marks) run.run.explicable = false;
    if (run.end - run.begin > std::numeric_limits<uint32_t>::max()) run.run.explicable = false;
    return true;
}

// What a read that is under way has to come is in the run, or more of it than the run is long.
std::optional<UnseenRuns::ReadEnd> UnseenRuns::cut_head(const ReadUnderWay& read, const Pdu* next,
                                                        const AnswerShape& shape,
                                                        const ResponseProfile& profile) {
    if (!read.any()) return {};
    Run& run = runs_.back();
    const bool goes_on = next != nullptr && next->bhs().itt() == read.itt();
    if (goes_on) {
        run.begin = run.end;
        run.run.explicable = true;
        return {};
    }
    const bool apart = profile.statuses_apart > 0;
    const bool either = apart && profile.statuses_with_data > 0;
    if (read.interleaves() || (either && read.left() > 0)) {
        run.run.explicable = false;
        return {};
    }
    const uint32_t rest = read.left() > 0
                              ? shape.data_in_bytes(read.passed(), read.passed() + read.left(), profile) +
                                    (apart ? shape.header_length : 0)
                              : shape.header_length;
    if (rest > run.end - run.begin || !run.run.explicable) {
        run.run.explicable = false;
        return {};
    }
    const ReadEnd end = arrival_at(run, run.begin + rest);
    run.begin += rest;
    ++reads_ended_;
    return end;
}

void UnseenRuns::cut_tail(const Pdu& next, const CommandTracker::AnswerSoFar& answer, bool interleaves,
                          const AnswerShape& shape, const ResponseProfile& profile) {
    Run& run = runs_.back();
    if (run.begin >= run.end) return;
    const Bhs bhs = next.bhs();
    const bool data = bhs.opcode() == Opcode::scsi_data_in;
    if (!data && bhs.opcode() != Opcode::scsi_response) return;
    const bool requested = answer.command != 0;
    uint32_t before = 0;
    if (data && next.header_captured >= buffer_offset_end) {
        before = bhs.buffer_offset();
    } else if (data) {
        const bool whole = requested && bhs.data_segment_length() >= answer.expected;
        if (!whole) run.run.explicable = false;
    } else if (requested && answer.expected > 0 && profile.statuses_apart > 0) {
        switch (data_before(next)) {
            case DataBefore::none:
                return;
            case DataBefore::all:
                before = answer.expected;
                break;
            case DataBefore::unknown:
                run.run.explicable = false;
                return;
        }
    }
    if (before <= answer.passed) return;
    if (!requested && !data) return;
    const uint32_t bytes = shape.data_in_bytes(answer.passed, before, profile);
    if (bytes > run.end - run.begin || interleaves) {
        run.run.explicable = false;
        return;
    }
    run.end -= bytes;
}

void UnseenRuns::place(uint64_t statuses) {
    Run& run = runs_.back();
    if (run.run.explicable) {
        run.run.length = static_cast<uint32_t>(run.end - run.begin);
        const auto place = [&](uint64_t offset) {
            return static_cast<uint32_t>(std::min(offset, run.end) - std::min(run.begin, offset));
        };
        for (const UnseenStretch::Mark& mark : run.marks) {
            if (mark.end > run.begin)
                run.run.moments.push_back({place(mark.end), mark.delivered, !mark.not_captured});
        }
        for (const auto& [offset, boundary] : run.boundaries) {
            if (offset < run.begin || offset >= run.end) continue;
            run.run.boundaries.push_back(boundary);
            run.run.boundaries.back().at = place(offset);
        }
    } else if (!run.marks.empty()) {
        run.run.moments.push_back({0, run.marks.back().delivered, false});
    }
    run.marks = {};
    run.boundaries = {};
    run.closed_at = statuses;
}

bool UnseenRuns::drop_if_empty() {
    const Run& run = runs_.back();
    if (!run.run.explicable || run.begin < run.end) return false;
    moments_ -= std::min(moments_, run.run.moments.size());
    runs_.pop_back();
    return true;
}

// What was dropped of the group at hand may have held its statuses as well.
void UnseenRuns::widen_group() {
    const PacketNumber from = std::exchange(group_from_, 0);
    if (from == 0) return;
    runs_[group_begin(runs_.size() - 1)].first_packet = from;
}

uint32_t UnseenRuns::end_group(uint32_t unseen, Serial32 stat_sn, uint64_t statuses) {
    const uint32_t rest = unseen - std::min(unseen, std::exchange(reads_ended_, 0));
    if (runs_.empty() || runs_.back().ends_group) {
        group_from_ = 0;
        return rest;
    }
    widen_group();
    Run& run = runs_.back();
    run.ends_group = run.count_known = true;
    run.unseen = rest;
    run.stat_sn_behind = stat_sn;
    run.closed_at = statuses;
    return 0;
}

void UnseenRuns::end_uncounted_group() {
    reads_ended_ = 0;
    if (runs_.empty() || runs_.back().ends_group) {
        group_from_ = 0;
        return;
    }
    widen_group();
    runs_.back().ends_group = true;
    runs_.back().count_known = false;
}

size_t UnseenRuns::group_begin(size_t i) const {
    while (i > 0 && !runs_[i - 1].ends_group) --i;
    return i;
}

size_t UnseenRuns::group_end(size_t i) const {
    while (i < runs_.size() && !runs_[i].ends_group) ++i;
    return i;
}

uint64_t UnseenRuns::unseen() const {
    uint64_t unseen = 0;
    for (const Run& run : runs_) unseen += run.unseen;
    return unseen;
}

size_t UnseenRuns::ended_by(uint64_t statuses) const {
    size_t count = 0;
    for (size_t i = 0; i < runs_.size(); ++i) {
        if (runs_[i].ends_group && runs_[i].closed_at <= statuses) count = i + 1;
    }
    return count;
}

void UnseenRuns::drop(size_t count) {
    if (count > 0 && !runs_[count - 1].ends_group) {
        const size_t first = group_begin(count - 1);
        if (first > 0 || group_from_ == 0) group_from_ = runs_[first].first_packet;
    }
    for (size_t i = 0; i < count; ++i) moments_ -= std::min(moments_, runs_[i].run.moments.size());
    runs_.erase(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(count));
    if (runs_.empty()) moments_ = 0;
}

}  // namespace sanscope
