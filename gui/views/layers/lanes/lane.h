// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QString>
#include <array>
#include <functional>

#include "gui/views/layers/layers_picture.h"

class QPainter;

namespace sanscope {

class GroupPreparation;  // lanes/group_preparation.h
struct LanePainting;     // lanes/lane_painting.h

// Where a lane stands within its group.
struct LanePlace {
    LaneKind kind = LaneKind::commands;
    int top = 0;
    int height = 0;
    bool compact = false;
};

// A lane as it is drawn now: x in the viewport's pixels, y from the group's top.
struct LaneScene {
    const GroupPicture& picture;
    const PreparedRange& prepared;
    const GroupShape& shape;
    const LanePlace& place;
    TimeViewport viewport;
};

// What is at a point of a lane.
struct LaneHit {
    enum class What : uint8_t { nothing, item, column, loss };

    What what = What::nothing;
    size_t direction = 0;
    size_t index = 0;     // in the list of the group's picture
    Selection selection;  // what a click selects; none: nothing
    TimeRange range;      // what a double click frames where nothing is selected; empty: nothing
    bool operator==(const LaneHit&) const = default;
};

// One kind of lane of the layers: all that is known of it, from the capture's rows to the words under the pointer. Without
// state; one of each kind, for all threads.
class Lane {
  public:
    virtual ~Lane() = default;
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    LaneKind kind() const { return kind_; }
    // 0: out, initiator to target; 1: in. Of a lane of both, 0.
    size_t direction() const { return direction_; }

    // The connection has it.
    virtual bool is_in(const TrackRows& rows) const = 0;
    // In pixels.
    virtual int height(const GroupShape& shape, bool compact) const = 0;
    // On a worker: draws up what it shows of the range.
    virtual void prepare(GroupPreparation& group) const = 0;

    // Name, and a second line: what it shows, or the scale that paint() returned.
    virtual QString name() const = 0;
    virtual QString hint(const GroupShape&) const { return {}; }
    // Paints what was prepared. Returns what its full height stands for; empty where it has no scale.
    virtual QString paint(QPainter& painter, const LanePainting& painting) const = 0;
    // Into the gutter, from `y` on, below name and hint.
    virtual void paint_legend(QPainter&, const LanePainting&, int y) const { static_cast<void>(y); }

    // Of several items the nearest, of equally near ones that which is drawn last. Items may be missed by some pixels.
    virtual LaneHit hit(const LaneScene& scene, QPointF at) const = 0;
    // What hover shows of a hit; `moment` words a time.
    using Moment = std::function<QString(int64_t time_ns)>;
    virtual QString words(const LaneScene& scene, const LaneHit& hit, const Moment& moment) const = 0;

  protected:
    Lane(LaneKind kind, size_t direction) : kind_(kind), direction_(direction) {}

  private:
    LaneKind kind_;
    size_t direction_;
};

const Lane& lane_of(LaneKind kind);
// All, as they stand below each other.
const std::array<const Lane*, lane_kinds>& all_lanes();

// Whether that direction has a sender that sends more than requests and acknowledgements, or had trouble with these.
bool has_data_sender(const TrackRows& rows, size_t direction);

// Each is in the file of its name.
const Lane& commands_lane();
const Lane& pdu_lane(size_t direction);
const Lane& tcp_lane(size_t direction);
const Lane& window_lane(size_t direction);
const Lane& state_lane(size_t direction);
const Lane& kernel_state_lane(size_t direction);
const Lane& packets_lane();

}  // namespace sanscope
