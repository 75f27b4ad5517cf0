// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/layers/layers_picture.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "gui/document/iscsi_traffic.h"
#include "gui/plot/time_axis.h"
#include "gui/senders/sender_list.h"
#include "gui/views/layers/lanes/group_preparation.h"
#include "gui/views/layers/lanes/lane.h"
#include "gui/views/layers/translated.h"

namespace sanscope {
namespace {

using layers_view::tr;

void describe(const TrackRows& rows, GroupPicture& picture) {
    const ConnectionRow& row = rows.connection();
    picture.title = connection_text(row.initiator, row.target);
    if (row.session != 0) {
        const SessionRow& session = rows.store().sessions()[row.session - 1];
        if (!session.target_name.empty()) {
            picture.title += QStringLiteral("   ") + QString::fromStdString(session.target_name);
        }
    }
    QStringList facts;
    if (!rows.track().commands.empty()) {
        facts << counted(rows.track().commands.size(), tr("command"), tr("commands"));
    }
    facts << tr("%1 out").arg(short_bytes(static_cast<double>(row.bytes_out)))
          << tr("%1 in").arg(short_bytes(static_cast<double>(row.bytes_in)));
    if (!row.iscsi) facts << tr("no iSCSI");
    picture.facts = facts.join(QStringLiteral(" · "));
}

}  // namespace

std::vector<GroupShape> survey_groups(const CaptureData::Reading& reading, bool complete) {
    const auto& connections = reading.store().connections();
    std::vector<GroupShape> groups;
    for (uint32_t number = 1; number <= connections.size(); ++number) {
        const ConnectionTrack* track = reading.timeline().track(number);
        if (track == nullptr) continue;
        GroupShape shape{number, track->slots_used, 0, is_idle(reading, number)};
        const TrackRows rows(reading, number);
        for (const Lane* const lane : all_lanes()) {
            if (lane->is_in(rows)) shape.lanes = static_cast<LaneBits>(shape.lanes | bit_of(lane->kind()));
        }
        groups.push_back(shape);
    }
    // Something is to be seen.
    if (std::ranges::all_of(groups, &GroupShape::idle)) {
        for (GroupShape& shape : groups) shape.idle = false;
    }
    const auto key = [&](const GroupShape& shape) {
        const ConnectionRow& row = connections[shape.connection - 1];
        const uint64_t bytes = row.bytes_in + row.bytes_out;
        constexpr int much_more_bits = 4;
        const auto amount = static_cast<uint64_t>(std::bit_width(bytes) / much_more_bits);
        return std::tuple(shape.idle, !row.iscsi, ~(complete ? bytes : amount), shape.connection);
    };
    std::ranges::sort(groups, {}, key);
    return groups;
}

const GroupPicture* LayersPicture::group(uint32_t connection) const {
    const auto found = std::ranges::find(groups, connection, &GroupPicture::connection);
    return found == groups.end() ? nullptr : &*found;
}

GroupPicture prepare_group(const CaptureData::Reading& reading, TrackSummaries& summaries,
                           const GroupRequest& request, const PreparedRange& prepared,
                           const SelectedThings& selected,
                           const std::shared_ptr<const FilterResult>& filter) {
    if (reading.timeline().track(request.connection) == nullptr) {
        GroupPicture none;
        none.connection = request.connection;
        none.expanded = request.expanded;
        return none;
    }
    GroupPreparation group(reading, summaries, request, prepared, selected, filter);
    describe(group.rows(), group.picture());
    if (request.expanded) {
        for (const Lane* const lane : all_lanes()) lane->prepare(group);
    } else {
        group.add_traffic_columns();
    }
    return std::move(group.picture());
}

}  // namespace sanscope
