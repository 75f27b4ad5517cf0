// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <array>
#include <memory>

#include "gui/plot/plot_drawing.h"
#include "gui/senders/connection_chooser.h"
#include "gui/senders/sender_curve_painter.h"
#include "gui/view_engine/debounce.h"
#include "gui/view_engine/plotted_view.h"
#include "gui/views/windows/window_statistics.h"
#include "gui/views/windows/windows_picture.h"

namespace sanscope {

// What a sender's TCP did: congestion window with its interval, slow start threshold, bytes in flight and the receiver's
// window as lines of steps; its congestion state, what held it back and its losses as bands below. Or the windows of all
// connections of a session, summed.
class WindowsView : public PreparedView<WindowsPicture, PlottedView> {
    Q_OBJECT

  public:
    WindowsView(Document& document, QWidget* parent);

    bool settled() const override;
    QString text_at(QPoint at) const override;

    // For tests: what is drawn now.
    const WindowStatistics& statistics() const { return shown_statistics_; }

  protected:
    QString title() const override { return chooser_->title(); }
    bool serves() const override { return picture().prepared.serves(plot_->time_viewport()); }
    Preparation preparation() override;
    void on_picture(const WindowsPicture& before) override;
    void fit_values() override;
    void want_statistics() override;
    void on_loaded() override;

  private:
    void build_plot();
    void ask_statistics();
    std::vector<SenderId> senders_shown() const;
    QString why_unjudged() const;
    // Three rows of the table from that one on.
    void fill_differences(int row);
    void take_statistics(WindowStatistics statistics);
    void arrange_rows();
    void make_legends();
    bool& on(SenderCurve curve) { return on_[static_cast<size_t>(curve)]; }
    ShownCurves shown() const;
    bool summed() const { return picture().senders.size() > 1; }
    // "connection 3, 192.0.2.1:32916 → 192.0.2.2:3260"; while the loader holds its rows, the number alone.
    QString name_of(SenderId sender) const;
    QColor member_color(size_t index) const;
    void draw_main(QPainter& painter, const PlotPane& pane);
    void draw_losses(QPainter& painter, const PlotPane& pane);
    void draw_ca(QPainter& painter, const PlotPane& pane);
    void draw_limit(QPainter& painter, const PlotPane& pane);
    bool shows_kernel_ca() const { return has_kernel_ca(picture()); }
    static bool has_kernel_ca(const WindowsPicture& picture);
    // Whether what is drawn of the senders stands at moments that no packet shows.
    bool estimated() const;
    const SenderPicture& sender_at(const PlotPane& pane, QPoint at) const;
    int row_at(const PlotPane& pane, QPoint at) const;
    const LossMark* loss_at(QPoint at) const;
    void on_click(QPoint at);
    void on_double_click(QPoint at);

    ConnectionChooser* chooser_;
    QCheckBox* logarithmic_;
    FigureTable* table_ = nullptr;
    LegendRow* lines_legend_ = nullptr;
    LegendRow* states_legend_ = nullptr;
    PlotPane* main_ = nullptr;
    PlotPane* losses_ = nullptr;
    PlotPane* ca_ = nullptr;
    PlotPane* limit_ = nullptr;
    SenderCurvePainter drawing_;
    std::array<bool, sender_curves> on_{};  // by SenderCurve: switched in the legend
    std::shared_ptr<WindowIndexes> indexes_ = std::make_shared<WindowIndexes>();
    double off_scale_ = 0;  // the advertised window, where it is far above all else
    LatestJob<WindowStatistics> statistics_job_;
    WindowStatistics shown_statistics_;
    Debounce statistics_debounce_;
    TimeRange asked_range_;  // of the statistics under way or shown, as the next
    std::vector<SenderId> asked_senders_;
};

}  // namespace sanscope
