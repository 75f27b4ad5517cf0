// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QButtonGroup>
#include <QComboBox>
#include <QLabel>
#include <memory>
#include <vector>

#include "gui/views/ladder/ladder_canvas.h"
#include "gui/view_engine/view.h"

namespace sanscope {

// The packets of the connection in focus between two lines of time, initiator and target, as in a textbook; beside them what
// the TCP of the side that sends held: congestion window, bytes in flight, advertised window, congestion state.
class LadderView : public View {
    Q_OBJECT

  public:
    LadderView(Document& document, QWidget* parent);

    bool settled() const override;
    void draw(QPainter& painter) override;

    LadderDetail detail() const { return detail_; }
    void set_detail(LadderDetail detail);
    LadderCanvas& canvas() const { return *canvas_; }

  private:
    struct Choice {
        uint32_t connection = 0;
        QString words;
    };
    static std::vector<Choice> find_choices(const CaptureData::Reading& reading);

    LadderRequest wanted() const;
    bool serves(const LadderPicture& picture) const;
    void request();
    void request_unless_served();
    void request_choices();
    void take_choices(std::vector<Choice> choices);
    void show_focus();
    void tell_emptiness();

    LadderDetail detail_ = LadderDetail::automatic;
    LadderCanvas* canvas_;
    QComboBox* connection_;
    QComboBox* sender_;
    QButtonGroup* details_;
    QLabel* note_;
    std::vector<Choice> choices_;
    bool outdated_ = true;  // what is drawn was made before the capture grew, or another filter
    LatestJob<std::shared_ptr<const LadderPicture>> job_{true};
    LatestJob<std::vector<Choice>> choices_job_{true};
};

}  // namespace sanscope
