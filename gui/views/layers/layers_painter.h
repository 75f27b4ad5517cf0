// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/views/layers/lanes/lane_painting.h"
#include "gui/views/layers/layers_layout.h"

namespace sanscope {

// Paints groups of the layers from their pictures: backgrounds, headers, names; what is in a lane that lane paints. Kept from
// one painting to the next for the room of its lists. GUI thread.
class LayersPainter {
  public:
    struct Group {
        const GroupPicture* picture;  // nullptr while there is none yet
        GroupShape shape;
        GroupOpening opening;
        bool in_focus = false;  // the connection that all views look at
        int top = 0;            // y of the group in the widget
    };

    // Backgrounds, to be drawn before the grid of time; and all else, after it.
    void draw_background(QPainter& painter, const LayersScene& scene, const Group& group) const;
    void draw(QPainter& painter, const LayersScene& scene, const Group& group);
    // What stands for so many idle connections.
    void draw_idle_line(QPainter& painter, const LayersScene& scene, int top, size_t idle, bool open) const;

  private:
    void draw_header(QPainter& painter, const LayersScene& scene, const Group& group,
                     const GroupPicture& picture);
    void draw_traffic(QPainter& painter, const LayersScene& scene, const GroupPicture& picture);

    LaneScratch scratch_;
};

}  // namespace sanscope
