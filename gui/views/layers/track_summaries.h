// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "gui/views/layers/lane_columns.h"

namespace sanscope {

// What of connections was counted once, for the far views of them: made when it is first asked for, and anew when the
// connection has grown. One job at a time.
class TrackSummaries {
  public:
    struct Part {
        std::vector<CommandColumn> commands;
        std::vector<TrafficColumn> traffic;
        std::vector<PduColumn> pdus;
        bool has_commands = false;
        bool has_traffic = false;
        bool has_pdus = false;
    };
    struct Summary {
        size_t rows = 0;
        bool finished = false;
        size_t columns = 0;           // of each grid, at most
        PreparedRange grid;           // of traffic and PDUs
        PreparedRange commands_grid;  // which may go on behind the last packet
        ReachIndex reach;
        bool reach_is_new = false;  // of all these rows
        Part all;
        Part passing;
        std::shared_ptr<const FilterResult> filter;  // of `passing`
        uint64_t used = 0;
    };

    // Good until the next call.
    Summary& of(const TrackRows& rows, uint32_t connection, bool finished);
    const ReachIndex& reach(Summary& summary, const TrackRows& rows) const;
    // The columns, joined from what was counted once where that is fine enough, else counted now.
    std::vector<CommandColumn> commands(Summary& summary, const TrackRows& rows, const PreparedRange& grid,
                                        const std::shared_ptr<const FilterResult>& filter) const;
    std::vector<TrafficColumn> traffic(Summary& summary, const TrackRows& rows, const PreparedRange& grid,
                                       const std::shared_ptr<const FilterResult>& filter) const;
    std::vector<PduColumn> pdus(Summary& summary, const TrackRows& rows, const PreparedRange& grid,
                                const std::shared_ptr<const FilterResult>& filter) const;

  private:
    static constexpr size_t most_columns = 65536;
    static constexpr size_t most_summaries = 64;

    std::unordered_map<uint32_t, Summary> summaries_;
    uint64_t uses_ = 0;
};

}  // namespace sanscope
