// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QPainter>
#include <vector>

#include "gui/plot/theme.h"
#include "gui/views/layers/layers_layout.h"

namespace sanscope {

// Draws groups of the layers from their pictures. Kept from one painting to the next for the room of its lists. GUI thread.
class LayersPainter {
  public:
    static constexpr int gutter = 170;

    struct Group {
        const GroupPicture* picture;  // nullptr while there is none yet
        GroupShape shape;
        GroupOpening opening;
        bool in_focus = false;  // the connection that all views look at
        int top = 0;            // y of the group in the widget
    };
    struct Scene {
        const Theme& theme;
        TimeViewport viewport;
        PreparedRange prepared;
        const SelectedThings& selected;
        QFont font;
        int width = 0;
        int top = 0;  // nothing is drawn above
        int bottom = 0;
    };

    // Backgrounds, to be drawn before the grid of time; and all else, after it.
    void draw_background(QPainter& painter, const Scene& scene, const Group& group) const;
    void draw(QPainter& painter, const Scene& scene, const Group& group);

  private:
    struct Look;  // what one call of draw() knows

    void draw_header(QPainter& painter, const Look& look);
    void draw_gutter(QPainter& painter, const Look& look, const LanePlace& lane) const;
    void draw_commands(QPainter& painter, const Look& look, const LanePlace& lane);
    void draw_command(QPainter& painter, const Look& look, const LanePlace& lane,
                      const CommandBar& bar) const;
    void draw_command_columns(QPainter& painter, const Look& look, const LanePlace& lane,
                              const std::vector<CommandColumn>& columns, double strength);
    void draw_pdus(QPainter& painter, const Look& look, const LanePlace& lane, size_t direction);
    void draw_tcp(QPainter& painter, const Look& look, const LanePlace& lane, size_t direction);
    void draw_states(QPainter& painter, const Look& look, const LanePlace& lane, size_t direction) const;
    void draw_packets(QPainter& painter, const Look& look, const LanePlace& lane);

    std::vector<QRect> rects_;
    std::array<std::vector<QRect>, slowness_classes> rects_by_slowness_;
    std::vector<QRect> failed_;
    std::vector<double> values_;
    QString scale_;  // of the lane drawn last, if it has one
};

// Of a slowness_class(), from swift to slow.
QColor slowness_color(const Theme& theme, size_t slowness);
QColor pdu_color(const Theme& theme, uint8_t opcode);

}  // namespace sanscope
