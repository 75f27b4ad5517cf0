// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>

#include "gui/document/view_state.h"
#include "gui/plot/theme.h"
#include "gui/plot/time_gestures.h"
#include "gui/plot/time_viewport.h"

namespace sanscope {

// Over what is drawn in `area`: the selected range of the state, and the one being drawn, each with its duration.
void draw_selected_ranges(QPainter& painter, const Theme& theme, const ViewState& state,
                          const TimeViewport& view, std::optional<TimeRange> drawn, const QRectF& area,
                          TimeDirection direction = TimeDirection::rightwards);

}  // namespace sanscope
