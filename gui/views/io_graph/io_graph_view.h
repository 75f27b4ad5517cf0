// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QToolButton>
#include <array>
#include <memory>
#include <string>

#include "gui/view_engine/plotted_view.h"
#include "gui/views/io_graph/graph_picture.h"
#include "gui/views/io_graph/line_editor.h"

#include "analyzer/base/result.h"

namespace sanscope {

// Lines of anything that tables count or measure, interval by interval. Which lines, and how long an interval is, is kept for the
// next window.
class IoGraphView : public PreparedView<GraphPicture, PlottedView> {
    Q_OBJECT

  public:
    IoGraphView(Document& document, QWidget* parent);

    void draw(QPainter& painter) override;
    QString text_at(QPoint at) const override;

    GraphSetup setup() const;
    void set_setup(const GraphSetup& setup);

    // Writes the intervals in sight as CSV. Called on the GUI thread, done on any.
    std::function<Result<std::monostate>()> csv_writing(const QString& path) const;

    // For tests.
    LineEditor& editor() const { return *editor_; }
    QComboBox& interval_box() const { return *interval_box_; }
    const PlotPane& pane(size_t index) const { return *panes_[index]; }
    const std::array<std::optional<GraphUnit>, most_graph_units>& units() const { return plan_.units; }
    QString note() const { return note_->text(); }
    // Across the plot; empty: nothing.
    QString message() const;

  protected:
    QString title() const override;
    bool serves() const override;
    Preparation preparation() override;
    void on_picture(const GraphPicture& before) override;
    void on_loaded() override {
        times_ = std::make_shared<BlockTimes>();
        sums_ = std::make_shared<BlockSums>();
    }
    void redraw() override;
    void fit_values() override;

  private:
    void make_bar(QHBoxLayout& bar);
    void keep_setup() const;
    void on_setup();
    void plan();
    void make_legend();
    void show_note();
    bool anything_in_sight() const;
    int64_t wanted_interval_ns() const { return interval_box_->currentData().toLongLong(); }
    int64_t length_in_sight() const;
    std::optional<size_t> pane_of(const GraphSeries& series) const;
    void draw_pane(QPainter& painter, size_t pane) const;
    // A series and an interval of it.
    struct Under {
        const GraphSeries* series = nullptr;
        size_t interval = 0;
    };
    std::optional<Under> under(QPoint at) const;
    QString rows_text(const GraphSeries& series, const GraphSeries::Point& point) const;
    void frame_interval(QPoint at);

    QComboBox* interval_box_;
    QToolButton* edit_button_;
    LineEditor* editor_;
    QLabel* note_;
    LegendRow* legend_ = nullptr;
    std::array<PlotPane*, most_graph_units> panes_{};
    GraphPlan plan_;
    std::shared_ptr<BlockTimes> times_ = std::make_shared<BlockTimes>();
    std::shared_ptr<BlockSums> sums_ = std::make_shared<BlockSums>();  // for one job at a time
};

}  // namespace sanscope
