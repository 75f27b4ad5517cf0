// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QButtonGroup>
#include <QComboBox>
#include <QLabel>

#include "gui/senders/connection_chooser.h"
#include "gui/view_engine/prepared_view.h"
#include "gui/views/ladder/ladder_canvas.h"

namespace sanscope {

// The packets of the connection in focus between two lines of time, initiator and target, as in a textbook; beside them what
// the TCP of the side that sends held: congestion window, bytes in flight, advertised window, congestion state.
class LadderView : public PreparedView<LadderPicture> {
    Q_OBJECT

  public:
    LadderView(Document& document, QWidget* parent);

    bool settled() const override;
    void draw(QPainter& painter) override;

    LadderDetail detail() const { return detail_; }
    void set_detail(LadderDetail detail);
    LadderCanvas& canvas() const { return *canvas_; }
    // Of a path of three points or more: at which the other end is measured. Hidden for others.
    QComboBox& far_point() const { return *far_point_; }

  protected:
    bool serves() const override;
    Preparation preparation() override;
    void on_picture(const LadderPicture& before) override;
    void redraw() override;

  private:
    void show_why_empty();
    void offer_far_points();
    size_t farthest_point() const;

    LadderDetail detail_ = LadderDetail::automatic;
    LadderCanvas* canvas_;
    ConnectionChooser* chooser_;
    QButtonGroup* details_;
    QComboBox* far_point_;
    QLabel* note_;
};

}  // namespace sanscope
