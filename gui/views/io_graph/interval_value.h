// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "gui/views/io_graph/graph_line.h"

#include "analyzer/base/log_histogram.h"

namespace sanscope {

// Values of which percentiles are asked for: exact while they are few, then in a logarithmic histogram, which reports a percentile
// within 1/128 (0.8 %) of itself.
class ValueDistribution {
  public:
    static constexpr size_t most_exact = 128;

    void add(int64_t value);
    void add(const ValueDistribution& other);
    uint64_t count() const { return count_; }
    bool exact() const { return histograms_ == nullptr; }
    // By the nearest-rank method: the least value that `percent` (1 … 100) of them do not exceed. Of at least one value.
    int64_t percentile(unsigned percent) const;

  private:
    struct Histograms {
        LogHistogram negative;  // their magnitudes
        LogHistogram positive;  // and zero
        void add(int64_t value);
    };
    void take_to_histograms();

    std::vector<int64_t> values_;  // while they are few
    std::unique_ptr<Histograms> histograms_;
    uint64_t count_ = 0;
};

// What the rows of one interval come to.
class IntervalValue {
  public:
    // A row; of a line without a column the value says nothing.
    void add(int64_t value, bool percentiles);
    // Rows of the same line.
    void add(const IntervalValue& other);
    uint64_t rows() const { return rows_; }
    // A percentile that is no estimate.
    bool exact() const { return distribution_ == nullptr || distribution_->exact(); }
    // NaN where it is not known of no rows. `length_ns` > 0: of the interval.
    double value(const GraphLine& line, int64_t length_ns) const;

  private:
    uint64_t rows_ = 0;
    double sum_ = 0;
    int64_t min_ = 0;
    int64_t max_ = 0;
    std::unique_ptr<ValueDistribution> distribution_;
};

}  // namespace sanscope
