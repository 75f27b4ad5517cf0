// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <memory>
#include <optional>
#include <vector>

#include "gui/document/selection.h"
#include "gui/document/time_range.h"

namespace sanscope {

struct FilterResult;  // filter_result.h

enum class TimeFormat : uint8_t {
    relative,  // to the capture's first packet
    local,     // date and time of day here
    utc,
};

// What all views of a capture have in common: one time range, one selection, one filter, one connection in focus. Views
// change it and follow its signals; a signal comes only with a change. GUI thread only.
class ViewState : public QObject {
    Q_OBJECT

  public:
    explicit ViewState(QObject* parent = nullptr) : QObject(parent) {}

    // The shortest range that can be looked at.
    static constexpr int64_t shortest_ns = 200;

    // All there is. While the range is all there is, it grows with it; while the range follows, it moves on with its end.
    TimeRange whole() const { return whole_; }
    void set_whole(TimeRange whole) { set_whole(whole, whole); }
    // `traffic`: the range with iSCSI traffic. While nobody has looked elsewhere, that is what is shown, with a margin; all
    // there is where it is most of that.
    void set_whole(TimeRange whole, TimeRange traffic);
    TimeRange first_view() const { return first_view_; }

    // Whether the range, as long as it is, stays at the end of what there is. Looking at an earlier moment ends that; so does
    // nothing else but to say so.
    bool following() const { return following_; }
    void set_following(bool following);

    TimeRange range() const { return range_; }
    // Cut to what lies about the whole, and to the shortest. Steps of one movement (a drag, a run of wheel clicks) are one
    // step of the history: `Step::continued` goes on with the last one.
    enum class Step : uint8_t { fresh, continued };
    void set_range(TimeRange range, Step step = Step::fresh);
    void zoom(double factor, int64_t about_ns, Step step = Step::continued);  // factor > 1: closer
    void pan(double fraction_of_span, Step step = Step::continued);
    void show_all() { set_range(whole_); }
    void show_first_view() { set_range(first_view_); }
    // So that the moment is in sight: moves the range only if it must.
    void reveal(TimeRange range);
    bool can_go_back() const { return !back_.empty(); }
    bool can_go_forward() const { return !forward_.empty(); }
    void go_back();
    void go_forward();

    const Selection& selection() const { return selection_; }
    void select(Selection selection);
    // What the selection consists of; of the one before until that is known (selected_things_changed).
    const SelectedThings& selected() const { return selected_; }
    void set_selected_things(SelectedThings things);

    // The range of time that questions are asked of, wherever one looks; empty: none.
    TimeRange selected_range() const { return selected_range_; }
    void set_selected_range(TimeRange range);

    // The moment under the pointer, in whichever view it is.
    std::optional<int64_t> cursor_ns() const { return cursor_ns_; }
    void set_cursor(std::optional<int64_t> time_ns);

    // The TCP connection that the views of one connection show (1-based, 0: none), and which side sends there.
    uint32_t connection() const { return connection_; }
    bool sender_is_target() const { return sender_is_target_; }
    void set_connection(uint32_t connection);
    void set_connection(uint32_t connection, bool sender_is_target);

    TimeFormat time_format() const { return time_format_; }
    void set_time_format(TimeFormat format);

    // To be called once figures are to be written in other units: they are the program's, not a capture's.
    void tell_units_changed() { Q_EMIT units_changed(); }

    // Rows that pass the filter; nullptr: all do.
    const std::shared_ptr<const FilterResult>& filter() const { return filter_; }
    void set_filter(std::shared_ptr<const FilterResult> filter);

  Q_SIGNALS:
    void whole_changed();
    void following_changed();
    void range_changed();
    void history_changed();
    void selection_changed();
    void selected_things_changed();
    void selected_range_changed();
    void cursor_changed();
    void connection_changed();
    void time_format_changed();
    void units_changed();
    void filter_changed();

  private:
    TimeRange within_reach(TimeRange range) const;
    void apply(TimeRange range);
    TimeRange at_end(TimeRange range) const;

    TimeRange whole_;
    TimeRange first_view_;
    bool following_ = false;
    TimeRange range_;
    std::vector<TimeRange> back_;
    std::vector<TimeRange> forward_;
    Selection selection_;
    SelectedThings selected_;
    TimeRange selected_range_;
    std::optional<int64_t> cursor_ns_;
    uint32_t connection_ = 0;
    bool sender_is_target_ = true;
    TimeFormat time_format_ = TimeFormat::relative;
    std::shared_ptr<const FilterResult> filter_;
};

}  // namespace sanscope
