// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gui/document/capture_data.h"
#include "gui/document/open_path.h"
#include "gui/models/table_access.h"

#include "analyzer/points/command_split.h"
#include "analyzer/points/split_sums.h"

namespace sanscope {

// Whose time the commands of a path's first capture were, measured at its points. Nothing in it changes.
class PathCommands {
  public:
    // `data`: that capture, complete. nullptr where it was stopped. Takes some seconds for a million commands.
    static std::shared_ptr<const PathCommands> split(std::shared_ptr<const OpenPath> path,
                                                     std::shared_ptr<const CaptureData> data,
                                                     const std::atomic<bool>& stop);
    PathCommands(const PathCommands&) = delete;
    PathCommands& operator=(const PathCommands&) = delete;

    const OpenPath& path() const { return *path_; }
    const ChunkedRows<CommandSplit>& rows() const { return rows_; }
    // As `sanscope report --points` has it.
    const std::string& text() const { return text_; }
    const std::vector<SplitSums>& sums() const { return sums_; }
    // `point_commands`; good as long as this.
    std::unique_ptr<Table> table() const;

  private:
    PathCommands() = default;

    std::shared_ptr<const OpenPath> path_;
    std::shared_ptr<const CaptureData> data_;
    ChunkedRows<CommandSplit> rows_;
    std::string text_;
    std::vector<SplitSums> sums_;
};

}  // namespace sanscope
