// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollBar>
#include <memory>
#include <unordered_map>

#include "gui/view_engine/prepared_view.h"
#include "gui/views/layers/layers_layout.h"
#include "gui/views/layers/layers_picture.h"

namespace sanscope {

class LayersCanvas;

// Every connection layer by layer on the common time range: SCSI commands from request to status, PDUs, segments with their
// losses, the senders' states, packets. Connections stand below each other and can be closed, lanes be made small.
class LayersView : public PreparedView<LayersPicture> {
    Q_OBJECT

  public:
    LayersView(Document& document, QWidget* parent);
    ~LayersView() override;

    bool settled() const override;
    void draw(QPainter& painter) override;
    QSize sizeHint() const override { return {1100, 520}; }

    // What it shows, and where; y of a group as in the canvas() now.
    const std::vector<GroupShape>& groups() const { return groups_; }
    const LayersLayout& layout_of_groups() const { return layout_; }
    GroupOpening opening(size_t group) const;
    int y_of(size_t group) const;
    QWidget* canvas() const;
    TimeViewport viewport() const;

    void set_expanded(uint32_t connection, bool expanded);
    void toggle_compact(LaneKind kind);
    void set_idle_open(bool open);
    bool idle_open() const { return idle_open_; }
    // From the top of the first group, in pixels.
    void scroll_to(int y);
    int scrolled() const { return bar_->value(); }
    // Scrolls so that something of the connection is in sight.
    void show_connection(uint32_t connection);

  protected:
    bool wants_picture() const override { return !groups_.empty() && !state().range().empty(); }
    bool serves() const override;
    Preparation preparation() override;
    void on_picture(const LayersPicture&) override {}
    void redraw() override;
    void on_growth() override { survey(); }
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    friend class LayersCanvas;

    void survey();
    void take_groups(std::vector<GroupShape> groups);
    void lay_out();
    std::vector<GroupRequest> wanted_groups() const;
    void show_selected();

    std::vector<GroupShape> groups_;
    LayersLayout layout_;
    std::unordered_map<uint32_t, bool> expanded_;  // of those that were opened or closed by hand
    LaneBits compact_ = 0;                         // lanes that are made small, of all groups
    bool idle_open_ = false;
    bool surveyed_ = false;
    std::shared_ptr<TrackSummaries> summaries_ = std::make_shared<TrackSummaries>();
    LatestJob<std::vector<GroupShape>> survey_job_{true};
    LayersCanvas* canvas_ = nullptr;
    QScrollBar* bar_ = nullptr;
};

}  // namespace sanscope
