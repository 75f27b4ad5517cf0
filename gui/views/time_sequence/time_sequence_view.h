// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <array>
#include <memory>

#include "gui/models/senders/sender_chooser.h"
#include "gui/plot/plot_drawing.h"
#include "gui/views/time_sequence/sequence_picture.h"
#include "gui/views/view.h"

namespace sanscope {

// A sender's stream as tcptrace draws it: each segment upright from its first byte to its last, below it the line of what is
// acknowledged, above it that of what the receiver's window allows; retransmissions, SACKed bytes. Below, round trip time and
// throughput.
class TimeSequenceView : public View {
    Q_OBJECT

  public:
    TimeSequenceView(Document& document, QWidget* parent);

    bool settled() const override;
    void draw(QPainter& painter) override;

    // For tests: what is drawn now, and what a pointer there is told.
    const SequencePicture& picture() const { return *picture_; }
    TimePlot& plot() const { return *plot_; }
    const PlotPane& sequence_pane() const { return *sequence_; }
    QString text_at(QPoint at) const;

  private:
    enum Part : size_t { segments, acknowledged, window, sacks, retransmissions, part_count };

    void build_plot();
    void make_legend();
    void refresh();
    void request();
    void take(SequencePicture picture);
    void fit_values();
    QColor segment_color() const;
    void draw_sequence(QPainter& painter, const PlotPane& pane);
    void draw_segments(QPainter& painter, const PlotPane& pane);
    void draw_labels(QPainter& painter, const PlotPane& pane, size_t first, size_t last);
    void draw_losses(QPainter& painter, const PlotPane& pane);
    void draw_throughput(QPainter& painter, const PlotPane& pane);
    void draw_selection(QPainter& painter, const PlotPane& pane) const;
    void on_hover(std::optional<QPoint> at);
    bool select_at(QPoint at);
    void frame_selected();

    SenderChooser* chooser_;
    TimePlot* plot_;
    LegendRow* legend_ = nullptr;
    PlotPane* sequence_ = nullptr;
    PlotPane* srtt_ = nullptr;
    PlotPane* throughput_ = nullptr;
    StepDrawing drawing_;
    std::vector<QLineF> bars_;
    std::vector<QLineF> faint_bars_;
    std::array<bool, part_count> on_{};
    std::unique_ptr<SequencePicture> picture_ = std::make_unique<SequencePicture>();
    std::shared_ptr<SequenceIndexes> indexes_ = std::make_shared<SequenceIndexes>();
    QElapsedTimer since_grown_;
    bool stale_ = true;
    bool window_off_scale_ = false;
    bool to_frame_ = false;  // as soon as it is known what the selection is
    LatestJob<SequencePicture> job_{true};
};

}  // namespace sanscope
