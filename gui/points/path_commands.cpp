// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/points/path_commands.h"

#include <utility>

#include "analyzer/points/points_tables.h"
#include "analyzer/points/split_text.h"

namespace sanscope {

std::shared_ptr<const PathCommands> PathCommands::split(std::shared_ptr<const OpenPath> path,
                                                        std::shared_ptr<const CaptureData> data,
                                                        const std::atomic<bool>& stop) {
    const std::shared_ptr<PathCommands> commands(new PathCommands);
    commands->path_ = std::move(path);
    commands->data_ = std::move(data);
    const PathPoints& points = commands->path_->path();
    const auto reading = commands->data_->read();
    if (!split_commands(points, reading.store(), {.stop = &stop, .progress = {}}, commands->rows_))
        return nullptr;
    commands->text_ = split_text(points, reading.store(), commands->rows_);
    commands->sums_ = sum_splits(points, reading.store(), commands->rows_);
    return commands;
}

std::unique_ptr<Table> PathCommands::table() const {
    // The store of a complete capture stays as it is.
    return make_point_commands_table(path_->path(), data_->read().store(), rows_);
}

}  // namespace sanscope
