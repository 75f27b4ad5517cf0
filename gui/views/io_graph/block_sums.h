// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "gui/document/filter_result.h"
#include "gui/views/io_graph/graph_line.h"
#include "gui/views/io_graph/interval_value.h"

namespace sanscope {

// What blocks of rows in which nothing changes any more came to, so that pictures that follow each other, as of a recording that
// goes on, read new rows alone. One thread at a time.
class BlockSums {
  public:
    // What sums are of; of anything else they are others.
    struct Of {
        std::vector<GraphLine> lines;
        int64_t begin_ns = 0;  // from where intervals are counted
        int64_t length_ns = 1;
        std::shared_ptr<const FilterResult> filter;  // of all views
        bool complete = false;                       // the capture is

        bool operator==(const Of&) const = default;
    };
    using Values = std::map<int64_t, IntervalValue>;  // by interval

    // Begins a picture: whether the last one was of the same. Else what was kept is dropped, and keeping more is hardly worth it: a
    // zoom is a row of pictures of other intervals each.
    bool begin(Of of) {
        const bool same = of == of_;
        of_ = std::move(of);
        if (!same) kept_.clear();
        for (auto& [place, kept] : kept_) kept.used = false;
        return same;
    }
    // `line`: its place among those. nullptr where there are none yet.
    const Values* find(size_t line, size_t block) {
        const auto found = kept_.find({line, block});
        if (found == kept_.end()) return nullptr;
        found->second.used = true;
        return &found->second.values;
    }
    const Values& keep(size_t line, size_t block, Values values) {
        return kept_.insert_or_assign({line, block}, Kept{std::move(values), true}).first->second.values;
    }
    // Ends a picture: what it did not ask for is out of sight.
    void end() {
        std::erase_if(kept_, [](const auto& kept) { return !kept.second.used; });
    }
    int64_t begin_ns() const { return of_.begin_ns; }

  private:
    struct Kept {
        Values values;
        bool used = false;
    };
    Of of_;
    std::map<std::pair<size_t, size_t>, Kept> kept_;
};

}  // namespace sanscope
