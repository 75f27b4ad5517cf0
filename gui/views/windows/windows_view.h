// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QElapsedTimer>
#include <QTableWidget>
#include <QTimer>
#include <array>
#include <memory>

#include "gui/models/senders/sender_chooser.h"
#include "gui/plot/plot_drawing.h"
#include "gui/views/view.h"
#include "gui/views/windows/window_statistics.h"
#include "gui/views/windows/windows_picture.h"

namespace sanscope {

// What a sender's TCP did: congestion window with its interval, slow start threshold, bytes in flight and the receiver's
// window as lines of steps; its congestion state, what held it back and its losses as bands below. Or the windows of all
// connections of a session, summed.
class WindowsView : public View {
    Q_OBJECT

  public:
    WindowsView(Document& document, QWidget* parent);

    bool settled() const override;
    void draw(QPainter& painter) override;

    // For tests: what is drawn now.
    const WindowsPicture& picture() const { return *picture_; }
    const WindowStatistics& statistics() const { return shown_statistics_; }
    TimePlot& plot() const { return *plot_; }
    // What a pointer there is told.
    QString text_at(QPoint at) const;

  private:
    enum Line : size_t { cwnd, interval, ssthresh, in_flight, advertised, kernel, line_count };

    void build_plot();
    void refresh();
    void request();
    void take(WindowsPicture picture);
    void want_statistics();
    void ask_statistics();
    std::vector<SenderId> senders_shown() const;
    void take_statistics(WindowStatistics statistics);
    void arrange_rows();
    void make_legends();
    void fit_values();
    bool summed() const { return picture_->senders.size() > 1; }
    QString name_of(const SenderPicture& sender) const;
    QColor member_color(size_t index) const;
    void draw_main(QPainter& painter, const PlotPane& pane);
    void draw_losses(QPainter& painter, const PlotPane& pane);
    void draw_ca(QPainter& painter, const PlotPane& pane);
    void draw_limit(QPainter& painter, const PlotPane& pane);
    void draw_selection(QPainter& painter, const PlotPane& pane) const;
    int row_at(const PlotPane& pane, QPoint at) const;
    const LossMark* loss_at(QPoint at) const;
    void on_hover(std::optional<QPoint> at);
    void on_click(QPoint at);
    void on_double_click(QPoint at);

    SenderChooser* chooser_;
    QCheckBox* logarithmic_;
    TimePlot* plot_;
    QTableWidget* table_;
    LegendRow* lines_legend_ = nullptr;
    LegendRow* states_legend_ = nullptr;
    PlotPane* main_ = nullptr;
    PlotPane* losses_ = nullptr;
    PlotPane* ca_ = nullptr;
    PlotPane* limit_ = nullptr;
    StepDrawing drawing_;
    std::array<bool, line_count> on_{};
    std::unique_ptr<WindowsPicture> picture_ = std::make_unique<WindowsPicture>();
    std::shared_ptr<WindowIndexes> indexes_ = std::make_shared<WindowIndexes>();
    QElapsedTimer since_grown_;
    bool stale_ = true;     // the picture is of another sender, filter, or of less of the capture
    double off_scale_ = 0;  // the advertised window, where it is far above all else
    LatestJob<WindowsPicture> job_{true};
    LatestJob<WindowStatistics> statistics_job_;
    WindowStatistics shown_statistics_;
    QTimer statistics_timer_;
    QElapsedTimer since_movement_;
    TimeRange asked_range_;  // of the statistics under way or shown, as the next
    std::vector<SenderId> asked_senders_;
};

}  // namespace sanscope
