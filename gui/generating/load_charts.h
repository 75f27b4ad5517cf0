// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>

#include "gui/generating/load_series.h"
#include "gui/plot/qcustomplot.h"
#include "gui/plot/value_ticks.h"

namespace sanscope {

// A load over time as it goes on, side by side: throughput, commands a second with a mark at seconds that had errors, and
// turnaround, median and 99th percentile, on a logarithmic axis.
class LoadCharts : public QCustomPlot {
    Q_OBJECT

  public:
    explicit LoadCharts(QWidget* parent = nullptr);

    QSize minimumSizeHint() const override { return {360, 120}; }
    void clear();
    void add(const LoadSecond& second);
    const LoadSeries& series() const { return series_; }

  protected:
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;

  private:
    struct Chart {
        QCPAxisRect* rect = nullptr;
        ValueUnit unit = ValueUnit::count;
        QString title;
    };
    void make_chart(size_t place, const QString& title, ValueUnit unit);
    QCPGraph* add_graph(size_t place);
    void apply_theme();
    void fill();

    LoadSeries series_;
    std::array<Chart, 3> charts_;
    QCPGraph* throughput_ = nullptr;
    QCPGraph* commands_ = nullptr;
    QCPGraph* errors_ = nullptr;
    QCPGraph* p50_ = nullptr;
    QCPGraph* p99_ = nullptr;
};

}  // namespace sanscope
