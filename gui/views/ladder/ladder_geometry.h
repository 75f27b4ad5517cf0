// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineF>
#include <QPointF>
#include <QRect>
#include <QSize>
#include <span>
#include <vector>

#include "gui/plot/text_scale.h"
#include "gui/views/ladder/ladder_picture.h"

namespace sanscope {

// Which part of the widget holds what, device-independent pixels. Too narrow a widget lacks names, then curves.
struct LadderLayout {
    static int header() { return beside_text(46); }
    static constexpr int footer = 8;
    // Widths of ours, which are named, and of the kernel's.
    static int own_states() { return beside_text(16); }
    static int kernel_states() { return beside_text(12); }

    QRect axis;    // of time
    QRect ladder;  // both lines of time and what is written beside them
    double x_initiator = 0;
    double x_target = 0;
    QRect band;   // congestion states
    QRect names;  // of the transitions; empty where there is no room, as the next one
    QRect curves;

    // `with_kernel_states`: the kernel's stand in the band at the right of ours.
    static LadderLayout of(QSize size, bool with_kernel_states = false);
};

// Where the ways of packets lie.
struct LadderGeometry {
    TimeViewport view;
    double x_initiator = 0;
    double x_target = 0;

    double y(int64_t time_ns) const { return view.x_of(time_ns); }
    double x_sender(Role sender) const { return sender == Role::initiator ? x_initiator : x_target; }
    double x_receiver(Role sender) const { return sender == Role::initiator ? x_target : x_initiator; }
    // From the sender to the receiver.
    QLineF line(const PacketTransit& transit, Role sender) const {
        return {x_sender(sender), y(transit.left_ns), x_receiver(sender), y(transit.arrival_ns)};
    }
};

// How much of its way an arrow is seen to go, from 0 to 1.
inline double way_of(LadderArrow::Fate fate) {
    return fate == LadderArrow::Fate::lost || fate == LadderArrow::Fate::lost_unseen ? 0.5 : 1;
}

// The part of a line, from 0 to 1, that lies between two heights; first > second: none does.
std::pair<double, double> part_between(const QLineF& line, double top, double bottom);

struct LadderHit {
    enum class Kind : uint8_t { none, arrow, pdu, command, losses };
    Kind kind = Kind::none;
    size_t index = 0;  // in the picture's list of that
    bool operator==(const LadderHit&) const = default;
};

// What lies at a point or within `reach` pixels: the nearest; of those that hold it, the briefest. Commands in brackets stand
// at x_lanes to the left, every lane_width pixels.
LadderHit hit_ladder(const LadderPicture& picture, const LadderGeometry& geometry, QPointF at,
                     double lane_width, double reach = 5);

// Where the bracket of a command stands.
inline double lane_x(const LadderGeometry& geometry, uint16_t lane, double lane_width) {
    return geometry.x_initiator - 6 - lane * lane_width;
}

// Puts labels of one height below each other, as near as can be to where each is wanted (its centre; in order), within
// [top, bottom]; none overlaps another where there is room for all. Returns their centres.
std::vector<double> spread_labels(std::span<const double> wanted, double height, double top, double bottom);

// Which transitions are to be named, by their height: in order, not more than can be placed near where they happen; those
// into graver states first.
std::vector<size_t> choose_named(std::span<const LadderTransition> transitions, const TimeViewport& view,
                                 double label_height);

}  // namespace sanscope
