// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <memory>

#include "gui/plot/plot_drawing.h"
#include "gui/senders/connection_chooser.h"
#include "gui/view_engine/plotted_view.h"
#include "gui/views/time_sequence/sequence_picture.h"

namespace sanscope {

// A sender's stream as tcptrace draws it: each segment upright from its first byte to its last, below it the line of what is
// acknowledged, above it that of what the receiver's window allows; retransmissions, SACKed bytes. Below, round trip time and
// throughput.
class TimeSequenceView : public PreparedView<SequencePicture, PlottedView> {
    Q_OBJECT

  public:
    TimeSequenceView(Document& document, QWidget* parent);

    bool settled() const override;
    QString text_at(QPoint at) const override;

    // For tests: where it is drawn.
    const PlotPane& sequence_pane() const { return *sequence_; }

  protected:
    QString title() const override { return chooser_->title(); }
    bool serves() const override { return picture().prepared.serves(plot_->time_viewport()); }
    Preparation preparation() override;
    void on_picture(const SequencePicture& before) override;
    void fit_values() override;
    void on_loaded() override;

  private:
    enum Part : size_t { segments, acknowledged, window, sacks, retransmissions, part_count };

    void build_plot();
    void make_legend();
    QColor segment_color() const;
    void draw_sequence(QPainter& painter, const PlotPane& pane);
    void draw_segments(QPainter& painter, const PlotPane& pane);
    void draw_labels(QPainter& painter, const PlotPane& pane, size_t first, size_t last);
    void draw_losses(QPainter& painter, const PlotPane& pane);
    void draw_throughput(QPainter& painter, const PlotPane& pane);
    bool select_at(QPoint at);

    ConnectionChooser* chooser_;
    LegendRow* legend_ = nullptr;
    PlotPane* sequence_ = nullptr;
    PlotPane* srtt_ = nullptr;
    PlotPane* throughput_ = nullptr;
    StepDrawing drawing_;
    std::vector<QLineF> bars_;
    std::vector<QLineF> faint_bars_;
    std::array<bool, part_count> on_{};
    std::shared_ptr<SequenceIndexes> indexes_ = std::make_shared<SequenceIndexes>();
    bool window_off_scale_ = false;
};

}  // namespace sanscope
