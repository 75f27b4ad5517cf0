// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/view_state.h"

#include <cmath>
#include <utility>

namespace sanscope {
namespace {

constexpr size_t longest_history = 200;
// 73 years. Views prepare more than they show, at each end; all of that is still a number of 64 bits.
constexpr uint64_t longest_ns = uint64_t{1} << 61;

int64_t rounded(double value) {
    return static_cast<int64_t>(std::llround(value));
}

// Of a capture whose clock is broken, the beginning.
TimeRange not_too_long(TimeRange range) {
    const uint64_t span = static_cast<uint64_t>(range.end_ns) - static_cast<uint64_t>(range.begin_ns);
    if (range.end_ns > range.begin_ns && span > longest_ns)
        range.end_ns = range.begin_ns + static_cast<int64_t>(longest_ns);
    return range;
}

TimeRange first_view_of(TimeRange whole, TimeRange traffic) {
    constexpr double margin = 0.03;
    constexpr double most = 0.9;
    const TimeRange wide = traffic.widened(margin);
    const TimeRange view{std::max(wide.begin_ns, whole.begin_ns), std::min(wide.end_ns, whole.end_ns)};
    const bool is_most = static_cast<double>(view.span_ns()) > most * static_cast<double>(whole.span_ns());
    return traffic.empty() || view.empty() || is_most ? whole : view;
}

}  // namespace

void ViewState::set_whole(TimeRange whole, TimeRange traffic) {
    const TimeRange first_view = first_view_of(whole, traffic);
    if (whole == whole_ && first_view == first_view_) return;
    const bool is_first = range_ == not_too_long(first_view_) || range_.empty();
    const bool is_all = range_ == not_too_long(whole_);
    whole_ = whole;
    first_view_ = first_view;
    Q_EMIT whole_changed();
    if (following_) return apply(range_.empty() ? not_too_long(whole) : at_end(range_));
    if (is_first) return apply(not_too_long(first_view));
    if (is_all) apply(not_too_long(whole));
}

void ViewState::set_following(bool following) {
    if (following == following_) return;
    following_ = following;
    if (following_ && !range_.empty()) apply(at_end(range_));
    Q_EMIT following_changed();
}

TimeRange ViewState::at_end(TimeRange range) const {
    return {whole_.end_ns - range.span_ns(), whole_.end_ns};
}

// A little beyond the whole may be looked at, so that what stands at its edge can be brought to the middle.
TimeRange ViewState::within_reach(TimeRange range) const {
    range = not_too_long(range);
    if (range.span_ns() < shortest_ns) {
        const int64_t middle = range.begin_ns + range.span_ns() / 2;
        range = {middle - shortest_ns / 2, middle + shortest_ns / 2};
    }
    if (whole_.empty() || range == not_too_long(whole_) || range == first_view_) return range;
    const TimeRange reach = whole_.widened(0.05);
    const int64_t span = std::min(range.span_ns(), std::max(reach.span_ns(), shortest_ns));
    int64_t begin = range.begin_ns;
    const int64_t slack = span < whole_.span_ns() ? span / 2 : 0;
    begin = std::clamp(begin, std::min(reach.begin_ns, whole_.begin_ns - slack),
                       std::max(reach.end_ns, whole_.end_ns + slack) - span);
    return {begin, begin + span};
}

void ViewState::apply(TimeRange range) {
    if (range == range_) return;
    range_ = range;
    Q_EMIT range_changed();
}

void ViewState::set_range(TimeRange range, Step step) {
    range = within_reach(range);
    if (following_) {
        // What still shows the end is another length to be followed with.
        if (range.end_ns >= whole_.end_ns) {
            range = at_end(range);
        } else {
            set_following(false);
        }
    }
    if (range == range_) return;
    if (!range_.empty() && (step == Step::fresh || back_.empty())) {
        back_.push_back(range_);
        if (back_.size() > longest_history) back_.erase(back_.begin());
    }
    forward_.clear();
    apply(range);
    Q_EMIT history_changed();
}

void ViewState::zoom(double factor, int64_t about_ns, Step step) {
    const double before = static_cast<double>(about_ns - range_.begin_ns) / factor;
    const double after = static_cast<double>(range_.end_ns - about_ns) / factor;
    TimeRange zoomed{about_ns - rounded(before), about_ns + rounded(after)};
    if (zoomed.span_ns() < shortest_ns) {
        // As close as it gets, still about the same moment.
        const double share = static_cast<double>(about_ns - range_.begin_ns) /
                             static_cast<double>(std::max<int64_t>(range_.span_ns(), 1));
        const int64_t begin = about_ns - rounded(share * static_cast<double>(shortest_ns));
        zoomed = {begin, begin + shortest_ns};
    }
    set_range(zoomed, step);
}

void ViewState::pan(double fraction_of_span, Step step) {
    const int64_t by = rounded(static_cast<double>(range_.span_ns()) * fraction_of_span);
    set_range({range_.begin_ns + by, range_.end_ns + by}, step);
}

void ViewState::reveal(TimeRange range) {
    const int64_t span = range_.span_ns();
    if (range_.contains(range.begin_ns) && range.end_ns <= range_.end_ns) return;
    if (range.span_ns() > span - span / 5) return set_range(range.widened(0.1));
    const int64_t middle = range.begin_ns + range.span_ns() / 2;
    set_range({middle - span / 2, middle - span / 2 + span});
}

void ViewState::go_back() {
    if (back_.empty()) return;
    forward_.push_back(range_);
    const TimeRange range = back_.back();
    back_.pop_back();
    apply(range);
    Q_EMIT history_changed();
}

void ViewState::go_forward() {
    if (forward_.empty()) return;
    back_.push_back(range_);
    const TimeRange range = forward_.back();
    forward_.pop_back();
    apply(range);
    Q_EMIT history_changed();
}

void ViewState::select(Selection selection) {
    if (selection == selection_) return;
    selection_ = selection;
    Q_EMIT selection_changed();
}

void ViewState::set_selected_things(SelectedThings things) {
    selected_ = std::move(things);
    Q_EMIT selected_things_changed();
}

void ViewState::set_selected_range(TimeRange range) {
    if (range.empty()) range = {};
    if (range == selected_range_) return;
    selected_range_ = range;
    Q_EMIT selected_range_changed();
}

void ViewState::set_cursor(std::optional<int64_t> time_ns) {
    if (time_ns == cursor_ns_) return;
    cursor_ns_ = time_ns;
    Q_EMIT cursor_changed();
}

void ViewState::set_connection(uint32_t connection) {
    set_connection(connection, sender_is_target_);
}

void ViewState::set_connection(uint32_t connection, bool sender_is_target) {
    if (connection == connection_ && sender_is_target == sender_is_target_) return;
    connection_ = connection;
    sender_is_target_ = sender_is_target;
    Q_EMIT connection_changed();
}

void ViewState::set_time_format(TimeFormat format) {
    if (format == time_format_) return;
    time_format_ = format;
    Q_EMIT time_format_changed();
}

void ViewState::set_filter(std::shared_ptr<const FilterResult> filter) {
    if (filter == filter_) return;
    filter_ = std::move(filter);
    Q_EMIT filter_changed();
}

}  // namespace sanscope
